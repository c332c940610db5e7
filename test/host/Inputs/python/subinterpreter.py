# Allocates in a sub-interpreter, and then in the main one.
import sys

try:
    import _xxsubinterpreters as interpreters
except ImportError:
    import _interpreters as interpreters

CODE = """
import ctypes
def inside():
    ctypes.CDLL(None).cudaMalloc(ctypes.byref(ctypes.c_void_p()), ctypes.c_size_t(1000))
inside()
"""


def main():
    sub = interpreters.create("legacy") if sys.version_info >= (3, 13) else interpreters.create(
        isolated=False)
    interpreters.run_string(sub, CODE)
    interpreters.destroy(sub)
    import ctypes

    ctypes.CDLL(None).cudaMalloc(ctypes.byref(ctypes.c_void_p()), ctypes.c_size_t(2000))
    ctypes.PyDLL(None).cudaMalloc(ctypes.byref(ctypes.c_void_p()), ctypes.c_size_t(3000))


main()
