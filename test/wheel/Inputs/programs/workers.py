"""Scales two arrays, each in a process of its own that is started as the argument says."""

import multiprocessing
import sys

import gmprof

from . import device


def work(count):
    array = gmprof.name(device.Array(count), f"array of {count}")
    status = array.scale(2)
    return count, status, array.release()


if __name__ == "__main__":
    processes = multiprocessing.get_context(sys.argv[1])
    with processes.Pool(2, maxtasksperchild=1) as pool:
        print(pool.map(work, [256, 512], chunksize=1))
