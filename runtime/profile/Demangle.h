//===- Demangle.h - Names of kernels as their source has them ---*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_DEMANGLE_H
#define GMPROF_PROFILE_DEMANGLE_H

#include <string>

namespace gmprof {

/// Returns the demangled name, or Mangled if it is not mangled. Drops the suffix by which clang
/// makes the names of static kernels unique, and the tags by which Numba tells compilations apart.
std::string demangle(const std::string &Mangled);

} // namespace gmprof

#endif // GMPROF_PROFILE_DEMANGLE_H
