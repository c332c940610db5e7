#!/usr/bin/env python3
"""clang-format on GMProf's own sources, and clang-tidy on those that differ from
the branch main (--all: on all of them).

clang-tidy's verdict on a file is kept in ~/.cache/gmprof/clang-tidy: as long as
neither the file nor a header that it includes, its compile command or .clang-tidy
changes, the file is not looked at again, in this or any other checkout.
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

ROOT = pathlib.Path(__file__).resolve().parent.parent
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


def project_headers(build):
    """Of each object file, the files of the project that it was compiled from."""
    out = subprocess.run(["ninja", "-C", str(build), "-t", "deps"], capture_output=True, text=True)
    headers, target = {}, None
    for line in out.stdout.splitlines():
        if line.startswith(" ") and target:
            path = os.path.normpath(os.path.join(build, line.strip()))
            if path.startswith(str(ROOT) + os.sep) and not path.startswith(str(build) + os.sep):
                headers[target].append(path)
        elif ": #deps" in line:
            target = line.split(": #deps")[0]
            headers[target] = []
    return headers


def cache_folder():
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base, "gmprof", "clang-tidy")


def changed_files():
    """Sources that differ from the branch main; None where there is no such branch."""
    diff = subprocess.run(["git", "diff", "-z", "--name-only", "--merge-base", "main"], cwd=ROOT,
                          capture_output=True)
    if diff.returncode != 0:
        return None
    new = subprocess.run(["git", "ls-files", "-z", "--others", "--exclude-standard"], cwd=ROOT,
                         capture_output=True, check=True)
    return {str(ROOT / name) for name in (diff.stdout + new.stdout).decode().split("\0")}


def fingerprint(entry, headers, config):
    """The same in every checkout: paths are relative to it."""
    digest = hashlib.sha256(config + entry["command"].replace(str(ROOT), "").encode())
    output = re.search(r" -o (\S+)", entry["command"])[1]
    for path in sorted({entry["file"], *headers.get(output, [])}):
        digest.update(os.path.relpath(path, ROOT).encode())
        digest.update(pathlib.Path(path).read_bytes())
    return digest.hexdigest()


def compile_commands(build):
    """Without precompiled headers: so that a file which lacks an include is found."""
    entries = json.loads((build / "compile_commands.json").read_text())
    precompiled = re.compile(r" -Xclang -include(-pch)? -Xclang \S+")
    return [{**entry, "command": precompiled.sub("", entry["command"])} for entry in entries]


def tidy(commands, source):
    command = ["clang-tidy-22", "--quiet", "-p", commands, source]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return done.returncode == 0, done.stdout + done.stderr


def check_tidy(build, jobs, everything):
    cache = cache_folder()
    cache.mkdir(parents=True, exist_ok=True)
    wanted = None if everything else changed_files()
    version = subprocess.run(["clang-tidy-22", "--version"], capture_output=True).stdout
    config = version + (ROOT / ".clang-tidy").read_bytes()
    headers = project_headers(build)
    entries = compile_commands(build)
    pending, seen = [], set()
    for entry in entries:
        source = entry["file"]
        if source in seen or not source.startswith(str(ROOT) + os.sep) or \
                source.startswith(str(build) + os.sep) or not source.endswith(".cpp"):
            continue
        if wanted is not None and source not in wanted:
            continue
        seen.add(source)
        verdict = cache / fingerprint(entry, headers, config)
        if verdict.exists():
            verdict.touch()
        else:
            pending.append((source, verdict))
    if pending:
        print(f"style: clang-tidy on {len(pending)} changed of {len(seen)} files", flush=True)
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
    print(f"style: clang-tidy is {'content with' if good else 'not content with all of'} "
          f"{len(seen)} files")
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
