#!/usr/bin/env python3
"""Writes from docs/summary.schema.json what describes summary.json elsewhere: its reference
docs/summary.md, the structs that gmprof and gmreport use (runtime/report/model/Summary.h and
SummaryMembers.def), the types of the page (runtime/report/web/src/summary.ts), and, with
runtime/report/formats/tables.json, the tables of `gmreport sql` (SummaryTables.cpp). Writes the
patterns of the schema and of docs/patterns.md, and the severity rows of docs/patterns/*.md, from the table
in runtime/report/model/Patterns.cpp,
and the schema's modes of launches and the profiles of docs/running.md from include/gmprof/profiles.def.

--check: says whether they are up to date, and whether all members are described.
"""

import argparse
import json
import pathlib
import sys

import patterns
import sql_tables
import summary_types

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
FORMATS = ROOT / "runtime/report/formats"

INTRODUCTION = """# summary.json
<!-- Written by scripts/summary-reference.py from summary.schema.json: change that. -->
Every member of the file that `gmprof run` writes and `gmreport` reads. This page is generated from [summary.schema.json](summary.schema.json),
a JSON Schema (draft 2020-12) against which the tests check every summary. [report.md](report.md#summaryjson) says what identifies a finding.

{description}

`[]` stands for each element of an array, `.*` for each value of an object with arbitrary names. Members marked `?` are optional.
"""




def one_type(node):
    """A type in words; a link where it has a table of its own."""
    if "$ref" in node:
        name = node["$ref"].rsplit("/", 1)[1]
        return f"[{name}](#{name})"
    if "const" in node:
        return f"`{json.dumps(node['const'])}`"
    if "enum" in node and all(isinstance(each, str) for each in node["enum"]):
        return ", ".join(f"`{each}`" if each else "empty" for each in node["enum"])
    kinds = node.get("type", [])
    kinds = kinds if isinstance(kinds, list) else [kinds]
    if "array" in kinds and "items" in node:
        of = one_type(node["items"])
        kinds = [f"array of {of}" if kind == "array" else kind for kind in kinds]
    return " or ".join(kinds)


def type_of(node):
    parts = [one_type(each) for each in node.get("anyOf", node.get("allOf", []))]
    # null last: it is the exception.
    parts.sort(key=lambda part: part == "null")
    return " or ".join(part for part in parts if part) or one_type(node)


def unit_of(name, node):
    """By its name: all sizes are in bytes, all times in seconds."""
    kinds = json.dumps([node.get("type"), [each.get("type") for each in node.get("anyOf", [])]])
    if "integer" not in kinds and "number" not in kinds:
        return ""
    if "bytes" in name.split("_"):
        return "bytes"
    if "seconds" in name.split("_"):
        return "s"
    return "0 to 1" if name.endswith("share") else ""


def members(node, prefix=""):
    """Path, last name, whether it has to be there, and schema of all members below a node."""
    for name, child in node.get("properties", {}).items():
        yield prefix + name, name, name in node.get("required", []), child
        yield from below(child, prefix + name)


def below(node, path):
    yield from members(node, path + ".")
    for each in node.get("anyOf", []) + node.get("allOf", []):
        if "$ref" not in each:
            yield from below(each, path)
    if isinstance(node.get("items"), dict) and "$ref" not in node["items"]:
        yield from below(node["items"], path + "[]")
    if isinstance(node.get("additionalProperties"), dict):
        yield from below(node["additionalProperties"], path + ".*")


def cell(text):
    return text.replace("|", "\\|").replace("\n", " ")


def table(rows):
    lines = ["| member | type | unit | meaning |", "| --- | --- | --- | --- |"]
    for path, name, required, node in rows:
        lines.append(f"| `{path}`{'' if required else ' ?'} | {cell(type_of(node))} | "
                     f"{unit_of(name, node)} | {cell(node.get('description', ''))} |")
    return "\n".join(lines) + "\n"


def page(schema):
    text = INTRODUCTION.format(description=schema["description"])
    text += "\n" + table((path, name, required, node) for path, name, required, node
                         in members(schema) if path == name)
    for name, node in schema["properties"].items():
        rows = list(below(node, name))
        if rows:
            text += f"\n## {name}\n{node.get('description', '')}\n\n{table(rows)}"
    text += "\n## Parts of others\n"
    for name, node in sorted(schema["$defs"].items()):
        text += f"\n### {name}\n{node.get('description', '')}\n"
        if rows := list(members(node)):
            text += "\n" + table(rows)
    return text


def undescribed(schema):
    everything = list(members(schema))
    for name, node in schema["$defs"].items():
        everything.append((name, name, True, node))
        everything += [(f"{name}.{path}", *rest) for path, *rest in members(node)]
    return [path for path, _, _, node in everything if not node.get("description")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--schema", type=pathlib.Path, default=DOCS / "summary.schema.json")
    parser.add_argument("--tables", type=pathlib.Path, default=FORMATS / "tables.json")
    parser.add_argument("--patterns", type=pathlib.Path, default=ROOT / patterns.TABLE)
    o = parser.parse_args()
    rows = patterns.read(o.patterns)
    schema = json.loads(o.schema.read_text())
    schema["$defs"]["finding"]["properties"]["pattern"]["enum"] = [each["Name"] for each in rows]
    schema["$defs"]["launch_group"]["properties"]["mode"]["enum"] = patterns.modes(ROOT / patterns.PROFILES)
    if missing := undescribed(schema):
        sys.exit("without a description: " + ", ".join(missing))
    overview = DOCS / "patterns.md"
    running = DOCS / "running.md"
    model = ROOT / "runtime/report/model"
    files = {
        o.schema: json.dumps(schema, indent=2, ensure_ascii=False) + "\n",
        DOCS / "summary.md": page(schema),
        overview: patterns.with_overview(overview.read_text(), rows),
        running: patterns.with_profiles(running.read_text(), ROOT / patterns.PROFILES),
        model / "Summary.h": summary_types.header(schema),
        model / "SummaryMembers.def": summary_types.members(schema),
        FORMATS / "SummaryTables.cpp": sql_tables.source(json.loads(o.tables.read_text()), schema),
        ROOT / "runtime/report/web/src/summary.ts": summary_types.typescript(schema),
    }
    for row in rows:
        path = DOCS / "patterns" / f"{row['Name']}.md"
        if path.exists():  # test/docs/check.py finds patterns without a page
            files[path] = patterns.with_severity(path.read_text(), row)
    for path, text in files.items():
        if not o.check:
            path.write_text(text)
        elif path.read_text() != text:
            sys.exit(f"{path.relative_to(ROOT)} is not what scripts/summary-reference.py writes: run it")
    if o.check:
        count = sum(1 for line in page(schema).splitlines() if line.startswith("| `"))
        print(f"docs/summary.md is up to date: {count} members, {len(rows)} patterns")


if __name__ == "__main__":
    main()
