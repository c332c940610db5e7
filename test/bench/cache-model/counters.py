"""Reads a GPU's counters, with Nsight Compute."""
import csv
import io
import os
import signal
import subprocess
import tempfile

L1 = "l1tex__t_{}_pipe_lsu_mem_{}_op_{}.sum"
METRICS = {
    "ld_requests": L1.format("requests", "global", "ld"),
    "st_requests": L1.format("requests", "global", "st"),
    "atom_requests": L1.format("requests", "global", "atom"),
    "red_requests": L1.format("requests", "global", "red"),
    "ld_sectors": L1.format("sectors", "global", "ld"),
    "ld_hits": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
    "st_sectors": L1.format("sectors", "global", "st"),
    "st_hits": "l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit.sum",
    "atom_sectors": L1.format("sectors", "global", "atom"),
    "red_sectors": L1.format("sectors", "global", "red"),
    "local_ld_requests": L1.format("requests", "local", "ld"),
    "local_st_requests": L1.format("requests", "local", "st"),
    "local_ld_sectors": L1.format("sectors", "local", "ld"),
    "local_ld_hits": "l1tex__t_sectors_pipe_lsu_mem_local_op_ld_lookup_hit.sum",
    "local_st_sectors": L1.format("sectors", "local", "st"),
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


def run(command, timeout=None, **how):
    """Runs a command, and ends it with all processes that it started when the time (s) is over."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          errors="replace", start_new_session=True, **how) as process:
        try:
            stdout, stderr = process.communicate(timeout=timeout)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        return subprocess.CompletedProcess(command, process.returncode, stdout, stderr)


def read_counters(command, ncu="ncu", options=(), metrics=METRICS, replay="application", **how):
    """Runs a command below Nsight Compute, as often as its counters need (replay: the command, or
    each kernel), with caches as the program leaves them. Returns what it printed and a dictionary
    for each launch: "kernel" and the names of metrics. None instead of these where nothing was
    measured."""
    with tempfile.NamedTemporaryFile(suffix=".csv") as log:
        done = run(
            [ncu, "--clock-control", "none", "--cache-control", "none", "--replay-mode", replay,
             "--csv", "--page", "raw", "--metrics", ",".join(metrics.values()), "--log-file",
             log.name, *options, *command], **how)
        with open(log.name, encoding="utf-8", errors="replace") as text:
            rows = [row for row in csv.reader(io.StringIO(text.read())) if len(row) > 10]
    if not rows:
        return done, None
    launches = []
    for row in rows[2:]:  # the second one has the units
        values = dict(zip(rows[0], row))
        counts = {short: float(values[metric].replace(",", ""))
                  for short, metric in metrics.items() if values.get(metric)}
        launches.append({"kernel": values["Kernel Name"], **counts})
    return done, launches


def read_instructions(command, ncu="ncu", options=(), **how):
    """Runs a command below Nsight Compute. Returns what it printed and a list for each launch, with a dictionary for each instruction: its
    text ("Source") and the counters of the section SourceCounters, by their names in the table of the source."""
    with tempfile.NamedTemporaryFile(suffix=".csv") as log:
        done = run([ncu, "--clock-control", "none", "--cache-control", "none", "--csv", "--page", "source", "--print-units", "base",
                    "--section", "SourceCounters", "--log-file", log.name, *options, *command], **how)
        with open(log.name, encoding="utf-8", errors="replace") as text:
            rows = list(csv.reader(io.StringIO(text.read())))
    launches, columns = [], None
    for row in rows:
        if row and row[0] == "Kernel Name":
            launches.append([])
            columns = None
        elif launches and len(row) > 10:
            if columns is None:
                columns = row
            else:
                launches[-1].append(dict(zip(columns, row)))
    # For some programs with several launches, ncu lists each launch twice, with the same stall samples.
    if launches and launches[::2] == launches[1::2]:
        launches = launches[::2]
    return done, launches
