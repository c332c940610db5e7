//===- ObjectsSummary.cpp - Objects of global memory in summary.json ------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/builder/ObjectsSummary.h"
#include "analysis/ProgramSource.h"
#include "report/model/SummaryNames.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>

namespace gmprof {

using log::ObjectKind;
using profile::None;

std::optional<summary::Source> sourceOf(const profile::CallPath &Path) {
  return source(analysis::programSource(Path));
}

double ObjectsSummary::seconds(uint64_t TimeNs) const {
  const uint64_t Start = P.TheRun.SteadyStartNs;
  return TimeNs > Start ? static_cast<double>(TimeNs - Start) / 1e9 : 0;
}

/// Merges paths that differ only in addresses, like those from an unrolled loop.
std::optional<uint32_t> ObjectsSummary::callPath(uint32_t Index) {
  return Index == None ? std::nullopt : std::optional(callPath(P.CallPaths[Index]));
}

uint32_t ObjectsSummary::callPath(const profile::CallPath &Of) {
  std::vector<summary::Frame> Path;
  std::string Key;
  for (const profile::Frame &F : Of.Frames) {
    if (analysis::isWrapper(F))
      continue;
    Path.push_back({F.Function, source(F.Source), F.Inlined, F.Image, F.Address});
    Key += fmt::format("{}\n{}\n{}\n{}\n{}\n", F.Function, F.Source.File, F.Source.Line, F.Image,
                       F.Function.empty() ? F.Address : 0);
  }
  auto [It, New] = PathIndex.try_emplace(Key, 0);
  if (New)
    It->second = Paths.add(Path);
  return It->second;
}

summary::ObjectEvent ObjectsSummary::event(const profile::ObjectEvent &E) {
  summary::ObjectEvent To;
  To.api = E.Api;
  To.seconds = seconds(E.TimeNs);
  To.thread = E.Thread;
  if (E.Stream != 0)
    To.stream = E.Stream;
  To.call_path = callPath(E.CallPath);
  if (E.CallPath != None)
    To.source = sourceOf(P.CallPaths[E.CallPath]);
  return To;
}

void ObjectsSummary::add(const profile::Object &O) {
  auto Index = static_cast<uint32_t>(S.objects.size());
  IndexById[O.Id] = Index;
  summary::Object &To = S.objects.emplace_back();
  To.id = Index;
  To.name = O.Name;
  To.kind = objectKindName(O.Kind);
  To.bytes = O.Bytes;
  if (O.Kind == ObjectKind::Array) {
    To.extent.emplace();
    for (uint32_t Elements : O.Extent)
      if (Elements != 0)
        To.extent->push_back(Elements);
    if (O.ElementBytes != 0)
      To.element_bytes = O.ElementBytes;
  }
  if (O.Address != 0)
    To.address = O.Address;
  To.device = O.Device;
  bool OfModule = O.Kind == ObjectKind::GlobalVariable || O.Kind == ObjectKind::Constant;
  if (!OfModule) {
    To.alloc = event(O.Made);
    To.source = To.alloc->source;
    To.released = O.Released.has_value();
  }
  if (O.Released)
    To.free = event(*O.Released);
}

/// Returns the numbers of parts of pools that are like MaxAlike earlier ones: a training makes the
/// same tensors in each step.
static std::set<uint64_t> furtherParts(const profile::Profile &P) {
  using Alike = std::tuple<uint32_t, std::optional<uint32_t>, uint64_t, profile::Name>;
  std::map<Alike, size_t> Counts;
  std::set<uint64_t> Further;
  for (const profile::Object &O : P.Objects)
    if (O.Kind == ObjectKind::Pool &&
        ++Counts[{O.Made.CallPath, O.Released ? std::optional(O.Released->CallPath) : std::nullopt,
                  O.Bytes, O.Name}] > ObjectsSummary::MaxAlike)
      Further.insert(O.Id);
  return Further;
}

/// Returns the largest objects in the order of creation; of equally large ones, the older are kept.
static std::vector<profile::Object> largest(const profile::Profile &P,
                                            const std::set<uint64_t> &Except, size_t Number) {
  std::vector<std::pair<uint64_t, uint64_t>> Sizes; // negated sizes: larger ones sort first
  for (const profile::Object &O : P.Objects)
    if (!Except.contains(O.Id))
      Sizes.emplace_back(~O.Bytes, O.Id);
  if (Sizes.size() > Number)
    std::nth_element(Sizes.begin(), Sizes.begin() + static_cast<ptrdiff_t>(Number), Sizes.end());
  const auto Limit = Sizes.size() > Number ? Sizes[Number] : std::pair(UINT64_MAX, UINT64_MAX);
  std::vector<profile::Object> Kept;
  for (const profile::Object &O : P.Objects)
    if (std::pair(~O.Bytes, O.Id) < Limit && !Except.contains(O.Id))
      Kept.push_back(O);
  std::sort(Kept.begin(), Kept.end(),
            [](const profile::Object &A, const profile::Object &B) { return A.Id < B.Id; });
  return Kept;
}

void ObjectsSummary::build() {
  if (P.Objects.empty())
    return;
  summary::Memory &M = S.memory.emplace();
  M.objects = P.Objects.size();
  Further = furtherParts(P);
  const std::vector<profile::Object> Kept = largest(P, Further, MaxObjects);
  M.objects_omitted = P.Objects.size() - Kept.size();
  for (const profile::Object &O : Kept)
    add(O);
  for (const profile::Object &O : Kept)
    if (O.Parent != 0)
      S.objects[IndexById[O.Id]].parent = indexOf(O.Parent);
}

std::optional<uint32_t> ObjectsSummary::find(uint64_t Id) const {
  auto It = IndexById.find(Id);
  return It == IndexById.end() ? std::nullopt : std::optional(It->second);
}

std::optional<uint32_t> ObjectsSummary::listed(uint64_t Id) {
  const std::optional<uint32_t> Known = find(Id);
  return Known || Further.contains(Id) ? Known : std::optional(indexOf(Id));
}

uint32_t ObjectsSummary::indexOf(uint64_t Id) {
  auto It = IndexById.find(Id);
  if (It != IndexById.end())
    return It->second;
  auto Same = [&](const profile::Object &O) { return O.Id == Id; };
  auto Omitted = std::find_if(P.Objects.begin(), P.Objects.end(), Same);
  if (Omitted != P.Objects.end()) {
    add(*Omitted);
    --S.memory->objects_omitted;
  } else {
    // The object's record was lost.
    profile::Object Unknown;
    Unknown.Id = Id;
    add(Unknown);
  }
  return IndexById[Id];
}

} // namespace gmprof
