#!/usr/bin/env python3
"""What each profile costs, and what compute-sanitizer and Nsight Compute do on the same programs.

  costs.py pack --build BUILD --out DIR          compiles the programs, and adds what `run` needs
  DIR/costs.py run DIR                           measures, prints Markdown tables
  DIR/costs.py show DIR/costs-kernels.json       prints them again

--what chooses tables: of kernels, of whole processes, of how costs scale, and of traces: programs of
which each request is traced and simulated, with times instead of ratios.

Else each cell of the tables is a ratio to the plain program in the same run. DIR/programs.json, where there
is one, lists programs of others, whose processes are measured instead of those of its own:

  name      for the table
  command   program and arguments; it has been compiled with gmprof-clang++
  plain     the same, compiled without
  ignore    a regular expression; lines of the output that match may differ

Results go to DIR/costs-*.json as well, with what a run that failed printed in the end.
"""

import argparse
import json
import math
import os
import pathlib
import shlex
import shutil
import signal
import statistics
import sys

import bench
from process_run import run_once

HERE = pathlib.Path(__file__).resolve().parent
OVERVIEW = "overview"  # several profiles in one run, and the default of gmprof run
PROFILES = ["objects", "shared", "global", "elements", "heat", "cache", "sync"]
MEMCHECK = ["compute-sanitizer", "--tool", "memcheck", "--log-file", "/dev/null"]
# Everything that it shows of memory, for each launch and each line.
NCU = ["ncu", "--clock-control", "none", "--cache-control", "none", "--log-file", "/dev/null",
       "--section", "MemoryWorkloadAnalysis", "--section", "MemoryWorkloadAnalysis_Chart",
       "--section", "MemoryWorkloadAnalysis_Tables", "--section", "SourceCounters"]
KERNEL_COLUMNS = ["off", OVERVIEW, *PROFILES]
SAMPLED = [OVERVIEW, "heat", "cache"]  # by default, launches 1, 2, 4, 8 … of a kernel
# Profiles each launch of a kernel.
EACH_LAUNCH = {OVERVIEW: ":launch-sampling=every", "heat": ":launch-sampling=every", "cache": ":launch-sampling=every:run-requests=all"}
OTHERS = {"memcheck": MEMCHECK, "ncu": NCU}
EACH_REQUEST = ["--launch-sampling", "every", "--launch-requests", "all", "--run-requests", "all"]
PRODUCTS = ["256", "512"]  # of matmul_naive, beside its own
# profiner, of a product of 256 x 256 on an H200: 3.7 s, of which plain is 0.32, for 1,050,624 requests.
PUBLISHED_SECONDS = 3.2e-6
MOST_TURNS = 100
SCALING = {  # what: how often, and the profiles of which it asks something
    "accesses": ([10**6, 10**7, 10**8, 10**9], ["global", "elements", "heat", "cache"]),
    "launches": ([10**5, 10**6, 10**7], ["objects", "shared", "global"]),
    "objects": ([10**4, 10**5, 10**6], ["objects", "elements", "sync"]),
    "touched": ([1, 8, 64], ["objects", "global", "elements", "heat"]),
}


def standard_error(plain, traced):
    """Of the difference of their medians, if they vary as a normal distribution does; of less than
    two it may be anything."""
    if len(plain) < 2:
        return math.inf
    return math.sqrt(math.pi / 2 * sum(statistics.variance(v) / len(v) for v in (plain, traced)))


def trace_of(cache):
    """What the table of traces says of the summary's caches; of all requests, if it is whole."""
    requests = cache["total"]["requests"]
    missing = cache["lost"] + cache["requests_beyond_limit"] + cache["blocks_beyond_limit"]
    return {"requests": requests, "sampled": cache["sampled"], "whole": missing == 0}


class Programs:
    """Runs programs plain and profiled, and checks that they print the same. What is known is in a
    file after each run."""

    def __init__(self, folder, what="", limit=60, turns=1, within=None, beside=()):
        self.folder, self.limit, self.turns, self.within = folder, limit, turns, within
        self.beside = beside
        self.file = folder / f"costs-{what}.json"
        self.results = {}

    def run(self, name, column, command, environment=None, ignore=None, same=True):
        print(f"{name}: {column}", file=sys.stderr, flush=True)
        columns = self.results.setdefault(name, {})
        found = run_once(command, self.folder, self.limit, environment or {}, ignore)
        if same and "plain" in columns and "error" not in found:
            if found["results"] != columns["plain"]["results"]:
                found["error"] = f"prints {found['results'][:5]}, plain {columns['plain']['results'][:5]}"
        if "error" in found:
            print(f"{name}: {column}: {found['error']}", file=sys.stderr, flush=True)
        columns[column] = found
        self.write()
        return found

    def wants_more(self, plain, cache):
        """Another turn, when these are the seconds of those that there were."""
        if len(plain) < self.turns:
            return True
        return (self.within is not None and len(plain) < MOST_TURNS
                and standard_error(plain, cache) * 1e3 > self.within)

    def write(self):
        self.file.write_text(json.dumps(self.results, indent=1))

    def profiled(self, name, profile, command, options=(), ignore=None):
        """As `gmprof run` does it, with the report that it writes."""
        output = self.folder / "prof" / f"{name}-{profile}"
        found = self.run(name, profile, [self.folder / "bin/gmprof", "run", "--profile", profile,
                                         "--quiet", "-o", output, *options, "--", *command],
                         ignore=ignore)
        if profile == "cache" and "error" not in found:
            found.update(trace_of(json.loads((output / "summary.json").read_text())["cache"]))
        shutil.rmtree(output, ignore_errors=True)
        return found

    def others(self, name, command, environment=None):
        """Under the other tools that there are; they print something themselves."""
        for column, tool in OTHERS.items():
            if shutil.which(tool[0]):
                self.run(name, column, [*tool, *command], environment, same=False)

    def instrumented(self, name, profile, command):
        """Only its kernels, with each launch profiled; no report is written."""
        output = self.folder / "prof" / f"{name}-{profile}"
        each = EACH_LAUNCH.get(profile, "")
        self.run(name, profile, command, {
            "EXAMPLE_TIMES": str(bench.TIMES),
            "GMPROF_OPTIONS": f"profile={profile}{each}:quiet=1:log-only=1:output={output}"})
        shutil.rmtree(output, ignore_errors=True)


# ---------------------------------------------------------------------------
# What is measured


def own_programs(folder):
    """Those of bench.py, as in programs.json."""
    names = sorted(file.stem for file in folder.glob("*.default") if file.stem != "scaling")
    return [{"name": name, "command": [f"./{name}.default", *arguments],
             "plain": [f"./{name}.plain", *arguments]}
            for name in names for arguments in [bench.SIX[name][1] if name in bench.SIX else []]]


def others_programs(folder):
    listed = folder / "programs.json"
    return json.loads(listed.read_text()) if listed.exists() else []


def measure_kernels(programs, names):
    """Where each launch is profiled."""
    for program in own_programs(programs.folder):
        name = program["name"]
        if names and name not in names:
            continue
        programs.run(name, "plain", program["plain"], {"EXAMPLE_TIMES": str(bench.TIMES)})
        for column in KERNEL_COLUMNS:
            programs.instrumented(name, column, program["command"])
        programs.others(name, program["plain"], {"EXAMPLE_TIMES": "1"})  # ncu takes long for each


def measure_processes(programs, names):
    for program in others_programs(programs.folder) or own_programs(programs.folder):
        name, ignore = program["name"], program.get("ignore")
        if names and name not in names:
            continue
        for _ in range(2):  # once to have its files in memory
            programs.run(name, "plain", program["plain"], ignore=ignore)
        programs.run(name, "off", program["command"], {"GMPROF_OPTIONS": "profile=off"}, ignore)
        for profile in [OVERVIEW, *PROFILES]:
            programs.profiled(name, profile, program["command"], ignore=ignore)
        programs.others(name, program["plain"])


def measure_traces(programs, names):
    """Every request traced, simulated and reported."""
    own = own_programs(programs.folder)
    product = next((p for p in own if p["name"] == "matmul_naive"), None)
    products = [{"name": f"matmul_naive {size}", "command": [*product["command"], size],
                 "plain": [*product["plain"], size]} for size in PRODUCTS if product]
    for program in others_programs(programs.folder) or products + own:
        name, ignore = program["name"], program.get("ignore")
        if names and name not in names:
            continue
        seconds = {"plain": [], "cache": []}
        while programs.wants_more(**seconds):  # what else the machine does is for both then
            plain = programs.run(name, "plain", program["plain"], ignore=ignore)
            traced = programs.profiled(name, "cache", program["command"], EACH_REQUEST, ignore)
            seconds["plain"].append(plain["seconds"])
            seconds["cache"].append(traced["seconds"])
            if "error" in traced:
                break
        if programs.beside:
            programs.run(name, "beside", [*programs.beside, *program["plain"]], same=False)
        for column, all_of in seconds.items():
            programs.results[name][column]["seconds"] = statistics.median(all_of)
            programs.results[name][column]["all_seconds"] = all_of
        programs.write()


def measure_scaling(programs, names):
    os.environ["EXAMPLE_TIMES"] = "1"
    for what, (numbers, profiles) in SCALING.items():
        for number in numbers if not names or what in names else []:
            name = f"{what}, {number:,}"
            programs.run(name, "plain", ["./scaling.plain", what, number])
            for profile in profiles:
                every = ["--launch-sampling", "every"] if profile in SAMPLED else []
                programs.profiled(name, profile, ["./scaling.default", what, number], every)


# ---------------------------------------------------------------------------
# Tables


def cell(found, value):
    """A ratio or a number of MiB, or why there is none."""
    if found is None:
        return "–"
    if "error" in found:
        return found["error"] if found["error"].startswith(">") else "failed"
    return value(found)


def rounded(ratio):
    return f"{ratio:.2f}" if ratio < 10 else f"{ratio:.1f}" if ratio < 100 else f"{ratio:,.0f}"


def ratios_table(head, rows, columns):
    """rows: (name, plain, {column: what cell() takes}, the value to divide by plain)."""
    all_of = {column: [] for column in columns}
    printed = []
    for name, plain, found, value in rows:
        cells = []
        for column in columns:
            cells.append(cell(found.get(column), lambda f: rounded(value(f) / plain)))
            if column in found and "error" not in found[column]:
                all_of[column].append(value(found[column]) / plain)
        printed.append([name, f"{plain:.4g}", *cells])
    printed.append(["geomean", "", *(rounded(bench.geomean(r)) if r else "–"
                                     for r in all_of.values())])
    bench.table([*head, *columns], printed)


def sum_of_profiles(columns):
    """One run for each profile: what it takes to be told everything."""
    parts = [columns.get(profile, {"error": "> not run"}) for profile in PROFILES]
    failed = [part for part in parts if "error" in part]
    return failed[0] if failed else {"seconds": sum(part["seconds"] for part in parts)}


def with_plain(results):
    return {name: columns for name, columns in results.items()
            if "plain" in columns and "error" not in columns["plain"]}


def print_kernels(results):
    rows = [(name if name == kernel else f"{name}: {kernel}", plain,
             {c: f for c, f in columns.items() if "error" in f or kernel in f["times"]},
             lambda found, kernel=kernel: found["times"][kernel])
            for name, columns in with_plain(results).items()
            for kernel, plain in columns["plain"]["times"].items()]
    ratios_table(["kernel", "plain, ms"], rows, [*KERNEL_COLUMNS, *OTHERS])


def print_processes(results):
    rows = [(name, columns["plain"]["seconds"], {**columns, "all": sum_of_profiles(columns)},
             lambda found: found["seconds"])
            for name, columns in with_plain(results).items()]
    ratios_table(["process", "plain, s"], rows, ["off", OVERVIEW, *PROFILES, "all", *OTHERS])
    for what in ("device", "host"):
        columns = ["off", OVERVIEW, *PROFILES, *OTHERS]
        bench.table([f"memory of the {what}, MiB", "plain", *(f"+ {c}" for c in columns)], [
            [name, mebibytes(by_column["plain"][what]),
             *(cell(by_column.get(c), lambda found: mebibytes(
                 found[what] - by_column["plain"][what])) for c in columns)]
            for name, by_column in with_plain(results).items()
            if by_column["plain"][what] is not None])


def mebibytes(count):
    return f"{count / 2**20:,.0f}"


def compared(beside, plain, more):
    """Another tool, which may have been ended, and how many times less it is that gmprof takes."""
    if "error" in beside and not beside["error"].startswith(">"):
        return ["failed", ""]
    bound, seconds = "> " if "error" in beside else "", beside["seconds"] - plain
    return [f"{bound}{seconds:.3g}", f"{bound}{seconds / more:,.0f}" if more > 0 else "–"]


def print_traces(results):
    rows, times_less = [], []
    beside = any("beside" in columns for columns in results.values())
    for name, columns in with_plain(results).items():
        plain, traced = columns["plain"]["seconds"], columns["cache"]
        if "error" in traced or not traced["whole"]:
            rows.append([name, "", f"{plain:.3f}", cell(traced, lambda _: "not whole"), *[""] * 5])
            continue
        requests, more = traced["requests"], traced["seconds"] - plain
        error = standard_error(*(c.get("all_seconds", []) for c in (columns["plain"], traced)))
        # A process that happens to take less than the plain one says nothing of how much less.
        if more > 0:
            times_less.append(requests * PUBLISHED_SECONDS / more)
        rows.append([name, f"{requests:,}", f"{plain:.3f}", f"{traced['seconds']:.3f}",
                     f"{1e3 * more:,.1f}", f"{1e3 * error:.0f}" if math.isfinite(error) else "",
                     f"{1e9 * more / requests:.1f}",
                     "all" if traced["sampled"] == 1 else f"1 in {traced['sampled']}",
                     f"{times_less[-1]:,.0f}" if more > 0 else "–"])
        if "beside" in columns:
            rows[-1] += compared(columns["beside"], plain, more)
    if times_less:
        rows.append(["geomean", *[""] * 7, f"{bench.geomean(times_less):,.0f}"])
    bench.table(["process", "requests", "plain, s", "traced, s", "over plain, ms", "±", "ns a request",
                 "lines simulated", "times less than published",
                 *(["beside, s over plain", "times less"] if beside else [])], rows)


def print_scaling(results):
    columns = [c for c in PROFILES if any(c in found for found in results.values())]
    for title, value in (("of the work, ms", lambda f: sum(f["times"].values())),
                         ("of the process, ms", lambda f: 1e3 * f["seconds"])):
        bench.table([f"time {title}", "plain", *columns], [
            [name, *(cell(by_column.get(c), lambda f: f"{value(f):,.1f}")
                     for c in ["plain", *columns])]
            for name, by_column in with_plain(results).items()])
    for what in ("device", "host"):
        bench.table([f"memory of the {what}, MiB", "plain", *columns], [
            [name, *(cell(by_column.get(c), lambda f: mebibytes(f[what]))
                     for c in ["plain", *columns])]
            for name, by_column in with_plain(results).items()
            if by_column["plain"][what] is not None])


# ---------------------------------------------------------------------------


MEASURES = {"kernels": (measure_kernels, print_kernels),
            "processes": (measure_processes, print_processes),
            "scaling": (measure_scaling, print_scaling),
            "traces": (measure_traces, print_traces)}


def pack(args):
    """Programs, gmprof and its libraries."""
    out = pathlib.Path(args.out)
    build = pathlib.Path(args.build)
    (out / "bin").mkdir(parents=True, exist_ok=True)
    shutil.copy(build / "bin/gmprof", out / "bin")
    symbolizer = pathlib.Path("lib/gmprof/gmprof-symbolizer")
    (out / symbolizer).parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(build / symbolizer, out / symbolizer)
    for file in (__file__, HERE / "process_run.py"):
        shutil.copy(file, out)
    architectures = "share/gmprof/architectures"
    shutil.copytree(build / architectures, out / architectures, dirs_exist_ok=True)
    bench.build(argparse.Namespace(**vars(args), profiles=["objects"], programs=None, force=False,
                                   compile_time=False, jobs=os.cpu_count()))
    for suffix, flags in (("plain", ["--gmprof-off"]), ("default", [])):
        bench.compile_program(args, HERE / "scaling.cu", flags, out / f"scaling.{suffix}")
    return 0


def run(args):
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    folder = pathlib.Path(args.directory).resolve()
    (folder / "prof").mkdir(exist_ok=True)
    failed = False
    for what in args.what:
        measure, show = MEASURES[what]
        programs = Programs(folder, what, args.seconds, args.turns, args.within,
                            shlex.split(args.beside))
        try:
            measure(programs, args.programs)
        except KeyboardInterrupt:
            print("stopped; this is what was measured", file=sys.stderr)
            show(programs.results)
            return 130
        show(programs.results)
        failed |= any("error" in found for by_column in programs.results.values()
                      for found in by_column.values())
    return 1 if failed else 0


def show(args):
    """The tables of results that are there."""
    for file in args.results:
        what = file.stem.removeprefix("costs-")
        MEASURES[what][1](json.loads(file.read_text()))
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    make = commands.add_parser("pack")
    make.add_argument("--build", default=HERE.parent.parent / "build")
    make.add_argument("--out", required=True)
    make.add_argument("--arch", default="sm_90")
    make.set_defaults(do=pack)
    measure = commands.add_parser("run")
    measure.add_argument("directory")
    measure.add_argument("--what", nargs="+", choices=MEASURES, default=list(MEASURES))
    measure.add_argument("--programs", nargs="+", help="only these; of scaling, what is scaled")
    measure.add_argument("--turns", type=int, default=5, help="of traces: plain and traced in turn")
    measure.add_argument("--within", type=float, metavar="MS", help="more turns, up to "
                         f"{MOST_TURNS}, until the standard error is no more than that")
    measure.add_argument("--beside", metavar="COMMAND", default="", help="of traces: another tool, "
                         "before the plain program, which is run so once, too")
    measure.add_argument("--seconds", type=int, default=60, help="that a run may take")
    measure.set_defaults(do=run)
    print_again = commands.add_parser("show")
    print_again.add_argument("results", nargs="+", type=pathlib.Path)
    print_again.set_defaults(do=show)
    args = parser.parse_args()
    return args.do(args)


if __name__ == "__main__":
    sys.exit(main())
