#!/usr/bin/env python3
"""Measures what GMProf costs, as ratios to the plain program in the same run.

  bench.py build --build BUILD --out DIR   compiles every program in every variant
  bench.py run DIR                         runs them and prints a Markdown table

The two steps are apart because the machine with the GPU needs no compiler:
DIR holds all that `run` uses. A program prints "name milliseconds" for each
kernel it times (median of 15 launches, CUDA events) and "# name sum …" lines,
which must be the same in all variants.
"""

import argparse
import math
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent

# name of the column: (flags of gmprof-clang++, GMPROF_OPTIONS); None: plain clang++
VARIANTS = {
    "plain": None,
    "off": ([], "profile=off"),
    "default": ([], "profile=shared"),
    "1/16 of blocks": ([], "profile=shared:block-sample=16"),
    "basic": (["--gmprof-level=basic"], "profile=shared"),
    "sa": (["--gmprof-level=sa"], "profile=shared"),
    "sa-na": (["--gmprof-level=sa-na"], "profile=shared"),
    "sa-na-sm": (["--gmprof-level=sa-na-sm"], "profile=shared"),
    "sa-na-sm-th": (["--gmprof-level=sa-na-sm-th"], "profile=shared"),
}


def binary_name(program, variant):
    flags = VARIANTS[variant]
    if flags is None:
        return f"{program}.plain"
    return f"{program}." + ("default" if not flags[0] else flags[0][0].split("=")[1])


def build(args):
    out = pathlib.Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    wrapper = pathlib.Path(args.build, "bin", "gmprof-clang++")
    for source in sorted((HERE / "programs").glob("*.cu")):
        for variant, how in VARIANTS.items():
            binary = out / binary_name(source.stem, variant)
            if binary.exists() and binary.stat().st_mtime > source.stat().st_mtime and not args.force:
                continue
            extra = ["--gmprof-off"] if how is None else how[0]
            command = [wrapper, "-O3", f"-arch={args.arch}", *extra, source, "-o", binary]
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


def measure(directory, program, variant):
    """{kernel: milliseconds}, and the lines that must not differ."""
    environment = dict(os.environ)
    environment["LD_LIBRARY_PATH"] = os.pathsep.join(
        [str(directory / "lib"), environment.get("LD_LIBRARY_PATH", "")]
    )
    how = VARIANTS[variant]
    if how is not None:
        environment["GMPROF_OPTIONS"] = how[1] + f":quiet=1:output={directory}/prof/{program}-%p"
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
