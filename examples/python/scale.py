"""Scales numbers on the GPU, by a library of its own (scale.cu)."""

import ctypes
import os

library = ctypes.CDLL(os.path.abspath("libscale.so"))
values = (ctypes.c_float * 1000)(*range(1000))
assert library.scaleOnDevice(values, ctypes.c_float(2), len(values)) == 0
print("the last of", len(values), "is", values[-1])
