#!/usr/bin/env python3
"""What waits and copies cost: estimated, and measured without them.

sync.py PROGRAMS.json --gmprof bin/gmprof --work DIR [--runs N] [NAME...]

PROGRAMS.json is a list of programs:
  name      for the table
  command   program and arguments
  changed   the program without the problems, if there is one
  patterns  findings of these, but for notes, are tried together; else the first one that is
            not refused is
  ignore    lines of the output that may differ

Each is profiled with gmprof run --profile sync and tried with gmprof whatif; where there is a
changed program, it and the first one are timed in turns. Results go to DIR/results.json, a
line for each program is printed.
"""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

SECONDS = 120  # that a command may take


def call(command, environment=None):
    """Exit status, output and seconds."""
    begin = time.monotonic()
    done = subprocess.run([str(c) for c in command], env={**os.environ, **(environment or {})},
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=SECONDS,
                          stderr=subprocess.PIPE, text=True, errors="replace", check=False)
    return done, time.monotonic() - begin


def timed(command, gmprof, work):
    """Seconds after the first call that needs the GPU, and of the process, with nothing left
    out."""
    plan, result = work / "plan.json", work / "result"
    plan.write_text(json.dumps({"depth": 1, "reuse": False, "verify": False,
                                "result": str(result), "places": []}))
    library = gmprof.resolve().parent.parent / "lib/libgmprof.so"
    done, seconds = call(command, {"GMPROF_OPTIONS": f"profile=off:quiet=1:what-if={plan}",
                                   "LD_PRELOAD": str(library)})
    files = list(work.glob("result-*"))
    inside = json.loads(files[0].read_text())["seconds"] if files else None
    for file in files:
        file.unlink()
    return done.returncode, inside, seconds


def times(command, changed, gmprof, work, runs):
    """Medians of both, taken in turns after one that warms up. Of one alone: of a single run, as
    gmprof whatif takes more."""
    programs = [command] + ([changed] if changed else [])
    inside, process = [[] for _ in programs], [[] for _ in programs]
    warm_up = 1 if changed else 0
    for run in range(runs + 1 if changed else 1):
        for index, program in enumerate(programs):
            _, seconds, whole = timed(program, gmprof, work)
            if run >= warm_up:
                inside[index].append(seconds if seconds is not None else whole)
                process[index].append(whole)
    return ([statistics.median(all_of) for all_of in inside],
            [statistics.median(all_of) for all_of in process])


def measure(program, gmprof, work, runs):
    work = work / program["name"]
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    result = {"name": program["name"], "command": program["command"]}
    seconds, process = times(program["command"], program.get("changed"), gmprof, work, runs)
    result["seconds"], result["process_seconds"] = seconds, process
    profile = work / "prof"
    done, whole = call([gmprof, "run", "--profile", "sync", "--quiet", "-o", profile, "--",
                        *program["command"]])
    result["collection_seconds"], result["status"] = whole, done.returncode
    if not (profile / "summary.json").exists():
        result["error"] = done.stderr[-500:]
        return result
    summary = json.loads((profile / "summary.json").read_text())
    result["stages"] = [(s["name"], s["seconds"], s["same_calls"])
                        for s in summary["sync"]["stages"]]
    result["calls"] = summary["sync"]["calls"]
    findings = [f for f in summary["findings"] if f["origin"] == "diogenes"]
    result["findings"] = [{k: f[k] for k in ["id", "pattern", "kind", "severity", "message",
                                             "seconds_saved", "evidence", "site"]}
                          for f in findings[:8]]
    for found in result["findings"]:
        found["api"] = summary["sync"]["sites"][found["site"]]["api"]
    sets = [[f["id"]] for f in findings[:4]]
    if program.get("patterns"):
        sets = [[f["id"] for f in findings
                 if f["pattern"] in program["patterns"] and f["severity"] != "info"]]
    result["tried"] = []
    for ids in filter(None, sets):
        command = [gmprof, "whatif", "--from", profile, "--finding", ",".join(map(str, ids)),
                   "--runs", runs, "--json"]
        if program.get("ignore"):
            command += ["--ignore", program["ignore"]]
        done, _ = call(command)
        try:
            tried = json.loads(done.stdout)
        except json.JSONDecodeError:
            tried = {"refused": "failed: " + done.stderr[-300:]}
        tried["ids"] = ids
        result["tried"].append(tried)
        if not tried["refused"]:
            break
    return result


def row(result):
    if "error" in result:
        return f"{result['name']}: {result['error']}"
    text = f"{result['name']}: {result['seconds'][0]:.4f} s"
    if len(result["seconds"]) > 1:
        text += f", changed saves {result['seconds'][0] - result['seconds'][1]:.4f}"
    plain = result["process_seconds"][0]
    text += "; stages " + ", ".join(f"{name} {seconds / plain:.2f}"
                                    for name, seconds, _ in result["stages"])
    text += f", collection {result['collection_seconds'] / plain:.2f}"
    for tried in result["tried"]:
        if tried["refused"]:
            text += f"\n  {tried['ids']} refused: {tried['refused']}"
        else:
            text += (f"\n  {tried['ids']} {tried['findings'][0]['pattern']} of "
                     f"{tried['findings'][0]['api']}: {tried['left_out']} left out, paper "
                     f"{tried['estimated_seconds']:.4f}, replay {tried['replay_seconds']}, measured "
                     f"{tried['saving_seconds']:.4f} of {tried['as_it_is']['median_seconds']:.4f}, "
                     f"output {'same' if tried['output']['same'] else tried['output']}")
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--gmprof", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--runs", type=int, default=7)
    o = parser.parse_args()
    results = []
    for program in json.loads(o.programs.read_text()):
        if o.names and program["name"] not in o.names:
            continue
        try:
            results.append(measure(program, o.gmprof, o.work, program.get("runs", o.runs)))
        except subprocess.TimeoutExpired as error:
            results.append({"name": program["name"], "error": str(error)})
        print(row(results[-1]), flush=True)
        (o.work / "results.json").write_text(json.dumps(results, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
