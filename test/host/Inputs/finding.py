"""Prints the number of the finding of a pattern: finding.py SUMMARY PATTERN [FUNCTION THAT WAITS]"""
import json
import sys

_, path, pattern, *api = sys.argv
with open(path) as file:
    summary = json.load(file)
found = [f["id"] for f in summary["findings"]
         if f["pattern"] == pattern and (not api or summary["sync"]["sites"][f["site"]]["api"] in api)]
if len(found) != 1:
    sys.exit(f"{len(found)} findings of {' '.join(sys.argv[2:])}")
print(found[0])
