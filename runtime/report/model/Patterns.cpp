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

// Severity rules of groups of patterns, docs/patterns.md.
static constexpr char OfObjects[] =
    "high if it saves 10 % of the device's peak (medium if accesses are inferred or depend on "
    "data), medium from 1 %, low from 0.1 % or if the change has no drawback, otherwise info";
static constexpr char OfTensors[] =
    "medium if it saves 1 % of the device's peak, low from 0.1 %, otherwise info";
static constexpr char OfWaits[] =
    "high if it saves 5 % of the program's time, medium from 1 %, low from 0.1 %, otherwise info";
static constexpr char OfSectors[] = "high if 25 % of the kernel's sectors are needless, medium "
                                    "from 5 %, low from 1 %, otherwise info";

const std::vector<PatternInfo> &allPatterns() {
  static const std::vector<PatternInfo> All = {
      {.Name = "early_allocation",
       .Title = "Early allocation",
       .Description = "An allocation is made long before its first use.",
       .Profile = "objects",
       .Severity = OfObjects,
       .Method = "DrGPUM (ASPLOS 2023), Definition 3.1",
       .Compared = "an allocation right before the first use"},
      {.Name = "late_deallocation",
       .Title = "Late deallocation",
       .Description = "An allocation is freed long after its last use.",
       .Profile = "objects",
       .Severity = OfObjects,
       .Method = "DrGPUM (ASPLOS 2023), Definition 3.2",
       .Compared = "a free right after the last use"},
      {.Name = "redundant_allocation",
       .Title = "Redundant allocation",
       .Description = "An allocation can reuse the memory of an earlier one.",
       .Profile = "objects",
       .Severity = OfObjects,
       .Method = "DrGPUM (ASPLOS 2023), Definition 3.3",
       .Compared = "one allocation that both share"},
      {.Name = "unused_allocation",
       .Title = "Unused allocation",
       .Description = "No kernel accesses an allocation, and no copy reads it.",
       .Profile = "objects",
       .Severity = OfObjects,
       .Method = "DrGPUM (ASPLOS 2023), Definition 3.4",
       .Compared = "the run without the allocation"},
      {.Name = "memory_leak",
       .Title = "Memory leak",
       .Description = "An allocation is never freed.",
       .Profile = "objects",
       .Severity = OfObjects,
       .Method = "DrGPUM (ASPLOS 2023), Definition 3.5",
       .Compared = "a free after the last use"},
      {.Name = "temporary_idleness",
       .Title = "Temporarily idle allocation",
       .Description = "An allocation is unused for a long time between two uses.",
       .Profile = "objects",
       .Severity = OfObjects,
       .Limit = "medium from 10 % and low from 1 % if the fix copies data away and back",
       .Method = "DrGPUM (ASPLOS 2023), Definition 3.6",
       .Compared = "memory that is allocated only while it is used"},
      {.Name = "dead_write",
       .Title = "Dead write",
       .Description = "A copy or memset is overwritten before anything reads it.",
       .Profile = "objects",
       .Severity = "low: it costs time, not memory",
       .Method = "DrGPUM (ASPLOS 2023), Definition 3.7",
       .Compared = "the run without the overwritten copy or memset"},
      {.Name = "fragmented_cache",
       .Title = "Fragmented cache of PyTorch",
       .Description = "PyTorch allocates memory although enough of its cache is free.",
       .Profile = "objects",
       .Severity = OfTensors,
       .Method = "PyTorch, CUDA semantics, Optimizing memory usage",
       .Compared = "a replay with expandable segments"},
      {.Name = "oversized_cache",
       .Title = "Oversized cache of PyTorch",
       .Description = "PyTorch keeps memory that the rest of the run does not need.",
       .Profile = "objects",
       .Severity = "info: the peak of the program does not fall",
       .Method = "PyTorch, CUDA semantics, Memory management",
       .Compared = "the memory that tensors need afterwards"},
      {.Name = "temporary_peak",
       .Title = "Peak of temporary tensors",
       .Description = "Temporary tensors of one line make the peak.",
       .Profile = "objects",
       .Severity = OfTensors,
       .Method = "GMProf",
       .Compared = "a replay without these tensors"},
      {.Name = "overallocation",
       .Title = "Overallocation",
       .Description = "Many elements of an allocation are never accessed.",
       .Profile = "elements",
       .Severity = OfObjects,
       .Limit = "low if launches or blocks are sampled, info if the unused elements are scattered",
       .Method = "DrGPUM (ASPLOS 2023), Definition 3.8",
       .Compared = "the accessed share that is enough (--accessed-share, 80 %)"},
      {.Name = "nonuniform_access_frequency",
       .Title = "Nonuniform access frequency",
       .Description = "Some elements are accessed far more often than others.",
       .Profile = "elements",
       .Severity = "info, or low if it rests on a sample: the saving is unknown",
       .Method = "DrGPUM (ASPLOS 2023), Definition 3.9",
       .Compared = "the variation that is even (--frequency-variation, 20 %)"},
      {.Name = "structured_access",
       .Title = "Slice-wise access",
       .Description = "Slices of an allocation are used one after the other.",
       .Profile = "elements",
       .Severity = OfObjects,
       .Limit = "low if launches or blocks are sampled",
       .Method = "DrGPUM (ASPLOS 2023), Definition 3.10",
       .Compared = "an allocation of one slice"},
      {.Name = "unnecessary_synchronization",
       .Title = "Redundant synchronization",
       .Description = "The host waits for the GPU and reads no result.",
       .Profile = "sync",
       .Severity = OfWaits,
       .Method = "Diogenes (SC 2019), Section 3.3.1",
       .Compared = "a wait whose results the host reads before the next wait"},
      {.Name = "misplaced_synchronization",
       .Title = "Misplaced synchronization",
       .Description = "The host waits for the GPU long before it reads the result.",
       .Profile = "sync",
       .Severity = OfWaits,
       .Method = "Diogenes (SC 2019), Section 3.4",
       .Compared = "a wait right before the first host access of the result"},
      {.Name = "duplicate_transfer",
       .Title = "Redundant transfer",
       .Description = "A copy moves the same data as an earlier one.",
       .Profile = "sync",
       .Severity = OfWaits,
       .Limit = "low at most if the source changes and the destination is overwritten",
       .Method = "Diogenes (SC 2019), Section 3.3.2",
       .Compared = "earlier copies of the same bytes to the same place"},
      {.Name = "pageable_transfer",
       .Title = "Pageable transfer",
       .Description = "An asynchronous copy uses pageable host memory.",
       .Profile = "sync",
       .Severity = OfWaits,
       .Method = "CUDA C++ Best Practices Guide, Pinned Memory",
       .Compared = "the same copy of page-locked memory"},
      {.Name = "repeated_allocation",
       .Title = "Repeated allocation",
       .Description = "Page-locked or device memory is allocated and freed again and again.",
       .Profile = "sync",
       .Severity = OfWaits,
       .Limit = "at least low for device memory",
       .Method = "CUDA C++ Best Practices Guide, Pinned Memory and Device Memory Allocation",
       .Compared = "one allocation that is reused"},
      {.Name = "uncoalesced_access",
       .Title = "Uncoalesced access",
       .Description = "Lanes of a warp access addresses that are far apart.",
       .Profile = "heat",
       .Severity = OfSectors,
       .Limit = "low at most for `gather` and `scatter`, and for copies that clang splits into "
                "adjacent parts",
       .Method = "CUDA C++ Best Practices Guide, Coalesced Access to Global Memory",
       .Compared = "the fewest sectors that hold the accessed bytes"},
      {.Name = "hot_spot",
       .Title = "Hot spot",
       .Description = "Many warps of a block access the same sectors.",
       .Profile = "heat",
       .Severity = OfSectors,
       .Limit = "medium at most for `atomics` and where caches serve the loads, low if a warp "
                "makes fewer than 8",
       .Method = "cuThermo (2025), Section IV.C",
       .Compared = "one load of each sector per block"},
      {.Name = "false_sharing",
       .Title = "False sharing",
       .Description = "Warps share sectors, but not the words in them.",
       .Profile = "heat",
       .Severity = OfSectors,
       .Limit = "medium at most for `counter`",
       .Method = "cuThermo (2025), Section IV.C",
       .Compared = "requests that use every byte of their sectors"},
      {.Name = "misaligned_access",
       .Title = "Misaligned access",
       .Description = "Requests for consecutive words begin inside a sector.",
       .Profile = "heat",
       .Severity = OfSectors,
       .Limit = "medium at most",
       .Method = "cuThermo (2025), Section IV.C",
       .Compared = "requests that begin at a sector"},
      {.Name = "strided_access",
       .Title = "Strided access",
       .Description = "Requests use a part of each sector.",
       .Profile = "heat",
       .Severity = OfSectors,
       .Limit = "for pieces of threads medium at most, and low up to 128 bytes, which caches hold",
       .Method = "cuThermo (2025), Section IV.C",
       .Compared = "requests that use every byte of their sectors"},
      {.Name = "shared_memory_abuse",
       .Title = "Unshared data in shared memory",
       .Description = "A shared array holds data of single threads or warps.",
       .Profile = "heat",
       .Severity = "medium for data of single threads from 512 bytes on, otherwise low",
       .Method = "cuThermo (2025), Sections VI.B and VI.C",
       .Compared = "registers, or shuffles within a warp"},
      {.Name = "bank_conflict",
       .Title = "Bank conflict",
       .Description = "Lanes of a warp access different words of one bank.",
       .Profile = "heat",
       .Severity = "high if 25 % of the kernel's wavefronts are needless, medium from 5 %, low "
                   "from 1 %, otherwise info",
       .Limit = "info where data decides on the words of atomics; low at most for copies that "
                "clang splits, and for other words that may be random",
       .Method = "GMProf",
       .Compared = "the fewest wavefronts that hold the accessed words"},
      {.Name = "local_memory",
       .Title = "Local memory",
       .Description = "An array or spilled registers are in local memory.",
       .Profile = "heat",
       .Severity = "medium from 128 bytes per thread on, the share of a thread in the L1 of a full "
                   "SM; otherwise low; info for `math_library`",
       .Method = "CUDA C++ Best Practices Guide, Local Memory",
       .Compared = "registers"},
      {.Name = "serialized_constant_load",
       .Title = "Serialized constant load",
       .Description = "Lanes of a warp load different words of constant memory.",
       .Profile = "heat",
       .Severity = "medium from 8 passes per request on, otherwise low",
       .Method = "CUDA C++ Programming Guide, Constant Memory",
       .Compared = "one pass per request"},
      {.Name = "poor_cache_locality",
       .Title = "Poor cache locality",
       .Description = "Caches evict data before its next use.",
       .Profile = "cache",
       .Severity =
           "high if half of the kernel's L2 or DRAM traffic is fetched again, medium from 10 %, "
           "otherwise low; low in kernels with less than 1 % of the program's traffic",
       .Method = "profiner (PG 2022)",
       .Compared = "caches that keep data until its next use"},
      {.Name = "underused_shared_memory",
       .Title = "Underused shared memory",
       .Description = "Shared memory is rarely or never accessed.",
       .Profile = "shared",
       .Severity = "high if one more block fits on an SM without the unused bytes; medium from "
                   "4,096 bytes, or from 1,024 bytes and a quarter of the block's shared memory; "
                   "low from 1,024 bytes; otherwise info",
       .Limit = "low at most if blocks were not counted; low for `one_access`, info for `no_reuse`",
       .Method = "GMProf (CCGrid 2012), Section I.B",
       .Compared = "an array of the accessed elements"},
      {.Name = "no_reuse_in_live_range",
       .Title = "No reuse in shared memory",
       .Description = "Data passes through shared memory without reuse.",
       .Profile = "shared",
       .Severity = "medium if more blocks fit on an SM without the array, otherwise low; info for "
                   "data that passes through",
       .Method = "GMProf (CCGrid 2012), Section V",
       .Compared = "data that is read more than once per live range"},
      {.Name = "atomic_contention",
       .Title = "Atomic contention",
       .Description = "Atomics whose results are used update few words.",
       .Profile = "global",
       .Severity =
           "medium if they are a quarter of the kernel's accesses of global memory, otherwise low",
       .Method = "Adinets, CUDA Pro Tip: Optimized Filtering with Warp-Aggregated Atomics, 2014",
       .Compared = "one atomic per warp"},
      {.Name = "shared_memory_candidate",
       .Title = "Shared memory candidate",
       .Description = "An array in global memory should be in shared memory.",
       .Profile = "global",
       .Severity = "medium if it saves a quarter of the kernel's global accesses and a block loads "
                   "each element 16 times or updates it, otherwise low; info if nothing fits",
       .Limit = "medium for `move_out`, low for `constant`",
       .Method = "GMProf (CCGrid 2012), Section VI.D",
       .Compared = "one access of each element per block"},
  };
  return All;
}

std::string severityRule(const PatternInfo &P) {
  return P.Limit ? std::string(P.Severity) + "; " + P.Limit : P.Severity;
}

const PatternInfo *findPattern(const std::string &Name) {
  for (const PatternInfo &P : allPatterns())
    if (Name == P.Name)
      return &P;
  return nullptr;
}

EvidenceUnit evidenceUnit(std::string_view Name) {
  const auto Has = [&](std::string_view Part) { return Name.find(Part) != Name.npos; };
  if (Has("bytes_per_second"))
    return EvidenceUnit::BytesPerSecond;
  if (Has("seconds"))
    return EvidenceUnit::Seconds;
  if ((Has("share") && !Has("shared")) || Has("rate") || Has("fragmentation") || Has("variation") ||
      Has("_of_fetched"))
    return EvidenceUnit::Percent;
  if (Has("bytes") && !Has("exact"))
    return EvidenceUnit::Bytes;
  return EvidenceUnit::Number;
}

std::string patternTitle(const std::string &Name) {
  const PatternInfo *Known = findPattern(Name);
  return Known ? Known->Title : Name;
}

const std::vector<ProfileChecks> &allProfileChecks() {
  static const std::vector<ProfileChecks> All = {
#define GMPROF_PROFILE(name, choice, Recorder, hasClones, objects, parts, calls, Accesses,         \
                       includes, measures, checks, counts)                                         \
  {#name, checks, counts},
#include "gmprof/profiles.def"
  };
  return All;
}

std::string measuredBy(const std::string &Profile) {
  for (const ProfileChecks &Each : allProfileChecks())
    if (Profile == Each.Profile)
      return Each.Measures;
  return Profile;
}

int severityRank(const std::string &Severity) {
  static constexpr const char *Severities[] = {"info", "low", "medium", "high"};
  const auto *At = std::find(std::begin(Severities), std::end(Severities), Severity);
  return At == std::end(Severities) ? -1 : static_cast<int>(At - Severities);
}

} // namespace gmprof
