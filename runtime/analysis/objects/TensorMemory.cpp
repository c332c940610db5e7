//===- TensorMemory.cpp - Tensors of PyTorch over time --------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/objects/TensorMemory.h"
#include "analysis/objects/CachingAllocator.h"
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace gmprof::analysis {

using profile::Api;
using profile::ApiKind;
using profile::ApiObject;
using profile::ApiTrace;

bool isTensor(const ApiTrace &T, const ApiObject &O) {
  static const profile::Name Allocates("CUDACachingAllocator::malloc");
  return O.Parent && Api(T.Apis[O.Allocation]).Name == Allocates;
}

/// Returns for each object whether it is a tensor or a slab with tensors.
static std::vector<bool> objectsOfPyTorch(const ApiTrace &T) {
  std::vector<bool> Are(T.Objects.size());
  for (uint32_t I = 0; I < Are.size(); ++I)
    if (isTensor(T, T.Objects[I])) {
      Are[I] = true;
      Are[*T.Objects[I].Parent] = true;
    }
  return Are;
}

std::vector<uint32_t> poolsOfSlabs(const ApiTrace &T) {
  const std::vector<bool> Are = objectsOfPyTorch(T);
  std::vector<uint32_t> Pools(T.Objects.size());
  std::map<uint32_t, uint32_t> First; ///< by device
  for (uint32_t I = 0; I < Pools.size(); ++I)
    Pools[I] = Are[I] && !T.Objects[I].Parent
                   ? First.try_emplace(T.Objects[I].Device, I).first->second
                   : I;
  return Pools;
}

std::vector<TensorMemory> TensorMemory::of(const ApiTrace &T, const TensorPools *Pools) {
  std::vector<TensorMemory> All;
  const std::vector<bool> Are =
      Pools ? std::vector<bool>(T.Objects.size(), true) : objectsOfPyTorch(T);
  if (std::find(Are.begin(), Are.end(), true) == Are.end())
    return All;
  std::map<uint32_t, TensorMemory> ByDevice;
  std::map<uint32_t, std::set<uint64_t>> Streams; ///< by device, of what accesses tensors
  uint32_t Index = 0;
  for (const Api &A : T.Apis) {
    if (A.Kind == ApiKind::Allocation || A.Kind == ApiKind::Release) {
      const ApiObject &O = T.Objects[A.Object];
      if (Are[A.Object]) {
        TensorMemory &M = ByDevice[O.Device];
        M.Events.push_back({Index, A.Object, !O.Parent, A.Kind == ApiKind::Allocation});
        M.Expandable |= A.Name == MappingApi;
      }
    } else if (std::ranges::any_of(A.Accesses, [&](const profile::ApiAccess &Access) {
                 return Are[Access.Object];
               })) {
      Streams[A.Device].insert(A.Stream);
    }
    ++Index;
  }
  for (auto &[Device, M] : ByDevice) {
    if (Streams[Device].size() > 1)
      continue;
    M.Trace = &T;
    M.Pools = Pools;
    M.Device = Device;
    uint64_t Slabs = 0;
    for (const Event &E : M.Events)
      if (E.IsSlab) {
        Slabs = E.IsAllocation ? Slabs + M.bytes(E.Object) : Slabs - M.bytes(E.Object);
        M.PeakOfSlabs = std::max(M.PeakOfSlabs, Slabs);
      }
    All.push_back(std::move(M));
  }
  return All;
}

std::vector<TensorMemory::Step> TensorMemory::replay(bool Expandable,
                                                     const ResidencyChange &Change) const {
  struct Request {
    uint32_t Api;
    bool IsAllocation; ///< releases come first
    uint32_t Tensor;
    uint64_t Bytes;
  };
  std::vector<Request> Requests;
  for (const Event &E : Events) {
    if (E.IsSlab)
      continue;
    const auto Changed = Change.find(E.Object);
    if (Changed == Change.end())
      Requests.push_back({E.Api, E.IsAllocation, E.Object, bytes(E.Object)});
    else if (E.IsAllocation)
      for (const Residency &R : Changed->second) {
        Requests.push_back({R.From, true, E.Object, R.Bytes});
        Requests.push_back({R.To, false, E.Object, R.Bytes});
      }
  }
  std::ranges::sort(Requests, [](const Request &A, const Request &B) {
    return std::tuple(A.Api, A.IsAllocation, A.Tensor) <
           std::tuple(B.Api, B.IsAllocation, B.Tensor);
  });
  std::map<uint32_t, CachingAllocator> ByPool;
  uint64_t Reserved = 0;
  std::vector<Step> Steps;
  for (const Request &R : Requests) {
    CachingAllocator &Replayed = ByPool.try_emplace(poolOf(R.Tensor), Expandable).first->second;
    if (!R.IsAllocation) {
      Replayed.release(R.Tensor);
      continue;
    }
    Reserved -= Replayed.reserved();
    Replayed.allocate(R.Tensor, R.Bytes);
    Reserved += Replayed.reserved();
    if (Steps.empty() || Steps.back().Bytes != Reserved)
      Steps.push_back({R.Api, Reserved});
  }
  return Steps;
}

std::vector<TensorMemory::Step>
TensorMemory::replayOf(bool Expandable, const std::function<bool(uint32_t)> &Is) const {
  ResidencyChange Without;
  for (const Event &E : Events)
    if (!E.IsSlab && !Is(E.Object))
      Without[E.Object] = {};
  return replay(Expandable, Without);
}

uint64_t TensorMemory::saved(const std::vector<Step> &Instead) const {
  const auto End = static_cast<uint32_t>(Trace->Apis.size());
  ResidencyChange Change;
  std::optional<uint32_t> First;
  for (const Event &E : Events)
    if (E.IsSlab && E.IsAllocation) {
      First = First.value_or(E.Object);
      Change[E.Object] = {};
    }
  for (size_t I = 0; First && I < Instead.size(); ++I)
    Change[*First].push_back(
        {Instead[I].Api, I + 1 < Instead.size() ? Instead[I + 1].Api : End, Instead[I].Bytes});
  const MemoryUse Use(*Trace, Device);
  return Use.peakBytes() - std::min(Use.peakBytes(), Use.peakAfter(Change));
}

ObjectInefficiency tensorInefficiency(const TensorMemory &M, const char *Pattern, uint32_t Object,
                                      uint32_t Api) {
  ObjectInefficiency Result;
  Result.Object = Object;
  Result.Api = Api;
  Result.Found.Pattern = Pattern;
  Result.Found.Origin = "pytorch";
  Result.Found.Object = M.trace().Objects[Object].Name;
  Result.Found.ObjectBytes = M.bytes(Object);
  return Result;
}

std::string placeOf(const ApiTrace &T, uint32_t At) {
  const uint32_t Path = Api(T.Apis[At]).CallPath;
  return Path < T.Places.size() ? T.Places[Path].str() : "";
}

} // namespace gmprof::analysis
