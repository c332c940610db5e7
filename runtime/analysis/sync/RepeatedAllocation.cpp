//===- RepeatedAllocation.cpp - Finds page-locked memory per call ---------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CUDA C++ Best Practices Guide, Pinned Memory: page-locking is a heavyweight operation. A call
// site that allocates page-locked memory again and again, each time after it was freed, could keep
// it. Buffers that exist at the same time are not repeated.
//
//===----------------------------------------------------------------------===//

#include "analysis/Wording.h"
#include "analysis/sync/SyncFinding.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace gmprof::analysis {

using profile::Object;

namespace {

struct Buffer {
  uint64_t MadeNs = 0, Bytes = 0;
  std::optional<uint64_t> FreedNs;
  std::string FreedBy;
};

struct Repeated {
  uint64_t Allocations = 0, Repeats = 0, Largest = 0;
  std::string FreedBy;
};

} // namespace

/// Registering memory page-locks memory of the program, which may be another each time.
static bool allocatesPageLocked(const Object &O) {
  return O.Kind == log::ObjectKind::Pinned && !O.Made.InGraph && !O.Made.Api.empty() &&
         O.Made.Api.str().find("Register") == std::string::npos;
}

/// Counts the buffers that were allocated after the previous one was freed. Of is sorted by the
/// time of the allocation.
static Repeated repeatedOf(const std::vector<Buffer> &Of) {
  Repeated R;
  for (size_t I = 0; I < Of.size(); ++I) {
    ++R.Allocations;
    R.Largest = std::max(R.Largest, Of[I].Bytes);
    if (I == 0 || !Of[I - 1].FreedNs || *Of[I - 1].FreedNs > Of[I].MadeNs)
      continue;
    ++R.Repeats;
    R.FreedBy = Of[I - 1].FreedBy;
  }
  return R;
}

std::vector<Finding> repeatedAllocations(const SyncRuns &Runs, const SyncProblems &S) {
  std::map<std::string, std::vector<Buffer>> Made; // by line
  for (const Object &O : Runs.Trace->Objects) {
    if (!allocatesPageLocked(O))
      continue;
    Buffer B = {O.Made.TimeNs, O.Bytes, {}, {}};
    if (O.Released) {
      B.FreedNs = O.Released->TimeNs;
      B.FreedBy = O.Released->Api.str();
    }
    Made[lineKey(*Runs.Trace, O.Made.Api.str(), O.Made.CallPath)].push_back(std::move(B));
  }
  std::vector<Finding> All;
  if (Made.empty())
    return All;
  for (const auto &[Key, Calls] : callsByLine(Runs, S)) {
    auto Of = Made.find(Key);
    if (Of == Made.end())
      continue;
    std::ranges::sort(Of->second, {}, &Buffer::MadeNs);
    const Repeated R = repeatedOf(Of->second);
    // A second call of a function is no loop.
    if (R.Repeats < 2)
      continue;
    Finding F = syncFinding(Runs, S, *Calls.First, "repeated_allocation",
                            {Calls.CallNs / R.Allocations * R.Repeats, {}});
    addEvidence(F, {{"allocations", R.Allocations},
                    {"repeated", R.Repeats},
                    {"largest_bytes", R.Largest},
                    {"allocation_seconds", seconds(Calls.CallNs)}});
    F.Message =
        fmt::format("{} of {} page-lock memory again after {} has freed it (up to {} each).",
                    grouped(R.Repeats), plural(R.Allocations, Calls.First->Api + " call"),
                    R.FreedBy, bytesText(static_cast<double>(R.Largest)));
    F.Suggestion = fmt::format(
        "Allocate {} once, before the loop, and free it after the last use. {} waits for the GPU: "
        "wait for the buffer's last copy, for example with cudaEventSynchronize, before the host "
        "writes the buffer again.",
        bytesText(static_cast<double>(R.Largest)), R.FreedBy);
    All.push_back(std::move(F));
  }
  return All;
}

} // namespace gmprof::analysis
