"""Checks an account of a device's memory: memory.py FOLDER MOMENT 'OWNER MIB OBJECTS'… in_use MIB total MIB.

The rows have to be these, and to add up exactly to the memory in use."""
import json
import pathlib
import sys

MIB = 1 << 20
folder, moment, *rows, _, in_use, _, total = sys.argv[1:]
summary = json.loads((pathlib.Path(folder) / "summary.json").read_text())
(device,) = summary["memory"]["devices"]
account = next(a for a in device["accounts"] if a["moment"] == moment)
found = [(r["name"] or r["owner"], r["bytes"], r["objects"]) for r in account["rows"]]
expected = [(owner, int(mib) * MIB, int(objects)) for owner, mib, objects in (row.split() for row in rows)]
assert found == expected, found
assert sum(r["bytes"] for r in account["rows"]) == account["in_use_bytes"] == int(in_use) * MIB, account
assert account["total_bytes"] == int(total) * MIB and account["read"] and account["reduced_bytes"] == 0, account
assert device["failed_allocations"] == (moment == "failure")
