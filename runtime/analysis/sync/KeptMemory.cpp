//===- KeptMemory.cpp - Replaces cudaFree by memory reuse -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/sync/KeptMemory.h"
#include <algorithm>

namespace gmprof::analysis {

using log::CallKind;
using profile::ApiCall;

bool oneStream(const SyncTrace &T) {
  return std::all_of(T.Operations.begin(), T.Operations.end(), [&](const SyncOperation &O) {
    return O.Stream == T.Operations.front().Stream;
  });
}

namespace {

/// Finds the bytes that calls of cudaMalloc or cudaFree, or their driver counterparts, allocate or
/// release. The records of the call and of its object overlap in time.
class Sizes {
public:
  Sizes(const profile::Profile &P, CallKind Kind) {
    for (const profile::Object &O : P.Objects) {
      const profile::ObjectEvent *E = Kind == CallKind::Allocation ? &O.Made
                                      : O.Released                 ? &*O.Released
                                                                   : nullptr;
      if (E && (O.Kind == log::ObjectKind::Device || O.Kind == log::ObjectKind::Array))
        Events.push_back({E->Thread, E->BeginNs, E->EndNs, O.Bytes});
    }
    std::sort(Events.begin(), Events.end(), [](const Event &A, const Event &B) {
      return std::pair(A.Thread, A.BeginNs) < std::pair(B.Thread, B.BeginNs);
    });
  }
  /// Returns 0 if unknown.
  uint64_t of(const ApiCall &C) const {
    auto After = std::partition_point(Events.begin(), Events.end(), [&](const Event &E) {
      return std::pair(E.Thread, E.BeginNs) <= std::pair(C.Thread, C.EndNs);
    });
    if (After == Events.begin())
      return 0;
    const Event &Last = *std::prev(After);
    return Last.Thread == C.Thread && Last.EndNs >= C.BeginNs ? Last.Bytes : 0;
  }

private:
  struct Event {
    uint32_t Thread;
    uint64_t BeginNs, EndNs, Bytes;
  };
  std::vector<Event> Events;
};

} // namespace

void keepMemory(const profile::Profile &P, const SyncTrace &T, std::vector<ReplayChange> &Changes) {
  if (!oneStream(T))
    return;
  const Sizes Made(P, CallKind::Allocation), Released(P, CallKind::Release);
  std::map<uint64_t, uint64_t> Kept; ///< number of kept allocations, by size
  for (size_t I = 0; I < T.Calls.size(); ++I) {
    const ApiCall C = P.Calls[T.Calls[I].Index];
    if ((C.Api == "cudaFree" || C.Api == "cuMemFree") && Changes[I].Change == CallChange::NoWait) {
      if (const uint64_t Bytes = Released.of(C)) {
        ++Kept[Bytes];
        Changes[I].Change = CallChange::Gone;
      }
    } else if (C.Api == "cudaMalloc" || C.Api == "cuMemAlloc") {
      auto It = Kept.find(Made.of(C));
      if (It != Kept.end() && It->second != 0) {
        --It->second;
        Changes[I].Change = CallChange::Gone;
      }
    }
  }
}

} // namespace gmprof::analysis
