//===- DeadWrite.cpp - Finds dead copies and sets -------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DrGPUM (ASPLOS'23), Definition 3.7: two copies or sets write the object, and no API accesses it
// in between. More strictly than in the paper, the second has to overwrite everything the first
// wrote, and no launch in between may access the object for other data (a counter that a kernel
// increments under a condition), so that the first can be removed.
//
//===----------------------------------------------------------------------===//

#include "analysis/Wording.h"
#include "analysis/objects/ObjectPatterns.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace gmprof::analysis {

using profile::Api;
using profile::ApiAccess;
using profile::ApiKind;

namespace {

/// A copy or set whose data nothing has read yet.
struct Write {
  uint32_t Api;
  uint64_t Offset, Bytes;
};

struct DeadWrites {
  uint64_t Count = 0, Bytes = 0;
  uint32_t First = 0, By = 0; ///< the first dead write, and the write that overwrote it
};

} // namespace

static bool writesRange(const ApiAccess &Access) {
  return Access.Writes && !Access.Reads && Access.Bytes != 0;
}

CallSite callSite(const profile::ApiTrace &T, const Api &A) {
  const bool HasPlace = A.CallPath < T.Places.size() && !T.Places[A.CallPath].empty();
  return {HasPlace ? T.Places[A.CallPath].str() : std::to_string(A.CallPath), nameOf(A)};
}

/// Counts all copies and sets of these call sites, dead or not.
static void countCalls(const ObjectHistory &H, std::map<CallSite, uint64_t> &Calls) {
  for (uint32_t I = 0; I < H.trace().Apis.size(); ++I)
    if (H.kind(I) == ApiKind::Copy || H.kind(I) == ApiKind::Set)
      if (auto It = Calls.find(callSite(H.trace(), H.trace().Apis[I])); It != Calls.end())
        ++It->second;
}

/// Describes dead writes of a call site. Calls: of the site; Dead: of these, for any object.
static ObjectInefficiency describe(const ObjectHistory &H, uint32_t Object, const DeadWrites &D,
                                   uint64_t Calls, uint64_t Dead) {
  const profile::ApiTrace &T = H.trace();
  ObjectInefficiency I = objectInefficiency(H, "dead_write", Object);
  I.Api = D.First;
  I.Found.Evidence.emplace_back("dead_writes", D.Count);
  I.Found.Evidence.emplace_back("dead_bytes", D.Bytes);
  I.Found.Evidence.emplace_back("overwritten_by", describeApi(T.Apis[D.By]));
  const std::string Write = apiWithPlace(T, D.First), Times = plural(D.Count, "time");
  const bool ByItself = callSite(T, T.Apis[D.First]) == callSite(T, T.Apis[D.By]);
  I.Found.Message =
      ByItself ? fmt::format("{} writes {}, and overwrites it {} before any operation reads it.",
                             Write, describeObject(T.Objects[Object]), Times)
               : fmt::format("{} writes {}, and {} overwrites it before any operation reads it{}.",
                             Write, describeObject(T.Objects[Object]), apiWithPlace(T, D.By),
                             D.Count == 1 ? "" : ", " + Times);
  if (Dead == Calls)
    I.Found.Suggestion = fmt::format("Remove {}.", Write);
  else
    I.Found.Suggestion =
        fmt::format("Keep the calls whose data is read, and leave out {} of the {}{}.",
                    grouped(Dead), plural(Calls, "call"),
                    ByItself ? ", for example by a single call behind the loop, if the source then "
                               "holds all of the data"
                             : "");
  return I;
}

ObjectInefficiencies deadWrites(const ObjectHistory &H, const ObjectPatternOptions &) {
  const profile::ApiTrace &T = H.trace();
  std::vector<std::pair<uint32_t, std::map<CallSite, DeadWrites>>> All; ///< by object
  std::map<CallSite, uint64_t> Calls, DeadCalls;
  for (uint32_t Object = 0; Object < T.Objects.size(); ++Object) {
    if (H.isAllocated(Object) && H.isNeverRead(Object))
      continue;
    std::vector<Write> Pending;
    std::map<CallSite, DeadWrites> Dead;
    for (uint32_t Use : H.uses(Object)) {
      if (H.kind(Use) != ApiKind::Copy && H.kind(Use) != ApiKind::Set) {
        Pending.clear();
        continue;
      }
      const Api &A = T.Apis[Use];
      for (const ApiAccess &Access : A.Accesses) {
        if (Access.Object != Object)
          continue;
        if (!writesRange(Access)) {
          Pending.clear();
          continue;
        }
        uint64_t End = Access.Offset + Access.Bytes;
        std::erase_if(Pending, [&](const Write &W) {
          if (Access.Offset > W.Offset || W.Offset + W.Bytes > End)
            return false;
          if (H.mayBeUsed(Object, W.Api, Use) ||
              H.skippedBetween(Object, W.Api, Use) != profile::None)
            return true;
          const Api &First = T.Apis[W.Api];
          DeadWrites &D = Dead[callSite(T, First)];
          if (D.Count++ == 0)
            D.First = W.Api, D.By = Use;
          D.Bytes += W.Bytes;
          return true;
        });
        Pending.push_back({Use, Access.Offset, Access.Bytes});
      }
    }
    for (const auto &[Site, D] : Dead) {
      Calls.try_emplace(Site, 0);
      DeadCalls[Site] += D.Count;
    }
    if (!Dead.empty())
      All.emplace_back(Object, std::move(Dead));
  }
  if (!Calls.empty())
    countCalls(H, Calls);
  ObjectInefficiencies Found(T);
  for (const auto &[Object, Dead] : All)
    for (const auto &[Site, D] : Dead)
      Found.push_back(describe(H, Object, D, Calls[Site], DeadCalls[Site]));
  return Found;
}

} // namespace gmprof::analysis
