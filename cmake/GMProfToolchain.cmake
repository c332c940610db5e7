# CMake toolchain file that builds an unchanged CUDA project with GMProf.
#
#   cmake -DCMAKE_TOOLCHAIN_FILE=<prefix>/lib/cmake/GMProf/GMProfToolchain.cmake …
#
# Options for gmprof-clang++ go to CMAKE_CUDA_FLAGS or $CUDAFLAGS, the architecture
# to CMAKE_CUDA_ARCHITECTURES (90 if not set).

get_filename_component(_gmprof_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(_gmprof_plugin "${_gmprof_prefix}/lib/libGMPass.so")
if(NOT EXISTS "${_gmprof_prefix}/bin/gmprof-clang++" OR NOT EXISTS "${_gmprof_plugin}")
  message(FATAL_ERROR "GMProf is not complete in ${_gmprof_prefix}: build or install all of it")
endif()

set(CMAKE_CUDA_COMPILER "${_gmprof_prefix}/bin/gmprof-clang++")
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 90)
endif()
# By default CMake would test the compiler with an architecture that CUDA 13 lacks.
list(GET CMAKE_CUDA_ARCHITECTURES 0 _gmprof_arch)
string(REGEX MATCH "^[0-9]+[a-z]?" _gmprof_arch "${_gmprof_arch}")
if(NOT _gmprof_arch)
  set(_gmprof_arch 90)
endif()
set(CMAKE_CUDA_COMPILER_ID_TEST_FLAGS_FIRST "--cuda-gpu-arch=sm_${_gmprof_arch}")
# The static CUDA runtime cannot be interposed.
set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)
# The final link, by gmprof-clang++, links relocatable device code too.
set(CMAKE_CUDA_RESOLVE_DEVICE_SYMBOLS OFF)
set(CMAKE_USER_MAKE_RULES_OVERRIDE_CUDA "${CMAKE_CURRENT_LIST_DIR}/GMProfLinker.cmake")

# The plugin's hash is part of each command, so that a changed plugin recompiles everything.
get_property(_gmprof_in_try_compile GLOBAL PROPERTY IN_TRY_COMPILE)
if(NOT _gmprof_in_try_compile)
  file(SHA256 "${_gmprof_plugin}" _gmprof_hash)
  string(SUBSTRING "${_gmprof_hash}" 0 16 _gmprof_hash)
  add_compile_options("$<$<COMPILE_LANGUAGE:CUDA>:-DGMPROF_PLUGIN_HASH=0x${_gmprof_hash}>")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${_gmprof_plugin}")
endif()
