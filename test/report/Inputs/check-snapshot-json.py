"""check-snapshot-json.py WITH FAILED: compares `gmreport snapshot --json` with what snapshot.py and snapshot.test put in.

WITH    The training at its peak, beside the run of snapshot.test.
FAILED  The training after the request that failed.
"""
import json
import sys

MIB = 1 << 20
with_run, failed = (json.load(open(path)) for path in sys.argv[1:3])


def same(what, found, expected):
    if found != expected:
        sys.exit(f"{what}: {found}, expected {expected}")


def pool(private, stream, blocks, *sizes):
    return {"private_pool": private, "stream": stream, "blocks": blocks} | sums(*sizes)


def sums(segments, reserved, allocated, awaiting, requested, releasable, fragmented, largest_free):
    return {"segments": segments, "reserved_bytes": reserved, "allocated_bytes": allocated, "awaiting_bytes": awaiting,
            "requested_bytes": requested, "releasable_bytes": releasable, "fragmented_bytes": fragmented,
            "largest_free_bytes": largest_free}


def row(owner, name, size, objects):
    return {"owner": owner, "name": name, "bytes": size, "objects": objects}


def owner(name, of, snapshot, run):
    return {"owner": name, "name": of, "snapshot_bytes": snapshot, "run_bytes": run}


same("members", list(with_run), ["schema", "tool", "file", "events", "contradicting_events", "seconds", "moment", "devices",
                                 "objects", "findings"])
same("schema", with_run["schema"], "gmprof.snapshot/1")
same("file", with_run["file"], "train.pickle")
same("events", (with_run["events"], with_run["contradicting_events"]), (10, 0))
same("seconds", round(with_run["seconds"], 6), 0.0016)
same("moments", (with_run["moment"], failed["moment"]), ("peak", "failure"))
same("devices", [d["device"] for d in with_run["devices"]], [0])
device = with_run["devices"][0]

# Tensors at the peak: 6 MiB, 3 MiB, 512 bytes, 40 MiB, 4 MiB; 82 MiB in segments, of which 2 MiB are for small blocks.
tensors, reserved = 53 * MIB + 512, 82 * MIB
same("moment", (device["account"]["moment"], round(device["account"]["seconds"], 6)), ("peak", 0.0005))
same("rows", [(r["owner"], r["name"], r["bytes"]) for r in device["account"]["rows"]],
     [("tensors", "", tensors), ("cached", "large blocks", 27 * MIB), ("cached", "small blocks", 2 * MIB - 512)])
same("sites", [(s["source"]["line"], s["bytes"]) for s in device["account"]["sites"]],
     [(20, 40 * MIB), (5, 6 * MIB), (21, 4 * MIB), (7, 3 * MIB), (6, 512)])

same("pools", device["pools"],
     [pool(None, 0, "small", 1, 2 * MIB, 512, 0, 40, 0, 2 * MIB - 512, 2 * MIB - 512),
      pool(None, 0, "large", 2, 60 * MIB, 8 * MIB, 0, 8 * MIB, 40 * MIB, 12 * MIB, 40 * MIB),
      pool([0, 1], 0x55, "large", 1, 20 * MIB, 0, 3 * MIB, 3 * MIB, 0, 17 * MIB, 17 * MIB)])
same("all pools", device["all_pools"], sums(4, reserved, 8 * MIB + 512, 3 * MIB, 11 * MIB + 40, 40 * MIB, 31 * MIB - 512,
                                            40 * MIB))

same("run", device["run"],
     {"owners": [owner("tensors", "", tensors, 53 * MIB), owner("cached", "large blocks", 27 * MIB, 29 * MIB),
                 owner("cached", "small blocks", 2 * MIB - 512, None), owner("context", "", None, 30 * MIB),
                 owner("library", "NCCL", None, 6 * MIB), owner("unattributed", "", None, 2 * MIB)],
      "snapshot_bytes": reserved, "run_bytes": 120 * MIB, "run_bytes_are": "in_use", "run_pytorch_bytes": 82 * MIB,
      "run_other_bytes": 38 * MIB})

same("no run", failed["devices"][0]["run"], None)
failure = failed["devices"][0]["account"]["failure"]
same("failure", (failure["bytes"], failure["source"]["line"]), (1 << 30, 30))
same("findings", [(f["pattern"], f["severity"], f["source"]["line"], f["bytes_saved"]) for f in failed["findings"]],
     [("temporary_peak", "medium", 20, 40 * MIB), ("oversized_cache", "info", 23, 0)])
same("objects", [(o["id"], o["bytes"]) for o in failed["objects"]], [(0, 40 * MIB), (1, 40 * MIB)])
same("their objects", [f["object"]["id"] for f in failed["findings"]], [1, 0])
