//===- Printf.h - Formatting of device printf -------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_ENGINE_PRINTF_H
#define GMPROF_CPU_ENGINE_PRINTF_H

#include <string>

namespace gmprof::cpu {

/// Appends the output of vprintf(Format, Args). Args holds the arguments contiguously, each at its
/// natural alignment, integers with at least 4 bytes and floating-point numbers with 8. Returns the
/// number of arguments used, as CUDA does, or -1 if Format is null.
int appendFormatted(std::string &To, const char *Format, const char *Args);

} // namespace gmprof::cpu

#endif // GMPROF_CPU_ENGINE_PRINTF_H
