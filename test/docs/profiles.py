#!/usr/bin/env python3
"""Checks that code which serves all profiles names none: it asks for the properties in
include/gmprof/profiles.def (runtime/profile/ProfileTraits.h). A profile is named in its own files, whose folder
or file name says so, and in the tables of what belongs to a profile.
"""

import argparse
import pathlib
import re
import sys

FOLDERS = ("include", "instrument", "pass", "runtime", "static-analysis")
# Rows of these tables say to which profile they belong; ProfileTraits.h has the profile of old files.
TABLES = {"runtime/profile/ProfileTraits.h", "runtime/report/model/Measures.cpp",
          "runtime/report/model/Patterns.cpp"}


def profiles(source):
    text = (source / "include/gmprof/profiles.def").read_text()
    return re.findall(r"^GMPROF_PROFILE\((\w+),", text, re.MULTILINE)


def owned(path, names):
    """Whether a folder or the file name has the name of a profile: heat/, HeatViews.cpp, TextSync.cpp."""
    words = {word.lower() for part in pathlib.PurePath(path).with_suffix("").parts
             for word in re.findall(r"[A-Z]?[a-z]+", part)}
    return any(name in words or name.rstrip("s") in words for name in names)


def uses(text, names):
    """Lines that ask whether something is a certain profile."""
    name = rf'"(?:{"|".join(names)})"'
    asks = [rf"\b(?:records|isOf|makeChecksOf|measures|traitsOf|isProfile)\({name}",
            rf"\b\w*[Pp]rofiles?\w*(?:\(\))?\s*[=!]=\s*{name}", rf"\b(?:Each|Name)\s*[=!]=\s*{name}",
            rf"ProfileChoice::\w+, {name}", rf"\bis(?:{'|'.join(each.capitalize() for each in names)})Profile\b"]
    for number, line in enumerate(text.splitlines(), 1):
        if any(re.search(pattern, line) for pattern in asks):
            yield number, line.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("source", type=pathlib.Path)
    o = parser.parse_args()
    names = profiles(o.source)
    found, files = [], 0
    for path in sorted(each for top in FOLDERS for each in (o.source / top).rglob("*")):
        if path.suffix not in (".h", ".cpp", ".cu", ".inc") or "node_modules" in path.parts:
            continue
        files += 1
        relative = path.relative_to(o.source).as_posix()
        if relative not in TABLES and not owned(relative, names):
            found += [f"{relative}:{number}: {line}" for number, line in uses(path.read_text(), names)]
    if found:
        sys.exit("\n".join(["these serve all profiles and name one:", *found]))
    print(f"{files} files name no profile but their own")


if __name__ == "__main__":
    main()
