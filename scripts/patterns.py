"""Reads the table of patterns in runtime/report/model/Patterns.cpp, and the lists of profiles and of
modes of launches in include/gmprof/profiles.def."""

import pathlib
import re

TABLE = pathlib.Path("runtime/report/model/Patterns.cpp")
PROFILES = pathlib.Path("include/gmprof/profiles.def")


def modes(table):
    """Returns the names of the modes of launches, in the order of the list."""
    return re.findall(r'^GMPROF_LAUNCH_MODE\(\w+, "(\w+)"', table.read_text(), re.M)


def with_profiles(page, table):
    """Returns docs/running.md with the profiles of this list and what each measures."""
    rows = re.findall(r'^GMPROF_PROFILE\((\w+),[^"]*"[^"]*",\s*"([^"]*)"', table.read_text(), re.M)
    lines = ["| profile | measures |", "| --- | --- |"]
    lines += [f"| `{name}` | {measures} |" for name, measures in rows]
    return re.sub(r"(?m)^\| profile \| measures (?:.*\n\|)+.*\n", lambda _: "\n".join(lines) + "\n", page, count=1)


def read(table):
    """Returns the rows in order, each a dict of its fields: Name, Title, Description and so on.
    Severity is the whole rule, that of a group of patterns with its limit."""
    code = table.read_text()
    text = r'((?:"[^"]*"\s*)+)'
    joined = lambda strings: "".join(re.findall(r'"([^"]*)"', strings))
    rules = {name: joined(strings)
             for name, strings in re.findall(r'^static constexpr char (\w+)\[\] =\s+' + text, code, re.M)}
    rows = []
    for row in re.findall(r'^ +\{(\.Name = .*?)\},$', code, re.M | re.S):
        fields = {name: joined(strings) for name, strings in re.findall(r'\.(\w+) =\s+' + text, row)}
        if group := re.search(r'\.Severity = (\w+)', row):
            fields["Severity"] = rules[group[1]]
        if "Limit" in fields:
            fields["Severity"] += "; " + fields["Limit"]
        rows.append(fields)
    return rows


def profiles(pattern):
    """Returns the profiles that look for a pattern; elements includes objects and global."""
    own = pattern["Profile"]
    return [own, "elements"] if own in ("objects", "global") else [own]


def overview(rows):
    """Returns the table of docs/patterns.md."""
    lines = ["| pattern | says | found by `--profile` |", "| --- | --- | --- |"]
    for each in rows:
        name, found = each["Name"], ", ".join(profiles(each))
        line = f"| [{name}](patterns/{name}.md) | {each['Description']} | {found} |"
        # Pages have at most 140 columns.
        lines.append(line if len(line) <= 140 else line.replace(f" {found} |", f"{found}|"))
    return "\n".join(lines) + "\n"


def with_overview(page, rows):
    """Returns docs/patterns.md with the table of these rows."""
    return re.sub(r"(?m)^\| pattern \| says (?:.*\n\|)+.*\n", lambda _: overview(rows), page, count=1)


def with_severity(page, row):
    """Returns docs/patterns/NAME.md with the pattern's rule of severity."""
    return re.sub(r"(?m)^\| severity \| .*$", lambda _: f"| severity | {row['Severity']} |", page, count=1)
