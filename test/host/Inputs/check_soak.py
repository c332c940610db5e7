#!/usr/bin/env python3
"""Compares a profile with what soak.cu wrote down: check_soak.py MODEL SUMMARY. Prints each difference."""

import json
import sys


def launches(summary, name):
    return sum(k["launch_counts"]["seen"] for k in summary["kernels"]
               if k["demangled"].startswith(f"{name}("))


def of_graphs(summary):
    """Launches by graphs whose nodes are the program's own kernels; the others are those of their kernels.
    The profiles objects and sync need no other kernels there."""
    launches = summary["coverage"]["launches"]
    if summary["config"]["profiles"] in (["objects"], ["sync"]):
        return launches["nothing_to_profile"]
    return sum(reason["count"] for reason in launches["reasons"] if reason["kernel"] == "graphs")


def differences(model, summary):
    """(what, what the model says, what the profile says), where they differ."""
    device = summary["memory"]["devices"][0]
    alive = {str(o["address"]): o["bytes"] for o in summary["objects"]
             if o["released"] is False}
    seen = summary["coverage"]["launches"]
    compared = {
        "gaps": ([], summary["coverage"]["gaps"]),
        "launches": (model["fill"] + model["add"] + model["replayed"], seen["seen"]),
        "launches of fill": (model["fill"] + model["replayed"],
                             launches(summary, "fill") + of_graphs(summary)),
        "launches of add": (model["add"], launches(summary, "add")),
        "objects": (model["objects"], summary["memory"]["objects"]),
        "peak": (model["peak"], device["peak_bytes"]),
        "bytes at the end": (model["end"], device["bytes_at_end"]),
        "objects at the end": (model["alive"], alive),
    }
    return [(what, *values) for what, values in compared.items() if values[0] != values[1]]


def main():
    model, summary = (json.load(open(path, encoding="utf-8")) for path in sys.argv[1:3])
    found = differences(model, summary)
    for what, expected, seen in found:
        print(f"{what}: {expected} happened, the profile has {seen}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
