# Allocates, and ends in the way that the argument names.
import atexit
import ctypes
import os
import signal
import sys


def allocate(size):
    ctypes.CDLL(None).cudaMalloc(ctypes.byref(ctypes.c_void_p()), ctypes.c_size_t(size))


class Late:
    def __del__(self, allocate=allocate):
        allocate(3000)


allocate(1000)
if sys.argv[1] == "exception":
    raise ValueError("no such layer")
if sys.argv[1] == "exit":
    atexit.register(allocate, 2000)
    late = Late()  # released while the interpreter ends
    sys.exit(3)
if sys.argv[1] == "kill":
    os.kill(os.getpid(), signal.SIGKILL)
if sys.argv[1] == "fork":
    child = os.fork()
    allocate(4000)
    if child != 0:
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    sys.exit(5)
