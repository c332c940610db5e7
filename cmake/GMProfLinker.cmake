# Read by CMake when it enables CUDA (see GMProfToolchain.cmake). A target with
# CUDA in it or in its static libraries is linked by gmprof-clang++: it links
# libgmprof.so before the CUDA runtime, and relocatable device code.
set(CMAKE_CUDA_LINKER_PREFERENCE 100)
set(CMAKE_CUDA_LINKER_PREFERENCE_PROPAGATES 1)
