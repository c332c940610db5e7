# Compiler settings of all of GMProf's own C++.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
add_compile_options(-Wall -Wextra -Werror -Wno-unused-parameter)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_compile_options(-Wthread-safety) # profile/Mutex.h
endif()
add_compile_definitions(GMPROF_VERSION="${PROJECT_VERSION}")
include_directories(${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/runtime)
find_program(GMPROF_CCACHE ccache)
if(GMPROF_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${PROJECT_SOURCE_DIR}/cmake/ccache.sh ${PROJECT_SOURCE_DIR})
endif()
# ccache needs precompiled headers that do not hold the time at which they were made.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
endif()
find_program(GMPROF_LLD NAMES ld.lld-22 ld.lld)
if(GMPROF_LLD AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_link_options(-fuse-ld=lld)
endif()

# Headers to precompile: system and LLVM headers that many files include. Each file still includes
# what it needs, which clang-tidy checks.
set(GMPROF_STANDARD_HEADERS
    <algorithm> <array> <atomic> <filesystem> <fstream> <functional> <map> <memory> <mutex>
    <numeric> <optional> <set> <span> <string> <string_view> <unordered_map> <utility> <vector>)
set(GMPROF_LLVM_HEADERS
    <llvm/ADT/StringSwitch.h> <llvm/Analysis/LoopInfo.h>
    <llvm/Analysis/ScalarEvolutionExpressions.h> <llvm/IR/Dominators.h> <llvm/IR/IRBuilder.h>
    <llvm/IR/InstIterator.h> <llvm/IR/IntrinsicInst.h> <llvm/IR/IntrinsicsNVPTX.h>
    <llvm/IR/Module.h> <llvm/IR/PassManager.h>)

# gmprof_use_llvm(target): compiles the target against LLVM. Linking is left to the target, mostly
# with the shared library, which a plugin shares with clang.
function(gmprof_use_llvm target)
  target_include_directories(${target} SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
  separate_arguments(definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
  target_compile_definitions(${target} PRIVATE ${definitions})
endfunction()

# gmprof_compile_fast(target): compiles with little optimisation a target whose run time does not
# matter.
function(gmprof_compile_fast target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# gmprof_start_fast(target): links a program that runs before each profiled program statically with
# the C++ standard library, whose loading takes half of its start-up time. Sanitizers need the
# shared library.
function(gmprof_start_fast target)
  if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc)
  endif()
endfunction()

# gmprof_link_archives(target library…): takes the functions of zstd or sqlite3 that the target calls
# from the library's archive, so that the target runs without the package of the shared library. The
# archive defines them first, and --as-needed drops the shared library.
function(gmprof_link_archives target)
  foreach(library ${ARGN})
    if(GMPROF_LLD AND GMPROF_${library}_ARCHIVE)
      target_link_options(${target} PRIVATE -Wl,--as-needed ${GMPROF_${library}_ARCHIVE})
    endif()
  endforeach()
endfunction()

# gmprof_link_llvm(target component…): links the target with these components of LLVM, which it
# loads faster than the whole libLLVM, and which work beside another LLVM of the process. With
# sanitizers, links it with libLLVM: its headers' functions in components are not instrumented.
function(gmprof_link_llvm target)
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    target_link_libraries(${target} PRIVATE LLVM)
    gmprof_find_llvm_at_run_time(${target})
  else()
    target_link_libraries(${target} PRIVATE ${ARGN})
    target_link_options(${target} PRIVATE -Wl,--as-needed -Wl,--gc-sections)
  endif()
endfunction()

# gmprof_find_llvm_at_run_time(target): sets the run-time path of libLLVM to where it is now, also
# in the build tree: CMake would end a separate path with an empty entry, the current folder.
function(gmprof_find_llvm_at_run_time target)
  file(REAL_PATH ${LLVM_LIBRARY_DIR}/libLLVM.so library)
  cmake_path(GET library PARENT_PATH folder)
  if(NOT folder IN_LIST CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES)
    set_target_properties(${target} PROPERTIES INSTALL_RPATH ${folder})
  endif()
  set_target_properties(${target} PROPERTIES BUILD_WITH_INSTALL_RPATH ON)
endfunction()
