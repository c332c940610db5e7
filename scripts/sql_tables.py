"""The tables of `gmreport sql`, from runtime/report/formats/tables.json and the schema of summary.json.

tables.json names the members of summary.json that tables show; the schema has their types, and says which of
them can be null. A table has

  rows     the paths of its rows: elements of arrays, or objects, of summary.json
  index_of the array in which the elements are indices: its elements are the rows
  columns  its columns, or the name of a group of columns

A column has a name, a meaning, and one of

  member   a path from the row, from its parents ("../"), from an element that the row is in, or from the root;
           "." is the row itself. Several paths: the first one that the row has. Without one, it is the column's name.
           by: the function of TableCells.h that makes a cell of it; type: if it is not that of the member;
           first: true for the first element only
  index    the place of the row in an array: 0, the outermost
  values   a constant for each path of the rows; null: the member; "": null
"""

import itertools
import json
import re

import summary_types

TYPES = {"integer": "Integer", "boolean": "Integer", "number": "Real", "string": "Text", "array": "Text",
         "object": "Text", "real": "Real", "text": "Text"}
SOURCE = summary_types.BANNER.replace("docs/summary.schema.json by", "tables.json and the schema by") \
    .replace("change the schema", "change these") + """//
//===----------------------------------------------------------------------===//

#include "report/formats/TableCells.h"

// clang-format off
namespace gmprof {{

using namespace summary;
{tables}
std::vector<DataTable> summaryTables(const Summary &S) {{
  return {{{names}}};
}}

}} // namespace gmprof
// clang-format on
"""


class Place:
    """An expression of C++ for a part of the summary: its schema, and whether it is null if absent."""

    def __init__(self, schema, text, node, pointer=False, needs=()):
        self.schema, self.text, self.pointer, self.needs = schema, text, pointer, needs
        node, self.optional = summary_types.Types.required(node)
        if "$ref" in node:
            node = schema["$defs"][node["$ref"].rsplit("/", 1)[1]]
        self.node = node

    def member(self, name):
        """Its member; nothing if there is none."""
        child = self.node.get("properties", {}).get(name)
        if child is None:
            return None
        needs = (*self.needs, self.text) if self.optional else self.needs
        arrow = "->" if self.pointer or self.optional else "."
        return Place(self.schema, f"{self.text}{arrow}{name}", child, False, needs)

    def at(self, path):
        place = self
        for step in path.split("."):
            place = place and place.member(step)
        return place

    def kind(self):
        return self.node.get("type", "string")  # const, or enum of strings


class Rows:
    """The rows at one path: the loops that visit them, and the elements that they are in."""

    def __init__(self, schema, path, index_of=None):
        self.path = path
        self.root = Place(schema, "S", schema)
        self.loops = []
        self.inside = []  # path and place of enclosing elements, outermost first
        place, so_far = self.root, ""
        for step in re.findall(r"\w+|\[\]", path):
            if step == "[]":
                place, so_far = self.element(place), so_far + "[]"
                self.inside.append((so_far, place))
            else:
                place, so_far = place.member(step), f"{so_far}.{step}".lstrip(".")
                if place is None:
                    raise SystemExit(f"tables.json: summary.json has no {so_far}")
                if place.optional:
                    self.loops.append(f"if ({place.text})")
                    place = Place(schema, place.text, place.node, True)
        self.row, self.row_path = place, ""
        if index_of:
            array = self.root.member(index_of)
            self.row = Place(schema, f"{array.text}[{place.text}]", array.node["items"])
            self.row_path = f"{index_of}[]."

    def element(self, place):
        depth = len(self.inside)
        of = f"*{place.text}" if place.pointer else place.text
        self.loops.append(f"for (const auto &E{depth} : {of})")
        return Place(place.schema, f"E{depth}", place.node["items"])

    def index(self, depth):
        """The number of the element of a loop."""
        arrays = [loop.split(" : ")[1].rstrip(")") for loop in self.loops if loop.startswith("for ")]
        return f"&E{depth} - ({arrays[depth]}).data()"

    def find(self, member):
        """The place of a member, and its path in summary.json; nothing if there is none."""
        if member == ".":
            return self.row, ""
        up = member.count("../")
        if up:
            if up >= len(self.inside):
                return None
            path, place = self.inside[-1 - up]
            found = place.at(member[3 * up:])
            return found and (found, f"{path}.{member[3 * up:]}")
        if found := self.row.at(member):
            return found, self.row_path + member
        for path, place in reversed(self.inside):
            if member.startswith(path + ".") and (found := place.at(member[len(path) + 1:])):
                return found, member
        found = None if "[" in member else self.root.at(member)
        return found and (found, member)


def cell(place, by):
    text = f"*{place.text}" if place.pointer else place.text
    if by and place.optional:
        return cell_if([*place.needs, place.text], f"{by}(*{place.text})")
    return cell_if(place.needs, f"{by}({text})" if by else f"cellOf({text})")


def cell_if(needs, text):
    return " && ".join(needs) + f" ? {text} : " if needs else text


def quoted(text):
    return json.dumps(text, ensure_ascii=False)


class Column:
    def __init__(self, table, column, all_rows):
        self.name = column["name"]
        self.meaning = column.get("meaning", "")
        self.cells, self.types, self.paths = [], [], []
        for number, rows in enumerate(all_rows):
            self.cells.append(self.in_rows(column, rows, number))
        if not self.types:
            raise SystemExit(f"tables.json: {table}.{self.name}: summary.json has no such member")
        kinds = {TYPES[kind] for kind in self.types}
        if len(kinds) != 1:
            raise SystemExit(f"tables.json: {table}.{self.name} is of several types")
        self.type = kinds.pop()

    def in_rows(self, column, rows, number):
        if "index" in column:
            self.types.append("integer")
            return f"cellOf({rows.index(column['index'])})"
        value = column["values"][number] if "values" in column else None
        if value is not None:
            if value == "":
                return "Cell()"
            self.types.append("integer" if isinstance(value, int) else "string")
            return f"Cell({quoted(value)})"
        text = ""
        members = column.get("member", self.name)
        for member in members if isinstance(members, list) else [members]:
            if not (found := rows.find(member)):
                continue
            place, path = found
            self.types.append(column.get("type", place.kind()))
            if path and path not in self.paths:
                self.paths.append(path)
            text += cell(place, column.get("by"))
            if not text.endswith(" : "):
                break
        if not text or text.endswith(" : "):
            text += "Cell()"
        if column.get("first"):
            return f"{rows.index(len(rows.inside) - 1)} != 0 ? Cell() : {text}"
        return text

    def description(self):
        member = self.paths[0] if self.paths else ""
        return f"{{{quoted(self.name)}, ColumnType::{self.type}, {quoted(self.meaning)}, {quoted(member)}}}"


def function(name):
    return summary_types.camel(name)[0].lower() + summary_types.camel(name)[1:] + "Table"


def visits(rows, indent):
    """The loops around rows, given as their loops and cells; each loop once for all rows in it."""
    text = ""
    for loop, group in itertools.groupby(rows, lambda row: row[0][0] if row[0] else None):
        group = list(group)
        if loop:
            inner = visits([(loops[1:], cells) for loops, cells in group], indent + "  ")
            text += f"{indent}{loop} {{\n{inner}{indent}}}\n"
            continue
        for _, cells in group:
            text += summary_types.wrapped(", ".join(cells) + "});", f"{indent}T.Rows.push_back({{",
                                          indent + " " * 18, 100)
    return text


def table(schema, groups, of):
    all_rows = [Rows(schema, path, of.get("index_of")) for path in of["rows"]]
    listed = [each for column in of["columns"]
              for each in (groups[column] if isinstance(column, str) else [column])]
    columns = [Column(of["name"], each, all_rows) for each in listed]
    text = f"\nstatic DataTable {function(of['name'])}(const Summary &S) {{\n"
    text += f"  DataTable T = {{{quoted(of['name'])}, {quoted(of['meaning'])},\n"
    text += f"                 {quoted(', '.join(of['rows']))},\n                 {{"
    text += ",\n                  ".join(each.description() for each in columns) + "},\n                 {}};\n"
    text += visits([(rows.loops, [each.cells[number] for each in columns])
                    for number, rows in enumerate(all_rows)], "  ")
    return text + "  return T;\n}\n"


def source(description, schema):
    """The source file that makes the tables of a summary."""
    tables = "".join(table(schema, description["groups"], each) for each in description["tables"])
    names = ", ".join(f"{function(each['name'])}(S)" for each in description["tables"])
    return SOURCE.format(first_line=summary_types.banner("SummaryTables.cpp", "The tables of a summary"),
                         tables=tables, names=summary_types.wrapped(names, "", " " * 10, 100).rstrip())
