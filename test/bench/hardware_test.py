#!/usr/bin/env python3
"""Tests of how hardware.py reads and compares counters, with a recorded table of Nsight Compute and a summary."""
import contextlib
import io
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
SHARED_LOADS = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"
CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"
METRICS = [GLOBAL_LOADS, GLOBAL_STORES, SECTORS, SHARED_LOADS, CONFLICTS]

FAKE_NCU = """#!/usr/bin/env python3
import shutil, sys
shutil.copy({table!r}, sys.argv[sys.argv.index("--log-file") + 1])
"""
FAKE_GMPROF = """#!/usr/bin/env python3
import os, shutil, sys
folder = sys.argv[sys.argv.index("-o") + 1]
os.mkdir(folder)
shutil.copy({summary!r}, folder + "/summary.json")
"""
SUMMARY = """{"kernels": [{"demangled": "void tile::copy<int>(int*)",
    "heat": {"requests": 1210, "sectors": 4000, "wavefronts": 100, "ideal_wavefronts": 90}}]}"""


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

    def script(self, name, text, **files):
        for key, content in files.items():
            (self.folder / key).write_text(content)
        script = self.folder / name
        script.write_text(text.format(**{key: str(self.folder / key) for key in files}))
        script.chmod(0o755)
        return str(script)

    def record(self, *launches):
        lines = ["==PROF== Connected to process 1", ",".join(f'"{name}"' for name in COLUMNS + METRICS),
                 ",".join('""' for _ in COLUMNS + METRICS), *launches]
        self.script("ncu", FAKE_NCU, table="\n".join(lines) + "\n")

    def test_launches_of_a_kernel_are_added(self):
        self.record(row(0, "void copy<int>(T1 *)", ["1,000", 200, "3,900", 95, 5]), row(1, "void copy<int>(T1 *)", [10, 0, 100, 5, 5]),
                    row(2, "fill(int *)", [1, 2, 3, 4, 0]))
        kernels = hardware.counted_by_ncu(["app"], 10)
        self.assertEqual(kernels["copy"], {"requests": 1210, "sectors": 4000, "wavefronts": 100, "conflicts": 10})
        self.assertEqual(kernels["fill"], {"requests": 3, "sectors": 3, "wavefronts": 4, "conflicts": 0})

    def test_too_many_launches(self):
        self.record(*(row(number, "copy(int *)", [1, 1, 1, 1, 1]) for number in range(2)))
        with self.assertRaisesRegex(RuntimeError, "has 2 launches or more"):
            hardware.counted_by_ncu(["app"], 2)

    def test_no_table(self):
        self.script("ncu", FAKE_NCU, table="==ERROR== no permission\n")
        with self.assertRaisesRegex(RuntimeError, "measured nothing"):
            hardware.counted_by_ncu(["app"], 2)

    def compared(self, *values):
        self.record(row(0, "void copy<int>(T1 *)", values))
        gmprof = self.script("gmprof", FAKE_GMPROF, summary=SUMMARY)
        rows, output = [], io.StringIO()
        with contextlib.redirect_stdout(output):
            hardware.compare(["app"], types.SimpleNamespace(launches=10, gmprof=gmprof), rows)
            hardware.table(rows)
        return output.getvalue()

    def test_equal_counts(self):
        self.assertEqual(self.compared(1000, 210, 4000, 100, 10).splitlines()[1:],
                         [f"{name:12} {1:8} {1:8} {1:8} {1:8}" for name in hardware.WITHIN])

    def test_a_difference_is_printed(self):
        lines = self.compared(1000, 210, 4050, 100, 10).splitlines()
        self.assertEqual(lines[0], "app: copy: sectors 4,000, ncu 4,050")
        self.assertEqual(lines[3].split(), ["sectors", "1", "0", "0", "1"])


if __name__ == "__main__":
    unittest.main()
