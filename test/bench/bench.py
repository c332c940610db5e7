#!/usr/bin/env python3
"""Measures what GMProf costs, as ratios to the plain program in the same run,
and how far its counts are from those of the level `basic`, which are exact.

  bench.py build --build BUILD --out DIR   compiles every program in every variant
  bench.py run DIR                         runs them and prints two Markdown tables

The two steps are apart because the machine with the GPU needs no compiler:
DIR holds all that `run` uses. A program prints "name milliseconds" for each
kernel it times (median of 15 launches, CUDA events) and "# name sum …" lines,
which must be the same in all variants.
"""

import argparse
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent

# What the paper's levels do, and nothing more: every block counts, and counters
# in shared memory have 8 bits and are updated without atomics.
EACH_BLOCK = ["-mllvm", "-gm-alike-blocks=false"]
PAPER = EACH_BLOCK + ["--gmprof-counter-updates=plain"]

# name of the column: (suffix of the binary, flags of gmprof-clang++, GMPROF_OPTIONS)
VARIANTS = {
    "plain": ("plain", ["--gmprof-off"], None),
    "off": ("default", [], "profile=off"),
    "default": ("default", [], "profile=shared"),
    "1/16 of blocks": ("default", [], "profile=shared:block-sample=16"),
    "every block": ("each", EACH_BLOCK, "profile=shared"),
    "basic": ("basic", ["--gmprof-level=basic"], "profile=shared"),
    "sa": ("sa", ["--gmprof-level=sa", *PAPER], "profile=shared"),
    "sa-na": ("sa-na", ["--gmprof-level=sa-na", *PAPER], "profile=shared"),
    "sa-na-sm": ("sa-na-sm", ["--gmprof-level=sa-na-sm", *PAPER], "profile=shared"),
    "sa-na-sm-th": ("th8", ["--gmprof-counter-bits=8", *PAPER], "profile=shared"),
}


def binary_name(program, variant):
    return f"{program}.{VARIANTS[variant][0]}"


def build(args):
    out = pathlib.Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    wrapper = pathlib.Path(args.build, "bin", "gmprof-clang++")
    for source in sorted((HERE / "programs").glob("*.cu")):
        for variant, (_, flags, _) in VARIANTS.items():
            binary = out / binary_name(source.stem, variant)
            if binary.exists() and binary.stat().st_mtime > source.stat().st_mtime and not args.force:
                continue
            command = [wrapper, "-O3", f"-arch={args.arch}", *flags, source, "-o", binary]
            subprocess.run([str(word) for word in command], check=True)
    lib = out / "lib"
    lib.mkdir(exist_ok=True)
    runtime = pathlib.Path(args.build, "lib", "libgmprof.so")
    shutil.copy(runtime, lib)
    for line in subprocess.run(["ldd", runtime], capture_output=True, text=True).stdout.splitlines():
        words = line.split()
        if len(words) > 2 and any(n in words[0] for n in ("fmt", "unwind", "xxhash", "zstd", "lzma")):
            shutil.copy(words[2], lib)
    shutil.copy(__file__, out)
    print(f"built into {out}")


def profile_of(directory, program, variant):
    return directory / "prof" / f"{program}-{variant.replace('/', '-').replace(' ', '-')}"


def counts(directory, program, variant):
    """{(kernel, array): accesses}, estimated where blocks were sampled."""
    summary = profile_of(directory, program, variant) / "summary.json"
    if not summary.exists():
        return {}
    data = json.loads(summary.read_text())
    names = {obj["id"]: obj["name"] for obj in data["objects"]}
    return {
        (kernel["name"], names[use["object"]]): use["accesses_estimated"]["value"]
        for kernel in data["kernels"]
        for use in kernel["objects"]
    }


def print_errors(directory, programs, columns):
    """The accuracy loss of the paper (VI.B): the mean of |count - actual| / actual
    over a program's arrays; actual is the count of the level basic."""
    print("\n| counts of | " + " | ".join(columns) + " |")
    print("| --- " * (1 + len(columns)) + "|")
    for program in programs:
        actual = counts(directory, program, "basic")
        row = []
        for variant in columns:
            found = counts(directory, program, variant)
            errors = [abs(found.get(key, 0) - n) / n for key, n in actual.items() if n]
            row.append(f"{100 * sum(errors) / len(errors):.2f} %" if found and errors else "–")
        print(f"| {program} | " + " | ".join(row) + " |")


def measure(directory, program, variant):
    """{kernel: milliseconds}, and the lines that must not differ."""
    environment = dict(os.environ)
    environment["LD_LIBRARY_PATH"] = os.pathsep.join(
        [str(directory / "lib"), environment.get("LD_LIBRARY_PATH", "")]
    )
    options = VARIANTS[variant][2]
    if options is not None:
        profile = profile_of(directory, program, variant)
        environment["GMPROF_OPTIONS"] = f"{options}:quiet=1:output={profile}"
    done = subprocess.run(
        [directory / binary_name(program, variant)], env=environment, capture_output=True, text=True
    )
    if done.returncode != 0:
        raise RuntimeError(f"{program}, {variant}: exit status {done.returncode}: {done.stderr}")
    times, sums = {}, []
    for line in done.stdout.splitlines():
        if line.startswith("#"):
            sums.append(line)
        else:
            name, milliseconds = line.split()
            times[name] = float(milliseconds)
    return times, sums


def run(args):
    directory = pathlib.Path(args.directory).resolve()
    programs = sorted(p.name.removesuffix(".plain") for p in directory.glob("*.plain"))
    (directory / "prof").mkdir(exist_ok=True)
    columns = [v for v in VARIANTS if v != "plain"]
    ratios = {v: [] for v in columns}
    failed = 0
    print("| kernel | plain, ms | " + " | ".join(columns) + " |")
    print("| --- " * (2 + len(columns)) + "|")
    for program in programs:
        plain, expected = measure(directory, program, "plain")
        cells = {}
        for variant in columns:
            try:
                cells[variant], sums = measure(directory, program, variant)
                if sums != expected:
                    raise RuntimeError(f"{program}, {variant}: prints {sums}, plain {expected}")
            except RuntimeError as error:
                print(error, file=sys.stderr)
                failed += 1
        for kernel, base in plain.items():
            row = []
            for variant in columns:
                time = cells.get(variant, {}).get(kernel)
                row.append("failed" if time is None else f"{time / base:.2f}")
                if time is not None:
                    ratios[variant].append(time / base)
            print(f"| {kernel} | {base:.4f} | " + " | ".join(row) + " |", flush=True)
    means = [
        f"{math.exp(sum(map(math.log, r)) / len(r)):.3f}" if r else "–" for r in ratios.values()
    ]
    print("| geomean | | " + " | ".join(means) + " |")
    print_errors(directory, programs, [v for v in columns if v not in ("off", "basic")])
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    make = commands.add_parser("build")
    make.add_argument("--build", default=HERE.parent.parent / "build")
    make.add_argument("--out", required=True)
    make.add_argument("--arch", default="sm_90")
    make.add_argument("--force", action="store_true")
    commands.add_parser("run").add_argument("directory")
    args = parser.parse_args()
    if args.command == "build":
        return build(args)
    return run(args)


if __name__ == "__main__":
    sys.exit(main())
