#!/usr/bin/env python3
"""Tests of how lifted.py reads PTX and results."""
import contextlib
import io
import json
import os
import pathlib
import stat
import tempfile
import types
import unittest
from unittest import mock

import lifted

PTX = """
.version 9.0
.target sm_90
.address_size 64
.const .align 4 .b8 taps[20];
.visible .global .align 4 .u32 counter;
.global .align 4 .b8 table[8] = {0, 0, 128, 63, 0, 0, 0, 64};
.extern .shared .align 16 .b8 tile[];
.visible .entry _Z4copyPi(
\t.param .u64 _Z4copyPi_param_0
)
{
\tret;
}
.weak .entry plain()
{
\tld.global.u32 \t%r1, [counter];
\tret;
}
"""
LINES = """copy\tbegins
copy\tsame\t4096\t4000,4100,3900\t2000,2050,1950
copy\tbegins
copy\tsame\t4096\t1000,1000\t9000,9000
sum\tbegins
sum\tunstable\t64\t3000\t3000
fft\tbegins
fft\tdifferent\t64\t5000\t6000
scan\tbegins
"""


class Lifted(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def tool(self, name, text):
        path = self.folder / name
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)

    def test_index_has_kernels_and_variables(self):
        self.tool("cuobjdump", f"cat > app.1.sm_90.ptx <<'E'\n{PTX}\nE\n")
        self.tool("ptxas", 'cp "$3" "$5"\n')
        options = types.SimpleNamespace(instrument=self.tool("instrument", 'cp "$2" "$4"\n'), arch="sm_90")
        with mock.patch.dict(os.environ, {"PATH": f"{self.folder}:{os.environ['PATH']}"}):
            self.assertEqual(lifted.lift("app", self.folder / "out", options), [])
        self.assertEqual((self.folder / "out/index").read_text().splitlines(), [
            "app.1.sm_90.lifted.cubin\t_Z4copyPi", "app.1.sm_90.lifted.cubin\tplain", "app.1.sm_90.lifted.cubin\ttaps\tvar",
            "app.1.sm_90.lifted.cubin\tcounter\tvar", "app.1.sm_90.lifted.cubin\ttable\tvar"
        ])

    def test_a_module_that_cannot_be_lifted_is_said(self):
        self.tool("cuobjdump", f"cat > app.1.sm_90.ptx <<'E'\n{PTX}\nE\n")
        options = types.SimpleNamespace(instrument=self.tool("instrument", "echo 'line 3: expected a register' >&2; exit 1\n"), arch="sm_90")
        with mock.patch.dict(os.environ, {"PATH": f"{self.folder}:{os.environ['PATH']}"}):
            self.assertEqual(lifted.lift("app", self.folder / "out", options), ["app.1.sm_90.ptx: line 3: expected a register"])
        self.assertEqual((self.folder / "out/index").read_text().strip(), "")

    def test_table(self):
        (self.folder / "lines").write_text(LINES)
        launches = lifted.read_results(self.folder / "lines")
        self.assertEqual(launches[-1], {"kernel": "scan", "state": "ended", "bytes": 0, "times": []})
        self.assertEqual(lifted.ratio_of(launches[:2]), (0.5, 4000))  # the second launch is short
        self.assertIsNone(lifted.ratio_of(launches[1:2]))
        (self.folder / "results.json").write_text(json.dumps({"bin/app 1": {"status": 0, "error": "", "failed": [], "launches": launches}}))
        with contextlib.redirect_stdout(io.StringIO()) as output:
            lifted.table(types.SimpleNamespace(out=self.folder))
        self.assertEqual(output.getvalue().splitlines(), [
            "different  app: fft", "ended      app: scan", "unstable   app: sum", "slowest, fastest:", "   1.200         5.0 us  app: fft",
            "   1.000         3.0 us  app: sum", "   0.500         4.0 us  app: copy", "4 kernels of 1 runs of 1 programs: 1 same, 1 different, 1 ended, "
            "1 unstable, 0 large", "time of 3 kernels of 2 us and more: geometric mean 0.843, 2 at most 1.02, 2 at most 1.10, worst 1.20; 1 shorter ones"
        ])


if __name__ == "__main__":
    unittest.main()
