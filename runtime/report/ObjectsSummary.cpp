//===- ObjectsSummary.cpp - Objects of global memory in summary.json ------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/ObjectsSummary.h"
#include "report/SummaryNames.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <string_view>
#include <tuple>

namespace gmprof {

using log::ObjectKind;
using profile::None;

/// Larger first, then older first.
static bool isLarger(const profile::Object *A, const profile::Object *B) {
  return A->Bytes != B->Bytes ? A->Bytes > B->Bytes : A->Id < B->Id;
}

/// The templates around cudaMalloc and others are in a header of CUDA's.
static bool isCudaHeader(const profile::Frame &F) {
  std::string_view File = F.Source.File;
  return File.substr(File.rfind('/') + 1) == "cuda_runtime.h";
}

std::optional<summary::Source> sourceOf(const profile::CallPath &Path) {
  for (const profile::Frame &F : Path.Frames)
    if (!F.Source.File.empty() && F.Source.Line != 0 && !isCudaHeader(F))
      return source(F.Source);
  return std::nullopt;
}

double ObjectsSummary::seconds(uint64_t TimeNs) const {
  uint64_t Start = P.TheRun.SteadyStartNs;
  return TimeNs > Start ? static_cast<double>(TimeNs - Start) / 1e9 : 0;
}

/// Paths that differ only in addresses are one, as those through an unrolled loop.
std::optional<uint32_t> ObjectsSummary::callPath(uint32_t Index) {
  if (Index == None)
    return std::nullopt;
  std::vector<summary::Frame> Path;
  std::string Key;
  for (const profile::Frame &F : P.CallPaths[Index].Frames) {
    if (isCudaHeader(F))
      continue;
    Path.push_back({F.Function, source(F.Source), F.Inlined, F.Image, F.Address});
    Key += fmt::format("{}\n{}\n{}\n{}\n{}\n", F.Function, F.Source.File, F.Source.Line, F.Image,
                       F.Function.empty() ? F.Address : 0);
  }
  auto [It, New] = PathIndex.try_emplace(Key, static_cast<uint32_t>(S.call_paths.size()));
  if (New)
    S.call_paths.push_back(std::move(Path));
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

/// The sum over what is alive, at each time of a change.
void ObjectsSummary::memory() {
  summary::Memory &M = S.memory.emplace();
  M.objects = P.Objects.size();
  M.objects_omitted = P.Objects.size() - IndexById.size();

  struct Change {
    uint64_t TimeNs;
    const profile::Object *Of;
    bool Made;
  };
  std::map<uint32_t, std::vector<Change>> Devices;
  for (const profile::Object &O : P.Objects) {
    if (O.Kind == ObjectKind::Pinned)
      continue; // the host's memory
    Devices[O.Device].push_back({O.Made.TimeNs, &O, true});
    if (O.Released)
      Devices[O.Device].push_back({O.Released->TimeNs, &O, false});
  }
  for (auto &[Device, Changes] : Devices) {
    // Of what happens at one time: an older object goes before a newer one comes.
    std::sort(Changes.begin(), Changes.end(), [](const Change &A, const Change &B) {
      return std::tuple(A.TimeNs, A.Of->Id, !A.Made) < std::tuple(B.TimeNs, B.Of->Id, !B.Made);
    });
    summary::DeviceMemory &To = M.devices.emplace_back();
    To.device = Device;
    uint64_t Bytes = 0;
    size_t Peak = 0;
    for (size_t I = 0; I < Changes.size(); ++I) {
      Bytes += Changes[I].Made ? Changes[I].Of->Bytes : -Changes[I].Of->Bytes;
      if (Changes[I].Made && Bytes > To.peak_bytes) {
        To.peak_bytes = Bytes;
        Peak = I;
      }
    }
    To.bytes_at_end = Bytes;
    To.peak_seconds = seconds(Changes[Peak].TimeNs);
    std::set<const profile::Object *, decltype(&isLarger)> Alive(isLarger);
    for (size_t I = 0; I <= Peak; ++I)
      if (Changes[I].Made)
        Alive.insert(Changes[I].Of);
      else
        Alive.erase(Changes[I].Of);
    To.objects_at_peak = Alive.size();
    constexpr size_t Listed = 16;
    for (const profile::Object *O : Alive)
      if (auto It = IndexById.find(O->Id);
          It != IndexById.end() && To.largest_at_peak.size() < Listed)
        To.largest_at_peak.push_back(It->second);
  }
}

void ObjectsSummary::build() {
  if (P.Objects.empty())
    return;
  std::vector<const profile::Object *> Kept;
  for (const profile::Object &O : P.Objects)
    Kept.push_back(&O);
  if (Kept.size() > MaxObjects) {
    std::nth_element(Kept.begin(), Kept.begin() + MaxObjects, Kept.end(), isLarger);
    Kept.resize(MaxObjects);
    std::sort(Kept.begin(), Kept.end(),
              [](const profile::Object *A, const profile::Object *B) { return A->Id < B->Id; });
  }
  for (const profile::Object *O : Kept)
    add(*O);
  memory();
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
    // Its record was lost.
    profile::Object Unknown;
    Unknown.Id = Id;
    add(Unknown);
  }
  return IndexById[Id];
}

} // namespace gmprof
