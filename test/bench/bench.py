#!/usr/bin/env python3
"""Measures what GMProf costs, as ratios to the plain program in the same run,
and how far its counts are from those of the level `basic`, which are exact.

  bench.py build --build BUILD --out DIR   compiles every program in every variant
  bench.py run DIR                         runs them and prints Markdown tables

The two steps are apart because the machine with the GPU needs no compiler:
DIR holds all that `run` uses. Programs are the examples, which are the six of the
paper, and further ones in programs/. Each prints "time KERNEL MILLISECONDS" for
its kernels (examples/example.h: median, by CUDA events) and lines with results,
which must be the same in all variants.
"""

import argparse
import concurrent.futures
import csv
import json
import math
import os
import pathlib
import re
import resource
import shutil
import statistics
import subprocess
import sys
import time

from element_counts import Counts, mean_error

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parent.parent / "examples"
TIMES = 11  # launches of a kernel that are timed
LONGEST = 60  # seconds that a run may take
GPU_TIMES = "libgpu_times.so"
CUDA = os.environ.get("CUDA_PATH", "/usr/local/cuda")

# The examples, with an argument or flags for a size that keeps an H200 busy.
SIX = {
    "coclustering": ("coclustering/coclustering.cu", ["131072"], []),
    "em_v1": ("em/em_v1.cu", ["1048576"], []),
    "em_paper": ("em/em_paper.cu", ["1048576"], []),
    "binomial_v1": ("binomial/binomial_v1.cu", ["8192"], []),
    "binomial_v2": ("binomial/binomial_v2.cu", ["8192"], []),
    "jacobi_v1": ("jacobi/jacobi_v1.cu", [], ["-DJACOBI_SIZE=8192"]),
    "jacobi_paper": ("jacobi/jacobi_paper.cu", [], ["-DJACOBI_SIZE=8192"]),
    "spmv": ("spmv/spmv.cu", ["524288"], []),
    "dxtc": ("dxtc/dxtc.cu", ["4096"], []),
}

# The paper's levels exactly: every block counts, and counters in shared memory have 8 bits and are
# updated without atomics.
EACH_BLOCK = ["-mllvm", "-gm-alike-blocks=false", "-mllvm", "-gm-shared-closed-forms=false"]
PAPER = EACH_BLOCK + ["--gmprof-counter-updates=plain"]

# The machine that measures has no gmprof-instrument.
COMPILED = ["--gmprof-clones=compiled"]

# Per profile, the columns: (suffix of the binary, flags of gmprof-clang++, GMPROF_OPTIONS).
PLAIN = ("plain", ["--gmprof-off"], None)
VARIANTS = {
    "shared": {
        "off": ("default", [], "profile=off"),
        "default": ("default", [], "profile=shared"),
        "1/16 of blocks": ("default", [], "profile=shared:block-sample=16"),
        "every block": ("each", EACH_BLOCK, "profile=shared"),
        "basic": ("basic", ["--gmprof-level=basic"], "profile=shared"),
        "sa": ("sa", ["--gmprof-level=sa", *PAPER], "profile=shared"),
        "sa-na": ("sa-na", ["--gmprof-level=sa-na", *PAPER], "profile=shared"),
        "sa-na-sm": ("sa-na-sm", ["--gmprof-level=sa-na-sm", *PAPER], "profile=shared"),
        "sa-na-sm-th": ("th8", ["--gmprof-counter-bits=8", *PAPER], "profile=shared"),
    },
    "global": {
        "off": ("default", [], "profile=off"),
        "default": ("default", [], "profile=global"),
        "1/16 of blocks": ("default", [], "profile=global:block-sample=16"),
        "32 bits": ("wide", ["-mllvm", "-gm-global-counter-bits=32"], "profile=global"),
        "basic": ("basic", ["--gmprof-level=basic"], "profile=global"),
        "sa": ("sa", ["--gmprof-level=sa", *PAPER], "profile=global"),
        "sa-na": ("sa-na", ["--gmprof-level=sa-na", *PAPER], "profile=global"),
        "sa-na-sm": ("sa-na-sm", ["--gmprof-level=sa-na-sm", *PAPER], "profile=global"),
    },
    "elements": {
        "default": ("default", [], "profile=elements"),
        "1/16 of blocks": ("default", [], "profile=elements:block-sample=16"),
        "1/16 of launches": ("default", [], "profile=elements:launch-sample=16"),
    },
    # In every launch; by default launches 1, 2, 4, 8 … of a kernel are profiled.
    "heat": {
        "off": ("default", [], "profile=off"),
        "one block": ("default", [], "profile=heat:launch-sampling=every"),
        "all blocks": ("default", [], "profile=heat:launch-sampling=every:heat-blocks=all"),
        "default": ("default", [], "profile=heat"),
    },
    "objects": {
        "off": ("default", [], "profile=off"),
        "default": ("default", [], "profile=objects"),
    },
}


# ---------------------------------------------------------------------------
# build


def sources():
    """{program: (source, flags)}"""
    found = {name: (EXAMPLES / path, flags) for name, (path, _, flags) in SIX.items()}
    for source in sorted((HERE / "programs").glob("*.cu")):
        found[source.stem] = (source, [])
    return found


def compile_program(args, source, flags, binary):
    """Seconds of processor time, which other work of the machine does not distort."""
    wrapper = pathlib.Path(args.build, "bin", "gmprof-clang++")
    command = [wrapper, "-O3", f"-arch={args.arch}", *flags, source, "-o", binary]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([str(word) for word in command], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def time_compilation(args, out):
    """compile.json: what compiling an example takes: plain, with clones on demand, and with compiled ones."""
    seconds = {}
    for program in SIX:
        source, size = sources()[program]
        seconds[program] = [
            statistics.median(
                compile_program(args, source, flags + size, out / "compiled") for _ in range(3)
            )
            for flags in (PLAIN[1], [], COMPILED)
        ]
    (out / "compiled").unlink()
    (out / "compile.json").write_text(json.dumps(seconds))


def build(args):
    out = pathlib.Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    binaries = {suffix: flags + COMPILED for profile in args.profiles or VARIANTS
                for suffix, flags, _ in VARIANTS[profile].values()}
    binaries[PLAIN[0]] = PLAIN[1]
    jobs = []
    for suffix, flags in binaries.items():
        for program, (source, size) in sources().items():
            binary = out / f"{program}.{suffix}"
            if args.programs and program not in args.programs:
                continue
            if args.force or not binary.exists():
                jobs.append((args, source, flags + size, binary))
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        list(pool.map(lambda job: compile_program(*job), jobs))
    if args.compile_time:
        time_compilation(args, out)
    lib = out / "lib"
    lib.mkdir(exist_ok=True)
    runtime = pathlib.Path(args.build, "lib", "libgmprof.so")
    shutil.copy(runtime, lib)
    for line in subprocess.run(["ldd", runtime], capture_output=True, text=True).stdout.splitlines():
        words = line.split()
        if len(words) > 2 and any(n in words[0] for n in ("fmt", "unwind", "xxhash", "zstd", "lzma")):
            shutil.copy(words[2], lib)
    subprocess.run([pathlib.Path(args.build, "bin", "gmprof-clang++"), "--gmprof-off", "-O2", "-fPIC",
                    "-shared", HERE / "gpu_times.cpp", f"-I{CUDA}/include", f"-L{CUDA}/lib64",
                    f"-Wl,-rpath,{CUDA}/lib64", "-lcupti", "-o", lib / GPU_TIMES], check=True)
    for file in (__file__, HERE / "element_counts.py"):
        shutil.copy(file, out)
    print(f"built into {out}")
    return 0


# ---------------------------------------------------------------------------
# run


def environment(directory, **more):
    """With the libraries that `build` has put there."""
    libraries = [str(directory / "lib"), os.environ.get("LD_LIBRARY_PATH", "")]
    return {**os.environ, "LD_LIBRARY_PATH": os.pathsep.join(libraries), **more}


def times_and_results(output, ignore=None):
    """{kernel: milliseconds} of the lines "time KERNEL MILLISECONDS", and the other lines, by words,
    but for those that match a regular expression."""
    lines = [line.split() for line in output.splitlines()
             if not (ignore and re.search(ignore, line))]
    times = {words[1]: float(words[2]) for words in lines if len(words) == 3 and words[0] == "time"}
    return times, [words for words in lines if words and words[0] != "time"]


def gpu_times(lines):
    """{kernel, or "copy" or "set": [microseconds]} of what gpu_times.cpp writes."""
    found = {}
    for line in lines:
        start, end, _, name = line.rstrip("\n").split(" ", 3)
        found.setdefault(name, []).append((int(end) - int(start)) / 1000)
    return found


class Run:
    """What a run of a program printed: times, {kernel: milliseconds}, and the other lines;
    where its profile is; and, if that is wanted, what the GPU took for each kernel."""

    def __init__(self, directory, program, profile, column, with_gpu=False):
        suffix, _, options = VARIANTS[profile][column] if column else PLAIN
        self.profile = directory / "prof" / f"{program}-{profile}-{column}".replace("/", "-")
        variables = environment(directory, EXAMPLE_TIMES=str(TIMES))
        if options is not None:
            variables["GMPROF_OPTIONS"] = f"{options}:quiet=1:output={self.profile}"
        gpu_log = directory / "prof" / "gpu_times.txt"
        if with_gpu:
            variables["CUDA_INJECTION64_PATH"] = str(directory / "lib" / GPU_TIMES)
            variables["GPU_TIMES"] = str(gpu_log)
        arguments = SIX[program][1] if program in SIX else []
        begin = time.monotonic()
        try:
            done = subprocess.run(
                [directory / f"{program}.{suffix}", *arguments],
                env=variables, capture_output=True, text=True, check=False, timeout=LONGEST,
            )
        except subprocess.TimeoutExpired as error:
            raise RuntimeError(f"{program}, {column}: runs for more than {LONGEST} s") from error
        self.seconds = time.monotonic() - begin
        if done.returncode != 0:
            raise RuntimeError(
                f"{program}, {column}: exit status {done.returncode}: {done.stdout} {done.stderr}"
            )
        self.times, self.results = times_and_results(done.stdout)
        self.gpu_times = gpu_times(gpu_log.read_text().splitlines()) if with_gpu else {}

    def summary(self):
        path = self.profile / "summary.json"
        return json.loads(path.read_text()) if path.exists() else {"kernels": [], "objects": []}

    def counts(self):
        """{kernel: {object: Counts}}, scaled up where blocks were sampled."""
        data = self.summary()
        objects = {obj["id"]: obj["name"] for obj in data["objects"]}
        kernels, scales, sizes, found = {}, {}, {}, {}
        for kernel in data["kernels"]:
            kernels[kernel["id"]] = short_name(kernel)
            for use in kernel["objects"]:
                counted, estimated = use["accesses"]["value"], use["accesses_estimated"]["value"]
                scales[kernel["id"], use["object"]] = estimated / counted if counted else 1.0
            for use in (kernel["global_memory"] or {}).get("objects", []):
                sizes[kernel["id"], use["object"]] = use["element_bytes"]
        for row in self.rows("shared_counts.csv"):
            kernel, obj, element = int(row["kernel"]), int(row["object"]), int(row["index"])
            count = int(row["accesses"]) * scales[kernel, obj]
            uses = found.setdefault(kernels[kernel], {})
            uses.setdefault(objects[obj], Counts(1)).runs.append((element, element, count))
        for row in self.rows("global_counts.csv"):
            kernel, obj = int(row["kernel"]), int(row["object"])
            count = sum(float(row[kind]) for kind in ("reads", "writes", "atomics"))
            uses = found.setdefault(kernels[kernel], {})
            uses.setdefault(obj, Counts(sizes[kernel, obj])).runs.append(
                (int(row["first"]), int(row["last"]), count)
            )
        return found

    def rows(self, name):
        path = self.profile / name
        if not path.exists():
            return []
        with open(path, newline="") as file:
            return list(csv.DictReader(file))


def short_name(kernel):
    return kernel["demangled"].split("(")[0].split("<")[0].split()[-1]


def table(head, rows):
    print("\n| " + " | ".join(head) + " |")
    print("| --- " * len(head) + "|")
    for row in rows:
        print("| " + " | ".join(row) + " |")
    sys.stdout.flush()


def geomean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def measure(directory, profile, programs, failures, with_gpu=False):
    """{program: {column: Run}}, the plain run as column None; of what was built."""
    runs = {}
    for program in programs:
        runs[program] = {}
        for column in [None, *VARIANTS[profile]]:
            suffix = VARIANTS[profile][column][0] if column else PLAIN[0]
            if not (directory / f"{program}.{suffix}").exists():
                continue
            print(f"{profile}: {program}, {column or 'plain'}", file=sys.stderr)
            try:
                run = Run(directory, program, profile, column, with_gpu)
                plain = runs[program].get(None, run)
                if run.results != plain.results:
                    raise RuntimeError(
                        f"{program}, {column}: prints {run.results}, plain {plain.results}"
                    )
                runs[program][column] = run
            except RuntimeError as error:
                failures.append(str(error))
    return runs


def print_tables(profile, runs):
    """Times, then errors, if there is a column that has none; of the kernels that the profile
    has something to count in."""
    columns = [c for c in VARIANTS[profile] if any(c in run for run in runs.values())]
    times, errors = [], []
    ratios = {column: [] for column in columns}
    for program, by_column in runs.items():
        counts = {column: run.counts() for column, run in by_column.items() if column}
        actual = counts.get("basic" if "basic" in VARIANTS[profile] else "default", {})
        for kernel, plain in by_column[None].times.items() if None in by_column else ():
            if kernel not in actual:
                continue
            name = program if program == kernel else f"{program}: {kernel}"
            row = [name, f"{plain:.4f}"]
            for column in columns:
                time = by_column[column].times.get(kernel) if column in by_column else None
                row.append("–" if time is None else f"{time / plain:.2f}")
                if time is not None:
                    ratios[column].append(time / plain)
            times.append(row)
            errors.append([name] + [
                mean_error(actual[kernel], counts.get(column, {}).get(kernel))
                for column in columns if column not in ("off", "basic")
            ])
    times.append(["geomean", ""] + [f"{geomean(r):.3f}" if r else "–" for r in ratios.values()])
    table(["kernel", "plain, ms", *columns], times)
    if "basic" in VARIANTS[profile]:
        table(["counts of", *(c for c in columns if c not in ("off", "basic"))], errors)


def print_kernel_times(profile, runs):
    """Times of all kernels; in that of objects, also how it is known which they access."""
    columns, rows = list(VARIANTS[profile]), []
    objects = profile == "objects"
    ratios = {column: [] for column in columns}
    for program, by_column in runs.items():
        if None not in by_column or any(column not in by_column for column in columns):
            continue
        known = {short_name(kernel): sorted({access["known"] for access in kernel["object_accesses"]})
                 for kernel in by_column["default"].summary()["kernels"]}
        for kernel, plain in by_column[None].times.items():
            for column in columns:
                ratios[column].append(by_column[column].times[kernel] / plain)
            rows.append([program if program == kernel else f"{program}: {kernel}", f"{plain:.4f}",
                         *(f"{ratios[column][-1]:.3f}" for column in columns),
                         *([", ".join(known.get(kernel, []))] if objects else [])])
    if rows:
        rows.append(["geomean", "", *(f"{geomean(r):.3f}" for r in ratios.values()),
                     *([""] if objects else [])])
    table(["kernel", "plain, ms", *columns, *(["accesses known"] if objects else [])], rows)


def print_gpu_times(runs):
    rows = [[program, column or "plain", name, str(len(times)),
             f"{statistics.median(times):,.1f}", f"{statistics.mean(times):,.1f}"]
            for program, by_column in runs.items() for column, run in by_column.items()
            for name, times in run.gpu_times.items()]
    table(["program", "column", "on the GPU", "times", "median, µs", "mean, µs"], rows)


def kernel_gpu_times(run):
    """{kernel of the program: [microseconds]}, those of its clones among them."""
    times = {}
    for name, each in run.gpu_times.items():
        if name not in ("copy", "set") and not name.startswith("__gm_"):
            times.setdefault(name.partition("__gm_")[0], []).extend(each)
    return times


def print_gpu_ratios(runs):
    """Of the kernels alone: between events there is also what a launch takes to begin."""
    columns = list(dict.fromkeys(c for by_column in runs.values() for c in by_column if c))
    rows, ratios = [], {c: [] for c in columns}
    for program, by_column in runs.items():
        medians = {c: {k: statistics.median(t) for k, t in kernel_gpu_times(run).items()}
                   for c, run in by_column.items()}
        for kernel, plain in medians.get(None, {}).items():
            row = [f"{program}: {kernel}", f"{plain:,.1f}"]
            for column in columns:
                ratio = medians.get(column, {}).get(kernel, math.nan) / plain
                ratios[column].append(ratio)
                row.append(f"{ratio:.3f}")
            rows.append(row)
    rows.append(["geomean", "", *(f"{geomean(ratios[c]):.3f}" for c in columns)])
    table(["kernel, on the GPU", "plain, µs", *columns], rows)


def print_process_times(profile, runs):
    """Of the whole process, with the summary."""
    columns = list(VARIANTS[profile])
    rows = [[program, f"{by_column[None].seconds:.2f}",
             *(f"{by_column[c].seconds / by_column[None].seconds:.2f}" if c in by_column else "–"
               for c in columns)]
            for program, by_column in runs.items() if None in by_column]
    table(["process", "plain, s", *columns], rows)


def print_memory(runs):
    """Device memory for counters, of the launch that took most."""
    rows = []
    for program, by_column in runs.items():
        for kernel in by_column["default"].summary()["kernels"] if "default" in by_column else ():
            use = kernel["global_memory"]
            if use and use["object_bytes"]:
                counters, objects = use["counter_bytes"], use["object_bytes"]
                name = short_name(kernel)
                rows.append([program if program == name else f"{program}: {name}",
                             f"{objects:,}", f"{counters:,}", f"{counters / objects:.3f}"])
    table(["kernel", "objects, bytes", "counters, bytes", "ratio"], rows)


def run(args):
    directory = pathlib.Path(args.directory).resolve()
    (directory / "prof").mkdir(exist_ok=True)
    built = sorted(p.name.removesuffix(".plain") for p in directory.glob("*.plain"))
    if args.programs:
        built = [p for p in built if p in args.programs]
    failures = []
    for profile in args.profiles or VARIANTS:
        for title, programs in (("the six kernels of the paper", [p for p in SIX if p in built]),
                                ("further kernels", [p for p in built if p not in SIX])):
            if programs:
                what = profile.capitalize() + (" memory" if profile in ("shared", "global") else "")
                print(f"\n### {what}, {title}")
                runs = measure(directory, profile, programs, failures, args.gpu_times)
                if args.gpu_times:
                    print_gpu_times(runs)
                    print_gpu_ratios(runs)
                if profile in ("objects", "heat"):
                    print_kernel_times(profile, runs)
                    if profile == "heat":
                        print_process_times(profile, runs)
                    continue
                print_tables(profile, runs)
                if profile == "global":
                    print_memory(runs)
    compiled = directory / "compile.json"
    if compiled.exists():
        print("\n### Compile time, seconds of processor time")
        seconds = json.loads(compiled.read_text())
        columns = ["on demand", "compiled"]
        rows = [[p, f"{plain:.2f}", *(text for t in times for text in (f"{t:.2f}", f"{t / plain:.2f}"))]
                for p, (plain, *times) in seconds.items()]
        means = [geomean([times[i] / times[0] for times in seconds.values()]) for i in (1, 2)]
        rows.append(["geomean", "", *(text for mean in means for text in ("", f"{mean:.2f}"))])
        table(["program", "plain", *(head for c in columns for head in (c, "ratio"))], rows)
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    make = commands.add_parser("build")
    make.add_argument("--build", default=HERE.parent.parent / "build")
    make.add_argument("--out", required=True)
    make.add_argument("--arch", default="sm_90")
    make.add_argument("--force", action="store_true")
    make.add_argument("--jobs", type=int, default=os.cpu_count())
    make.add_argument("--compile-time", action="store_true", help="measure it, too")
    make.add_argument("--profiles", nargs="+", choices=VARIANTS, help="only what these need")
    make.add_argument("--programs", nargs="+")
    measure_them = commands.add_parser("run")
    measure_them.add_argument("directory")
    measure_them.add_argument("--profiles", nargs="+", choices=VARIANTS)
    measure_them.add_argument("--programs", nargs="+")
    measure_them.add_argument("--gpu-times", action="store_true",
                              help="also what the GPU takes for each kernel, by CUPTI")
    args = parser.parse_args()
    return build(args) if args.command == "build" else run(args)


if __name__ == "__main__":
    sys.exit(main())
