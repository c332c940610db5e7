#!/usr/bin/env python3
"""Tests of how hardware.py reads and compares counters, with a recorded table of Nsight Compute and a summary."""
import contextlib
import io
import json
import os
import pathlib
import tempfile
import types
import unittest
from unittest import mock

import hardware

COLUMNS = ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size", "Grid Size", "Device", "CC"]
GLOBAL_LOADS, GLOBAL_STORES, SECTORS = (f"l1tex__t_{name}.sum" for name in ("requests_pipe_lsu_mem_global_op_ld",
                                                                            "requests_pipe_lsu_mem_global_op_st",
                                                                            "sectors_pipe_lsu_mem_global_op_ld"))
HITS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"
SHARED_LOADS = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"
L2_LOOKUPS, L2_HITS = "lts__t_sectors_srcunit_tex.sum", "lts__t_sectors_srcunit_tex_lookup_hit.sum"
METRICS = [GLOBAL_LOADS, GLOBAL_STORES, SECTORS, HITS, SHARED_LOADS, L2_LOOKUPS, L2_HITS]

FAKE_NCU = """#!/usr/bin/env python3
import shutil, sys
by_instruction = "SourceCounters" in sys.argv
assert by_instruction or sys.argv[sys.argv.index("--print-kernel-base") + 1] == "mangled"
shutil.copy({source!r} if by_instruction else {table!r}, sys.argv[sys.argv.index("--log-file") + 1])
"""
FAKE_GMPROF = """#!/usr/bin/env python3
import os, shutil, sys
folder = sys.argv[sys.argv.index("-o") + 1]
os.mkdir(folder)
shutil.copy({summary!r}, folder + "/summary.json")
"""
COPY = "_ZN4tile4copyIiEEvPi"
TRAFFIC = {"l1_lookups": 4000, "l1_hits": 1000, "l2_reads": 1000, "l2_writes": 500, "l2_atomics": 500, "l2_hits": 1500}
# Bulk copies, asynchronous copies to shared memory and barriers are not in the hardware's counters.
BULK = {"access": "async_from", "source": {"file": "/cuda/cp_async_bulk.h", "line": 35}, "requests": 8, "sectors": 16}
ASYNC_FROM = {"access": "async_from", "source": {"file": "/cuda/pipeline.h", "line": 9}, "requests": 10, "sectors": 40}
ASYNC_TO = {"access": "async_to", "source": None, "wavefronts": 4, "ideal_wavefronts": 1}
BARRIER = {"access": "barrier", "source": None, "wavefronts": 2, "ideal_wavefronts": 2}
SUMMARY = {"kernels": [{"name": COPY, "demangled": "void tile::copy<int>(int*)",
                        "heat": {"launches_sampled": 1, "requests": 1210 + 8, "sectors": 4000 + 16, "wavefronts": 100 + 4 + 2,
                                 "ideal_wavefronts": 90 + 1 + 2, "objects": [{"lines": [BULK]}], "other_lines": [ASYNC_FROM],
                                 "arrays": [{"lines": [ASYNC_TO]}], "other_shared_lines": [BARRIER]}}],
           "cache": {"complete": True, "lost": 0, "limited_launches": 0, "sampled": 1, "total": TRAFFIC,
                     "launches": [{"launch": 1, "kernel": 0, "name": "copy", "traffic": TRAFFIC}]}}
SOURCE_COLUMNS = ["Address", "Source", "# Samples", "Instructions Executed", "Thread Instructions Executed", "Divergent Branches",
                  "Address Space", "Access Operation", "Access Size", "L1 Wavefronts Shared", "L1 Wavefronts Shared Ideal"]
# Names whose hashes put the programs into the halves.
HELD_OUT, LOOKED_AT = "app", "tool"


def source_table(*launches):
    """Nsight Compute's table of the source, of (text, wavefronts, ideal) of each launch's instructions."""
    lines = ["==PROF== Connected to process 1"]
    for launch in launches:
        lines += ['"Kernel Name","tile::copy(int *)",""', ",".join(f'"{name}"' for name in SOURCE_COLUMNS)]
        lines += [",".join(f'"{value}"' for value in ["0x7f00", text, 0, 1, 32, 0, "-", "-", "-", wavefronts, ideal])
                  for text, wavefronts, ideal in launch]
    return "\n".join(lines) + "\n"


# The counts of SUMMARY, and a copy that is in none of them.
COPY_INSTRUCTIONS = [("      LDC R1, c[0x0][0x28]", "-", "-"), ("@!P0  LDS.128 R4, [R2]", 60, 55), ("      STS [R4], R5", 40, 35),
                     ("@P1   LDGSTS.E [R35], desc[UR12][R2.64]", 7, 1)]


def row(number, kernel, values):
    return ",".join(f'"{value}"' for value in [number, 1, "app", "host", kernel, 1, 7, "(32, 1, 1)", "(1, 1, 1)", 0, "9.0", *values])


class Counters(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        path = mock.patch.dict(os.environ, {"PATH": f"{folder.name}:{os.environ['PATH']}"})
        path.start()
        self.addCleanup(path.stop)
        gmprof = self.script("gmprof", FAKE_GMPROF, summary=json.dumps(SUMMARY))
        self.options = types.SimpleNamespace(launches=10, gmprof=gmprof, seconds=60, total_seconds=60, keep=None, jobs=2, ncu_jobs=1,
                                             out=self.folder / "out.json", programs=None, resume=False, place_blocks=False)

    def script(self, name, text, **files):
        for key, content in files.items():
            (self.folder / key).write_text(content)
        script = self.folder / name
        script.write_text(text.format(**{key: str(self.folder / key) for key in files}))
        script.chmod(0o755)
        return str(script)

    def record(self, *launches, instructions=COPY_INSTRUCTIONS):
        lines = ["==PROF== Connected to process 1", ",".join(f'"{name}"' for name in COLUMNS + METRICS),
                 ",".join('""' for _ in COLUMNS + METRICS), *launches]
        self.script("ncu", FAKE_NCU, table="\n".join(lines) + "\n", source=source_table(*[instructions] * len(launches)))

    def read(self):
        return hardware.read_launches(["app"], hardware.COUNTERS, "kernel", self.options)

    def test_operations_are_added(self):
        self.record(row(0, COPY, ["1,000", 200, "3,900", 900, 95, 0, 0]), row(1, COPY, [10, 0, 100, 0, 5, 0, 0]))
        self.assertEqual(self.read(), [
            {"kernel": COPY, "requests": 1200, "sectors": 3900, "l1tex": 95, "l1_lookups": 3900, "l1_hits": 900,
             "repeated": 1200},
            {"kernel": COPY, "requests": 10, "sectors": 100, "l1tex": 5, "l1_lookups": 100, "l1_hits": 0,
             "repeated": 10}])

    def test_launches_of_a_kernel_are_added(self):
        kernels = hardware.by_kernel([{"kernel": "a", "requests": 3}, {"kernel": "b", "requests": 5}, {"kernel": "a", "requests": 4}])
        self.assertEqual(kernels, {"a": {"requests": 7}, "b": {"requests": 5}})

    def test_too_many_launches(self):
        self.options.launches = 2
        self.record(*(row(number, COPY, [1] * 7) for number in range(2)))
        with self.assertRaisesRegex(RuntimeError, "has 2 launches or more"):
            self.read()

    def test_no_table(self):
        self.script("ncu", FAKE_NCU, table="==ERROR== no permission\n", source="")
        with self.assertRaisesRegex(RuntimeError, "measured nothing"):
            self.read()

    def test_wavefronts_by_instruction(self):
        self.record(row(0, COPY, [1] * 7), row(1, COPY, [1] * 7))
        launch = {"wavefronts": 100, "ideal": 90, "conflicts": 10}  # 60 + 40, 55 + 35
        self.assertEqual(hardware.read_wavefronts(["app"], self.options), [launch])  # the table has the same launch twice

    def test_launches_with_other_samples_are_several(self):
        self.record(row(0, COPY, [1] * 7), row(1, COPY, [1] * 7))
        (self.folder / "source").write_text(source_table(COPY_INSTRUCTIONS) + source_table([("LDS R1, [R2]", 7, 5)]))
        self.assertEqual(hardware.read_wavefronts(["app"], self.options), [
            {"wavefronts": 100, "ideal": 90, "conflicts": 10}, {"wavefronts": 7, "ideal": 5, "conflicts": 2}])

    def test_kernels_without_shared_memory_have_no_columns_of_it(self):
        self.record(row(0, COPY, [1] * 7))
        (self.folder / "source").write_text(source_table(COPY_INSTRUCTIONS).replace("L1 Wavefronts", "Other"))
        self.assertEqual(hardware.read_wavefronts(["app"], self.options), [{"wavefronts": 0, "ideal": 0, "conflicts": 0}])

    def measured(self, *values, program=HELD_OUT, instructions=COPY_INSTRUCTIONS):
        """What the table prints of a program with these counters."""
        self.record(row(0, COPY, values), instructions=instructions)
        with contextlib.redirect_stdout(io.StringIO()):
            hardware.measure(self.options, [[program]])
        return self.printed()

    def printed(self, all_rates=False, launches=False, looked_at=()):
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            hardware.table(types.SimpleNamespace(files=[self.options.out], looked_at=looked_at, all=all_rates, launches=launches))
        return output.getvalue().splitlines()

    def test_equal_counts(self):
        lines = self.measured(1000, 210, 4000, 1000, 100, 2000, 1500)
        self.assertEqual(lines[1], "held out: 1 runs")
        self.assertEqual([line.split() for line in lines[3:9]], [[name, "1", "1", "1", "1"] for name in hardware.WITHIN])
        self.assertEqual(lines[10].split(), ["l1", "launch", "1", "0.00", "0.0", "app"])
        self.assertEqual(lines[13].split(), ["l2", "program", "1", "0.00", "0.0", "app"])

    def test_a_difference_is_printed(self):
        lines = self.measured(1000, 210, 4050, 1000, 100, 2000, 1500)
        self.assertEqual(lines[0], "app: tile::copy<int>: sectors 4,000, ncu 4,050 [held out]")
        self.assertIn(["sectors", "1", "0", "0", "1"], [line.split() for line in lines])

    def test_conflicts_are_a_share_of_wavefronts(self):
        lines = self.measured(1000, 210, 4000, 1000, 100, 2000, 1500, instructions=[("LDS R1, [R2]", 100, 88)])
        self.assertIn(["conflicts", "1", "0", "0", "1"], [line.split() for line in lines])
        lines = self.measured(1000, 210, 4000, 1000, 100, 2000, 1500, instructions=[("LDS R1, [R2]", 100, 87)])
        self.assertEqual(lines[0], "app: tile::copy<int>: conflicts 10, ncu 13 [held out]")

    def test_conflicts_with_other_data_are_a_row_of_their_own(self):
        lines = self.measured(1000, 210, 4000, 1000, 103, 2000, 1500)
        self.assertEqual(lines[0], "app: tile::copy<int>: l1tex 100, ncu 103 [held out]")
        self.assertIn(["wavefronts", "1", "1", "1", "1"], [line.split() for line in lines])

    def test_wavefronts_that_depend_on_time_are_left_out(self):
        self.measured(1000, 210, 4000, 1000, 100, 2000, 1500)
        again = [{"wavefronts": 101, "ideal": 90, "conflicts": 11}]
        self.change(self.options.out, ncu_source_again=again)
        lines = self.printed()
        self.assertEqual(lines[0], "app: wavefronts of tile::copy<int> depend on time")
        self.assertEqual([line.split() for line in lines[4:10]], [[name, *counts] for name, counts in {
            "requests": "1111", "sectors": "1111", "wavefronts": "0000", "conflicts": "0000", "ideal": "0000", "l1tex": "0000"}.items()])

    def test_kernels_without_wavefronts_by_instruction_are_named(self):
        self.measured(1000, 210, 4000, 1000, 100, 2000, 1500)
        self.change(self.options.out, ncu_source=[])
        lines = self.printed()
        self.assertEqual(lines[0], "app: tile::copy<int> has no wavefronts by instruction")
        self.assertIn(["l1tex", "1", "1", "1", "1"], [line.split() for line in lines])

    def test_rates_that_are_off_are_printed(self):
        lines = self.measured(1000, 210, 4000, 1041, 100, 2000, 1541)  # 1.025 and 2.05 points
        self.assertEqual(lines[:2], ["app : l2 75.0 %, ncu 77.0 % [held out]", "app : l1 25.0 %, ncu 26.0 % [held out]"])
        lines = self.measured(1000, 210, 4000, 1039, 100, 2000, 1539)
        self.assertEqual(lines[1], "held out: 1 runs")
        self.assertEqual(len([line for line in self.printed(all_rates=True) if "ncu" in line]), 2)
        self.assertEqual(self.printed(all_rates=True, launches=True)[0], f"app {COPY}: l2 75.0 %, ncu 77.0 % [held out]")

    def test_halves(self):
        self.assertEqual([hardware.half({"command": [f"/bin/{name}", "7"]}) for name in (HELD_OUT, LOOKED_AT)],
                         ["held out", "looked at"])
        lines = self.measured(1000, 210, 4000, 1000, 100, 2000, 1500, program=LOOKED_AT)
        self.assertEqual([line for line in lines if line.endswith("runs")], ["held out: 0 runs", "looked at: 1 runs"])
        self.measured(1000, 210, 4000, 1000, 100, 2000, 1500)
        self.assertIn("looked at: 1 runs", self.printed(looked_at=["ap*"]))
        self.assertIn("held out: 1 runs", self.printed(looked_at=["ap"]))

    def test_kernels_that_depend_on_time_are_left_out(self):
        self.measured(1000, 210, 4000, 1000, 100, 2000, 1500)
        results = json.loads(self.options.out.read_text())
        results["programs"][0]["ncu_run"][0]["repeated"] += 1
        self.options.out.write_text(json.dumps(results))
        self.assertEqual(self.printed()[0], "app: tile::copy<int> depends on time")

    def change(self, file, **members):
        """Changes the program's results in a file."""
        results = json.loads(self.options.out.read_text())
        results["programs"][0] |= members
        file.write_text(json.dumps(results))

    def test_kernels_that_were_not_profiled_whole_are_left_out(self):
        self.measured(1000, 210, 4000, 1000, 100, 2000, 1500)
        heat = json.loads(self.options.out.read_text())["programs"][0]["heat"]
        heat[COPY]["launches"] = 0
        self.change(self.options.out, heat=heat)
        self.assertEqual(self.printed()[0], "app: 0 of 1 launches of tile::copy<int> were profiled")

    def test_the_last_complete_file_counts(self):
        self.measured(1000, 210, 4000, 1000, 100, 2000, 1500)
        later, incomplete = self.folder / "later.json", self.folder / "incomplete.json"
        launch = json.loads(self.options.out.read_text())["programs"][0]["ncu"][0]
        self.change(later, ncu=[launch | {"sectors": 4050}])
        results = json.loads(later.read_text())
        del results["programs"][0]["heat"]
        incomplete.write_text(json.dumps(results))
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            hardware.table(types.SimpleNamespace(files=[self.options.out, later, incomplete], looked_at=(), all=False, launches=False))
        lines = output.getvalue().splitlines()
        self.assertEqual(lines[0], "app: tile::copy<int>: sectors 4,000, ncu 4,050 [held out]")
        self.assertIn("held out: 1 runs", lines)

    def test_limited_traces_are_left_out(self):
        SUMMARY_LIMITED = json.loads(json.dumps(SUMMARY))
        SUMMARY_LIMITED["cache"]["limited_launches"] = 1
        (self.folder / "summary").write_text(json.dumps(SUMMARY_LIMITED))
        self.assertEqual(self.measured(1000, 210, 4000, 1000, 100, 2000, 1500)[0], "app: the trace is limited")

    def test_no_launch_is_traced(self):
        (self.folder / "summary").write_text(json.dumps(SUMMARY | {"cache": None}))
        self.measured(1000, 210, 4000, 1000, 100, 2000, 1500)
        self.assertEqual(json.loads(self.options.out.read_text())["programs"][0]["errors"],
                         {"cache": "RuntimeError: gmprof traced no launch"})

    def test_resuming_measures_what_is_missing(self):
        self.measured(1000, 210, 4000, 1000, 100, 2000, 1500)
        results = json.loads(self.options.out.read_text())
        del results["programs"][0]["ncu"]
        self.options.out.write_text(json.dumps(results))
        self.options.resume, self.options.gmprof = True, "/no/such/program"
        self.measured(1000, 210, 4001, 1000, 100, 2000, 1500)
        program = json.loads(self.options.out.read_text())["programs"][0]
        self.assertEqual((program["errors"], program["ncu"][0]["sectors"], program["heat"][COPY]["sectors"]), ({}, 4001, 4000))

    def test_no_time_is_left(self):
        self.options.total_seconds = -1
        with contextlib.redirect_stdout(io.StringIO()):
            hardware.measure(self.options, [["app"]])
        self.assertEqual(json.loads(self.options.out.read_text())["programs"][0]["errors"],
                         {"heat": "no time was left", "cache": "no time was left"})


if __name__ == "__main__":
    unittest.main()
