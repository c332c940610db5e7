"""The types of summary.json, from docs/summary.schema.json: the structs of C++, the lists of members
by which they are read and written, and the interfaces of the page in TypeScript.

Objects are named by their "title", and in $defs by their key. A type that is null, or that any of
{"type": "null"} and another schema describes, is optional.
"""

import re

BANNER = """{first_line}
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Written from docs/summary.schema.json by scripts/summary-reference.py: change the schema.
"""
HEADER = BANNER + """// Names, order and nesting are those of the JSON. An optional is null in the JSON, never absent.
// gmreport and other readers see only this of a run.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_MODEL_SUMMARY_H
#define GMPROF_REPORT_MODEL_SUMMARY_H

#include "report/model/JsonValues.h"
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// clang-format off
namespace gmprof::summary {{

inline constexpr char SchemaPrefix[] = "{prefix}";
inline constexpr int SchemaVersion = {version};
{structs}
/// Inlined calls from the innermost outwards; empty if not inlined.
using InlineChain = std::vector<InlinedCall>;

}} // namespace gmprof::summary
// clang-format on

#endif // GMPROF_REPORT_MODEL_SUMMARY_H
"""
MEMBERS = BANNER + """//
//   GMPROF_JSON(type, member…)
//
//===----------------------------------------------------------------------===//

// clang-format off
{lists}// clang-format on
"""
TYPESCRIPT = """// summary.json. Written from docs/summary.schema.json by scripts/summary-reference.py: change the schema.
{interfaces}"""
# Names of JavaScript's own.
IN_TYPESCRIPT = {"Number": "Num", "Object": "ProfiledObject", "File": "ResultFile"}
# By whether they are negative, and their maximum.
INTEGERS = {(False, 2**32 - 1): "uint32_t", (True, 2**31 - 1): "int", (False, None): "uint64_t",
            (True, None): "int64_t"}


def camel(name):
    return "".join(part.capitalize() for part in name.split("_"))


class Types:
    """The objects of a schema, each after those that its members name."""

    def __init__(self, schema):
        self.defs = schema["$defs"]
        self.objects = {}
        self.add("Summary", schema)

    def add(self, name, node):
        if name in self.objects:
            if self.objects[name] is not node:
                raise SystemExit(f"two objects with the title {name}: give them one entry in $defs")
            return
        for member in node["properties"].values():
            self.visit(member)
        self.objects[name] = node

    def visit(self, node):
        node, _ = self.required(node)
        if "$ref" in node:
            name = node["$ref"].rsplit("/", 1)[1]
            self.add(camel(name), self.defs[name])
        elif "items" in node:
            self.visit(node["items"])
        elif "properties" in node:
            self.add(node["title"], node)

    @staticmethod
    def required(node):
        """The schema without null, and whether null is allowed."""
        for parts in (node.get("anyOf"), node.get("allOf")):
            if parts:
                rest = [each for each in parts if each.get("type") != "null"]
                if len(rest) != 1:
                    raise SystemExit(f"a member of several types: {node}")
                return rest[0], len(rest) < len(parts)
        kinds = node.get("type")
        if isinstance(kinds, list):
            rest = [each for each in kinds if each != "null"]
            if len(rest) == 1:
                return {**node, "type": rest[0]}, "null" in kinds
        return node, False

    def object_name(self, node):
        if "$ref" in node:
            return camel(node["$ref"].rsplit("/", 1)[1])
        return node["title"] if "properties" in node else None

    def cpp(self, node):
        """The C++ type, and the initialiser that it needs."""
        node, optional = self.required(node)
        if name := self.object_name(node):
            kind, initial = name, ""
        elif "type" not in node:  # const, or enum of strings
            kind, initial = "std::string", ""
        elif node["type"] == "array":
            of, _ = self.cpp(node["items"])
            count = node.get("minItems")
            fixed = count is not None and count == node.get("maxItems")
            kind, initial = (f"std::array<{of}, {count}>", "{}") if fixed else (f"std::vector<{of}>", "")
        elif node["type"] == "object":
            kind = "Evidence" if "additionalProperties" in node else "RawJson"
            initial = ""
        else:
            limits = node.get("minimum", -1) < 0, node.get("maximum")
            kind, initial = {"string": ("std::string", ""), "boolean": ("bool", "false"), "number": ("double", "0"),
                             "integer": (INTEGERS.get(limits), "0")}[node["type"]]
            if kind is None:
                raise SystemExit(f"no integer of C++ has these limits: {node}")
        if optional:
            return f"std::optional<{kind}>", ""
        if "default" in node:
            value = node["default"]
            initial = ("{" + ", ".join(map(str, value)) + "}" if isinstance(value, list)
                       else str(value).lower())
        return kind, initial

    def typescript(self, node):
        node, optional = self.required(node)
        if name := self.object_name(node):
            kind = IN_TYPESCRIPT.get(name, name)
        elif "type" not in node:  # const, or enum of strings
            kind = "string"
        elif node["type"] == "array":
            of = self.typescript(node["items"])
            kind = f"({of})[]" if " " in of else f"{of}[]"
        elif node["type"] == "object":
            kind = "Record<string, number | boolean | string>" if "additionalProperties" in node else \
                "Record<string, unknown>"
        else:
            kind = {"integer": "number"}.get(node["type"], node["type"])
        return f"{kind} | null" if optional else kind


def wrapped(text, first, further, width):
    """The text in lines, which begin with these."""
    lines, line = [], first
    for word in text.split():
        space = "" if line.endswith(("(", "{")) or not line.strip() else " "
        if len(line) + len(space) + len(word) > width and line not in (first, further):
            lines.append(line)
            line, space = further, "" if not further.strip() else " "
        line += space + word
    return "\n".join([*lines, line]) + "\n"


def sentence(node):
    """The first sentence of the description."""
    return re.split(r"(?<=\.) ", node.get("description", ""))[0]


def banner(file, what, end=""):
    start = f"//===- {file} - {what} "
    return start + "-" * (80 - len(start) - len(end) - len("===//")) + end + "===//"


def header(schema):
    types = Types(schema)
    structs = ""
    for name, node in types.objects.items():
        structs += "\n" + wrapped(sentence(node), "///", "///", 100) + f"struct {name} {{\n"
        for member, child in node["properties"].items():
            kind, initial = types.cpp(child)
            line = f"  {kind} {member}" + (f" = {initial}" if initial else "") + ";"
            said = f"{line} ///< {sentence(child)}"
            structs += (said + "\n" if len(said) <= 100 else
                        wrapped(sentence(child), "  ///", "  ///", 100) + line + "\n")
        structs += "};\n"
    prefix, version = schema["properties"]["schema"]["const"].rsplit("/", 1)
    return HEADER.format(first_line=banner("Summary.h", "The contents of summary.json", "*- C++ -*-"),
                         prefix=prefix + "/", version=version, structs=structs)


def members(schema):
    lists = ""
    for name, node in Types(schema).objects.items():
        lists += wrapped(", ".join([name, *node["properties"]]) + ")", "GMPROF_JSON(", " " * 11, 100)
    return MEMBERS.format(first_line=banner("SummaryMembers.def", "The members of the structs of Summary.h"),
                          lists=lists)


def typescript(schema):
    types = Types(schema)
    interfaces = ""
    for name, node in types.objects.items():
        interfaces += "\n" + wrapped(sentence(node) + " */", "/**", " *", 119) \
            + f"export interface {IN_TYPESCRIPT.get(name, name)} {{\n"
        for member, child in node["properties"].items():
            interfaces += f"  {member}: {types.typescript(child)};\n"
        interfaces += "}\n"
    return TYPESCRIPT.format(interfaces=interfaces)
