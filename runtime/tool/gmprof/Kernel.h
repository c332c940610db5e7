//===- Kernel.h - The kernel command ----------------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TOOL_GMPROF_KERNEL_H
#define GMPROF_TOOL_GMPROF_KERNEL_H

#include <string>
#include <vector>

namespace gmprof::host {

struct KernelCommand {
  std::vector<std::string> Shown; ///< the command line, which results show
  std::string File, Entry, Grid, Block, Output;
  unsigned Shared = 0;
  std::vector<std::string> Arguments;
  std::string Profile = "heat,shared";
  std::string Results = "gmprof-kernel"; ///< folder of the profile
  bool Races = true;
  bool Quiet = false;
};

/// Runs a kernel of a file on the CPU device: first for its faults, its races and its results, then
/// for its profile.
int runKernel(const KernelCommand &Command);

} // namespace gmprof::host

#endif // GMPROF_TOOL_GMPROF_KERNEL_H
