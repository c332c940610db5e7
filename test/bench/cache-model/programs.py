#!/usr/bin/env python3
"""Compares the simulated caches with a GPU's counters, for whole programs.

    programs.py collect PROGRAMS OUT [--launches N] [--repeat N] [NAME...]
    programs.py compare OUT [--gmreport BIN] [--simulate "--policy lru"] [--launch-table]

collect, on a machine with a GPU and Nsight Compute: of each NAME in the folder PROGRAMS,
NAME.plain runs below Nsight Compute, and NAME.gm, the same built with gmprof-clang++, with
--profile cache; both with the arguments in NAME.args, if there is one. OUT gets NAME.json with
the counters of the first N launches and NAME.gmtrace.
compare, anywhere: simulates these traces, once for every other program, by which a model may
be tuned, and once for the rest, by which it is judged. Errors of rates are in points and in
percent of the measured rate; those are of launches with lookups and of programs with hits.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import shlex
import shutil
import statistics
import subprocess
import sys
import time

from counters import read_counters

SECONDS = 120  # that a run may take


def arguments_of(program):
    file = program.with_suffix(".args")
    return shlex.split(file.read_text()) if file.exists() else []


def run_profiled(program, gmprof, profile):
    shutil.rmtree(profile, ignore_errors=True)
    return subprocess.run(
        [gmprof, "run", "--profile", "cache", "--launch-sampling", "every", "-o", profile,
         "--quiet", "--", program.with_suffix(".gm"), *arguments_of(program)],
        capture_output=True, text=True, errors="replace", timeout=SECONDS, check=False)


def timed(run):
    begin = time.monotonic()
    return run(), time.monotonic() - begin


def collect_program(program, out, args):
    command = [program, *arguments_of(program)]
    plain, seconds_plain = timed(lambda: subprocess.run(
        command, capture_output=True, text=True, errors="replace", timeout=SECONDS, check=False))
    profile = out / "prof"
    profiled, seconds = timed(lambda: run_profiled(program, shutil.which(args.gmprof), profile))
    if (profile / "events.gmtrace").exists():
        shutil.move(profile / "events.gmtrace", out / f"{program.stem}.gmtrace")
    coverage = {}
    if (profile / "summary.json").exists():
        coverage = json.loads((profile / "summary.json").read_text())["coverage"]
    counters = []
    begin = time.monotonic()
    for _ in range(args.repeat):
        done, rows = read_counters(command, options=["--launch-count", str(args.launches)],
                                   timeout=SECONDS)
        counters.append(rows or [])
        if rows is None:
            print(f"{program.stem}: {done.stdout[-300:]} {done.stderr[-300:]}")
    # Programs that time themselves differ in these lines.
    differ = sum(a != b for a, b in zip(plain.stdout.splitlines(), profiled.stdout.splitlines()))
    print(f"{program.stem}: plain {seconds_plain:.2f} s, profiled {seconds:.2f} s, "
          f"ncu {time.monotonic() - begin:.1f} s, exit status {profiled.returncode}, "
          f"{differ} lines of the output differ", flush=True)
    if profiled.stderr:
        print(f"  {profiled.stderr[-500:]}")
    (out / f"{program.stem}.json").write_text(json.dumps(
        {"counters": counters, "seconds_plain": seconds_plain, "seconds": seconds,
         "coverage": coverage}))


def collect(args):
    out = pathlib.Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    for program in sorted(pathlib.Path(args.programs).resolve().glob("*.plain")):
        if args.names and program.stem not in args.names:
            continue
        try:
            collect_program(program, out, args)
        except subprocess.TimeoutExpired as error:
            print(f"{program.stem}: {error}")


def measured(launch):
    """A launch's counters as those of the simulator."""
    def total(*names):
        return sum(launch.get(name, 0) for name in names)
    return {
        "requests": total("ld_requests", "st_requests", "atom_requests", "red_requests",
                          "local_ld_requests", "local_st_requests"),
        "sectors": total("ld_sectors", "st_sectors", "atom_sectors", "red_sectors",
                         "local_ld_sectors", "local_st_sectors"),
        "l1_lookups": total("ld_sectors", "st_sectors", "local_ld_sectors", "local_st_sectors"),
        "l1_hits": total("ld_hits", "st_hits", "local_ld_hits", "local_st_hits"),
        "l2_lookups": total("l2_reads", "l2_writes"),
        "l2_hits": total("l2_read_hits", "l2_write_hits"),
        "l2_sectors": total("l2_reads", "l2_writes", "l2_atoms", "l2_reds"),
        "dram_reads": total("dram_reads")}


def simulated(launch):
    row = launch["total"]
    return {**{name: row[name] for name in ("requests", "sectors", "l1_lookups", "l1_hits",
                                            "l2_hits", "dram_reads")},
            "l2_lookups": row["l2_reads"] + row["l2_writes"] + row["l2_atomics"]}


def add(rows):
    return {name: sum(row[name] for row in rows) for name in rows[0]}


def rate(row, level):
    return row[f"{level}_hits"] / row[f"{level}_lookups"] if row[f"{level}_lookups"] else None


def simulate(args, name):
    done = subprocess.run(
        [args.gmreport, "simulate", "--format", "json", *shlex.split(args.simulate),
         f"{args.out}/{name}.gmtrace"], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{name}: {done.stderr}")
    return json.loads(done.stdout)["launches"]


def percent(part, whole):
    return 100 * (part - whole) / whole if whole else (0.0 if part == whole else float("inf"))


def compare_program(args, name):
    counters = json.loads(pathlib.Path(args.out, f"{name}.json").read_text())["counters"]
    hardware = [[measured(row) for row in rows] for rows in counters]
    launches = simulate(args, name)
    model = [simulated(row) for row in launches][:len(hardware[0])]
    if args.launch_table:
        for row, h, again, m in zip(launches, hardware[0], hardware[-1], model):
            rates = "  ".join(f"{level} {cell(rate(h, level))} {cell(rate(again, level))} "
                              f"{cell(rate(m, level))}" for level in ("l1", "l2"))
            print(f"  {name} {row['kernel'][:24]:24} {row['grid']} {row['block']} "
                  f"requests {h['requests']:.0f} {m['requests']} sectors {h['sectors']:.0f} "
                  f"{m['sectors']} L2 sectors {h['l2_sectors']:.0f} {m['l2_lookups']} "
                  f"{rates} dram {h['dram_reads']:.0f} {again['dram_reads']:.0f} {m['dram_reads']}")
    result = {"name": name, "repeated": len(hardware) > 1}
    for span, count in (("first", 1), ("all", len(model))):
        result[span] = [add(rows[:count]) for rows in (hardware[0], hardware[-1], model)]
    result["exact"] = sum(h["requests"] == m["requests"] for h, m in zip(hardware[0], model))
    result["within"] = sum(abs(percent(m["sectors"], h["sectors"])) <= 0.3
                           for h, m in zip(hardware[0], model))
    result["launches"] = len(model)
    return result


def cell(value):
    return "    –" if value is None else f"{100 * value:5.1f}"


def report(results):
    print("| program | launches | requests exact | sectors within 0.3 % | L1: measured | simulated "
          "| L2: measured | simulated | L1, first: measured | simulated | L2, first: measured "
          "| simulated |")
    print("| --- " + "| ---: " * 11 + "|")
    errors = {}
    for result in results:
        cells = []
        for span in ("all", "first"):
            hardware, again, model = result[span]
            for level in ("l1", "l2"):
                h, a, m = (rate(row, level) for row in (hardware, again, model))
                cells += [cell(h), cell(m)]
                if h is None or m is None:
                    continue
                points, relative, repeat = errors.setdefault((span, level), ([], [], []))
                points.append(100 * abs(m - h))
                if result["repeated"]:
                    repeat.append(100 * abs((a or 0) - h))
                if h > 0:
                    relative.append(abs(percent(m, h)))
        print(f"| {result['name']} | {result['launches']} | {result['exact']} | {result['within']} | "
              + " | ".join(cells) + " |")
    for (span, level), (points, relative, repeat) in errors.items():
        again = f"; measured again {statistics.mean(repeat):.2f} points" if repeat else ""
        of_rate = f", {statistics.mean(relative):.2f} % of the measured rate" if relative else ""
        print(f"{level} {span}: mean absolute error {statistics.mean(points):.2f} points"
              f"{of_rate}{again}")


def compare(args):
    names = sorted(path.stem for path in pathlib.Path(args.out).glob("*.gmtrace"))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda name: compare_program(args, name), names))
    for title, part in (("tuned by", results[1::2]), ("judged by", results[::2]),
                        ("all", results)):
        print(f"\n{title}:")
        report(part)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("collect")
    one.add_argument("programs")
    one.add_argument("out")
    one.add_argument("names", nargs="*")
    one.add_argument("--gmprof", default="gmprof")
    one.add_argument("--launches", type=int, default=200)
    one.add_argument("--repeat", type=int, default=1, help="measurements below Nsight Compute")
    one.set_defaults(run=collect)
    other = commands.add_parser("compare")
    other.add_argument("out")
    other.add_argument("--gmreport", default="gmreport")
    other.add_argument("--simulate", default="")
    other.add_argument("--launch-table", action="store_true")
    other.set_defaults(run=compare)
    args = parser.parse_args()
    args.run(args)


sys.exit(main())
