# Tools and libraries that GMProf is built with. All except CUDA are Debian packages, which
# scripts/setup.sh installs.

# Differences between LLVM versions are handled in pass/core/Compat.h.
set(GMPROF_LLVM_VERSION 22)
find_package(LLVM CONFIG QUIET HINTS /usr/lib/llvm-${GMPROF_LLVM_VERSION})
if(NOT LLVM_FOUND OR NOT LLVM_VERSION_MAJOR EQUAL GMPROF_LLVM_VERSION)
  if(LLVM_FOUND)
    set(found "${LLVM_DIR} has LLVM ${LLVM_PACKAGE_VERSION}")
  else()
    set(found "none was found")
  endif()
  message(FATAL_ERROR "GMProf needs LLVM ${GMPROF_LLVM_VERSION}, and ${found}. Run scripts/setup.sh, or set "
                      "LLVM_DIR to the folder of LLVM ${GMPROF_LLVM_VERSION}'s LLVMConfig.cmake.")
endif()
set(GMPROF_LLVM_BIN ${LLVM_TOOLS_BINARY_DIR})

set(CUDAToolkit_ROOT /usr/local/cuda CACHE PATH "The CUDA 13 toolkit")
if(NOT EXISTS ${CUDAToolkit_ROOT}/include/cuda_runtime_api.h)
  message(FATAL_ERROR "GMProf needs the CUDA toolkit, and ${CUDAToolkit_ROOT} has none. Install "
                      "CUDA 13, or pass -DCUDAToolkit_ROOT=<where it is>.")
endif()
find_path(GMPROF_CUPTI_INCLUDE cupti.h REQUIRED NO_DEFAULT_PATH
  PATHS ${CUDAToolkit_ROOT}/include ${CUDAToolkit_ROOT}/extras/CUPTI/include)
set(GMPROF_CUDA_ARCH sm_90 CACHE STRING "GPU architecture of the examples and end-to-end tests")

find_package(Threads REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(fmt REQUIRED)
find_package(GTest REQUIRED)
find_package(zstd REQUIRED)
find_package(ZLIB REQUIRED)
find_package(SQLite3 REQUIRED)
foreach(library zstd sqlite3)
  find_library(GMPROF_${library}_ARCHIVE lib${library}.a)
endforeach()
# Debian's Python, which has the packages that scripts/setup.sh installs.
find_program(Python3_EXECUTABLE NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
