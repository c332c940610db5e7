//===- Patterns.cpp - The patterns of findings ----------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/Patterns.h"
#include <algorithm>
#include <iterator>

namespace gmprof {

const std::vector<PatternInfo> &allPatterns() {
  static const std::vector<PatternInfo> All = {
      {"early_allocation", "An object is allocated before it is needed.", "objects"},
      {"late_deallocation", "An object is released after it was needed last.", "objects"},
      {"redundant_allocation", "An object could have the memory of one used before it.", "objects"},
      {"unused_allocation", "Nothing accesses an object.", "objects"},
      {"memory_leak", "An object is never released.", "objects"},
      {"temporary_idleness", "An object is not used for a long time between two uses.", "objects"},
      {"dead_write", "A copy or set is overwritten before anything reads it.", "objects"},
      {"overallocation", "Many elements of an object are never accessed.", "elements"},
      {"nonuniform_access_frequency", "Some elements are accessed far more often than others.",
       "elements"},
      {"structured_access", "Slices of an object are used one after the other.", "elements"},
      {"unnecessary_synchronization", "A wait for the GPU protects nothing.", "sync"},
      {"misplaced_synchronization", "A wait comes long before what it protects is used.", "sync"},
      {"duplicate_transfer", "A copy moves what was copied before.", "sync"},
      {"hot_spot", "Many warps of a block access the same sectors.", "heat"},
      {"false_sharing", "Warps share sectors, but not the words in them.", "heat"},
      {"misaligned_access", "Consecutive accesses begin within a sector.", "heat"},
      {"strided_access", "Accesses use a part of each sector.", "heat"},
      {"shared_memory_abuse", "A shared array serves single threads or warps.", "heat"},
      {"bank_conflict", "Lanes of a warp want different words of a bank.", "heat"},
      {"poor_cache_locality", "Caches lose data before it is used again.", "cache"},
      {"underused_shared_memory", "Shared memory is rarely or never accessed.", "shared"},
      {"no_reuse_in_live_range", "Data goes through shared memory without being reused.", "shared"},
      {"atomic_contention", "Atomics whose results are used update few words.", "global"},
      {"shared_memory_candidate", "An array in device memory should be in shared memory.",
       "global"},
  };
  return All;
}

const PatternInfo *findPattern(const std::string &Name) {
  for (const PatternInfo &P : allPatterns())
    if (Name == P.Name)
      return &P;
  return nullptr;
}

int severityRank(const std::string &Severity) {
  static constexpr const char *Severities[] = {"info", "low", "medium", "high"};
  const auto *At = std::find(std::begin(Severities), std::end(Severities), Severity);
  return At == std::end(Severities) ? -1 : static_cast<int>(At - Severities);
}

} // namespace gmprof
