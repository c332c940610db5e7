"""Memory of the device and a kernel, by libscale.so of the current folder."""

import ctypes
import os


class Array:
    """An array of floats, as PyTorch's tensors and CuPy's arrays say where theirs are."""

    def __init__(self, count):
        self._library = ctypes.CDLL(os.path.abspath("libscale.so"))
        self._library.allocate.restype = ctypes.c_void_p
        self._library.allocate.argtypes = [ctypes.c_size_t]
        self._library.scaleValues.argtypes = [ctypes.c_void_p, ctypes.c_float, ctypes.c_int]
        self._library.release.argtypes = [ctypes.c_void_p]
        self.count = count
        self.address = self._library.allocate(4 * count)

    def data_ptr(self):
        return self.address

    def scale(self, factor):
        return self._library.scaleValues(self.address, factor, self.count)

    def release(self):
        return self._library.release(self.address)


class CudaArray:
    """Has the address of an Array in the form of CuPy and Numba only."""

    def __init__(self, array):
        self.__cuda_array_interface__ = {"data": (array.address, False), "shape": (array.count,),
                                         "typestr": "<f4", "version": 3}
