//===- ObjectPatterns.cpp - What object-level patterns share -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/ObjectPatterns.h"
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
