from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

setup(
    name="columns",
    ext_modules=[CUDAExtension("columns", ["columns.cu"])],
    cmdclass={"build_ext": BuildExtension},
)
