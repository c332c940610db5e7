//===- KernelTimes.h - Execution times of kernels ---------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Estimates the GPU time of each kernel from its timed launches, and weighs findings by it.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_KERNELTIMES_H
#define GMPROF_ANALYSIS_KERNELTIMES_H

#include "analysis/Finding.h"
#include <optional>
#include <vector>

namespace gmprof::analysis {

struct KernelTime {
  uint64_t Measured = 0;     ///< number of launches that Mean is of
  double Mean = 0;           ///< seconds per launch
  double Total = 0;          ///< Mean times the number of launches, in seconds
  bool Instrumented = false; ///< only clones were timed: an upper bound
  /// Share of the time of all kernels, from 0 to 1. Other kernels of which only clones were timed
  /// are taken to need no time, so the share is an upper bound.
  double Share = 0;
};

/// Returns the times by kernel; nothing for kernels without timed launches. Empty if the run was
/// not on a GPU. Launches that ran the program's own kernel are preferred, and among them those
/// after the kernel's first one.
std::vector<std::optional<KernelTime>> kernelTimes(const profile::Profile &P);

/// Bounds of a finding's severity: at most low below LowShare of the kernel time, at most medium
/// below MediumShare.
inline constexpr double LowShare = 0.01, MediumShare = 0.05;

/// Returns the highest severity of a finding in kernels with this share of the kernel time.
Severity highestSeverity(double Share);

/// Returns a sentence, "`fill` takes 0.1 % of the kernel time.", with "at most" for an upper bound.
std::string shareSentence(const std::string &Subject, double Share, bool AtMost);

/// Limits the severity of findings in kernels that take little time, and adds the share to their
/// evidence and message. A joined finding has the share of all its kernels. Findings about the
/// lifetimes of allocations cost memory, not kernel time, and are left as they are.
void weighByKernelTime(std::vector<Finding> &Findings, const profile::Profile &P,
                       const std::vector<std::optional<KernelTime>> &Times);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_KERNELTIMES_H
