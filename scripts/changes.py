#!/usr/bin/env python3
"""Prints those of the given build targets that a change affects.

A change is what differs from a base commit, committed or not. The base is $GMPROF_CHECK_BASE, else
the newest commit that is at least a week old: a weekly run of scripts/check.sh --all checks the
rest. Without such a commit (a new or shallow clone of a young branch) everything counts as changed.
"""

import argparse
import collections
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent


def git(*arguments):
    """Returns git's output, or None if git fails."""
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else None


def base_commit():
    """Returns the commit that changes are compared with, or None if there is none."""
    chosen = os.environ.get("GMPROF_CHECK_BASE")
    if chosen:
        return chosen
    return (git("rev-list", "-1", "--before=1 week ago", "HEAD") or "").strip() or None


def changed_files():
    """Returns the paths, relative to the checkout, that differ from the base; None means all."""
    base = base_commit()
    differing = git("diff", "-z", "--name-only", base) if base else None
    if differing is None:
        return None
    new = git("ls-files", "-z", "--others", "--exclude-standard") or ""
    return {name for name in (differing + new).split("\0") if name}


def project_headers(build):
    """Maps each object file of a build to the project's files that it was compiled from."""
    out = subprocess.run(["ninja", "-C", str(build), "-t", "deps"], capture_output=True, text=True)
    headers, target = collections.defaultdict(list), None
    for line in out.stdout.splitlines():
        if line.startswith(" ") and target:
            path = os.path.normpath(os.path.join(build, line.strip()))
            if path.startswith(str(ROOT) + os.sep) and not path.startswith(str(build) + os.sep):
                headers[target].append(path)
        elif ": #deps" in line:
            target = line.split(": #deps")[0]
    return headers


def inputs(build, target, headers):
    """Returns the project's files, relative to the checkout, that a target is built from."""
    out = subprocess.run(["ninja", "-C", str(build), "-t", "inputs", target], capture_output=True,
                         text=True, check=True)
    files = set()
    for line in out.stdout.splitlines():
        name = line.strip().strip("'")
        for path in [os.path.join(build, name), *headers.get(name, [])]:
            files.add(os.path.relpath(path, ROOT))
    return files


def affected(build, targets):
    changed = changed_files()
    if changed is None:
        return targets
    headers = project_headers(build)
    return [target for target in targets if changed & inputs(build, target, headers)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("targets", nargs="+")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    options = parser.parse_args()
    print(*affected(options.build.resolve(), options.targets), sep="\n")


if __name__ == "__main__":
    main()
