#!/usr/bin/env python3
"""Tests of how costs.py reads what programs print, and of what it prints itself."""

import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

import costs


class Runs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.programs = costs.Programs(pathlib.Path(folder.name))

    def run_script(self, column, script, **how):
        with contextlib.redirect_stderr(io.StringIO()):
            return self.programs.run("p", column, [sys.executable, "-c", script], **how)

    def test_a_program_that_prints_the_same(self):
        self.run_script("plain", "print('time k 1'); print('sum 3')")
        self.assertNotIn("error", self.run_script("off", "print('time k 2'); print('sum 3')"))
        self.assertEqual(self.programs.results["p"]["off"]["times"], {"k": 2.0})

    def test_a_program_that_prints_something_else(self):
        self.run_script("plain", "print('sum 3')")
        self.assertEqual(self.run_script("off", "print('sum 4')")["error"],
                         "prints [['sum', '4']], plain [['sum', '3']]")

    def test_a_program_that_fails(self):
        self.assertEqual(self.run_script("off", "print('no'); raise SystemExit(3)")["error"],
                         "status 3: no\n")


class Tables(unittest.TestCase):
    def printed(self, show, results):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            show(results)
        return out.getvalue()

    def test_ratios_and_their_geometric_mean(self):
        def found(milliseconds):
            return {"times": {"k": milliseconds}}
        text = self.printed(costs.print_kernels, {
            "k": {"plain": found(2.0), "off": found(2.0), "heat": found(8.0)},
            "m": {"plain": found(1.0), "heat": found(1.0), "sync": {"error": "> 60 s"}}})
        # 4 and 1: their geometric mean is 2. A kernel is named with its program unless that is
        # its name.
        self.assertIn("| k | 2 | 1.00 | – | – | – | – | – | 4.00 |", text)
        self.assertIn("| m: k | 1 | – | – | – | – | – | – | 1.00 | – | > 60 s |", text)
        self.assertIn("| geomean |  | 1.00 | – | – | – | – | – | 2.00 | – |", text)

    def test_traces_compared_with_what_was_published(self):
        def traced(seconds, **what):
            return {"seconds": seconds, "requests": 1000000, "sampled": 1, "whole": True, **what}
        text = self.printed(costs.print_traces, {
            "a": {"plain": {"seconds": 0.25}, "cache": traced(0.282)},
            "b": {"plain": {"seconds": 0.5, "all_seconds": [0.499, 0.500, 0.501]},
                  "cache": traced(0.508, sampled=8, all_seconds=[0.506, 0.508, 0.510])},
            "c": {"plain": {"seconds": 0.5}, "cache": traced(0.5, whole=False)},
            "d": {"plain": {"seconds": 0.5}, "cache": {"error": "> 60 s"}},
            "e": {"plain": {"seconds": 0.5}, "cache": traced(0.499)}})
        # The published tool takes 3.2 s for this number.
        self.assertIn("| a | 1,000,000 | 0.250 | 0.282 | 32.0 |  | 32.0 | all | 100 |", text)
        self.assertIn("| b | 1,000,000 | 0.500 | 0.508 | 8.0 | 2 | 8.0 | 1 in 8 | 400 |", text)
        self.assertIn("| c |  | 0.500 | not whole |  |  |  |  |  |", text)
        self.assertIn("| d |  | 0.500 | > 60 s |  |  |  |  |  |", text)
        self.assertIn("| e | 1,000,000 | 0.500 | 0.499 | -1.0 |  | -1.0 | all | – |", text)
        self.assertIn("| geomean |  |  |  |  |  |  |  | 200 |", text)

    def test_traces_beside_another_tool(self):
        def columns(beside):
            return {"plain": {"seconds": 0.5}, "beside": beside,
                    "cache": {"seconds": 0.55, "requests": 1000000, "sampled": 1, "whole": True}}
        text = self.printed(costs.print_traces, {
            "a": columns({"seconds": 7.5}),
            "b": columns({"seconds": 60.5, "error": "> 60 s"}),
            "c": columns({"seconds": 0.6, "error": "status 1: no"})})
        self.assertIn("| times less than published | beside, s over plain | times less |", text)
        self.assertIn("| all | 64 | 7 | 140 |", text)
        self.assertIn("| all | 64 | > 60 | > 1,200 |", text)
        self.assertIn("| all | 64 | failed |  |", text)

    def test_the_error_of_a_difference(self):
        # Variances of 1 and 4, from three runs each.
        self.assertAlmostEqual(costs.standard_error([1, 2, 3], [4, 6, 8]),
                               (3.141592653589793 / 2 * 5 / 3) ** 0.5)

    def test_turns_until_the_error_is_small(self):
        programs = costs.Programs(pathlib.Path(), turns=3, within=1)
        self.assertTrue(programs.wants_more([0.500, 0.500], [0.508, 0.508]))
        self.assertFalse(programs.wants_more([0.500] * 3, [0.508] * 3))
        self.assertTrue(programs.wants_more([0.499, 0.500, 0.501], [0.506, 0.508, 0.510]))
        self.assertFalse(programs.wants_more([0.4, 0.6] * 50, [0.5, 0.6] * 50))
        programs.turns = 1
        self.assertTrue(programs.wants_more([0.500], [0.508]))
        programs.turns, programs.within = 3, None
        self.assertFalse(programs.wants_more([0.499, 0.500, 0.501], [0.506, 0.508, 0.510]))

    def test_all_is_the_sum_of_a_run_for_each_profile(self):
        seconds = {profile: {"seconds": 2.0} for profile in costs.PROFILES}
        self.assertEqual(costs.sum_of_profiles(seconds), {"seconds": 14.0})
        failed = {"error": "> 60 s"}
        self.assertEqual(costs.sum_of_profiles({**seconds, "heat": failed}), failed)


if __name__ == "__main__":
    unittest.main()
