#!/usr/bin/env python3
"""Compares what GMProf counts and simulates with Nsight Compute's counters, on the same binaries.

    hardware.py measure OUT [OPTION...] -- PROGRAM [ARGUMENT...] [-- PROGRAM ...]
    hardware.py measure OUT [OPTION...] --programs FILE
    hardware.py table OUT [OUT...] [--looked-at PATTERN]... [--all] [--launches]

measure, on a machine with a GPU: runs each program with --profile heat (all blocks of all launches) and with --profile cache, and below
Nsight Compute. The runs of GMProf come first, several at a time; below Nsight Compute a program has the GPU to itself. OUT is written anew
after each program; with --resume, it keeps what it has of the same commands. FILE has a command in each line.
table, anywhere: prints the kernels and programs that differ, of how many kernels each counter is exact, within 0.3 % and within 2 %, and the
errors of hit rates in points. Kernels whose requests differ between two runs below Nsight Compute depend on time, and are left out; so are
the wavefronts of those whose wavefronts differ. A program of several files counts once, with its results of the last one.

A bit of its name's hash puts each program into one of two halves: the first may be used to improve GMProf, the second, held out, judges it.
--looked-at names programs that were used before.
"""
import argparse
import collections
import concurrent.futures
import fnmatch
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent / "cache-model"))
from counters import METRICS, read_counters, read_instructions, run

OPERATIONS = ("ld", "st", "red", "atom")
COUNTERS = {
    "requests": [f"l1tex__t_requests_pipe_lsu_mem_global_op_{o}.sum" for o in OPERATIONS],
    "sectors": [f"l1tex__t_sectors_pipe_lsu_mem_global_op_{o}.sum" for o in OPERATIONS],
    "l1tex": [f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{o}.sum" for o in ("ld", "st", "atom")],
    "l1_lookups": [METRICS[f"{space}{o}_sectors"] for space in ("", "local_") for o in ("ld", "st")],
    "l1_hits": [METRICS[f"{space}{o}_hits"] for space in ("", "local_") for o in ("ld", "st")],
    "repeated": [f"l1tex__t_requests_pipe_lsu_mem_global_op_{o}.sum" for o in ("ld", "st")],
}
# Counters of L2 depend on what earlier launches left there, so they are read in runs of the whole program: few, since each pass is a run.
RUN_COUNTERS = {
    "repeated": COUNTERS["repeated"],
    "l2_lookups": ["lts__t_sectors_srcunit_tex.sum"],
    "l2_hits": ["lts__t_sectors_srcunit_tex_lookup_hit.sum"],
}
# "l1tex" are the wavefronts of the hardware's counters, which include conflicts with other data in L1: these depend on time. Nsight Compute
# computes the wavefronts of each instruction from its addresses: "wavefronts", of which "ideal" are without bank conflicts.
WITHIN = {"requests": 0.0, "sectors": 0.003, "wavefronts": 0.02, "conflicts": 0.02, "ideal": 0.02, "l1tex": 0.02}
BY_INSTRUCTION = {"wavefronts": "L1 Wavefronts Shared", "ideal": "L1 Wavefronts Shared Ideal"}
LEVELS = ("l1", "l2")


# ---------------------------------------------------------------------------
# Measuring


def read_launches(command, counters, replay, options):
    """The counters of each launch, below Nsight Compute; kernels have their mangled names."""
    done, found = read_counters(command, options=["--launch-count", str(options.launches), "--print-kernel-base", "mangled"], replay=replay,
                               metrics={metric: metric for names in counters.values() for metric in names}, timeout=options.seconds,
                               env=os.environ | {"GMPROF_OPTIONS": "profile=off:device=gpu"})
    if not found:
        raise RuntimeError(f"ncu measured nothing: {done.stdout[-200:]}{done.stderr[-200:]}")
    if len(found) >= options.launches:
        raise RuntimeError(f"has {options.launches} launches or more")
    return [{"kernel": launch["kernel"]} | {counter: int(sum(launch.get(name, 0) for name in names)) for counter, names in counters.items()}
            for launch in found]


def read_wavefronts(command, options):
    """The wavefronts of each launch's instructions of shared memory, without asynchronous copies."""
    done, found = read_instructions(command, options=["--launch-count", str(options.launches)], timeout=options.seconds,
                                    env=os.environ | {"GMPROF_OPTIONS": "profile=off:device=gpu"})
    if not found:
        raise RuntimeError(f"ncu measured nothing: {done.stdout[-200:]}{done.stderr[-200:]}")
    launches = []
    for instructions in found:
        launch = dict.fromkeys(BY_INSTRUCTION, 0)
        for instruction in instructions:
            operation = re.sub(r"^@!?U?P\w+ +", "", instruction["Source"].strip())
            if not operation.startswith("LDGSTS"):
                for counter, column in BY_INSTRUCTION.items():
                    value = instruction.get(column, "-")  # a kernel without shared memory has no such column
                    launch[counter] += 0 if value == "-" else int(value.replace(",", ""))
        launches.append(launch | {"conflicts": launch["wavefronts"] - launch["ideal"]})
    return launches


def read_summary(command, name, profile, options):
    """The summary of a program's run by GMProf."""
    with tempfile.TemporaryDirectory() as folder:
        profiled = pathlib.Path(folder, "prof")
        done = run([options.gmprof, "run", "--quiet", *profile, "--launch-sampling", "every", "-o", profiled, "--", *command],
                   timeout=options.seconds)
        file = profiled / "summary.json"
        if not file.exists():
            raise RuntimeError(f"gmprof wrote no summary: {done.stdout[-200:]}{done.stderr[-300:]}")
        if options.keep:
            shutil.copytree(profiled, options.keep / f"{name}.{profile[1]}", dirs_exist_ok=True)
        return json.loads(file.read_text())


def without(heat, counters, lines, is_other):
    """A kernel's counters, without those lines that the hardware's counters do not contain."""
    other = [line for line in lines if is_other(line)]
    return [heat[counter] - sum(line[counter] for line in other) for counter in counters]


def counted(summary):
    """What heat counts in each kernel. The hardware's counters of global loads contain no bulk copies (those of CCCL are in one header),
    and its counters of shared loads, stores and atomics contain no asynchronous copies and no barriers."""
    kernels = {}
    for kernel in summary["kernels"]:
        heat = kernel.get("heat")
        if not heat:
            continue
        lines = [line for use in heat["objects"] for line in use["lines"]] + heat["other_lines"]
        shared = [line for use in heat["arrays"] for line in use["lines"]] + heat["other_shared_lines"]
        requests, sectors = without(heat, ("requests", "sectors"), lines, lambda line: line["access"] == "async_from"
                                    and os.path.basename((line["source"] or {}).get("file", "")) == "cp_async_bulk.h")
        wavefronts, ideal = without(heat, ("wavefronts", "ideal_wavefronts"), shared, lambda line: line["access"] in ("async_to", "barrier"))
        kernels[kernel["name"]] = {"demangled": kernel["demangled"], "requests": requests, "sectors": sectors, "wavefronts": wavefronts,
                                   "ideal": ideal, "conflicts": wavefronts - ideal, "l1tex": wavefronts,
                                   "launches": heat["launches_sampled"]}
    return kernels


def simulated(summary):
    """The simulated traffic of the whole program and of each launch."""
    def rates(traffic):
        return {"l1_lookups": traffic["l1_lookups"], "l1_hits": traffic["l1_hits"], "l2_hits": traffic["l2_hits"],
                "l2_lookups": traffic["l2_reads"] + traffic["l2_writes"] + traffic["l2_atomics"]}
    cache = summary["cache"]
    if cache is None:
        raise RuntimeError("gmprof traced no launch")
    names = [kernel["name"] for kernel in summary["kernels"]]
    complete = cache["complete"] and not any(cache[part] for part in ("lost", "limited_launches"))
    return {"total": rates(cache["total"]), "complete": complete, "sampled": cache["sampled"],
            "launches": [{"kernel": launch["name"] if launch["kernel"] is None else names[launch["kernel"]], "launch": launch["launch"]}
                         | rates(launch["traffic"]) for launch in cache["launches"]]}


STEPS = {
    "heat": lambda command, name, o: counted(read_summary(command, name, ["--profile", "heat", "--heat-blocks", "all"], o)),
    "cache": lambda command, name, o: simulated(read_summary(
        command, name, ["--profile", "cache"] + ["--place-blocks"] * o.place_blocks, o)),
    "ncu": lambda command, name, o: read_launches(command, COUNTERS, "kernel", o),
    "ncu_run": lambda command, name, o: read_launches(command, RUN_COUNTERS, "application", o),
    "ncu_source": lambda command, name, o: read_wavefronts(command, o),
    "ncu_source_again": lambda command, name, o: read_wavefronts(command, o),
}
UNTIL = {"heat": 0.4, "cache": 0.4, "ncu": 0.6, "ncu_source": 0.7, "ncu_source_again": 0.75, "ncu_run": 1.0}  # of the total time


def has_heat(program):
    return "heat" in program


def has_counters(program):
    return "ncu" in program


def has_wavefronts(program):
    return has_counters(program) and (any(launch["l1tex"] for launch in program["ncu"])
                                      or any(kernel["wavefronts"] for kernel in program["heat"].values()))


def name_of(command):
    return f"{os.path.basename(command[0])} {' '.join(command[1:])}".strip()


class Measurement:
    """All programs' results, in a file."""

    def __init__(self, commands, options):
        self.options = options
        self.begin = time.monotonic()
        self.lock = threading.Lock()  # guards the programs' results
        known = json.loads(options.out.read_text())["programs"] if options.resume else []
        known = {tuple(program["command"]): program | {"errors": {}} for program in known}
        self.programs = [known.get(tuple(command)) or {"program": name_of(command), "command": command, "errors": {}, "seconds": {}}
                         for command in commands]

    def step(self, program, step):
        if step in program:
            return
        begin = time.monotonic()
        name = re.sub(r"[^\w.+-]+", "_", program["program"])
        if begin - self.begin > self.options.total_seconds * UNTIL[step]:
            with self.lock:
                program["errors"][step] = "no time was left"
            return
        try:
            results, found = program, STEPS[step](program["command"], name, self.options)
        except (RuntimeError, subprocess.TimeoutExpired, OSError, KeyError, TypeError, ValueError) as error:
            results, found = program["errors"], f"{type(error).__name__}: {error}"[:600]
        with self.lock:
            results[step] = found
            program["seconds"][step] = round(time.monotonic() - begin, 1)

    def write(self):
        with self.lock:
            text = json.dumps({"programs": self.programs})
        part = self.options.out.with_suffix(".part")
        part.write_text(text)
        part.replace(self.options.out)

    def profile(self, program):
        self.step(program, "heat")
        self.step(program, "cache")

    def run(self):
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            list(pool.map(self.profile, self.programs))
        self.write()
        for step, needed, jobs in (("ncu", has_heat, self.options.ncu_jobs), ("ncu_source", has_wavefronts, self.options.ncu_jobs),
                                   ("ncu_source_again", has_wavefronts, self.options.ncu_jobs), ("ncu_run", has_counters, 1)):
            with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
                programs = [program for program in self.programs if needed(program)]
                for program, _ in zip(programs, pool.map(lambda program: self.step(program, step), programs)):
                    self.write()
                    print(f"{time.monotonic() - self.begin:5.0f} s: {program['program']}: {step}: "
                          f"{program['errors'].get(step, 'measured')}", flush=True)


def measure(options, commands):
    if options.programs:
        lines = (shlex.split(line, comments=True) for line in options.programs.read_text().splitlines())
        commands = [*commands, *filter(None, lines)]
    if not commands:
        sys.exit("no program: hardware.py measure OUT [OPTION...] -- PROGRAM [ARGUMENT...]")
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
    measurement = Measurement(commands, options)
    try:
        measurement.run()
    except KeyboardInterrupt:
        print("stopped", flush=True)
    measurement.write()
    table(argparse.Namespace(files=[options.out], looked_at=[], all=False, launches=False))


# ---------------------------------------------------------------------------
# Tables


def half(program, looked_at=()):
    """The half that a bit of the file name's hash chooses, unless a pattern says that the program was looked at."""
    name = os.path.basename(program["command"][0])
    used = any(fnmatch.fnmatch(name, pattern) for pattern in looked_at)
    return "held out" if hashlib.sha256(name.encode()).digest()[0] & 1 and not used else "looked at"


def by_kernel(launches):
    kernels = collections.defaultdict(collections.Counter)
    for launch in launches:
        kernels[launch["kernel"]].update({counter: value for counter, value in launch.items() if counter != "kernel"})
    return kernels


def named(program, step):
    """A step's launches, with their kernels: the table of the source has other names of these, but the same order."""
    launches = program.get(step, [])
    if len(launches) != len(program["ncu"]):
        return []
    return [launch | {"kernel": other["kernel"]} for launch, other in zip(launches, program["ncu"])]


def differs(value, reference, within):
    return abs(value - reference) > within * reference


def differs_by_rule(row):
    """Bank conflicts count as a share of the wavefronts: a few in a million are noise."""
    of = row["ncu_wavefronts"] if row["counter"] == "conflicts" else row["ncu"]
    return abs(row["gmprof"] - row["ncu"]) > WITHIN[row["counter"]] * of


def compare_counts(program, say):
    """A row for each kernel and counter."""
    rows = []
    if "ncu" not in program or "heat" not in program:
        return rows
    reference, again = by_kernel(program["ncu"]), by_kernel(program.get("ncu_run", []))
    source, source_again = (by_kernel(named(program, step)) for step in ("ncu_source", "ncu_source_again"))
    for kernel, wanted in reference.items():
        found = program["heat"].get(kernel)
        if not found:
            say(f"{program['program']}: {kernel} is not recorded")
            continue
        name = kernel_name(found["demangled"])
        launches = sum(launch["kernel"] == kernel for launch in program["ncu"])
        if found.get("launches", launches) != launches:
            say(f"{program['program']}: {found['launches']} of {launches} launches of {name} were profiled")
            continue
        if kernel in again and again[kernel]["repeated"] != wanted["repeated"]:
            say(f"{program['program']}: {name} depends on time")
            continue
        depends = kernel in source and source_again.get(kernel, source[kernel]) != source[kernel]
        if depends:
            say(f"{program['program']}: wavefronts of {name} depend on time")
        elif found["wavefronts"] and kernel not in source:
            say(f"{program['program']}: {name} has no wavefronts by instruction")
        wanted |= source[kernel] if kernel in source else {}
        for counter in WITHIN:
            if counter not in wanted or (depends and counter in ("wavefronts", "conflicts", "ideal", "l1tex")):
                continue
            row = {"program": program["program"], "half": program["half"], "kernel": name, "counter": counter, "gmprof": found[counter],
                   "ncu": wanted[counter], "ncu_wavefronts": wanted.get("wavefronts")}
            rows.append(row)
            if differs_by_rule(row):
                say(f"{program['program']}: {name}: {counter} {found[counter]:,}, ncu {wanted[counter]:,} [{program['half']}]")
    return rows


def kernel_name(demangled):
    """The name without return type and parameters."""
    return re.split(r"\(", demangled.removeprefix("void "))[0]


def rate(counts, level):
    return 100 * counts[f"{level}_hits"] / counts[f"{level}_lookups"] if counts[f"{level}_lookups"] else None


def hardware_launches(program):
    """The launches with the counters of both runs below Nsight Compute; only L1's without the second."""
    later = program.get("ncu_run", [])
    if [launch["kernel"] for launch in later] != [launch["kernel"] for launch in program["ncu"]]:
        later = [{"l2_lookups": 0, "l2_hits": 0}] * len(program["ncu"])
    return [launch | {name: other[name] for name in ("l2_lookups", "l2_hits")} for launch, other in zip(program["ncu"], later)]


def compare_rates(program, say):
    """A row for each level and launch, and for each level of the whole program."""
    rows = []
    if "ncu" not in program or "cache" not in program:
        return rows
    cache, hardware = program["cache"], hardware_launches(program)
    if not cache["complete"]:
        say(f"{program['program']}: the trace is limited")
        return rows
    launches = sorted(cache["launches"], key=lambda launch: launch["launch"])
    if [launch["kernel"] for launch in launches] != [launch["kernel"] for launch in hardware[:len(launches)]]:
        say(f"{program['program']}: {len(launches)} traced launches are not the first ones of {len(hardware)}")
        return rows
    total = {name: sum(launch[name] for launch in hardware) for level in LEVELS for name in (f"{level}_lookups", f"{level}_hits")}
    pairs = [("launch", model, launch) for model, launch in zip(launches, hardware)]
    if len(launches) == len(hardware):
        pairs.append(("program", cache["total"], total))
    for span, model, real in pairs:
        for level in LEVELS:
            wanted, found = rate(real, level), rate(model, level)
            if wanted is not None and found is not None:
                rows.append({"program": program["program"], "half": program["half"], "span": span, "kernel": model.get("kernel", ""),
                             "level": level, "gmprof": found, "ncu": wanted, "lookups": real[f"{level}_lookups"]})
    return rows


def print_counts(rows):
    print(f"{'counter':12} {'kernels':>8} {'exact':>8} {'0.3 %':>8} {'2 %':>8}")
    for counter in WITHIN:
        of = [row for row in rows if row["counter"] == counter and (row["ncu"] or row["gmprof"])]
        exact = sum(row["gmprof"] == row["ncu"] for row in of)
        within = [sum(not differs_by_rule(row) if counter == "conflicts" and w == 0.02 else not differs(row["gmprof"], row["ncu"], w)
                      for row in of) for w in (0.003, 0.02)]
        print(f"{counter:12} {len(of):8} {exact:8} " + " ".join(f"{n:8}" for n in within))


def print_rates(rows):
    print(f"{'hit rate':12} {'of':>8} {'points':>8} {'worst':>8}")
    for level in LEVELS:
        for span in ("launch", "program"):
            errors = [(abs(row["gmprof"] - row["ncu"]), row["program"]) for row in rows if (row["level"], row["span"]) == (level, span)]
            if errors:
                worst = max(errors)
                print(f"{level + ' ' + span:12} {len(errors):8} {statistics.mean(e for e, _ in errors):8.2f} {worst[0]:8.1f} {worst[1]}")


def table(options):
    def is_complete(program):
        return {"heat", "ncu"} <= program.keys()
    latest = {}
    for file in options.files:
        for program in json.loads(file.read_text())["programs"]:
            name = program["program"]
            if name not in latest or is_complete(program) or not is_complete(latest[name]):
                latest[name] = program
    programs = list(latest.values())
    for program in programs:
        program["half"] = half(program, options.looked_at)
    counts = [row for program in programs for row in compare_counts(program, print)]
    rates = [row for program in programs for row in compare_rates(program, print)]
    for program in programs:
        for step, error in program["errors"].items():
            print(f"{program['program']}: {step}: {error}")
    for row in sorted(rates, key=lambda row: -abs(row["gmprof"] - row["ncu"])):
        wrong = abs(row["gmprof"] - row["ncu"]) > (1.0 if row["level"] == "l1" else 2.0)
        if row["span"] == ("launch" if options.launches else "program") and (wrong or options.all):
            print(f"{row['program']} {row['kernel']}: {row['level']} {row['gmprof']:.1f} %, ncu {row['ncu']:.1f} % [{row['half']}]")
    for part in ("held out", "looked at"):
        print(f"\n{part}: {len({row['program'] for row in counts if row['half'] == part})} runs")
        print_counts([row for row in counts if row["half"] == part])
        print_rates([row for row in rates if row["half"] == part])


def commands_of(arguments):
    commands = [[]]
    for argument in arguments:
        if argument == "--":
            commands.append([])
        else:
            commands[-1].append(argument)
    return [command for command in commands if command]


def main():
    arguments = sys.argv[1:]
    split = arguments.index("--") if "--" in arguments else len(arguments)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(required=True)
    one = steps.add_parser("measure")
    one.add_argument("out", type=pathlib.Path, help="JSON")
    one.add_argument("--gmprof", default=shutil.which("gmprof") or "gmprof")
    one.add_argument("--programs", type=pathlib.Path, help="a file with a command in each line")
    one.add_argument("--resume", action="store_true", help="measure what OUT does not have")
    one.add_argument("--launches", type=int, default=1000, help="leave out programs with more launches")
    one.add_argument("--seconds", type=float, default=300, help="that a run may take")
    one.add_argument("--total-seconds", type=float, default=1e9, help="begin no run afterwards")
    one.add_argument("--jobs", type=int, default=4, help="runs of GMProf at a time")
    one.add_argument("--ncu-jobs", type=int, default=1, help="runs below Nsight Compute at a time, of counters that L2 does not change")
    one.add_argument("--place-blocks", action="store_true", help="trace blocks where an untraced run has them")
    one.add_argument("--keep", type=pathlib.Path, help="a folder for what GMProf writes")
    one.set_defaults(run=lambda options: measure(options, commands_of(arguments[split:])))
    other = steps.add_parser("table")
    other.add_argument("files", type=pathlib.Path, nargs="+")
    other.add_argument("--looked-at", metavar="PATTERN", action="append", default=[], help="file names of programs used before")
    other.add_argument("--all", action="store_true", help="print all hit rates, not only those that are off")
    other.add_argument("--launches", action="store_true", help="print hit rates of launches, not of programs")
    other.set_defaults(run=table)
    options = parser.parse_args(arguments[:split])
    options.run(options)


if __name__ == "__main__":
    main()
