//===- RepeatedAllocation.cpp - Finds memory allocated per call -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CUDA C++ Best Practices Guide, Pinned Memory and Device Memory Allocation: page-locking is a
// heavyweight operation, and device memory should be reused. A line that allocates memory again and
// again, each time after as much was freed, could keep it. Buffers that exist at the same time are
// not repeated.
//
// Device memory counts from 8 repetitions on, a loop. Memory of stream-ordered pools, of libraries
// and of Python programs does not: their allocators keep it. A buffer that grows is allocated again
// only when it becomes larger. If the waits of the free have a finding, that is the cause.
//
//===----------------------------------------------------------------------===//

#include "analysis/CallingLibrary.h"
#include "analysis/Wording.h"
#include "analysis/sync/SyncFinding.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <utility>

namespace gmprof::analysis {

using profile::None;
using profile::Object;

namespace {

struct Buffer {
  uint64_t MadeNs = 0, FreedNs = UINT64_MAX, Bytes = 0;
  uint64_t CallNs = 0; ///< duration of the allocation
  std::string FreedBy;
  uint32_t FreePath = None; ///< call path of the release
};

/// The memory that calls of one function at one line allocate.
struct Line {
  bool PageLocked = false;
  std::vector<Buffer> Buffers;
  std::set<std::string> Names; ///< of the variables; empty: unknown
};

struct Repeated {
  uint64_t Allocations = 0, Repeats = 0, Largest = 0;
  uint64_t Ns = 0; ///< duration of the repeats: a first call may start the device
  size_t MostAtOnce = 0;
  const Buffer *Freed = nullptr; ///< memory that an allocation repeats
};

} // namespace

/// Returns false for registered memory: registering page-locks memory of the program, which may be
/// another each time.
static bool allocatesPageLocked(const Object &O) {
  return O.Kind == log::ObjectKind::Pinned &&
         O.Made.Api.str().find("Register") == std::string::npos;
}

static bool allocatesDeviceMemory(const profile::Profile &P, const Object &O) {
  const std::string &Api = O.Made.Api.str();
  return O.Kind == log::ObjectKind::Device && O.Parent == 0 && P.PythonStacks.empty() &&
         (Api.starts_with("cudaMalloc") || Api.starts_with("cuMemAlloc")) &&
         Api.find("Async") == std::string::npos &&
         (O.Made.CallPath == None || callingLibrary(P.CallPaths[O.Made.CallPath]).empty());
}

static std::map<std::string, Line> allocationsByLine(const profile::Profile &P) {
  std::map<std::string, Line> Made;
  for (const Object &O : P.Objects) {
    const bool PageLocked = allocatesPageLocked(O);
    if (O.Made.InGraph || O.Made.Api.empty() || (!PageLocked && !allocatesDeviceMemory(P, O)))
      continue;
    Line &Of = Made[lineKey(P, O.Made.Api.str(), O.Made.CallPath)];
    Of.PageLocked = PageLocked;
    Of.Names.insert(O.Name.str());
    Buffer &B = Of.Buffers.emplace_back();
    B.MadeNs = O.Made.TimeNs;
    B.Bytes = O.Bytes;
    B.CallNs = O.Made.EndNs - std::min(O.Made.EndNs, O.Made.BeginNs);
    if (O.Released) {
      B.FreedNs = O.Released->TimeNs;
      B.FreedBy = O.Released->Api.str();
      B.FreePath = O.Released->CallPath;
    }
  }
  for (auto &[Key, Of] : Made)
    std::ranges::sort(Of.Buffers, {},
                      [](const Buffer &B) { return std::pair(B.MadeNs, B.FreedNs); });
  return Made;
}

/// Counts the allocations that can reuse memory which the line has allocated and the program has
/// freed. Device memory can be reused if it is at least as large.
static Repeated repeatedOf(const Line &Of) {
  Repeated R;
  std::multimap<uint64_t, const Buffer *> Held; // by the time of the release
  std::multimap<uint64_t, const Buffer *> Free; // by size
  for (const Buffer &B : Of.Buffers) {
    while (!Held.empty() && Held.begin()->first <= B.MadeNs) {
      Free.emplace(Held.begin()->second->Bytes, Held.begin()->second);
      Held.erase(Held.begin());
    }
    const auto Fits = Of.PageLocked ? Free.begin() : Free.lower_bound(B.Bytes);
    if (Fits != Free.end()) {
      ++R.Repeats;
      R.Ns += B.CallNs;
      R.Freed = Fits->second;
      Free.erase(Fits);
    }
    ++R.Allocations;
    R.Largest = std::max(R.Largest, B.Bytes);
    Held.emplace(B.FreedNs, &B);
    R.MostAtOnce = std::max(R.MostAtOnce, Held.size());
  }
  return R;
}

/// Returns the names of the variables: `a` and `b`; "memory" if they are unknown or many.
static std::string namesOf(const Line &Of) {
  if (Of.Names.size() > 3 || Of.Names.contains(""))
    return "memory";
  std::string Text;
  size_t Left = Of.Names.size();
  for (const std::string &Name : Of.Names) {
    --Left;
    Text += quotedName(Name) + (Left > 1 ? ", " : Left == 1 ? " and " : "");
  }
  return Text;
}

static void describe(Finding &F, const Line &Of, const Repeated &R, const std::string &Api) {
  const std::string &FreedBy = R.Freed->FreedBy;
  const std::string Largest = bytesText(static_cast<double>(R.Largest));
  const std::string Calls =
      fmt::format("{} of {}", grouped(R.Repeats), plural(R.Allocations, Api + " call"));
  if (Of.PageLocked) {
    F.Message = fmt::format("{} page-lock memory again after {} has freed it (up to {} each).",
                            Calls, FreedBy, Largest);
    F.Suggestion = fmt::format(
        "Allocate {} once, before the loop, and free it after the last use. {} waits for the GPU: "
        "wait for the buffer's last copy, for example with cudaEventSynchronize, before the host "
        "writes the buffer again.",
        Largest, FreedBy);
    return;
  }
  F.Kind = "device";
  F.Message = fmt::format("{} allocate {} again after {} has freed as much (up to {} each).", Calls,
                          namesOf(Of), FreedBy, Largest);
  F.Suggestion = fmt::format(
      "Allocate {} once, before the loop, and free {} after the last use, provided that no other "
      "allocation needs the memory in between. {} waits for the GPU: where the host or another "
      "stream relies on that, wait there.",
      R.MostAtOnce == 1 ? Largest : fmt::format("these {} buffers", R.MostAtOnce),
      R.MostAtOnce == 1 ? "it" : "them", FreedBy);
}

std::vector<Finding> repeatedAllocations(const SyncRuns &Runs, const SyncProblems &S) {
  std::vector<Finding> All;
  const std::map<std::string, Line> Made = allocationsByLine(*Runs.Trace);
  if (Made.empty())
    return All;
  const std::map<std::string, CallsOfLine> Lines = callsByLine(Runs, S);
  for (const auto &[Key, Calls] : Lines) {
    const auto Of = Made.find(Key);
    if (Of == Made.end())
      continue;
    const Repeated R = repeatedOf(Of->second);
    // A second call of a function is no loop. Device memory is allocated faster.
    const bool PageLocked = Of->second.PageLocked;
    if (R.Repeats < (PageLocked ? 2 : 8))
      continue;
    const auto Frees = Lines.find(lineKey(*Runs.Trace, R.Freed->FreedBy, R.Freed->FreePath));
    if (!PageLocked && Frees != Lines.end() && Frees->second.UnnecessaryWaits)
      continue;
    Finding F = syncFinding(Runs, S, *Calls.First, "repeated_allocation", {R.Ns, {}});
    // The estimate leaves out the frees and the work that does not overlap because they wait.
    if (!PageLocked)
      F.Level = std::max(F.Level, Severity::Low);
    addEvidence(F, {{"allocations", R.Allocations},
                    {"repeated", R.Repeats},
                    {"largest_bytes", R.Largest},
                    {"allocation_seconds", seconds(Calls.CallNs)}});
    describe(F, Of->second, R, Calls.First->Api);
    All.push_back(std::move(F));
  }
  return All;
}

} // namespace gmprof::analysis
