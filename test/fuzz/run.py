#!/usr/bin/env python3
"""Runs a fuzzer on the inputs in corpus/NAME and those that gmprof-test-profile writes: a number
of runs, the same each time, or for some time with what was found before. An input that makes it
fail is left in BUILD/test/fuzz/NAME."""

import argparse
import pathlib
import shutil
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PROFILES = ["mixed", "em", "global", "objects", "sync", "heat", "cache", "died"]
SNAPSHOTS = ["train", "state", "expandable", "streams"]
# Files that gmprof-test-profile writes for each fuzzer.
WRITTEN = {"EventLog": "events.log", "Summary": "summary.json", "Trace": "events.gmtrace"}


def seed(o, folder):
    """Gathers what the fuzzer begins with."""
    committed = SOURCE / "test/fuzz/corpus" / o.name
    if o.name == "Clone":
        committed = SOURCE / "test/fuzz/corpus/PtxModule"
    if o.name == "Architecture":
        committed = SOURCE / "runtime/cache/architectures"
    for file in sorted(committed.glob("*")):
        shutil.copy(file, folder / file.name)
    if o.name == "Snapshot":
        for kind in SNAPSHOTS:
            subprocess.run([sys.executable, SOURCE / "test/report/Inputs/snapshot.py", kind, folder / kind], check=True)
    if o.name not in WRITTEN:
        return
    for profile in PROFILES:
        made = folder.parent / "profiles" / profile
        subprocess.run([o.build / "bin/gmprof-test-profile", profile, made], check=True)
        if (made / WRITTEN[o.name]).exists():
            shutil.copy(made / WRITTEN[o.name], folder / profile)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", help="EventLog for gmprof-fuzz-EventLog")
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--runs", type=int)
    parser.add_argument("--seconds", type=int)
    o = parser.parse_args()
    o.build = o.build.resolve()
    work = o.build / "test/fuzz" / o.name
    found, seeds = work / "found", work / "seeds"
    for folder in [seeds, *([found] if o.runs else [])]:
        shutil.rmtree(folder, ignore_errors=True)
    for folder in [seeds, found]:
        folder.mkdir(parents=True, exist_ok=True)
    seed(o, seeds)
    limit = [f"-runs={o.runs}", "-seed=1"] if o.runs else [f"-max_total_time={o.seconds or 60}"]
    done = subprocess.run([o.build / f"bin/gmprof-fuzz-{o.name}", *limit, "-timeout=30",
                           "-max_len=65536", "-rss_limit_mb=4096", f"-artifact_prefix={work}/",
                           found, seeds], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          text=True, errors="replace", check=False)
    lines = done.stderr.splitlines()
    print("\n".join(lines[-(60 if done.returncode else 2):]))
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
