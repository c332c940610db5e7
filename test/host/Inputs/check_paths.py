# Prints the sizes of objects with their place and call path, from the first Python function to the last.
import json
import os
import sys


def place(source):
    return f"{os.path.basename(source['file'])}:{source['line']}" if source else "?"


def path_of(event):
    return [summary["frames"][each] for each in summary["call_paths"][event["call_path"]]]


with open(os.path.join(sys.argv[1], "summary.json")) as file:
    summary = json.load(file)
for o in sorted(summary["objects"], key=lambda o: o["bytes"]):
    path = path_of(o["alloc"])
    frames = [f"{f['function']} {place(f['source'])}" if not f["image"] else "native" for f in path]
    merged = [f for f, before in zip(frames, [None] + frames) if (f, before) != ("native", "native")]
    print(o["bytes"], "at", place(o["source"]) + ":", " < ".join(merged))
    if o["free"]:
        freed = path_of(o["free"])
        print("    freed at", place(o["free"]["source"]), len([f for f in freed if not f["image"]]))
for g in summary["coverage"]["gaps"]:
    print("gap:", g["count"], g["what"], g["reason"])
