"""Validates summary.json files: validate-summary.py SCHEMA SUMMARY...

Stricter than the schema: a member that the schema does not describe is an
error, because whatever is written must be documented.
"""
import csv
import json
import pathlib
import sys

import jsonschema


def close(node):
    """Forbids undescribed members wherever members are described."""
    if isinstance(node, dict):
        if "properties" in node:
            node["additionalProperties"] = False
        for child in node.values():
            close(child)
    elif isinstance(node, list):
        for child in node:
            close(child)


def undescribed(node, path="#"):
    """Paths of the schema's members without a description."""
    if isinstance(node, dict):
        for name, child in node.get("properties", {}).items():
            if "description" not in child and "$ref" not in child:
                yield f"{path}/{name}"
        for name, child in node.items():
            yield from undescribed(child, f"{path}/{name}")
    elif isinstance(node, list):
        for index, child in enumerate(node):
            yield from undescribed(child, f"{path}/{index}")


def check_counts(summary, folder):
    """shared_counts.csv says the same as the summary."""
    expected = {(k["id"], u["object"]): u for k in summary["kernels"] for u in k["objects"]}
    found = {}
    for file in summary["files"]:
        if file["name"] == "shared_counts":
            with open(folder / file["path"], newline="") as rows:
                for row in csv.DictReader(rows):
                    key = (int(row["kernel"]), int(row["object"]))
                    found.setdefault(key, []).append(int(row["accesses"]))
    assert found.keys() == expected.keys(), (found.keys(), expected.keys())
    for key, use in expected.items():
        assert len(found[key]) == use["count_elements"]
        assert sum(found[key]) == use["accesses"]["value"]
        zeros = found[key].count(0)
        never = use["never_touched"]
        assert zeros >= never["elements"] and zeros <= never["elements"] + never["padding_elements"]


def check_global_counts(summary, folder):
    """global_counts.csv says the same as the summary."""
    kinds = ("reads", "writes", "atomics")
    found = {}
    for file in summary["files"]:
        if file["name"] == "global_counts":
            with open(folder / file["path"], newline="") as rows:
                for row in csv.DictReader(rows):
                    elements = int(row["last"]) - int(row["first"]) + 1
                    sums = found.setdefault((int(row["kernel"]), int(row["object"])), [0] * 4)
                    for index, kind in enumerate(kinds):
                        sums[index] += elements * float(row[kind])
                    sums[3] += elements
    for kernel in summary["kernels"]:
        for use in (kernel["global_memory"] or {"objects": []})["objects"]:
            sums = found.pop((kernel["id"], use["object"]), [0] * 4)
            if use["counts_complete"]:
                for index, kind in enumerate(kinds):
                    total = use[kind]["accesses"]["value"] if use[kind] else 0
                    assert abs(sums[index] - total) <= 1e-9 * total
                assert sums[3] == use["touched"]
    assert not found, found


schema = json.loads(pathlib.Path(sys.argv[1]).read_text())
validator = jsonschema.validators.validator_for(schema)
validator.check_schema(schema)
missing = list(undescribed(schema))
assert not missing, f"without a description: {missing}"
close(schema)
for name in sys.argv[2:]:
    text = pathlib.Path(name).read_text()
    summary = json.loads(text)
    errors = [f"{name}: {'/'.join(map(str, e.absolute_path))}: {e.message}"
              for e in validator(schema).iter_errors(summary)]
    if errors:
        sys.exit("\n".join(errors))
    assert text.startswith('{\n  "schema": "gmprof.summary/3"')
    check_global_counts(summary, pathlib.Path(name).parent)
    check_counts(summary, pathlib.Path(name).parent)
    print(f"{name}: valid")
