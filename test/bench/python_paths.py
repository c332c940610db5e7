#!/usr/bin/env python3
"""Measures what call paths with Python functions cost:

    gmprof run --device=cpu --quiet --profile objects -o DIR -- python3 python_paths.py

Prints the time of one call of cudaMemset at several depths, with the interpreter's lock held and
released for the call, and the difference to the shallowest.
"""

import ctypes
import time

SIZE = ctypes.c_size_t(4)


def fastest(call, pointer, repeat=300, count=100):
    """The time of one call in ns: the least of many averages, as others use the machine too."""
    least = float("inf")
    for _ in range(repeat):
        begin = time.perf_counter_ns()
        for _ in range(count):
            call(pointer, 0, SIZE)
        least = min(least, (time.perf_counter_ns() - begin) / count)
    return least


def at_depth(depth, call, pointer):
    """The time with so many Python functions on the stack."""
    return fastest(call, pointer) if depth <= 3 else at_depth(depth - 1, call, pointer)


def main():
    pointer = ctypes.c_void_p()
    ctypes.CDLL(None).cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(64))
    for how, library in ("held", ctypes.PyDLL(None)), ("released", ctypes.CDLL(None)):
        first = None
        for depth in (4, 5, 20, 50, 128):
            spent = at_depth(depth - 1, library.cudaMemset, pointer)
            first = first or spent
            print(f"lock {how}, {depth} functions: {spent:.0f} ns, {spent - first:+.0f} ns")


main()
