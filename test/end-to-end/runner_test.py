#!/usr/bin/env python3
"""Tests of the end-to-end runner itself: what must fail does."""

import json
import pathlib
import sys
import tempfile
import unittest
import unittest.mock

sys.dont_write_bytecode = True
import runner

DIRECTIVES = {key: [] for key in ["DEVICES", "OPTIONS", "EXPECT", "EXPECT-CPU", "EXPECT-GPU", "EXPECT-OUTPUT",
                                  "EXPECT-EXIT", "EXPECT-SAME-HEAT"]}


def summary_of(counts, capped, element_bytes=4, counts_of="elements"):
    """The parts of a summary, and of shared_counts.csv, that the runner reads."""
    use = {"object": 3, "space": "shared", "counts_of": counts_of, "count_elements": len(counts),
           "blocks_counted": 2, "per_block": {k: {"value": 1.0} for k in ("min", "mean", "max")},
           "accesses": {"value": float(sum(counts))}, "threshold": {"value": 9},
           "never_touched": {"ranges": [{"first": 1, "last": 1}]},
           "live_ranges": None,
           "sites": [{"rule": "static", "source": {"file": "a.cu", "line": 4}}]}
    kernel = {"id": 0, "name": "_Z1kIiEvT_", "demangled": "void k<int>(int)", "objects": [use],
              "counters_in": "device memory", "level": "basic", "instrumented": True, "reason": "",
              "launches": [{"mode": "shared", "count": 2}, {"mode": "plain", "count": 1}]}
    data = {"run": {"device": "cpu"}, "coverage": {"whole": True}, "kernels": [kernel],
            "objects": [{"id": 3, "name": "tile, other", "bytes": 4 * len(counts),
                         "element_bytes": element_bytes}]}
    rows = "".join(f"0,3,{i},{c},{k}\n" for i, (c, k) in enumerate(zip(counts, capped)))
    return data, "kernel,object,index,accesses,blocks_at_threshold\n" + rows


def write_summary(directory, *arguments, **keywords):
    data, rows = summary_of(*arguments, **keywords)
    (directory / "summary.json").write_text(json.dumps(data))
    (directory / "shared_counts.csv").write_text(rows)


class SummaryTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.directory = pathlib.Path(temporary.name)

    def test_global_memory(self):
        data, _ = summary_of([5], [0])
        use = {"object": 3, "names": ["out"], "element_bytes": 4, "elements": 4, "reads": None,
               "writes": {"launches": 2}, "atomics": None, "sites": [{"rule": "counted"}]}
        data["kernels"][0]["global_memory"] = {"objects": [use]}
        (self.directory / "summary.json").write_text(json.dumps(data))
        (self.directory / "global_counts.csv").write_text(
            "kernel,object,first,last,reads,writes,atomics,at_threshold\n"
            "0,3,1,2,0,7,0,0\n0,3,3,3,0,255,0,1\n1,3,0,3,0,9,0,0\n")
        # The row of shared_counts.csv that each Array wants.
        (self.directory / "shared_counts.csv").write_text(
            "kernel,object,index,accesses,blocks_at_threshold\n0,3,0,5,0\n")
        summary = runner.Summary(self.directory)
        for wanted in ["out", "tile, other", 4]:
            memory = summary.memory("k", wanted)
            self.assertEqual(memory.writes, [0, 7, 7, 255])
            self.assertIsNone(memory.reads)
            self.assertEqual(memory.capped, [False, False, False, True])
            self.assertEqual(memory.launches, {"writes": 2})
        with self.assertRaisesRegex(runner.Failure, "0 objects in among out/tile, other"):
            summary.memory("k", "in")

    def test_names_and_numbers(self):
        write_summary(self.directory, [5, 0, 9], [0, 0, 1])
        summary = runner.Summary(self.directory)
        for kernel in ["k", "k<int>", "_Z1kIiEvT_"]:
            self.assertEqual(summary.shared(kernel, "tile").counts, [5, 0, 9])
        array = summary.shared("k", "other")
        self.assertEqual(array.capped, [0, 0, 1])
        self.assertEqual(array.sites[0].line, 4)
        self.assertEqual(array.never_touched, [(1, 1)])
        self.assertTrue(array.at_least(0, 5) and array.at_least(2, 1000))
        self.assertFalse(array.at_least(0, 6) or array.at_least(2, 8))
        self.assertEqual(len(summary.kernel("k").launches), 3)
        self.assertEqual(summary.kernel("k").counters, "device")
        with self.assertRaisesRegex(runner.Failure, "no kernel x among k<int>"):
            summary.kernel("x")
        with self.assertRaisesRegex(runner.Failure, "no array x among tile, other"):
            summary.shared("k", "x")

    def test_elements_of_several_words(self):
        write_summary(self.directory, [5, 1], [0, 0], element_bytes=8)
        self.assertEqual(runner.Summary(self.directory).shared("k", "tile").word_counts,
                         [5, 5, 1, 1])

    def test_counts_that_are_missing(self):
        data, rows = summary_of([1, 2], [0, 0])
        (self.directory / "summary.json").write_text(json.dumps(data))
        (self.directory / "shared_counts.csv").write_text(rows.rsplit("\n", 2)[0] + "\n")
        with self.assertRaisesRegex(runner.Failure, "not every element"):
            runner.Summary(self.directory)

    def test_no_summary(self):
        with self.assertRaisesRegex(runner.Failure, "no summary"):
            runner.Summary(self.directory)


class ExpressionTest(unittest.TestCase):
    def test_true(self):
        runner.check_expression("[x for x in a if x > low] == [2, 3]", {"a": [1, 2, 3], "low": 1})

    def test_false_shows_both_sides(self):
        with self.assertRaisesRegex(runner.Failure, r"(?s)not true.*a: \[1, 2\].*\[3\]: \[3\]"):
            runner.check_expression("a == [3]", {"a": [1, 2]})

    def test_mistakes(self):
        with self.assertRaisesRegex(runner.Failure, "NameError"):
            runner.check_expression("b == 1", {})
        with self.assertRaisesRegex(runner.Failure, "SyntaxError"):
            runner.check_expression("b ==", {})


class DirectivesTest(unittest.TestCase):
    def read(self, text):
        with tempfile.TemporaryDirectory() as directory:
            file = pathlib.Path(directory) / "t.cu"
            file.write_text(text)
            return runner.read_test(file)

    def test_lines(self):
        found = self.read("// BUILD: -O0\n// BUILD: -O2 -g\n// EXPECT: a == 1\n// RUN: 7\n")
        self.assertEqual(found["BUILD"], ["-O0", "-O2 -g"])
        self.assertEqual((found["RUN"], found["EXPECT"]), (["7"], ["a == 1"]))

    def test_continued_lines(self):
        found = self.read("//     no\n// EXPECT: a ==\n//     [1,\n//      2]\n// text\n//     no\n")
        self.assertEqual(found["EXPECT"], ["a == [1, 2]"])

    def test_mistakes(self):
        with self.assertRaisesRegex(runner.Failure, "expects nothing"):
            self.read("// BUILD: -O2\n")
        with self.assertRaisesRegex(runner.Failure, "t.cu:2: a directive within a line"):
            self.read("// EXPECT: a == 1\n// A sentence. BUILD: -O2\n")
        with self.assertRaisesRegex(runner.Failure, "t.cu:1: unknown directive EXPECTS"):
            self.read("// EXPECTS: a\n")


class SourcesTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = pathlib.Path(temporary.name)
        self.test = self.root / "test/end-to-end/t.cu"
        for file in ["test/end-to-end/common.h", "examples/all.h", "examples/e/e.cu",
                     "examples/e/e.h", "examples/other/other.h"]:
            (self.root / file).parent.mkdir(parents=True, exist_ok=True)
            (self.root / file).touch()

    def sources(self, files, example):
        found = runner.sources_of(self.test, {"FILES": files, "EXAMPLE": example})
        return [[str(file.relative_to(self.root)) for file in part] for part in found]

    def test_itself(self):
        self.assertEqual(self.sources(["a.cu b.cu"], []), [
            ["test/end-to-end/t.cu", "test/end-to-end/Inputs/a.cu", "test/end-to-end/Inputs/b.cu"],
            ["test/end-to-end/common.h"]])

    def test_example(self):
        self.assertEqual(self.sources([], ["e/e.cu"]), [
            ["examples/e/e.cu"], ["examples/all.h", "examples/e/e.h"]])
        with self.assertRaisesRegex(runner.Failure, "t.cu: no example e/f.cu"):
            self.sources([], ["e/f.cu"])


class RunTest(unittest.TestCase):
    """Programs that are shell scripts: they see profiling in GMPROF_OPTIONS."""

    def setUp(self):
        # Their summaries are only what the runner reads.
        patch = unittest.mock.patch.object(runner, "check_schema")
        patch.start()
        self.addCleanup(patch.stop)
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.work = pathlib.Path(temporary.name)

    def run_script(self, off, on, **directives):
        data, rows = summary_of([1], [0])
        (self.work / "s.json").write_text(json.dumps(data))
        (self.work / "c.csv").write_text(rows)
        program = self.work / "program"
        program.write_text(f"""#!/bin/sh
case $GMPROF_OPTIONS in
*profile=off*) {off};;
*) mkdir -p profiled; cp s.json profiled/summary.json; cp c.csv profiled/shared_counts.csv; {on};;
esac
""")
        program.chmod(0o755)
        runner.run_once(program, "", "cpu", {**DIRECTIVES, **directives}, self.work, {})

    def test_pass(self):
        self.run_script("echo a", "echo a", EXPECT=["shared('k', 'tile').counts == [1]"],
                        **{"EXPECT-OUTPUT": ["a"]})
        self.run_script("exit 3", "exit 3", **{"EXPECT-EXIT": ["3"]})

    def test_failures(self):
        for off, on, directives, message in [
                ("echo a", "echo b", {}, "profiling changes the program"),
                ("true", "exit 1", {}, "profiling changes the program"),
                ("true", "echo x >&2", {}, "profiling writes to stderr"),
                ("exit 1", "exit 1", {}, "exit status 1, not 0"),
                ("echo a", "echo a", {"EXPECT-OUTPUT": ["b"]}, "no line 'b'"),
                ("true", "true", {"EXPECT": ["kernel('k').blocks == 3"]}, "not true"),
                ("true", "true", {"EXPECT-CPU": ["False"]}, "not true")]:
            with self.subTest(message), self.assertRaisesRegex(runner.Failure, message):
                self.run_script(off, on, **directives)

    def test_other_devices_expectations_do_not_count(self):
        self.run_script("true", "true", **{"EXPECT-GPU": ["False"]})

    def test_variants_are_compared_part_by_part(self):
        runner.check_same([])
        runner.check_same([None, None])  # the test does not ask for it
        heat = {"maps": ["a", "b"], "kernels": [1]}
        runner.check_same([heat, {"maps": ["a", "b"], "kernels": [1]}])
        with self.assertRaisesRegex(runner.Failure, r"differ in the maps of their heat: \('b', 'c'\)"):
            runner.check_same([heat, {"maps": ["a", "c"], "kernels": [1]}])
        with self.assertRaisesRegex(runner.Failure, "differ in the kernels .*: their number"):
            runner.check_same([heat, {"maps": ["a", "b"], "kernels": []}])


if __name__ == "__main__":
    unittest.main()
