//===- Patterns.cpp - The patterns of findings ----------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/model/Patterns.h"
#include <algorithm>
#include <iterator>

namespace gmprof {

const std::vector<PatternInfo> &allPatterns() {
  static const std::vector<PatternInfo> All = {
      {"early_allocation", "An allocation is made long before its first use.", "objects",
       "Early allocation", "DrGPUM (ASPLOS 2023), Definition 3.1",
       "an allocation right before the first use"},
      {"late_deallocation", "An allocation is freed long after its last use.", "objects",
       "Late deallocation", "DrGPUM (ASPLOS 2023), Definition 3.2",
       "a free right after the last use"},
      {"redundant_allocation", "An allocation can reuse the memory of an earlier one.", "objects",
       "Redundant allocation", "DrGPUM (ASPLOS 2023), Definition 3.3",
       "one allocation that both share"},
      {"unused_allocation", "No kernel, copy or memset accesses an allocation.", "objects",
       "Unused allocation", "DrGPUM (ASPLOS 2023), Definition 3.4",
       "the run without the allocation"},
      {"memory_leak", "An allocation is never freed.", "objects", "Memory leak",
       "DrGPUM (ASPLOS 2023), Definition 3.5", "a free after the last use"},
      {"temporary_idleness", "An allocation is unused for a long time between two uses.", "objects",
       "Temporarily idle allocation", "DrGPUM (ASPLOS 2023), Definition 3.6",
       "memory that is allocated only while it is used"},
      {"dead_write", "A copy or memset is overwritten before anything reads it.", "objects",
       "Dead write", "DrGPUM (ASPLOS 2023), Definition 3.7",
       "the run without the overwritten copy or memset"},
      {"overallocation", "Many elements of an allocation are never accessed.", "elements",
       "Overallocation", "DrGPUM (ASPLOS 2023), Definition 3.8",
       "the accessed share that is enough (--accessed-share, 80 %)"},
      {"nonuniform_access_frequency", "Some elements are accessed far more often than others.",
       "elements", "Nonuniform access frequency", "DrGPUM (ASPLOS 2023), Definition 3.9",
       "the variation that is even (--frequency-variation, 20 %)"},
      {"structured_access", "Slices of an allocation are used one after the other.", "elements",
       "Slice-wise access", "DrGPUM (ASPLOS 2023), Definition 3.10", "an allocation of one slice"},
      {"unnecessary_synchronization", "The host waits for the GPU and reads no result.", "sync",
       "Redundant synchronization", "Diogenes (SC 2019), Section 3.3.1",
       "a wait whose results the host reads before the next wait"},
      {"misplaced_synchronization", "The host waits for the GPU long before it reads the result.",
       "sync", "Misplaced synchronization", "Diogenes (SC 2019), Section 3.4",
       "a wait right before the first host access of the result"},
      {"duplicate_transfer", "A copy moves the same data as an earlier one.", "sync",
       "Redundant transfer", "Diogenes (SC 2019), Section 3.3.2",
       "earlier copies of the same bytes to the same place"},
      {"uncoalesced_access", "Lanes of a warp access addresses that are far apart.", "heat",
       "Uncoalesced access", "CUDA C++ Best Practices Guide, Coalesced Access to Global Memory",
       "the fewest sectors that hold the accessed bytes"},
      {"hot_spot", "Many warps of a block access the same sectors.", "heat", "Hot spot",
       "cuThermo (2025), Section IV.C", "one load of each sector per block"},
      {"false_sharing", "Warps share sectors, but not the words in them.", "heat", "False sharing",
       "cuThermo (2025), Section IV.C", "requests that use every byte of their sectors"},
      {"misaligned_access", "Requests for consecutive words begin inside a sector.", "heat",
       "Misaligned access", "cuThermo (2025), Section IV.C", "requests that begin at a sector"},
      {"strided_access", "Requests use a part of each sector.", "heat", "Strided access",
       "cuThermo (2025), Section IV.C", "requests that use every byte of their sectors"},
      {"shared_memory_abuse", "A shared array holds data of single threads or warps.", "heat",
       "Unshared data in shared memory", "cuThermo (2025), Sections VI.B and VI.C",
       "registers, or shuffles within a warp"},
      {"bank_conflict", "Lanes of a warp access different words of one bank.", "heat",
       "Bank conflict", "GMProf", "the fewest wavefronts that hold the accessed words"},
      {"poor_cache_locality", "Caches evict data before its next use.", "cache",
       "Poor cache locality", "profiner (PG 2022)", "caches that keep data until its next use"},
      {"underused_shared_memory", "Shared memory is rarely or never accessed.", "shared",
       "Underused shared memory", "GMProf (CCGrid 2012), Section I.B",
       "an array of the accessed elements"},
      {"no_reuse_in_live_range", "Data passes through shared memory without reuse.", "shared",
       "No reuse in shared memory", "GMProf (CCGrid 2012), Section V",
       "data that is read more than once per live range"},
      {"atomic_contention", "Atomics whose results are used update few words.", "global",
       "Atomic contention", "GMProf", "one atomic per warp"},
      {"shared_memory_candidate", "An array in global memory should be in shared memory.", "global",
       "Shared memory candidate", "GMProf (CCGrid 2012), Section VI.D",
       "one access of each element per block"},
  };
  return All;
}

const PatternInfo *findPattern(const std::string &Name) {
  for (const PatternInfo &P : allPatterns())
    if (Name == P.Name)
      return &P;
  return nullptr;
}

std::string patternTitle(const std::string &Name) {
  const PatternInfo *Known = findPattern(Name);
  return Known ? Known->Title : Name;
}

const std::vector<ProfileChecks> &allProfileChecks() {
  static const std::vector<ProfileChecks> All = {
      {"objects", "leaks and lifetimes of allocations"},
      {"elements", "unused elements"},
      {"sync", "redundant synchronization and transfers"},
      {"heat", "coalescing, false sharing and bank conflicts"},
      {"cache", "cache locality"},
      {"shared", "use of shared memory"},
      {"global", "candidates for shared memory"},
  };
  return All;
}

bool makesChecksOf(const std::string &Profile, const std::string &Other) {
  return Profile == Other || (Profile == "elements" && (Other == "objects" || Other == "global"));
}

int severityRank(const std::string &Severity) {
  static constexpr const char *Severities[] = {"info", "low", "medium", "high"};
  const auto *At = std::find(std::begin(Severities), std::end(Severities), Severity);
  return At == std::end(Severities) ? -1 : static_cast<int>(At - Severities);
}

} // namespace gmprof
