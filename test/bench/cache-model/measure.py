#!/usr/bin/env python3
"""Measures a GPU's caches: measure.py PROGRAM [NCU], with PROGRAM built of caches.cu:

    clang++ -O2 -x cuda --cuda-gpu-arch=sm_90 caches.cu -o caches -lcudart_static -ldl -lrt -lpthread

Runs it below Nsight Compute and prints JSON: of each launch, by the name that the program
gives it, the counters of METRICS by the names here.
"""
import csv
import io
import json
import subprocess
import sys
import tempfile

L1 = "l1tex__t_{}_pipe_lsu_mem_global_op_{}.sum"
METRICS = {
    "ld_requests": L1.format("requests", "ld"),
    "ld_sectors": L1.format("sectors", "ld"),
    "ld_hits": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
    "st_sectors": L1.format("sectors", "st"),
    "st_hits": "l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit.sum",
    "atom_sectors": L1.format("sectors", "atom"),
    "red_sectors": L1.format("sectors", "red"),
    "local_ld_sectors": "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
    "local_ld_hits": "l1tex__t_sectors_pipe_lsu_mem_local_op_ld_lookup_hit.sum",
    "local_st_sectors": "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
    "local_st_hits": "l1tex__t_sectors_pipe_lsu_mem_local_op_st_lookup_hit.sum",
    "l2_reads": "lts__t_sectors_srcunit_tex_op_read.sum",
    "l2_read_hits": "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum",
    "l2_writes": "lts__t_sectors_srcunit_tex_op_write.sum",
    "l2_write_hits": "lts__t_sectors_srcunit_tex_op_write_lookup_hit.sum",
    "l2_atoms": "lts__t_sectors_srcunit_tex_op_atom.sum",
    "l2_reds": "lts__t_sectors_srcunit_tex_op_red.sum",
    "l2_fabric": "lts__t_sectors_srcunit_ltcfabric.sum",
    "l2_fabric_hits": "lts__t_sectors_srcunit_ltcfabric_lookup_hit.sum",
    "dram_reads": "dram__sectors_read.sum",
    "dram_writes": "dram__sectors_write.sum",
}


def main():
    program, ncu = sys.argv[1], (sys.argv[2:] + ["ncu"])[0]
    with tempfile.NamedTemporaryFile(suffix=".csv") as log:
        done = subprocess.run(
            [ncu, "--clock-control", "none", "--cache-control", "none", "--replay-mode",
             "application", "--kernel-name", "regex:t_", "--csv", "--page", "raw", "--metrics",
             ",".join(METRICS.values()), "--log-file", log.name, program],
            capture_output=True, text=True)
        text = open(log.name).read()
    names, device = [], ""
    for line in done.stdout.splitlines():
        if line.startswith("measured "):
            names.append(line.removeprefix("measured "))
        elif line.startswith("device "):
            device = line.removeprefix("device ")
    rows = [row for row in csv.reader(io.StringIO(text)) if len(row) > 10]
    if not rows:
        sys.exit(f"ncu measured nothing: {text}\n{done.stdout}\n{done.stderr}")
    head, launches = rows[0], rows[2:]  # the second one has the units
    result = {"device": device, "launches": []}
    for name, row in zip(names, launches):
        values = dict(zip(head, row))
        counts = {short: float(values[metric].replace(",", ""))
                  for short, metric in METRICS.items() if values.get(metric)}
        result["launches"].append({"name": name, **counts})
    json.dump(result, sys.stdout, indent=0)


main()
