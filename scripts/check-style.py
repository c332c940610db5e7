#!/usr/bin/env python3
"""Checks the format of GMProf's sources with clang-format, and the sources that a change affects
with clang-tidy (scripts/changes.py says what counts as a change; --all: all sources).

clang-tidy's verdict on a file is kept in ~/.cache/gmprof/clang-tidy: as long as neither the file
nor a header that it includes, its compile command or .clang-tidy changes, no checkout checks it
again.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import changes

ROOT = changes.ROOT
FORMATTED = {".cpp", ".h", ".cu", ".cuh", ".c", ".def"}


def tracked_files():
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    out = subprocess.run(listed, cwd=ROOT, capture_output=True, check=True).stdout
    return sorted(name for name in out.decode().split("\0") if name and (ROOT / name).is_file())


def is_formatted(name):
    """Sources, but not lit tests, where the place of a line matters."""
    return pathlib.Path(name).suffix in FORMATTED and \
        b"FileCheck" not in (ROOT / name).read_bytes()


def check_format(fix):
    files = [f for f in tracked_files() if is_formatted(f)]
    mode = ["-i"] if fix else ["--dry-run", "-Werror"]
    done = subprocess.run(["clang-format-22", *mode, *files], cwd=ROOT)
    print(f"style: {len(files)} files formatted" if done.returncode == 0 else
          "style: not formatted as .clang-format says; scripts/check-style.py --fix does it")
    return done.returncode == 0


def cache_folder():
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base, "gmprof", "clang-tidy")


def fingerprint(entry, headers, config):
    """The same in every checkout: paths are relative to it."""
    digest = hashlib.sha256(config + entry["command"].replace(str(ROOT), "").encode())
    for path in sorted({entry["file"], *headers[output_of(entry)]}):
        digest.update(os.path.relpath(path, ROOT).encode())
        digest.update(pathlib.Path(path).read_bytes())
    return digest.hexdigest()


PRECOMPILED = re.compile(r" -Xclang -include(-pch)? -Xclang \S+")


def without_precompiled_headers(entry):
    """So that clang-tidy finds a file that lacks an include."""
    return {**entry, "command": PRECOMPILED.sub("", entry["command"])}


def selected_entries(build, everything, headers):
    """Returns the compile commands of the sources that a change affects. Sources that changed
    themselves, and all with --all, are compiled without precompiled headers."""
    changed = None if everything else changes.changed_files()
    if changed is not None and ".clang-tidy" in changed:
        changed = None
    selected = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        source = entry["file"]
        if source in selected or not source.startswith(str(ROOT) + os.sep) or \
                source.startswith(str(build) + os.sep) or not source.endswith(".cpp"):
            continue
        files = {os.path.relpath(path, ROOT) for path in [source, *headers[output_of(entry)]]}
        if changed is None or os.path.relpath(source, ROOT) in changed:
            selected[source] = without_precompiled_headers(entry)
        elif changed & files:
            selected[source] = entry
    return list(selected.values())


def output_of(entry):
    return re.search(r" -o (\S+)", entry["command"])[1]


def tidy(commands, source):
    command = ["clang-tidy-22", "--quiet", "-p", commands, source]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return done.returncode == 0, done.stdout + done.stderr


def check_tidy(build, jobs, everything):
    cache = cache_folder()
    cache.mkdir(parents=True, exist_ok=True)
    version = subprocess.run(["clang-tidy-22", "--version"], capture_output=True).stdout
    config = version + (ROOT / ".clang-tidy").read_bytes()
    headers = changes.project_headers(build)
    entries = selected_entries(build, everything, headers)
    pending = []
    for entry in entries:
        verdict = cache / fingerprint(entry, headers, config)
        if verdict.exists():
            verdict.touch()
        else:
            pending.append((entry["file"], verdict))
    if pending:
        print(f"style: clang-tidy on {len(pending)} of {len(entries)} affected files", flush=True)
    good = True
    with tempfile.TemporaryDirectory() as commands, \
            concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        pathlib.Path(commands, "compile_commands.json").write_text(json.dumps(entries))
        verdicts = {pool.submit(tidy, commands, source): verdict for source, verdict in pending}
        for future in concurrent.futures.as_completed(verdicts):
            clean, output = future.result()
            if clean:
                verdicts[future].touch()
            else:
                good = False
                print(output, flush=True)
    if good:
        print(f"style: clang-tidy accepts {len(entries)} files")
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--all", action="store_true", help="clang-tidy on all files")
    parser.add_argument("--fix", action="store_true", help="format the files, and no more")
    options = parser.parse_args()
    if options.fix:
        return 0 if check_format(True) else 1
    return 0 if check_format(False) & check_tidy(
        options.build.resolve(), options.jobs, options.all) else 1


if __name__ == "__main__":
    sys.exit(main())
