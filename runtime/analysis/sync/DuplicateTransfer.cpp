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
// A copy to the device is also redundant if an earlier copy brought these bytes to the host and the
// destination still holds them: the data makes a round trip.
//
// Copies to the host need a stricter rule: the program may poll for a change, as a loop does that
// reads a flag. Such a copy counts only if nothing read the bytes that the previous copy brought to
// the same place: then the previous copy was redundant, whatever its content. Host functions count
// as possible readers.
//
// If the previous copy of a call to the same place had other bytes, its source changes: then the
// advice is to copy only after a change, of the source or of the destination: that no kernel
// changed the destination in this run is no promise for others.
//
//===----------------------------------------------------------------------===//

#include "analysis/Wording.h"
#include "analysis/sync/SiteCallers.h"
#include "analysis/sync/SyncFinding.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>

namespace gmprof::analysis {

namespace {

/// The last copy to a place of the host.
struct LastCopy {
  uint64_t Operation;
  std::array<uint64_t, 2> Hash;
  uint64_t HostWork; ///< functions of the host and the like that had been given before
};

/// Operations whose results the host used, or may have used.
std::set<uint64_t> usedOperations(const profile::Profile &P) {
  std::set<uint64_t> Used;
  for (const profile::HostUse &U : P.Uses)
    if (U.Kind != log::UseKind::OnlyByCode)
      Used.insert(U.Operation);
  return Used;
}

} // namespace

std::vector<CopyVerdict> duplicateTransfers(const profile::Profile &P, const SyncTrace &T) {
  std::vector<CopyVerdict> Verdicts(T.Calls.size());
  using Key = std::tuple<std::array<uint64_t, 2>, uint64_t, log::CopyDirection, uint64_t>;
  std::map<Key, uint32_t> First;
  std::map<std::pair<uint64_t, uint64_t>, LastCopy> OnHost; ///< by address and bytes
  /// Hashes by call path, destination and bytes.
  std::map<std::tuple<uint32_t, uint64_t, uint64_t>, std::array<uint64_t, 2>> LastOfCall;
  std::map<std::pair<std::array<uint64_t, 2>, uint64_t>, uint32_t> Fetched; ///< by hash and bytes
  std::map<uint64_t, const profile::Content *> ByOperation;
  for (const profile::Content &C : P.Contents)
    ByOperation[C.Operation] = &C;
  const std::set<uint64_t> Used = usedOperations(P);
  const bool KnowsUses = std::none_of(P.Gaps.begin(), P.Gaps.end(), [](const profile::Gap &G) {
    return G.What == "uses by the host";
  });
  uint64_t HostWork = 0;
  for (uint32_t I = 0; I < T.Calls.size(); ++I) {
    const profile::ApiCall Call = P.Calls[T.Calls[I].Index];
    HostWork += Call.UsesHost;
    auto Content = ByOperation.find(Call.Operation);
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
    V.Overwritten = !C.Identical.value_or(true);
    V.Duplicate = !New;
    const auto [Last, FirstOfCall] =
        LastOfCall.try_emplace({Call.CallPath, C.Destination, C.Bytes}, C.Hash);
    V.Changed = !FirstOfCall && Last->second != C.Hash;
    V.Overwritten |= V.Changed && !V.Identical;
    Last->second = C.Hash;
    if (C.Direction == log::CopyDirection::DeviceToHost) {
      const LastCopy Now = {C.Operation, C.Hash, HostWork};
      auto [Previous, None] = OnHost.try_emplace({C.Destination, C.Bytes}, Now);
      V.Duplicate = !None && KnowsUses && V.Identical && Previous->second.Hash == C.Hash &&
                    Previous->second.HostWork == HostWork &&
                    !Used.count(Previous->second.Operation);
      Previous->second = Now;
      Fetched.insert_or_assign({C.Hash, C.Bytes}, I);
    }
    if (V.Duplicate)
      V.First = It->second;
    if (C.Direction != log::CopyDirection::HostToDevice || V.Duplicate || !V.Identical)
      continue;
    if (const auto From = Fetched.find({C.Hash, C.Bytes}); From != Fetched.end()) {
      V.Duplicate = V.RoundTrip = true;
      V.First = From->second;
    }
  }
  return Verdicts;
}

static bool isRoundTrip(const SyncSite &Site) {
  return Site.RoundTrips != 0 && Site.RoundTrips == Site.Duplicates;
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

static std::string messageFor(const SyncRuns &Runs, const SyncSite &Site) {
  const bool One = Site.Copies == 1;
  const std::string Calls = One ? fmt::format("The {} call", Site.Api)
                            : Site.Duplicates == Site.Copies
                                ? "All " + plural(Site.Copies, Site.Api + " call")
                                : fmt::format("{} of {}", grouped(Site.Duplicates),
                                              plural(Site.Copies, Site.Api + " call"));
  const std::string Fetched = placeOf(*Runs.Trace, Site.FirstCopy);
  const std::string What =
      Site.Direction == log::CopyDirection::DeviceToHost
          ? "back what the host has already and has not read"
      : isRoundTrip(Site) ? fmt::format("what the destination holds already and {} has brought to "
                                        "the host",
                                        Fetched.empty() ? "a copy" : "the copy in " + Fetched)
      : Site.Identical == Site.Duplicates ? "what the destination holds already"
      : Site.Overwritten == 0             ? "what was copied to the same place before"
                              : "what was copied to the same place before and overwritten";
  return fmt::format("{} {}{} {} ({}).", Calls,
                     Site.Direction == log::CopyDirection::DeviceToHost ? "bring" : "write",
                     One ? "s" : "", What, plural(Site.DuplicateBytes, "byte"));
}

/// Returns the advice for a call whose source changed between copies to one place.
static std::string suggestionForChanges(const SyncSite &Site) {
  const std::string Changes =
      fmt::format("{} of the {} copies bring{} other data than the one before",
                  grouped(Site.Changed), grouped(Site.Copies), Site.Changed == 1 ? "s" : "");
  return Site.Overwritten != 0
             ? fmt::format("Keep the copy: {}. Data that comes again can stay on the device in a "
                           "buffer of its own, if the program knows which data it is.",
                           Changes)
             : fmt::format("Copy only after the host has changed the source, or a kernel the "
                           "destination: {}.",
                           Changes);
}

/// Returns the fix with its condition: that nothing changed in this run is no promise for others.
static std::string suggestionFor(const SyncSite &Site) {
  const bool Restores = Site.Overwritten != 0;
  if (Site.Changed != 0 && Site.Direction != log::CopyDirection::DeviceToHost && !isRoundTrip(Site))
    return suggestionForChanges(Site);
  switch (Site.Direction) {
  case log::CopyDirection::DeviceToHost:
    return "Copy once, after the loop or right before the host reads the data, provided that "
           "nothing reads the host buffer in between.";
  case log::CopyDirection::HostToDevice:
    if (isRoundTrip(Site))
      return "Keep the data on the device, and copy it there only if the host has changed it since "
             "it was copied back.";
    return Restores
               ? "The destination was written in between, so the data has to be restored: if the "
                 "host never changes the source, keep an unchanged copy on the device, and copy "
                 "from there."
               : "Copy once, before the loop or the first use, provided that neither the host "
                 "writes the source nor a kernel the destination in between; declare the source "
                 "const, so that the compiler rejects writes to it.";
  default:
    return Restores ? "The destination was written in between, so the data has to be restored: "
                      "keep the copy, or let what writes the destination write to another buffer."
                    : "Copy once, before the loop or the first use, provided that nothing writes "
                      "the source or the destination in between.";
  }
}

std::vector<Finding> duplicateTransferFindings(const SyncRuns &Runs, const SyncProblems &S) {
  std::vector<Finding> All;
  for (const SyncSite &Site : S.Sites) {
    if (Site.Duplicates == 0)
      continue;
    Finding F = syncFinding(Runs, S, Site, "duplicate_transfer",
                            {Site.DuplicateBenefit, Site.DuplicateSaving});
    F.Kind = isRoundTrip(Site)                   ? "round_trip"
             : Site.Identical == Site.Duplicates ? "still_there"
                                                 : "copied_again";
    F.ObjectId = Site.Object;
    addEvidence(F, {{"copies", Site.Copies},
                    {"duplicates", Site.Duplicates},
                    {"duplicate_bytes", Site.DuplicateBytes},
                    {"destination_unchanged", Site.Identical},
                    {"direction", std::string(directionName(Site.Direction))},
                    {"call_seconds", seconds(Site.CallNs)}});
    if (Site.Changed != 0)
      F.Evidence.emplace_back("changes", Site.Changed);
    // Nothing says which data comes again.
    if (Site.Changed != 0 && Site.Overwritten != 0)
      F.Level = std::min(F.Level, Severity::Low);
    if (std::string First = placeOf(*Runs.Trace, Site.FirstCopy); !First.empty())
      F.Evidence.emplace_back("first_copy", First);
    F.Message = messageFor(Runs, Site) + callerSentence(Site);
    F.Suggestion = suggestionFor(Site);
    All.push_back(std::move(F));
  }
  return All;
}

} // namespace gmprof::analysis
