# Native code between Python functions: qsort calls one, and a type's deallocation another.
import ctypes

cuda = ctypes.CDLL(None)
held = ctypes.PyDLL(None)


def allocate(size):
    cuda.cudaMalloc(ctypes.byref(ctypes.c_void_p()), ctypes.c_size_t(size))


@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
def compare(a, b):
    allocate(1000)
    return 0


def sort():
    held.qsort((ctypes.c_int * 2)(2, 1), 2, 4, compare)


class Owner:
    def __del__(self):
        allocate(2000)


def drop():
    try:
        raise KeyError("kept")
    except KeyError as error:
        Owner()
        print(error)


sort()
drop()
