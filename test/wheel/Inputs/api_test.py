"""Tests gmprof's Python module in a process that is not profiled."""

import asyncio
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import gmprof


class Pointer:
    def __init__(self, address):
        self.address = address

    def data_ptr(self):
        return self.address


SUMMARY = {
    "schema": "gmprof.summary/3",
    "run": {"command": ["python3", "a<b>.py"], "complete": True},
    "findings": [
        {"id": 1, "pattern": "strided_access", "kind": "", "severity": "low",
         "object": {"id": 0, "name": "x", "kind": "device"}, "kernel": {"id": 0, "name": "add<1>"},
         "source": {"file": "/src/a.py", "line": 3}, "message": "a & b", "suggestion": "c",
         "bytes_saved": 1536, "seconds_saved": 0.0123, "fingerprint": "0" * 16,
         "evidence": {"stride": 8}},
        {"id": 2, "pattern": "memory_leak", "kind": "", "severity": "info", "object": None,
         "kernel": None, "source": None, "message": "d", "suggestion": "e", "bytes_saved": 0,
         "seconds_saved": None, "fingerprint": "1" * 16, "evidence": {}},
    ],
}


class Program(unittest.TestCase):
    def test_is_not_profiled_and_loads_no_cuda(self):
        self.assertFalse(gmprof.profiled())
        self.assertNotIn("libcuda", pathlib.Path("/proc/self/maps").read_text())

    def test_importing_loads_nothing_that_costs_time(self):
        code = "import sys, gmprof; print('ctypes' in sys.modules)"
        self.assertEqual(subprocess.check_output([sys.executable, "-c", code], text=True), "False\n")

    def test_version(self):
        self.assertRegex(gmprof.__version__, r"^\d+\.\d+\.\d+$")
        with self.assertRaises(AttributeError):
            gmprof.nothing

    def test_name_returns_what_it_names(self):
        for memory in [Pointer(4096), Pointer(0), 4096]:
            self.assertIs(gmprof.name(memory, "x"), memory)

    def test_name_of_no_memory(self):
        for memory in ["x", None, True, 1.5, [1]]:
            with self.assertRaisesRegex(TypeError, "is not device memory"):
                gmprof.name(memory, "x")
        for address in [0, -1, 1 << 64]:
            with self.assertRaisesRegex(ValueError, "is not a device address"):
                gmprof.name(address, "x")

    def test_texts(self):
        for use in [gmprof.region, lambda text: gmprof.name(4096, text)]:
            with self.assertRaisesRegex(TypeError, "a name is a str, not bytes"):
                use(b"x")
            for text in ["", "a\0b"]:
                with self.assertRaisesRegex(ValueError, "at least one character"):
                    use(text)

    def test_region_around_code(self):
        with self.assertRaises(KeyError), gmprof.region("a"), gmprof.region("b"):
            raise KeyError

    def test_region_above_a_function(self):
        @gmprof.region("sum")
        def add(a, *, b):
            "Adds."
            return a + b

        self.assertEqual((add(1, b=2), add.__name__, add.__doc__), (3, "add", "Adds."))

    def test_region_above_what_waits(self):
        async def coroutine():
            await asyncio.sleep(0)

        async def agenerator():
            yield 1

        def generator():
            yield 1

        for function in [coroutine, agenerator, generator]:
            with self.assertRaisesRegex(TypeError, "coroutine or a generator"):
                gmprof.region("a")(function)
        with self.assertRaisesRegex(TypeError, "decorates a function, not int"):
            gmprof.region("a")(1)


class Reports(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def read(self, summary):
        (self.folder / "summary.json").write_text(json.dumps(summary))
        return gmprof.report(self.folder)

    def test_findings(self):
        report = self.read(SUMMARY)
        first, second = report.findings
        self.assertEqual(first.title, "Strided access")
        self.assertEqual(first.where, "x in add<1>  a.py:3")
        self.assertEqual((first.file, first.line, first.evidence), ("/src/a.py", 3, {"stride": 8}))
        self.assertEqual((first.bytes_saved, first.seconds_saved), (1536, 0.0123))
        self.assertEqual((second.where, second.object, second.line), ("", None, None))
        self.assertEqual(repr(report), "<gmprof report of 'python3 a<b>.py': 2 findings>")
        self.assertEqual(gmprof.report(str(self.folder / "summary.json")).summary, SUMMARY)

    def test_table_of_a_notebook(self):
        text = self.read(SUMMARY)._repr_html_()
        self.assertIn("<p>python3 a&lt;b&gt;.py: 2 findings</p>", text)
        for cell in ["Strided access", "x in add&lt;1&gt;  a.py:3", "a &amp; b", "1.5 KiB, 12 ms",
                     "not estimated"]:
            self.assertIn(f">{cell}</td>", text)
        self.assertNotRegex(text, "<script|<link|src=|href=")

    def test_table_is_short(self):
        text = self.read({**SUMMARY, "findings": SUMMARY["findings"] * 20})._repr_html_()
        self.assertIn(": 40 findings, the first 20 of which are shown", text)
        self.assertEqual(text.count("<tr>"), 21)

    def test_table_of_nothing(self):
        run = {"command": ["a"], "complete": False}
        text = self.read({**SUMMARY, "run": run, "findings": []})._repr_html_()
        self.assertEqual(text, "<div><p>a: incomplete, 0 findings</p></div>")

    def test_files_that_are_no_summary(self):
        with self.assertRaisesRegex(FileNotFoundError, "'gmprof run -o DIR' writes"):
            gmprof.report(self.folder)
        for content in ["{", "[]", "{}", '{"schema": "gmprof.summary/3"}']:
            (self.folder / "summary.json").write_text(content)
            with self.assertRaisesRegex(ValueError, "is not a summary of GMProf"):
                gmprof.report(self.folder)
        with self.assertRaisesRegex(ValueError, "has the format gmprof.summary/1; this version"):
            self.read({**SUMMARY, "schema": "gmprof.summary/1"})


if __name__ == "__main__":
    unittest.main()
