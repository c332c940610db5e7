"""Prints the number of the finding of a pattern: finding.py SUMMARY PATTERN [TEXT OF THE MESSAGE]"""
import json
import sys

_, summary, pattern, *text = sys.argv
with open(summary) as file:
    found = [f["id"] for f in json.load(file)["findings"]
             if f["pattern"] == pattern and all(t in f["message"] for t in text)]
if len(found) != 1:
    sys.exit(f"{len(found)} findings of {' '.join(sys.argv[2:])}")
print(found[0])
