//===- Finding.h - What an analysis has to say ------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One shape for all patterns. Analyses fill in what they know; the order of
// findings is by severity, then by what fixing them saves.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_FINDING_H
#define GMPROF_ANALYSIS_FINDING_H

#include "profile/Profile.h"
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace gmprof::analysis {

/// Info: true, and worth a thought, but possibly as intended.
enum class Severity { Info, Low, Medium, High };

struct Finding {
  using Value = std::variant<uint64_t, double, bool, std::string>;

  std::string Pattern; ///< as in docs/patterns.md
  std::string Kind;    ///< the pattern's variety, if it has several
  std::string Origin;  ///< the method that finds it
  Severity Level = Severity::Info;
  uint32_t Kernel = profile::None; ///< index into Profile::Kernels
  std::string Object;              ///< name of the memory object; empty if none
  uint64_t ObjectBytes = 0;
  uint32_t Site = profile::None; ///< of findings about calls: index into SyncProblems::Sites
  std::string Function;          ///< that makes these calls
  uint64_t ObjectId = 0;         ///< profile::Object::Id of an object of global memory; else 0
  profile::SourcePosition Source;
  std::vector<profile::SourcePosition> CallPath; ///< innermost first
  /// Numbers that support it, in the order to show them.
  std::vector<std::pair<std::string, Value>> Evidence;
  uint64_t BytesSaved = 0;
  std::optional<double> SecondsSaved;
  std::string Message, Suggestion;
  std::string Fingerprint;
};

/// Identifies a finding across rebuilds and runs: a hash of pattern, kind, kernel
/// (demangled), object or API, the name of the source file and the function that calls, and of
/// no line, address or number.
std::string fingerprint(const Finding &F, const profile::Profile &P);

/// Of all findings. Those that would be the same, as of objects without names or of several calls
/// in a file, are told apart by their order.
void setFingerprints(std::vector<Finding> &Findings, const profile::Profile &P);

/// Makes one finding of those that have one cause: the same pattern, variable and source line in
/// instances of one kernel template, or in copies of the line, as unrolling makes them. It has the
/// numbers of the worst and how many `instances` there are.
void joinCauses(std::vector<Finding> &Findings, const profile::Profile &P);

/// Severest first, then by what is saved; ties by fingerprint, so that the
/// order is the same in every run.
void rank(std::vector<Finding> &Findings);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_FINDING_H
