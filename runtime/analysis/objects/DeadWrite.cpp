//===- DeadWrite.cpp - Finds dead copies and sets -------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DrGPUM (ASPLOS'23), Definition 3.7: two copies or sets write the object, and no API accesses it
// in between. More strictly than in the paper, the second has to overwrite everything the first
// wrote, so that the first can be removed.
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

static ObjectInefficiency describe(const ObjectHistory &H, uint32_t Object, const DeadWrites &D) {
  const profile::ApiTrace &T = H.trace();
  ObjectInefficiency I = objectInefficiency(H, "dead_write", Object);
  I.Api = D.First;
  I.Found.Evidence.emplace_back("dead_writes", D.Count);
  I.Found.Evidence.emplace_back("dead_bytes", D.Bytes);
  I.Found.Evidence.emplace_back("overwritten_by", describeApi(T.Apis[D.By]));
  I.Found.Message =
      fmt::format("{} writes {}, and {} overwrites it before any operation reads it{}.",
                  apiWithPlace(T, D.First), describeObject(T.Objects[Object]),
                  apiWithPlace(T, D.By), D.Count == 1 ? "" : ", " + plural(D.Count, "time"));
  I.Found.Suggestion = fmt::format("Remove {}.", apiWithPlace(T, D.First));
  return I;
}

ObjectInefficiencies deadWrites(const ObjectHistory &H, const ObjectPatternOptions &) {
  ObjectInefficiencies Found(H.trace());
  const profile::ApiTrace &T = H.trace();
  for (uint32_t Object = 0; Object < T.Objects.size(); ++Object) {
    std::vector<Write> Pending;
    // Merge writes with the same call path and API.
    std::map<std::pair<uint32_t, std::string>, DeadWrites> Dead;
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
          if (H.mayBeUsed(Object, W.Api, Use))
            return true;
          const Api &First = T.Apis[W.Api];
          DeadWrites &D = Dead[{First.CallPath, nameOf(First)}];
          if (D.Count++ == 0)
            D.First = W.Api, D.By = Use;
          D.Bytes += W.Bytes;
          return true;
        });
        Pending.push_back({Use, Access.Offset, Access.Bytes});
      }
    }
    for (const auto &[_, D] : Dead)
      Found.push_back(describe(H, Object, D));
  }
  return Found;
}

} // namespace gmprof::analysis
