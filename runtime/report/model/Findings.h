//===- Findings.h - Order and causes of findings ----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules by which a summary orders and joins its findings, whether they are of one run, of
// several runs of a program, or of several processes.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_MODEL_FINDINGS_H
#define GMPROF_REPORT_MODEL_FINDINGS_H

#include "report/model/Summary.h"
#include <optional>
#include <string_view>
#include <vector>

namespace gmprof {

/// Returns true if A comes before B: by severity, those without benefit last, then by saved time,
/// by saved memory, by the kernel's share of the kernel time, and by needless traffic, including
/// the accesses that copies in shared memory save; ties by fingerprint, so that every run has the
/// same order.
bool ranksBefore(const summary::Finding &A, const summary::Finding &B);

/// Sorts findings by ranksBefore and numbers them.
void rank(std::vector<summary::Finding> &Findings);

/// Joins findings of different patterns about the same accesses of a kernel to an object: one
/// finding remains, which lists the other pattern in `also`.
void joinPatterns(std::vector<summary::Finding> &Findings);

/// Returns a number of the evidence; nothing if the evidence does not have it.
std::optional<double> evidenceOf(const summary::Finding &F, std::string_view Name);

/// Returns the traffic of all launches that the fix avoids, in bytes: needless_bytes, or 128 bytes
/// for each of needless_wavefronts; 0: unknown.
double needlessTraffic(const summary::Finding &F);

/// Returns the kernel's share of the kernel time, which the evidence has; 0: unknown.
double kernelTimeShare(const summary::Finding &F);

/// Returns true for a finding of severity info for whose fix no benefit is estimated. Reports
/// count these in one line.
bool isWithoutBenefit(const summary::Finding &F);

} // namespace gmprof

#endif // GMPROF_REPORT_MODEL_FINDINGS_H
