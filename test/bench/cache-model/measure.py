#!/usr/bin/env python3
"""Measures a GPU's caches: measure.py PROGRAM [NCU], with PROGRAM built of caches.cu:

    clang++ -O2 -x cuda --cuda-gpu-arch=sm_90 caches.cu -o caches -lcudart_static -ldl -lrt -lpthread

Runs it below Nsight Compute and prints JSON: of each launch, by the name that the program
gives it, the counters of counters.py by the names there.
"""
import json
import sys

from counters import read_counters


def main():
    program, ncu = sys.argv[1], (sys.argv[2:] + ["ncu"])[0]
    done, launches = read_counters([program], ncu, ["--kernel-name", "regex:t_"])
    if launches is None:
        sys.exit(f"ncu measured nothing:\n{done.stdout}\n{done.stderr}")
    names, device = [], ""
    for line in done.stdout.splitlines():
        if line.startswith("measured "):
            names.append(line.removeprefix("measured "))
        elif line.startswith("device "):
            device = line.removeprefix("device ")
    result = {"device": device,
              "launches": [{**launch, "name": name} for name, launch in zip(names, launches)]}
    json.dump(result, sys.stdout, indent=0)


main()
