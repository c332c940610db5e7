"""Loads modules as CuPy does: of source in this file, and of source that is made."""
from cupy.cuda import compiler

SOURCE = r"""
extern "C" __global__ void scale(float *x) {
  x[threadIdx.x] *= 2;
}
"""
TWICE = """
x""", """
x"""


def load(source):
    compiler._compile_with_cache_cuda(source, ("-arch=sm_90",))


load(SOURCE)
load(SOURCE.replace("scale", "other"))
load(TWICE[0])
load("no line")
try:
    compiler._compile_with_cache_cuda("wrong\n", None)
except ValueError as error:
    print(error)
