#!/usr/bin/env python3
"""Compares kernels as nvcc compiles them with the same kernels translated to LLVM IR and compiled again.

    lifted.py build OUT
    lifted.py run OUT [OPTION...] --programs FILE
    lifted.py table OUT

build: compiles OUT/libreplay.so, with nvcc.
run, on a machine with a GPU: FILE has a command in each line, of a program that nvcc built with -cudart=shared and PTX. Its PTX goes through
`gmprof-instrument relower` and ptxas. The program then runs with libreplay.so, which repeats the first two launches of each kernel with both
kernels on the same memory (replay.cpp). Results go to OUT/results.json after each program; with --resume, commands that it has are left out.
table, anywhere: prints what differs, how many kernels write the same bytes, and the lifted kernels' times as ratios to the program's.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ENTRY = re.compile(r"^\s*(?:\.(?:visible|weak|extern)\s+)*\.entry\s+([\w$]+)", re.M)
VARIABLE = re.compile(r"^\s*(?:\.(?:visible|weak)\s+)*\.(?:global|const)\s[^;=(]*?([\w$]+)(?:\[[^;=]*)?\s*(?:=|;)", re.M)
SHORT = 2000  # ns; the time of a shorter launch says little


def build(options):
    options.out.mkdir(parents=True, exist_ok=True)
    subprocess.run(["nvcc", "-std=c++17", "-O2", "-arch=sm_90", "-cudart=shared", "-shared", "-Xcompiler", "-fPIC", HERE / "compare.cu",
                    HERE / "replay.cpp", "-o", options.out / "libreplay.so", "-lcuda", "-lcupti", "-L/usr/local/cuda/lib64/stubs",
                    "-L/usr/local/cuda/lib/stubs", "-L/usr/local/cuda/lib"], check=True)


# ---------------------------------------------------------------------------
# Lifting


def lift(program, folder, options):
    """Makes a cubin of each PTX module of a program, and the index that replay.cpp reads. Returns modules that failed, with the cause."""
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["cuobjdump", "-xptx", "all", program], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    failed, index = [], []
    for ptx in sorted(folder.glob("*.ptx")):
        text = ptx.read_text()
        kernels = ENTRY.findall(text)
        if not kernels:
            continue
        cubin = ptx.with_suffix(".lifted.cubin")
        for command in ([options.instrument, "relower", ptx, "-o", ptx.with_suffix(".lifted")],
                        ["ptxas", "-O3", f"-arch={options.arch}", ptx.with_suffix(".lifted"), "-o", cubin]):
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                failed.append(f"{ptx.name}: {(done.stderr.strip().splitlines() or ['?'])[-1]}")
                break
        else:
            index += [f"{cubin.name}\t{kernel}" for kernel in kernels]
            index += [f"{cubin.name}\t{variable}\tvar" for variable in VARIABLE.findall(text)]
    (folder / "index").write_text("\n".join(index) + "\n")
    return failed


# ---------------------------------------------------------------------------
# Running


def read_results(path):
    """The results of the launches, from the lines of replay.cpp."""
    launches, begun = [], None
    for line in path.read_text().splitlines() if path.exists() else []:
        kernel, state, *fields = line.split("\t")
        if state == "begins":
            begun = kernel
            continue
        begun = None
        times = [[int(t) for t in field.split(",") if t] for field in fields[1:]]
        launches.append({"kernel": kernel, "state": state, "bytes": int(fields[0]), "times": times})
    if begun:
        launches.append({"kernel": begun, "state": "ended", "bytes": 0, "times": []})
    return launches


def replay(command, number, folder, failed, options):
    """Runs a command with libreplay.so, and returns its results."""
    lines = folder / f"lines-{number}"
    environment = os.environ | {"LD_PRELOAD": str((options.out / "libreplay.so").resolve()), "REPLAY_OUT": str(lines), "LIFTED": str(folder)}
    try:
        done = subprocess.run(command, env=environment, capture_output=True, timeout=options.seconds)
        status, error = done.returncode, done.stderr[-300:].decode(errors="replace") if done.returncode else ""
    except subprocess.TimeoutExpired:
        status, error = "timeout", ""
    return {"status": status, "error": error, "failed": failed, "launches": read_results(lines)}


def run(options):
    begin, output = time.monotonic(), options.out / "results.json"
    results = json.loads(output.read_text()) if options.resume and output.exists() else {}
    commands = [shlex.split(line) for line in options.programs.read_text().splitlines() if line.strip()]
    commands = [command for command in commands if shlex.join(command) not in results]
    with tempfile.TemporaryDirectory() as temporary:
        folders = {program: pathlib.Path(temporary, str(number)) for number, program in enumerate(sorted({c[0] for c in commands}))}
        with concurrent.futures.ThreadPoolExecutor() as pool:
            failures = dict(zip(folders, pool.map(lambda program: lift(os.path.abspath(program), folders[program], options), folders)))
        print(f"lifted after {time.monotonic() - begin:.0f} s", flush=True)

        def one(item):
            number, command = item
            if options.total and time.monotonic() - begin > options.total:
                return command, None
            return command, replay(command, number, folders[command[0]], failures[command[0]], options)

        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for command, result in pool.map(one, enumerate(commands)):
                if result:
                    results[shlex.join(command)] = result
                    output.write_text(json.dumps(results))
    print(f"ended after {time.monotonic() - begin:.0f} s: {len(results)} commands", flush=True)


# ---------------------------------------------------------------------------
# The table


def state_of(launches):
    """The state of a kernel: the worst of its launches."""
    return next((state for state in ("ended", "different", "unstable", "large") if any(launch["state"] == state for launch in launches)), "same")


def ratio_of(launches):
    """The lifted kernel's time as a ratio to the program's, and the longest time of a launch in ns; None if all are short."""
    pairs = [[statistics.median(times) for times in launch["times"]] for launch in launches if len(launch["times"]) == 2 and all(launch["times"])]
    pairs = [pair for pair in pairs if pair[0] >= SHORT]
    return (statistics.geometric_mean(lifted / plain for plain, lifted in pairs), max(plain for plain, _ in pairs)) if pairs else None


def table(options):
    results = json.loads((options.out / "results.json").read_text())
    kernels = {}  # program, kernel -> launches
    for command, result in results.items():
        program = os.path.basename(shlex.split(command)[0])
        for launch in result["launches"]:
            kernels.setdefault((program, launch["kernel"]), []).append(launch)
        if result["failed"] or not result["launches"]:
            print(f"{command}: status {result['status']} {result['error']!r} {result['failed'][:1]}")
    states = {key: state_of(launches) for key, launches in kernels.items()}
    ratios = {key: ratio for key, launches in kernels.items() if (ratio := ratio_of(launches))}
    for key, state in sorted(states.items()):
        if state != "same":
            print(f"{state:10} {key[0]}: {key[1]}")
    print("slowest, fastest:")
    ordered = sorted(ratios.items(), key=lambda item: -item[1][0])
    for (program, kernel), (ratio, duration) in ordered[:25] + ordered[25:][-5:]:
        print(f"  {ratio:6.3f}  {duration / 1e3:10.1f} us  {program}: {kernel}")
    counts = {state: list(states.values()).count(state) for state in ("same", "different", "ended", "unstable", "large")}
    print(f"{len(kernels)} kernels of {len(results)} runs of {len({p for p, _ in kernels})} programs: "
          + ", ".join(f"{number} {state}" for state, number in counts.items()))
    values = [ratio for ratio, _ in ratios.values()]
    if values:
        print(f"time of {len(values)} kernels of {SHORT / 1e3:g} us and more: geometric mean {statistics.geometric_mean(values):.3f}, "
              f"{sum(v <= 1.02 for v in values)} at most 1.02, {sum(v <= 1.10 for v in values)} at most 1.10, worst {max(values):.2f}; {len(kernels) - len(values)} shorter ones")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    for name, function in (("build", build), ("run", run), ("table", table)):
        command = commands.add_parser(name)
        command.set_defaults(function=function)
        command.add_argument("out", type=pathlib.Path)
        if function is run:
            command.add_argument("--programs", type=pathlib.Path, required=True, help="file with a command in each line")
            command.add_argument("--instrument", default="gmprof-instrument", help="the program gmprof-instrument")
            command.add_argument("--arch", default="sm_90")
            command.add_argument("--seconds", type=float, default=60, help="longest time of a program")
            command.add_argument("--jobs", type=int, default=1, help="programs at a time; above 1, their kernels delay each other")
            command.add_argument("--resume", action="store_true", help="keep the results of the same commands")
            command.add_argument("--total", type=float, default=0, help="starts no program after this many seconds")
    options = parser.parse_args()
    options.function(options)


if __name__ == "__main__":
    sys.exit(main())
