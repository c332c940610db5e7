# CMake reads this file when it enables CUDA (see GMProfToolchain.cmake). A target that contains
# CUDA, itself or in its static libraries, is linked by gmprof-clang++, which links libgmprof.so
# before the CUDA runtime, and relocatable device code.
set(CMAKE_CUDA_LINKER_PREFERENCE 100)
set(CMAKE_CUDA_LINKER_PREFERENCE_PROPAGATES 1)
