//===- Toolchain.h - What gmprof-clang++ works with -------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds clang 22, the CUDA toolkit and GMProf's own libraries, and knows which
// GPU architectures they can compile for.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_DRIVER_TOOLCHAIN_H
#define GMPROF_DRIVER_TOOLCHAIN_H

#include <optional>
#include <string>
#include <vector>

namespace gmprof::driver {

struct Toolchain {
  std::string Clang;            ///< clang++ of LLVM 22
  std::string CudaPath;         ///< the CUDA 13 toolkit
  std::string LibraryDirectory; ///< of libGMPass.so and libgmprof.so
  std::string IncludeDirectory; ///< of gmprof/gmprof.h; empty: none
};

/// Each returns nothing on failure and then sets Error to one line that says
/// what to do.
std::optional<std::string> findClang(const std::string &Asked, std::string &Error);
std::optional<std::string> findCuda(const std::string &Asked, std::string &Error);

/// The folder with our libraries, relative to the executable, so that a build
/// tree and an installed tree work alike wherever they are.
std::string libraryDirectory();
std::string includeDirectory();

/// Version of the CUDA toolkit in a folder as in cuda.h, 13000 for 13.0; 0 if
/// there is none.
unsigned cudaVersion(const std::string &CudaPath);

/// The architectures to compile for, without duplicates. With none asked for:
/// that of $GMPROF_CUDA_ARCH, else those of the GPUs in the machine, else sm_90.
std::vector<std::string> resolveArchs(const std::vector<std::string> &Asked,
                                      const std::string &Clang, std::string &Error);

} // namespace gmprof::driver

#endif // GMPROF_DRIVER_TOOLCHAIN_H
