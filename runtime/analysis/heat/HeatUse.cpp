//===- HeatUse.cpp - A launch's requests to memory ------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/heat/HeatUse.h"
#include "analysis/CallingLibrary.h"
#include "analysis/ParameterTypes.h"
#include "analysis/Wording.h"
#include "profile/LaunchModes.h"
#include "profile/RequestCost.h"
#include "profile/Saturating.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

namespace gmprof::analysis {

using namespace profile;

bool HeatAccess::isStore() const {
  return Kind == GMPROF_ACCESS_STORE || Kind == GMPROF_ACCESS_COPY_TO ||
         Kind == GMPROF_ACCESS_ASYNC_TO;
}

double HeatAccess::lanesPerRequest() const {
  return Requests.requests == 0
             ? 0
             : static_cast<double>(Requests.lanes) / static_cast<double>(Requests.requests);
}

/// A request may span more than the source's access: the floats of a float4 that all lanes read.
bool HeatAccess::isUniform() const {
  constexpr uint64_t Widest = 16;
  const uint64_t Each = std::max(Bytes, GMPROF_HEAT_WORD_BYTES);
  const uint64_t Requested = Requests.requests;
  const uint64_t Some = std::min<uint64_t>(Requested * Widest, Requests.lanes * Each / 2);
  return Requests.lanes > Requested && Requests.bytes <= std::max(Requested * Each, Some);
}

bool HeatAccess::isJoined() const {
  return Bytes != 0 && Requests.bytes > mulSaturating<uint64_t>(Requests.lanes, Bytes);
}

/// Lanes with a common stride share no bytes, so that each lane has its part of the request's.
/// Whole accesses have a sector each at most: more sectors are those of parts.
unsigned HeatAccess::splitBytes() const {
  const bool HasMoreSectors =
      mulSaturating<uint64_t>(Requests.transactions, Bytes) >
      mulSaturating<uint64_t>(Requests.ideal, uint64_t(GMPROF_HEAT_SECTOR_BYTES));
  if (OfPtx != 0 || Requests.lanes == 0 ||
      (Requests.strided != Requests.requests && !HasMoreSectors))
    return 0;
  const uint64_t Each = Requests.bytes / Requests.lanes;
  return Each != 0 && Each < Bytes && Each * Requests.lanes == Requests.bytes && Bytes % Each == 0
             ? static_cast<unsigned>(Each)
             : 0;
}

uint64_t HeatAccess::unusedBytes() const {
  const uint64_t Transferred = Requests.transactions * GMPROF_HEAT_SECTOR_BYTES;
  return Transferred - std::min(Transferred, uint64_t(Requests.bytes));
}

std::string ObjectHeat::describe() const {
  return Name.empty() ? "an allocation of " + bytesText(static_cast<double>(Bytes))
                      : quotedName(Name);
}

double LaunchHeat::toWholeLaunch() const {
  const double OfAll =
      Context->Blocks == 0
          ? 1
          : std::max(1.0, static_cast<double>(Blocks) / static_cast<double>(Context->Blocks));
  return OfAll / static_cast<double>(std::max<uint64_t>(Launches, 1));
}

double LaunchHeat::shareOfSectors(uint64_t Some) const {
  return Sectors == 0 ? 0 : static_cast<double>(Some) / static_cast<double>(Sectors);
}

uint64_t LaunchHeat::placesWhere(const ObjectHeat &O,
                                 const std::function<bool(const HeatAccess &)> &Is) const {
  uint64_t Mask = NotInlined.requests ? uint64_t(1) << (GMPROF_HEAT_PLACES - 1) : 0;
  for (const HeatAccess &A : Accesses)
    if (!A.Shared && (A.Object == O.Map->Object || A.Object == 0) && Is(A))
      Mask |= uint64_t(1) << A.Place;
  return Mask & O.Places;
}

//===----------------------------------------------------------------------===//
// One launch
//===----------------------------------------------------------------------===//

/// Returns true for functions that pad rows and return their pitch.
static bool allocatesRows(std::string_view Api) {
  return Api == "cudaMallocPitch" || Api == "cudaMalloc3D" || Api.starts_with("cuMemAllocPitch");
}

namespace {

class Collector {
public:
  Collector(const Profile &P, const HeatContext &C)
      : P(P), Desc(*P.Kernels[C.Kernel].Desc), C(C), Places(heatPlaces(Desc)) {
    L.Context = &C;
    L.Kernel = C.Kernel;
    L.Desc = &Desc;
    L.Source = Desc.Source;
    for (const HeatForm &F : Desc.HeatForms)
      Described.insert(F.Site);
  }
  LaunchHeat collect();

private:
  void objects();
  void arrays();
  void words(ArrayHeat &A) const;
  void accesses();
  uint32_t arrayOf(const Site &S) const;
  void findObjects();
  void addAccess(uint32_t Number, bool Shared);

  const Profile &P;
  const Descriptor &Desc;
  const HeatContext &C;
  const std::vector<uint32_t> Places; ///< by site
  std::vector<uint64_t> ObjectOf;     ///< by site; 0: unknown
  std::set<uint32_t> Described;       ///< sites with a closed form
  std::map<std::tuple<std::string, unsigned, unsigned, uint32_t, int, bool, uint64_t, uint32_t>,
           size_t>
      Index;
  LaunchHeat L;
};

} // namespace

static HeatStatistics statistics(const HeatMap &M) {
  HeatStatistics N;
  double WordSum = 0, SectorSum = 0;
  for (const HeatRun &R : M.Runs) {
    const auto Sectors = static_cast<double>(R.Sectors);
    N.Sectors += R.Sectors;
    SectorSum += R.All.Sector * Sectors;
    N.MaxSector = std::max<unsigned>(N.MaxSector, R.All.Sector);
    for (uint8_t T : R.All.Words) {
      N.Words += T ? R.Sectors : 0;
      WordSum += T * Sectors;
      N.MaxWord = std::max<unsigned>(N.MaxWord, T);
    }
    for (uint64_t Accesses : R.Accesses)
      N.Accesses = addSaturating(N.Accesses, Accesses);
  }
  if (N.Sectors) {
    N.MeanWord = WordSum / static_cast<double>(N.Words);
    N.MeanSector = SectorSum / static_cast<double>(N.Sectors);
  }
  return N;
}

void Collector::objects() {
  std::unordered_map<uint64_t, size_t> Numbers;
  for (const HeatMap &M : C.Maps) {
    Numbers[M.Object] = L.Objects.size();
    ObjectHeat &O = L.Objects.emplace_back();
    O.Map = &M;
    std::vector<std::string> Names;
    for (uint32_t V = 0; V < Desc.Variables.size(); ++V)
      if (C.Objects[V] == M.Object && !Desc.Variables[V].Name.empty() &&
          std::find(Names.begin(), Names.end(), Desc.Variables[V].Name) == Names.end())
        Names.push_back(Desc.Variables[V].Name);
    O.Name = fmt::format("{}", fmt::join(Names, ", "));
    O.Numbers = statistics(M);
    for (const HeatRun &R : M.Runs) {
      O.Places |= R.Places;
      O.SeveralBlocks |= R.SeveralBlocks;
    }
  }
  const bool OfLibrary = isLibraryKernel(P.Kernels[L.Kernel].Demangled);
  for (const Object &Known : P.Objects)
    if (auto It = Numbers.find(Known.Id); It != Numbers.end()) {
      ObjectHeat &O = L.Objects[It->second];
      // The allocation's name says more than "argument 2", a parameter without a name, or than that
      // of a library's parameter.
      if (O.Name.empty() || (!Known.Name.empty() && (O.Name.starts_with("argument ") || OfLibrary)))
        O.Name = Known.Name;
      O.Bytes = Known.Bytes;
      O.CallPath = Known.Made.CallPath;
      O.Pitched = allocatesRows(Known.Made.Api.str());
    }
}

void Collector::words(ArrayHeat &A) const {
  std::set<uint32_t> Threads, Warps;
  const uint64_t First = (A.Region.Address - C.FirstAddress) / GMPROF_HEAT_WORD_BYTES;
  const uint64_t End =
      (A.Region.Address - C.FirstAddress + A.Region.Bytes + GMPROF_HEAT_WORD_BYTES - 1) /
      GMPROF_HEAT_WORD_BYTES;
  for (uint64_t W = First; W < std::min<uint64_t>(End, C.SharedWords.size()); ++W) {
    const auto &Kinds = C.SharedWords[W];
    uint32_t Mask = 0, Thread = 0;
    for (const SharedWordHeat &H : Kinds) {
      Mask |= H.Warps;
      if (H.Thread != 0)
        Thread = Thread == 0 || Thread == H.Thread ? H.Thread : GMPROF_NONE;
    }
    const bool Atomic = Kinds[GMPROF_COUNTER_ATOMICS].Thread != 0;
    const bool Reused = Atomic || (Kinds[GMPROF_COUNTER_READS].Thread != 0 &&
                                   Kinds[GMPROF_COUNTER_WRITES].Thread != 0);
    if (Thread == 0)
      continue;
    if (Thread != GMPROF_NONE) {
      ++A.OfThread;
      A.ReusedOfThread += Reused;
      Threads.insert(Thread);
    } else if (std::has_single_bit(Mask)) {
      ++A.OfWarp;
      A.ReusedOfWarp += Reused;
    } else {
      ++A.OfWarps;
      continue;
    }
    Warps.insert(Mask);
  }
  A.Threads = Threads.size();
  A.Warps = Warps.size();
}

void Collector::arrays() {
  const SharedAddresses Addresses = {C.FirstAddress, C.DynamicAddress, C.DynamicSharedBytes,
                                     C.Addresses};
  for (SharedRegion &R : sharedRegions(Desc, Addresses)) {
    ArrayHeat &A = L.Arrays.emplace_back();
    A.Region = std::move(R);
    A.Name = regionName(Desc, A.Region.Variables);
    if (!A.Region.Variables.empty()) {
      A.Type = Desc.Variables[A.Region.Variables.front()].Type;
      A.Source = Desc.Variables[A.Region.Variables.front()].Source;
    }
    words(A);
  }
}

uint32_t Collector::arrayOf(const Site &S) const {
  for (uint32_t A = 0; A < L.Arrays.size(); ++A) {
    const std::vector<uint32_t> &Variables = L.Arrays[A].Region.Variables;
    if (std::find(Variables.begin(), Variables.end(), S.Variable) != Variables.end())
      return A;
  }
  return None;
}

/// Determines the object of each global memory site that made requests.
void Collector::findObjects() {
  ObjectOf.assign(Desc.Sites.size(), 0);
  const auto AccessedFrom = [&](uint64_t Object, uint32_t Place) {
    return std::any_of(L.Objects.begin(), L.Objects.end(), [&](const ObjectHeat &O) {
      return O.Map->Object == Object && (O.Places >> Place & 1);
    });
  };
  std::map<uint32_t, std::set<uint64_t>> Known; ///< by place
  for (uint32_t I = 0; I < Desc.Sites.size(); ++I) {
    const uint32_t V = Desc.Sites[I].Variable;
    if (V != None && C.Objects[V] != 0 && AccessedFrom(C.Objects[V], Places[I])) {
      ObjectOf[I] = C.Objects[V];
      Known[Places[I]].insert(C.Objects[V]);
    }
  }
  // A table of the compiler is a variable of the module without an object.
  const auto IsOfModule = [&](const Site &S) {
    return S.Variable != None && !Desc.Variables[S.Variable].Symbol.empty();
  };
  for (uint32_t I = 0; I < Desc.Sites.size(); ++I) {
    if (ObjectOf[I] != 0 || C.Sites[I].requests == 0 || IsOfModule(Desc.Sites[I]))
      continue;
    std::vector<uint64_t> Here, Left;
    for (const ObjectHeat &O : L.Objects)
      if (O.Places >> Places[I] & 1) {
        Here.push_back(O.Map->Object);
        if (!Known[Places[I]].count(O.Map->Object))
          Left.push_back(O.Map->Object);
      }
    if (Left.size() == 1)
      ObjectOf[I] = Left.front();
    else if (Left.empty() && Here.size() == 1)
      ObjectOf[I] = Here.front();
  }
}

/// Adds a site's requests to global or shared memory.
void Collector::addAccess(uint32_t Number, bool Shared) {
  const Site &S = Desc.Sites[Number];
  const GmprofHeatSite &Requests = (Shared ? C.SharedSites : C.Sites)[Number];
  if (Requests.requests == 0)
    return;
  const uint64_t Object = Shared ? 0 : ObjectOf[Number];
  const uint32_t Array = Shared ? arrayOf(S) : None;
  const auto [It, New] = Index.try_emplace(
      {S.Source.File, S.Source.Line, S.Source.Column, Array, S.Kind, Shared, Object, S.Bytes},
      L.Accesses.size());
  if (New) {
    HeatAccess &A = L.Accesses.emplace_back();
    A.Source = S.Source;
    A.Function = S.Function;
    A.Variable = S.Variable;
    A.Kind = S.Kind;
    A.Shared = Shared;
    A.Array = Array;
    A.Object = Object;
    A.Bytes = S.Bytes;
    A.Reduction = S.Reduction;
    A.ElementType = elementType(P.Kernels[L.Kernel], S.Variable);
    A.Place = Places[Number];
    if (Array != None)
      L.Arrays[Array].Accesses.push_back(static_cast<uint32_t>(It->second));
    for (ObjectHeat &O : L.Objects)
      if (!Shared && O.Map->Object == A.Object)
        O.Accesses.push_back(static_cast<uint32_t>(It->second));
  }
  HeatAccess &A = L.Accesses[It->second];
  ++A.Instructions;
  A.Reduction = A.Reduction && S.Reduction;
  A.OfPtx += S.MachineWidth ? 0 : Requests.requests;
  const bool Computed = C.ClosedForms && Described.count(Number) != 0;
  A.Computed = A.Computed && Computed;
  (Computed ? L.Computed : L.Recorded).push_back(Number);
  add(A.Requests, Requests);
  add(A.Inlined[S.InlinedAt], Requests);
  uint64_t &Sum = Shared ? L.Wavefronts : L.Sectors;
  Sum = addSaturating(Sum, uint64_t(Requests.transactions));
}

LaunchHeat Collector::collect() {
  objects();
  arrays();
  findObjects();
  for (uint32_t I = 0; I < Desc.Sites.size(); ++I)
    for (const bool Shared : {false, true})
      addAccess(I, Shared);
  L.NotInlined = C.Sites.back();
  add(L.NotInlined, C.SharedSites.back());
  return std::move(L);
}

std::vector<LaunchHeat> heatUse(const Profile &P) {
  std::vector<LaunchHeat> Uses;
  std::unordered_map<uint64_t, size_t> ByContext;
  for (const HeatContext &C : P.Heat) {
    ByContext[C.Context] = Uses.size();
    Uses.push_back(Collector(P, C).collect());
  }
  profile::forEachLaunchMode(P, [&](const Launch &L) {
    auto It = ByContext.find(L.Context);
    if (It == ByContext.end() || L.Mode != log::LaunchMode::Heat)
      return;
    LaunchHeat &Use = Uses[It->second];
    if (Use.Launches == 0)
      Use.FirstLaunch = L.Id;
    const uint64_t Blocks = mulSaturating(mulSaturating<uint64_t>(L.Grid[0], L.Grid[1]),
                                          mulSaturating<uint64_t>(L.Grid[2], L.Times));
    Use.Launches = addSaturating(Use.Launches, L.Times);
    Use.Blocks = addSaturating(Use.Blocks, Blocks);
  });
  const auto Key = [](const LaunchHeat &L) {
    return std::make_tuple(L.Kernel, L.FirstLaunch, L.Context->Context);
  };
  std::sort(Uses.begin(), Uses.end(),
            [&](const LaunchHeat &A, const LaunchHeat &B) { return Key(A) < Key(B); });
  return Uses;
}

} // namespace gmprof::analysis
