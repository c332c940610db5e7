#!/usr/bin/env python3
"""Tests of how bench.py compares counts and reads what programs print."""

import math
import types
import unittest

import bench
from element_counts import Counts, mean_error


def counts(element_bytes, runs, end=math.inf):
    made = Counts(element_bytes, end)
    made.runs = runs
    return made


class CountsOfSize(unittest.TestCase):
    def test_neighbours_are_summed(self):
        # Bytes 1 to 10, three accesses each, and byte 11: words 0, 1 and 2.
        bytes_ = counts(1, [(1, 10, 3), (11, 11, 1)])
        self.assertEqual(bytes_.of_size(4).runs, [(0, 0, 9), (1, 1, 12), (2, 2, 10)])

    def test_whole_elements_stay_a_run(self):
        self.assertEqual(counts(1, [(0, 4095, 5)]).of_size(4).runs, [(0, 1023, 20)])

    def test_a_run_within_an_element(self):
        self.assertEqual(counts(1, [(5, 6, 7)]).of_size(4).runs, [(1, 1, 14)])

    def test_only_elements_that_are_known_whole(self):
        self.assertEqual(counts(1, [], end=9).of_size(4).last_known(), 1)


class MeanError(unittest.TestCase):
    def test_bytes_against_words(self):
        basic = {0: counts(1, [(0, 7, 5)])}
        self.assertEqual(mean_error(basic, {0: counts(4, [(0, 1, 20)])}), "0.00 %")
        # One of two words is off by a quarter.
        self.assertEqual(
            mean_error(basic, {0: counts(4, [(0, 0, 20), (1, 1, 15)])}), "12.50 %"
        )

    def test_what_is_missing_was_not_counted(self):
        basic = {0: counts(4, [(0, 3, 2)])}
        self.assertEqual(mean_error(basic, {}), "100.00 %")
        self.assertEqual(mean_error(basic, {0: counts(4, [(0, 2, 2)])}), "25.00 %")


class Output(unittest.TestCase):
    def test_times_are_apart_from_results(self):
        times, results = bench.times_and_results("time a 0.5\nsum 3\n\ntime b 2\ntime flies\n")
        self.assertEqual(times, {"a": 0.5, "b": 2.0})
        self.assertEqual(results, [["sum", "3"]])

    def test_lines_that_may_differ(self):
        _, results = bench.times_and_results("took 1 s\nsum 3\n", ignore="^took")
        self.assertEqual(results, [["sum", "3"]])


class GpuTimes(unittest.TestCase):
    def test_names_have_any_characters(self):
        lines = ["1000 3500 7 void k<int, 4>(int*)", "4000 4250 13 set", "5000 6000 7 void k<int, 4>(int*)"]
        self.assertEqual(bench.gpu_times(lines), {"void k<int, 4>(int*)": [2.5, 1.0], "set": [0.25]})

    def test_clones_are_of_their_kernels(self):
        run = types.SimpleNamespace(
            gpu_times={"_Z1kv": [2.0], "_Z1kv__gm_heat_all": [3.0], "__gm_heat_note": [9.0],
                       "copy": [1.0]})
        self.assertEqual(bench.kernel_gpu_times(run), {"_Z1kv": [2.0, 3.0]})


if __name__ == "__main__":
    unittest.main()
