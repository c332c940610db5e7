//===- Finding.h - The result of an analysis --------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The common form of all patterns' results. Analyses set the fields that apply.
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

/// Info: correct and worth considering, but possibly intended.
enum class Severity { Info, Low, Medium, High };

struct Finding {
  using Value = std::variant<uint64_t, double, bool, std::string>;

  std::string Pattern; ///< as in docs/patterns.md
  std::string Kind;    ///< variant of the pattern, if it has several
  /// Further patterns of the same object and cause, which have no findings of their own.
  std::vector<std::string> Also;
  std::string Origin; ///< the method that the pattern comes from
  Severity Level = Severity::Info;
  uint32_t Kernel = profile::None; ///< index in Profile::Kernels
  std::string Object;              ///< memory object's name; empty if none
  uint64_t ObjectBytes = 0;
  uint32_t Site = profile::None; ///< for findings about calls: index in SyncProblems::Sites
  std::string Function;          ///< function that makes these calls
  uint64_t ObjectId = 0;         ///< profile::Object::Id of a global memory object; else 0
  profile::SourcePosition Source;
  std::vector<profile::SourcePosition> CallPath; ///< innermost first
  /// Supporting numbers, in display order.
  std::vector<std::pair<std::string, Value>> Evidence;
  uint64_t BytesSaved = 0;
  std::optional<double> SecondsSaved;
  std::string Message, Suggestion;
  std::string Fingerprint;
  std::vector<uint32_t> OtherKernels; ///< kernels of findings that were joined with this one
};

/// Returns an identifier that is stable across rebuilds and runs: a hash of pattern, kind, kernel
/// (demangled), object or API, the source file's name and the calling function, without lines,
/// addresses or numbers.
std::string fingerprint(const Finding &F, const profile::Profile &P);

/// Sets all fingerprints. Equal ones, such as those of unnamed objects or of several calls in a
/// file, are distinguished by their order.
void setFingerprints(std::vector<Finding> &Findings, const profile::Profile &P);

/// Merges findings of one cause: the same pattern, variable and source line in instances of one
/// kernel template, or in copies of the line that unrolling makes. The merged finding has the
/// numbers of the worst instance and the number of `instances`.
void joinCauses(std::vector<Finding> &Findings, const profile::Profile &P);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_FINDING_H
