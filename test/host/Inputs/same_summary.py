"""Compares summary.json of two directories: all values are equal but for those that differ from
run to run."""
import json
import pathlib
import re
import sys

# Times, the process and its threads, addresses, and where the results are.
VARIES = re.compile(r"(^|_)(ns|seconds|time|times|start|end|pid|ppid|duration|output|address|thread)(_|$)")


def values(of, path=""):
    if isinstance(of, dict):
        for key, value in of.items():
            if not VARIES.search(key):
                yield from values(value, f"{path}/{key}")
    elif isinstance(of, list):
        yield f"{path}/length", len(of)
        for index, value in enumerate(of):
            yield from values(value, f"{path}/{index}")
    else:
        yield path, of


first, second = (dict(values(json.loads((pathlib.Path(name) / "summary.json").read_text())))
                 for name in sys.argv[1:])
wrong = [f"{path}: {first.get(path, 'nothing')} and {second.get(path, 'nothing')}"
         for path in first | second if first.get(path) != second.get(path)]
print("\n".join(wrong) or f"{len(first)} values are the same")
sys.exit(bool(wrong))
