//===- Toolchain.h - Finds clang and CUDA -----------------------*- C++ -*-===//
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

#include "profile/Result.h"
#include <string>
#include <vector>

namespace gmprof::driver {

struct Toolchain {
  std::string Clang;            ///< clang++ of LLVM 22
  std::string CudaPath;         ///< the CUDA 13 toolkit
  std::string LibraryDirectory; ///< of libGMPass.so and libgmprof.so
  std::string IncludeDirectory; ///< of gmprof/gmprof.h; empty: none
};

/// Return the path. The error says what to do.
Result<std::string> findClang(const std::string &Asked);
Result<std::string> findCuda(const std::string &Asked);

/// Returns the folder of GMProf's libraries, relative to the executable, so that a build tree and
/// an installed tree work in any place.
std::string libraryDirectory();
std::string includeDirectory();

/// Returns the version of the CUDA toolkit in a folder as in cuda.h, 13000 for 13.0; 0 if the
/// folder has none.
unsigned cudaVersion(const std::string &CudaPath);

/// Returns the architectures to compile for, without duplicates. The default is $GMPROF_CUDA_ARCH,
/// else the architectures of the machine's GPUs, else sm_90.
Result<std::vector<std::string>> resolveArchs(const std::vector<std::string> &Asked,
                                              const std::string &Clang);

} // namespace gmprof::driver

#endif // GMPROF_DRIVER_TOOLCHAIN_H
