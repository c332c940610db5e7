#!/usr/bin/env python3
"""Compares what GMProf counts with Nsight Compute's counters, on the same binaries.

    hardware.py [--gmprof BIN] [--json OUT] [--launches N] -- PROGRAM [ARGUMENT...] [-- PROGRAM ...]

Runs each program below Nsight Compute and with --profile heat, all blocks of all launches. Prints a row for each kernel and counter that
differs, and a table: of how many kernels each counter is exact, within 0.3 % and within 2 %. Kernels whose counters differ between two runs
below Nsight Compute depend on time, and are left out. Needs a GPU.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent / "cache-model"))
from counters import read_counters

SECONDS = 300  # that a run may take
OPERATIONS = ("ld", "st", "red", "atom")
COUNTERS = {
    "requests": [f"l1tex__t_requests_pipe_lsu_mem_global_op_{o}.sum" for o in OPERATIONS],
    "sectors": [f"l1tex__t_sectors_pipe_lsu_mem_global_op_{o}.sum" for o in OPERATIONS],
    "wavefronts": [f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{o}.sum" for o in ("ld", "st", "atom")],
    "conflicts": [f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{o}.sum" for o in ("ld", "st", "atom")],
}
WITHIN = {"requests": 0.0, "sectors": 0.003, "wavefronts": 0.02, "conflicts": 0.02}


def kernel_name(text):
    """The name without parameters, template arguments and namespaces: Nsight Compute and GMProf abbreviate differently."""
    return re.split(r"[(<]", text.removeprefix("void "))[0].split("::")[-1].strip()


def counted_by_ncu(command, launches):
    run, found = read_counters(command, options=["--launch-count", str(launches)], replay="kernel", timeout=SECONDS,
                               metrics={metric: metric for names in COUNTERS.values() for metric in names},
                               env=os.environ | {"GMPROF_OPTIONS": "profile=off:device=gpu"})
    if not found:
        raise RuntimeError(f"ncu measured nothing: {run.stdout[-200:]}{run.stderr[-200:]}")
    if len(found) >= launches:
        raise RuntimeError(f"has {launches} launches or more")
    kernels = collections.defaultdict(collections.Counter)
    for launch in found:
        for counter, names in COUNTERS.items():
            kernels[kernel_name(launch["kernel"])][counter] += int(sum(launch.get(name, 0) for name in names))
    return kernels


def counted_by_gmprof(command, gmprof):
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([gmprof, "run", "--quiet", "--profile", "heat", "--launch-sampling", "every", "--heat-blocks", "all",
                              "-o", f"{folder}/prof", "--", *command], capture_output=True, text=True, errors="replace", timeout=SECONDS,
                             check=False)
        file = pathlib.Path(folder, "prof/summary.json")
        if not file.exists():
            raise RuntimeError(f"gmprof wrote no summary: {run.stderr[-300:]}")
        summary = json.loads(file.read_text())
    kernels = collections.defaultdict(collections.Counter)
    for kernel in summary["kernels"]:
        heat = kernel.get("heat")
        if heat:
            found = kernels[kernel_name(kernel["demangled"])]
            found["requests"] += heat["requests"]
            found["sectors"] += heat["sectors"]
            found["wavefronts"] += heat["wavefronts"]
            found["conflicts"] += heat["wavefronts"] - heat["ideal_wavefronts"]
    return kernels


def differs(value, reference, within):
    return abs(value - reference) > within * reference


def is_different(counted, reference):
    return any(differs(counted[kernel][counter], wanted[counter], within)
               for kernel, wanted in reference.items() for counter, within in WITHIN.items())


def compare(command, options, rows):
    name = f"{os.path.basename(command[0])} {' '.join(command[1:])}".strip()
    try:
        reference = counted_by_ncu(command, options.launches)
        counted = counted_by_gmprof(command, options.gmprof)
        again = counted_by_ncu(command, options.launches) if is_different(counted, reference) else reference
    except (RuntimeError, subprocess.TimeoutExpired, OSError, KeyError) as error:
        print(f"{name}: {error}", flush=True)
        return
    for kernel, wanted in sorted(reference.items()):
        if kernel not in counted:
            print(f"{name}: {kernel} is not recorded", flush=True)
            continue
        for counter, within in WITHIN.items():
            value, ncu = counted[kernel][counter], wanted[counter]
            if ncu != again[kernel][counter] and counter == "requests":
                print(f"{name}: {kernel} depends on time", flush=True)
                break
            rows.append({"program": name, "kernel": kernel, "counter": counter, "gmprof": value, "ncu": ncu})
            if differs(value, ncu, within):
                print(f"{name}: {kernel}: {counter} {value:,}, ncu {ncu:,}", flush=True)


def table(rows):
    print(f"{'counter':12} {'kernels':>8} {'exact':>8} {'0.3 %':>8} {'2 %':>8}")
    for counter in WITHIN:
        of = [r for r in rows if r["counter"] == counter and (r["ncu"] or r["gmprof"])]
        within = [sum(not differs(r["gmprof"], r["ncu"], w) for r in of) for w in (0.0, 0.003, 0.02)]
        print(f"{counter:12} {len(of):8} " + " ".join(f"{n:8}" for n in within))


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
    parser.add_argument("--gmprof", default=shutil.which("gmprof") or "gmprof")
    parser.add_argument("--json", type=pathlib.Path, help="also write all counts there")
    parser.add_argument("--launches", type=int, default=1000, help="leave out programs with more launches")
    options = parser.parse_args(arguments[:split])
    commands = commands_of(arguments[split:])
    if not commands:
        parser.error("no program: hardware.py [OPTION...] -- PROGRAM [ARGUMENT...]")
    rows = []
    try:
        for command in commands:
            compare(command, options, rows)
    except KeyboardInterrupt:
        print("stopped", flush=True)
    table(rows)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
