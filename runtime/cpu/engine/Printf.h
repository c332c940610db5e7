//===- Printf.h - Formats device printf ----------------------- -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_ENGINE_PRINTF_H
#define GMPROF_CPU_ENGINE_PRINTF_H

#include <string>

namespace gmprof::cpu {

/// Appends what vprintf(Format, Args) prints. Args holds the arguments one after
/// another, each at its natural alignment, integers at least 4 bytes and
/// floating-point numbers 8. Returns how many arguments were used, as CUDA does,
/// or -1 if there is no format.
int appendFormatted(std::string &To, const char *Format, const char *Args);

} // namespace gmprof::cpu

#endif // GMPROF_CPU_ENGINE_PRINTF_H
