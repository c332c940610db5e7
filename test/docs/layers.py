#!/usr/bin/env python3
"""Checks which folders include which, against the dependencies that docs/architecture.md draws: a file
includes headers of its own folder and of those that MAY_INCLUDE lists for it, and the list has no cycle.
"""

import argparse
import os
import pathlib
import re
import sys

# Folder of a library: folders whose headers it may include. A file belongs to the longest folder.
MAY_INCLUDE = {
    "include": [],
    "runtime": [],
    "ptx": [],
    "sass": [],
    "static-analysis": ["include", "ptx"],
    "runtime/profile": ["include"],
    "runtime/cache": ["include", "runtime/profile"],
    "runtime/analysis": ["include", "runtime/profile", "runtime/cache"],
    "runtime/report": ["include", "runtime/profile", "runtime/cache", "runtime/analysis"],
    "runtime/report/builder": ["include", "runtime/profile", "runtime/cache", "runtime/analysis",
                               "runtime/report"],
    "runtime/cli": ["runtime/profile", "runtime/report"],
    "runtime/report/tool": ["runtime/profile", "runtime/cache", "runtime/analysis", "runtime/report",
                            "runtime/cli"],
    "runtime/device": ["include"],
    "runtime/host/instrument": ["include", "runtime/profile"],
    "runtime/host": ["include", "runtime/profile", "runtime/cache", "runtime/host/instrument"],
    "runtime/python": [],
    "pass": ["include", "ptx", "sass", "static-analysis", "runtime/host/instrument"],
    "pass/driver": ["include", "runtime/profile"],
    "instrument": ["include", "ptx", "sass", "static-analysis", "pass", "runtime/host/instrument"],
    "runtime/cpu": ["include", "ptx", "runtime/profile", "runtime/host/instrument"],
    "runtime/tool/gmprof": ["include", "runtime/profile", "runtime/cache", "runtime/analysis",
                            "runtime/report", "runtime/report/builder", "runtime/cli", "runtime/host",
                            "runtime/host/instrument"],
    "runtime/tool/kernel": ["include", "ptx", "runtime/profile", "runtime/cpu"],
}
SHARED_BY_PROFILES = {"core", "rules", "requests", "host", "driver"}


def library(path):
    """The folder in MAY_INCLUDE that holds a file."""
    parts = path.split("/")[:-1]
    for length in range(len(parts), 0, -1):
        if (folder := "/".join(parts[:length])) in MAY_INCLUDE:
            return folder
    return None


def profile(path):
    """The profile whose folder in pass/ holds a file."""
    parts = path.split("/")
    return parts[1] if parts[0] == "pass" and len(parts) == 3 and parts[1] not in SHARED_BY_PROFILES \
        else None


def includes(source, files, path):
    text = (source / path).read_text()
    for header in re.findall(r'^#include "([^"]+)"', text, re.MULTILINE):
        for base in (os.path.dirname(path), "", "runtime", "include"):
            if (found := os.path.normpath(os.path.join(base, header))) in files:
                yield found
                break


def wrong(source):
    files = {path.relative_to(source).as_posix() for top in ("include", "ptx", "sass", "static-analysis",
             "pass", "instrument", "runtime") for path in (source / top).rglob("*")
             if path.suffix in (".h", ".cpp", ".cu", ".def", ".inc") and "node_modules" not in path.parts}
    for path in sorted(files):
        of = library(path)
        if of is None:
            yield f"{path}: its folder is not in MAY_INCLUDE"
            continue
        for header in includes(source, files, path):
            if library(header) not in (of, *MAY_INCLUDE[of]):
                yield f"{path} includes {header}"
            elif (to := profile(header)) and to != profile(path):
                yield f"{path} includes {header} of the profile {to}"


def cycle(graph):
    """A cycle of the graph as a list of nodes; empty if there is none."""
    done = set()

    def visit(node, path):
        if node in path:
            return path[path.index(node):] + [node]
        if node not in done:
            for each in graph[node]:
                if found := visit(each, [*path, node]):
                    return found
            done.add(node)
        return []

    for node in graph:
        if found := visit(node, []):
            return found
    return []


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("source", type=pathlib.Path)
    o = parser.parse_args()
    if found := cycle(MAY_INCLUDE):
        sys.exit("MAY_INCLUDE has a cycle: " + " -> ".join(found))
    if found := list(wrong(o.source)):
        sys.exit("\n".join(found))
    print(f"{len(MAY_INCLUDE)} folders include only what they may")


if __name__ == "__main__":
    main()
