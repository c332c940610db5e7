#!/usr/bin/env python3
"""Checks that each file of unit tests is built: the CMakeLists.txt of its folder names it or finds all."""

import pathlib
import sys


def main():
    tests = sorted(pathlib.Path(sys.argv[1]).glob("test/unit/*/**/*Test.cpp"))
    missing = []
    for test in tests:
        folder = next(each for each in test.parents if (each / "CMakeLists.txt").exists())
        rules = (folder / "CMakeLists.txt").read_text()
        if test.relative_to(folder).as_posix() not in rules.replace("file(GLOB", "") and \
                not ("file(GLOB" in rules and test.parent == folder):
            missing.append(test.relative_to(sys.argv[1]).as_posix())
    if missing:
        sys.exit("\n".join(["these are not built:", *missing]))
    print(f"{len(tests)} files of unit tests are built")


if __name__ == "__main__":
    main()
