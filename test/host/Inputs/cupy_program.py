"""Compiles kernels as CuPy does: a kernel of the program's, and one that CuPy makes."""
import sys

from cupy.cuda import compiler

SOURCES = {
    "raw": """
// scale(the wrong comment)
template <typename T>
__global__ void scale(const T *x, T *__restrict__ result, int n = 1) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    result[i] = 2 * x[i];
}
template __global__ void scale<float>(const float *, float *, int);
""",
    "elementwise": """
template <typename T> struct CArray { T *data; long size; };
extern "C" __global__ void saxpy(const CArray<float> _raw_x, CArray<float> _raw_z, int size) {
  for (int i = threadIdx.x; i < size; i += blockDim.x)
    _raw_z.data[i] = 2 * _raw_x.data[i];
}
""",
}
code, _ = compiler._NVRTCProgram(SOURCES[sys.argv[1]], "kernel.cu").compile(("-arch=sm_90", *sys.argv[2:]))
