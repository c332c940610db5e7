"""edit.py SUMMARY CODE > NEW: the summary after CODE, to which it is s."""
import json
import sys

with open(sys.argv[1]) as file:
    s = json.load(file)
exec(sys.argv[2])
json.dump(s, sys.stdout)
