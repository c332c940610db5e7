//===- KernelRegex.h - Selects kernels by name ------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_CORE_KERNELREGEX_H
#define GMPROF_HOST_CORE_KERNELREGEX_H

#include <string>

namespace gmprof::host {

/// Returns why Text is no regular expression; empty if it is one.
std::string checkRegex(const std::string &Text);

/// Searches the mangled and the demangled name. An empty expression matches all.
bool matchesKernel(const std::string &Regex, const std::string &Mangled,
                   const std::string &Demangled);

} // namespace gmprof::host

#endif // GMPROF_HOST_CORE_KERNELREGEX_H
