//===- ObjectPatterns.cpp - What object-level patterns share -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/ObjectPatterns.h"
#include <algorithm>
#include <fmt/format.h>

namespace gmprof::analysis {

std::string describeObject(const profile::ApiObject &O) {
  if (!O.Name.empty())
    return O.Name;
  return O.Where.empty() ? fmt::format("an object of {} bytes", O.Bytes)
                         : fmt::format("the object of {} ({} bytes)", O.Where, O.Bytes);
}

std::string describeApis(uint32_t Number) {
  return fmt::format("{} GPU API{}", Number, Number == 1 ? "" : "s");
}

std::string describeApi(const profile::Api &A) {
  if (!A.Name.empty())
    return A.Name;
  switch (A.Kind) {
  case profile::ApiKind::Allocation:
    return "an allocation";
  case profile::ApiKind::Release:
    return "a release";
  case profile::ApiKind::Copy:
    return "a copy";
  case profile::ApiKind::Set:
    return "a set";
  case profile::ApiKind::Launch:
    return "a kernel";
  }
  return "";
}

std::string andMove(const ObjectHistory &H, ObjectInefficiency &I,
                    const std::vector<uint32_t> &Moved, const std::string &Where) {
  if (Moved.empty())
    return "";
  auto Count = std::find_if(I.Found.Evidence.begin(), I.Found.Evidence.end(),
                            [](const auto &E) { return E.first == "copies_to_move"; });
  if (Count == I.Found.Evidence.end())
    Count = I.Found.Evidence.insert(Count, {"copies_to_move", uint64_t(0)});
  std::get<uint64_t>(Count->second) += Moved.size();
  return fmt::format(", and move {} {}",
                     Moved.size() == 1 ? describeApi(H.trace().Apis[Moved[0]])
                                       : fmt::format("{} copies", Moved.size()),
                     Where);
}

ObjectInefficiency objectInefficiency(const ObjectHistory &H, const char *Pattern,
                                      uint32_t Object) {
  const profile::ApiObject &O = H.trace().Objects[Object];
  ObjectInefficiency Result;
  Result.Object = Object;
  Result.Api = O.Allocation;
  Result.Found.Pattern = Pattern;
  Result.Found.Origin = "drgpum";
  Result.Found.Object = O.Name;
  Result.Found.ObjectBytes = O.Bytes;
  Result.Found.Evidence = {{"bytes", O.Bytes}};
  return Result;
}

} // namespace gmprof::analysis
