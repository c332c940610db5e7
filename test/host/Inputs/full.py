"""Checks the summary of full.cu: one program, and what each of its runs found."""

import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    summary = json.load(file)

assert summary["config"]["profile"] == "full", summary["config"]
assert set(summary["config"]["profiles"]) == {"shared", "objects", "heat", "sync", "elements", "cache"}
assert [k["launch_counts"]["seen"] for k in summary["kernels"]] == [3]
large, = [o for o in summary["objects"] if o["kind"] == "device"]
assert large["name"] == "Large" and large["elements"]["accessed"] == 1024, large
use, = summary["kernels"][0]["global_memory"]["objects"]
assert use["object"] == large["id"] and use["touched"] == 1024, use
assert summary["kernels"][0]["heat"]["objects"][0]["object"] == large["id"]
cached, = [o for o in summary["cache"]["objects"] if o["object"] is not None]
assert cached["object"] == large["id"], cached
assert [s["name"] for s in summary["sync"]["stages"]][:3] == ["baseline", "trace", "memory"]

findings = {f["pattern"]: f for f in summary["findings"]}
assert len(findings) == len(summary["findings"]), summary["findings"]
assert findings["overallocation"]["object"]["id"] == large["id"]
wait = summary["sync"]["sites"][findings["unnecessary_synchronization"]["site"]]
assert wait["api"] == "cudaDeviceSynchronize" and wait["unnecessary"] == 1, wait
