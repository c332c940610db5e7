//===- DuplicateTransfer.cpp - Finds duplicate transfers ------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Diogenes (SC'19), Section 3.3.2. Copies are duplicates if they have the same 128-bit hash, size,
// direction and destination. A duplicate can be removed only if the destination still held these
// bytes.
//
//===----------------------------------------------------------------------===//

#include "analysis/SyncFinding.h"
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace gmprof::analysis {

std::vector<CopyVerdict> duplicateTransfers(const profile::Profile &P, const SyncTrace &T) {
  std::vector<CopyVerdict> Verdicts(T.Calls.size());
  using Key = std::tuple<std::array<uint64_t, 2>, uint64_t, log::CopyDirection, uint64_t>;
  std::map<Key, uint32_t> First;
  std::map<uint64_t, const profile::Content *> ByOperation;
  for (const profile::Content &C : P.Contents)
    ByOperation[C.Operation] = &C;
  for (uint32_t I = 0; I < T.Calls.size(); ++I) {
    auto Content = ByOperation.find(P.Calls[T.Calls[I].Index].Operation);
    if (Content == ByOperation.end())
      continue;
    const profile::Content &C = *Content->second;
    CopyVerdict &V = Verdicts[I];
    V.Bytes = C.Bytes;
    V.Object = C.Object;
    V.Direction = C.Direction;
    auto [It, New] = First.try_emplace({C.Hash, C.Bytes, C.Direction, C.Destination}, I);
    // The destination may hold the bytes without an earlier copy.
    V.Identical = C.Identical.value_or(false);
    V.Duplicate = !New;
    if (V.Duplicate)
      V.First = It->second;
  }
  return Verdicts;
}

static const char *directionName(log::CopyDirection D) {
  switch (D) {
  case log::CopyDirection::HostToDevice:
    return "host_to_device";
  case log::CopyDirection::DeviceToHost:
    return "device_to_host";
  case log::CopyDirection::DeviceToDevice:
    return "device_to_device";
  case log::CopyDirection::HostToHost:
    return "host_to_host";
  }
  return "";
}

std::vector<Finding> duplicateTransferFindings(const SyncRuns &Runs, const SyncProblems &S) {
  std::vector<Finding> All;
  for (const SyncSite &Site : S.Sites) {
    if (Site.Duplicates == 0)
      continue;
    Finding F = syncFinding(Runs, S, Site, "duplicate_transfer", Site.DuplicateBenefit);
    const bool Needless = Site.Identical == Site.Duplicates;
    F.Kind = Needless ? "still_there" : "copied_again";
    F.ObjectId = Site.Object;
    F.Evidence = {{"copies", Site.Copies},
                  {"duplicates", Site.Duplicates},
                  {"duplicate_bytes", Site.DuplicateBytes},
                  {"destination_unchanged", Site.Identical},
                  {"direction", std::string(directionName(Site.Direction))},
                  {"call_seconds", seconds(Site.CallNs)}};
    if (Site.DuplicateSaving)
      F.Evidence.emplace_back("replay_seconds", seconds(*Site.DuplicateSaving));
    if (std::string First = placeOf(*Runs.Trace, Site.FirstCopy); !First.empty())
      F.Evidence.emplace_back("first_copy", First);
    F.Message = fmt::format("{} by {} {} bytes that were copied to the same place before{}.",
                            someOf(Site.Duplicates, Site.Copies, "copy"), Site.Api,
                            Site.Duplicates == 1 ? "moves" : "move",
                            Needless ? ", and were still there" : "");
    F.Suggestion =
        Needless
            ? "Copy once, before the loop or the first use, and leave out the other copies; make "
              "the source const, so that the compiler objects to writes in between."
            : "The destination was written in between. Keep an unchanged copy of the data on the "
              "side that needs it, and copy from there.";
    All.push_back(std::move(F));
  }
  return All;
}

} // namespace gmprof::analysis
