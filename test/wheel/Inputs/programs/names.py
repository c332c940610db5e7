"""Names memory in each way, and opens regions."""

import sys

import gmprof

from . import device

assert gmprof.profiled()


@gmprof.region("scale all")
def scale_all(arrays):
    return [array.scale(2) for array in arrays]


tensor = gmprof.name(device.Array(256), "tensor")
array = device.Array(512)
gmprof.name(device.CudaArray(array), "array")
number = device.Array(1024)
gmprof.name(number.address + 8, "number")
unused = gmprof.name(device.Array(100), "unused")
with gmprof.region("epoch"):
    print(scale_all([tensor, array, number]), sys.argv[1:])
for each in [tensor, array, number, unused]:
    each.release()
