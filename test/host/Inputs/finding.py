"""Prints the number of the finding of a pattern: finding.py SUMMARY PATTERN"""
import json
import sys

with open(sys.argv[1]) as file:
    found = [f["id"] for f in json.load(file)["findings"] if f["pattern"] == sys.argv[2]]
if len(found) != 1:
    sys.exit(f"{len(found)} findings of {sys.argv[2]}")
print(found[0])
