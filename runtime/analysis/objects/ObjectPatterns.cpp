//===- ObjectPatterns.cpp - Common parts of object-level patterns ---------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/objects/ObjectPatterns.h"
#include "analysis/Wording.h"
#include <algorithm>
#include <fmt/format.h>

namespace gmprof::analysis {

ObjectInefficiencies::Key ObjectInefficiencies::keyOf(const ObjectInefficiency &I) const {
  const profile::ApiObject &O = Trace->Objects[I.Object];
  const profile::Api Allocation = Trace->Apis[O.Allocation];
  const uint32_t Path =
      I.Api == O.Allocation ? Allocation.CallPath : profile::Api(Trace->Apis[I.Api]).CallPath;
  return {I.Found.Pattern,       I.Found.Kind,
          Allocation.Name,       Trace->samePath(Allocation.CallPath),
          Trace->samePath(Path), O.Name,
          I.Found.Kernel,        O.Device,
          Trace->poolOf(O),      Allocation.CallPath == profile::None ? O.Bytes : 0};
}

void ObjectInefficiencies::push_back(ObjectInefficiency I) {
  auto [It, New] = Trace ? Index.try_emplace(keyOf(I), All.size()) : std::pair(Index.end(), true);
  if (New) {
    All.push_back(std::move(I));
    return;
  }
  ObjectInefficiency &One = All[It->second];
  if (I.Object != (One.Others.empty() ? One.Object : One.Others.back())) {
    One.Others.push_back(I.Object);
    if (One.Found.Also.empty())
      One.Found.Also = I.Found.Also;
    if (I.Reuses)
      One.OtherReuses.push_back(*I.Reuses);
  }
  // Redundant allocations are merged later, when all objects are known.
  if (!I.Reuses)
    One.Instead.merge(I.Instead);
}

std::string describeObject(const profile::ApiObject &O) {
  const std::string &Where = O.Caller.empty() ? O.Where.str() : O.Caller.str();
  if (!O.Name.empty())
    return quotedName(O.Name) + (Where.empty() ? "" : " (" + Where + ")");
  const std::string Bytes = bytesText(static_cast<double>(O.Bytes));
  const bool IsArray = O.Kind == log::ObjectKind::Array;
  return Where.empty()
             ? (IsArray ? "an array of " : "an allocation of ") + Bytes
             : fmt::format("the {} at {} ({})", IsArray ? "array" : "allocation", Where, Bytes);
}

std::string freeing(const ObjectPatternOptions &Options, const std::string &When) {
  return fmt::format("{} {}.", Options.IsPython ? "Drop the last reference to it" : "Free it",
                     When);
}

std::string describeApis(uint32_t Number) { return plural(Number, "CUDA operation"); }

std::string nameOf(const profile::Api &A) {
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

/// Abbreviates template arguments, or a name without any, to a limited length; library kernels have
/// very long ones.
static std::string abbreviated(const std::string &Name) {
  constexpr size_t Most = 60;
  const size_t Open = Name.find('<');
  if (Name.size() > Most && Name.find_first_of("<:") == std::string::npos)
    return Name.substr(0, Most - 1) + "…";
  if (Name.size() <= Most || Open == std::string::npos || Name.back() != '>')
    return Name;
  size_t End = Open + 1, Depth = 0;
  for (size_t I = Open; I + 1 < Name.size(); ++I) {
    Depth += std::string_view("<({").find(Name[I]) != std::string_view::npos;
    Depth -= std::string_view(">)}").find(Name[I]) != std::string_view::npos;
    if (Depth == 0) // the last bracket does not close these arguments
      return Name;
    if (Depth == 1 && Name[I] == ',' && I < Most)
      End = I + 1;
  }
  return Name.substr(0, End) + (End == Open + 1 ? "…>" : " …>");
}

std::string describeApi(const profile::Api &A) { return abbreviated(nameOf(A)); }

/// Returns the condition on the host's memory under which moved copies have the same result: the
/// host's stores are not recorded. Sets need no condition.
static std::string condition(const profile::ApiTrace &T, const std::vector<uint32_t> &Moved) {
  for (uint32_t Api : Moved) {
    const profile::Api A = T.Apis[Api];
    if (!A.WithHost)
      continue;
    const bool ToDevice =
        std::any_of(A.Accesses.begin(), A.Accesses.end(), [&](const profile::ApiAccess &Access) {
          return Access.Writes && T.Objects[Access.Object].Kind != log::ObjectKind::Pinned;
        });
    return ToDevice ? ", provided that the host buffer still holds the same data"
                    : ", provided that the host buffer is not used in between";
  }
  return "";
}

std::string apiWithPlace(const profile::ApiTrace &T, uint32_t Api) {
  const profile::Api A = T.Apis[Api];
  const bool IsKernel = A.Kind == profile::ApiKind::Launch && !A.Name.empty();
  const std::string Name = IsKernel ? quotedName(describeApi(A)) : describeApi(A);
  const bool HasPlace = A.CallPath < T.Places.size() && !T.Places[A.CallPath].empty();
  return HasPlace ? fmt::format("{} ({})", Name, T.Places[A.CallPath].str()) : Name;
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
  return fmt::format(", and move {} {}{}",
                     Moved.size() == 1 ? describeApi(H.trace().Apis[Moved[0]])
                                       : plural(Moved.size(), "copy"),
                     Where, condition(H.trace(), Moved));
}

std::string inItsStream(const profile::ApiTrace &T, const profile::ApiObject &O, uint32_t From,
                        uint32_t To) {
  return O.Kind == log::ObjectKind::AsyncPool &&
                 profile::Api(T.Apis[From]).Stream != profile::Api(T.Apis[To]).Stream
             ? " in its stream"
             : "";
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
