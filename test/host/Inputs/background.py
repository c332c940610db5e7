"""Prints how often each kernel of the summary ran in each mode, and what was not made."""
import json
import sys

summary = json.load(sys.stdin)
for kernel in sorted(summary["kernels"], key=lambda each: each["name"]):
    counts = {}
    for group in kernel["launches"]:
        counts[group["mode"]] = counts.get(group["mode"], 0) + group["count"]
    print(kernel["name"], *(f"{mode} {counts[mode]}" for mode in sorted(counts)))
for kernel in summary["coverage"]["kernels"]["not_instrumented"]:
    print(kernel["name"] + ":", kernel["reason"])
for gap in summary["coverage"]["gaps"]:
    print(gap["count"], gap["what"] + ":", gap["reason"])
