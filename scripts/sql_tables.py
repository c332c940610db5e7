"""Compares the tables of docs/sql.md, which `gmreport sql` prints, with docs/summary.schema.json: each
column that holds a member of summary.json names one that exists and has the column's type.
"""

import re

import summary_types

TYPES = {"integer": {"integer", "boolean"}, "real": {"number", "integer"},
         "text": {"string", "array", "object"}}


def tables(page):
    """Name, paths of the rows, and columns (name, type, member) of each table."""
    for chapter in re.split(r"^### ", page.split("\n## Tables\n")[1], flags=re.MULTILINE)[1:]:
        rows = re.search(r"^Rows: ((?:`[^`]+`,?\n?)+)\.$", chapter, re.MULTILINE)
        columns = re.findall(r"^\| `(\w+)` \| (\w+) \| (?:`([^`]+)` )?\|", chapter, re.MULTILINE)
        yield chapter.split("\n")[0], re.findall(r"`([^`]+)`", rows[1]) if rows else [], columns


def member(schema, node, path):
    """The schema at a path below a node, without null; nothing if there is none."""
    for step in re.findall(r"\w+|\[\]", path):
        node, _ = summary_types.Types.required(node)
        if "$ref" in node:
            node = schema["$defs"][node["$ref"].rsplit("/", 1)[1]]
        node = node.get("items") if step == "[]" else node.get("properties", {}).get(step)
        if node is None:
            return None
    node, _ = summary_types.Types.required(node)
    return node


def kind(node):
    if "$ref" in node:
        return "object"
    return node.get("type", "string")  # const, or enum of strings


def differences(page, schema):
    """What the tables say of the summary that is not so."""
    for table, rows, columns in tables(page):
        elements = [member(schema, schema, path) for path in rows]
        for path, element in zip(rows, elements):
            if element is None:
                yield f"{table}: summary.json has no {path}"
        for name, of_column, path in columns:
            if not path:
                continue
            found = [each for element in elements if element is not None
                     if (each := at(schema, element, path)) is not None]
            if not found and (each := member(schema, schema, path)) is not None:
                found = [each]
            if not found:
                yield f"{table}.{name}: summary.json has no {path}"
            elif not any(kind(each) in TYPES[of_column] for each in found):
                yield f"{table}.{name} is {of_column}, {path} is {kind(found[0])}"


def at(schema, element, path):
    if "$ref" in element:
        element = schema["$defs"][element["$ref"].rsplit("/", 1)[1]]
    return member(schema, element, path)
