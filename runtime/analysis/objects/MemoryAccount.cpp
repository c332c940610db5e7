//===- MemoryAccount.cpp - Owners of a device's memory --------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/objects/MemoryAccount.h"
#include "analysis/CallingLibrary.h"
#include "analysis/ProgramSource.h"
#include "analysis/objects/CachingAllocator.h"
#include "analysis/objects/ObjectAnalysis.h"
#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

namespace gmprof::analysis {

using log::ObjectKind;
using profile::ApiKind;
using profile::ApiObject;

/// The rows that become smaller if all known memory is more than what is in use: the least certain
/// first.
static constexpr MemoryOwner Reducible[] = {
    MemoryOwner::OtherProcesses, MemoryOwner::PoolFree, MemoryOwner::GraphFree,
    MemoryOwner::Managed,        MemoryOwner::GMProf,   MemoryOwner::Cached,
    MemoryOwner::Library,        MemoryOwner::Tensors,  MemoryOwner::Program};

const char *ownerName(MemoryOwner Owner) {
  static constexpr const char *Names[] = {
      "program",     "managed",      "library",         "tensors", "cached",
      "pool_free",   "graph_free",   "context",         "modules", "printf_fifo",
      "malloc_heap", "local_memory", "other_processes", "gmprof",  "unattributed"};
  static_assert(std::size(Names) == size_t(MemoryOwner::Unattributed) + 1);
  return Names[static_cast<size_t>(Owner)];
}

static uint64_t minus(uint64_t A, uint64_t B) { return A - std::min(A, B); }

static uint64_t sumOf(const std::vector<MemoryRow> &Rows) {
  return std::accumulate(Rows.begin(), Rows.end(), uint64_t(0),
                         [](uint64_t Sum, const MemoryRow &R) { return Sum + R.Bytes; });
}

uint64_t MemoryAccount::bytesOf(MemoryOwner Owner) const {
  uint64_t Sum = 0;
  for (const MemoryRow &R : Rows)
    Sum += R.Owner == Owner ? R.Bytes : 0;
  return Sum;
}

static void add(std::vector<MemoryRow> &Rows, MemoryOwner Owner, const std::string &Name,
                uint64_t Bytes, uint64_t Objects = 0) {
  if (Bytes == 0)
    return;
  auto Row = std::find_if(Rows.begin(), Rows.end(),
                          [&](const MemoryRow &R) { return R.Owner == Owner && R.Name == Name; });
  if (Row == Rows.end())
    Row = Rows.insert(Row, {Owner, Name, 0, 0});
  Row->Bytes += Bytes;
  Row->Objects += Objects;
}

MemoryAccounts::MemoryAccounts(const profile::Profile &P, const profile::ApiTrace &Trace,
                               uint32_t Device)
    : P(P), Trace(Trace), Device(Device), Use(Trace, Device), IsSlab(Trace.Objects.size()) {
  for (const profile::Api &A : Trace.Apis)
    Effects.push_back(effectNs(A));
  for (const profile::CallPath &Path : P.CallPaths)
    LibraryOfPath.push_back(callingLibrary(Path));
  findSlabs();
  for (const profile::MemoryReading &R : P.MemoryReadings)
    if (R.Device == Device)
      Readings.push_back({&R, apisBy(R.TimeNs)});
  if (Readings.empty())
    return;
  const Reading &First = Readings.front();
  MemoryAccount AtFirst;
  const Live Now = liveAt(First.Apis);
  addKnown(AtFirst, Now, *First.Of);
  ContextBytes = minus(minus(First.Of->inUse(), sumOf(AtFirst.Rows)), First.Of->ModuleBytes);
}

/// Finds PyTorch's slabs: those with tensors, and, if tensors are recorded, all that it allocates.
void MemoryAccounts::findSlabs() {
  bool Any = false;
  for (const profile::Api &A : Trace.Apis)
    if (A.Kind == ApiKind::Allocation && A.Name == "CUDACachingAllocator::malloc")
      if (const std::optional<uint32_t> Slab = Trace.Objects[A.Object].Parent)
        IsSlab[*Slab] = Any = true;
  if (!Any)
    return;
  std::set<uint64_t> Ids;
  for (uint32_t I = 0; I < Trace.Objects.size(); ++I) {
    const ApiObject &O = Trace.Objects[I];
    if (!O.Parent && Use.residency(I).Bytes != 0 && libraryOf(O) == PyTorch)
      IsSlab[I] = true;
    if (IsSlab[I] || isTensor(I))
      Ids.insert(O.Id);
  }
  for (const profile::Object &O : P.Objects)
    if (Ids.count(O.Id) != 0)
      Addresses[O.Id] = O.Address;
}

const std::string &MemoryAccounts::libraryOf(const ApiObject &O) const {
  static const std::string Unknown;
  if (O.Allocation >= Trace.Apis.size())
    return Unknown;
  const uint32_t Path = Trace.Apis[O.Allocation].CallPath;
  return Path < LibraryOfPath.size() ? LibraryOfPath[Path] : Unknown;
}

bool MemoryAccounts::isLive(uint32_t Object, uint32_t Apis) const {
  const ApiObject &O = Trace.Objects[Object];
  return O.Allocation < Apis && Trace.endOf(O) >= Apis;
}

uint32_t MemoryAccounts::apisBy(uint64_t TimeNs) const {
  return static_cast<uint32_t>(std::upper_bound(Effects.begin(), Effects.end(), TimeNs) -
                               Effects.begin());
}

size_t MemoryAccounts::changesBy(uint32_t Apis) const {
  return static_cast<size_t>(std::lower_bound(Use.times().begin(), Use.times().end(), Apis) -
                             Use.times().begin());
}

/// Returns the last reading of the same objects, else the last one before, else the first.
const MemoryAccounts::Reading *MemoryAccounts::readingFor(uint32_t Apis) const {
  const Reading *Best = nullptr;
  const size_t Changes = changesBy(Apis);
  for (const Reading &R : Readings)
    if (!Best || changesBy(R.Apis) <= Changes)
      Best = &R;
  return Best;
}

std::pair<MemoryOwner, std::string> MemoryAccounts::ownerOf(uint32_t Object) const {
  const ApiObject &O = Trace.Objects[Object];
  if (isTensor(Object))
    return {MemoryOwner::Tensors, ""};
  if (const std::string &Library = libraryOf(O); !Library.empty())
    return {MemoryOwner::Library, Library};
  return {O.Kind == ObjectKind::Managed ? MemoryOwner::Managed : MemoryOwner::Program, ""};
}

static const char *blocksOf(uint64_t SlabBytes) {
  return SlabBytes == CachingAllocator::SmallSlab ? "small blocks" : "large blocks";
}

/// Adds PyTorch's tensors and the free blocks of its slabs.
void MemoryAccounts::addSlabs(Live &To, uint32_t Apis) const {
  struct Slab {
    uint64_t Bytes = 0, Used = 0;
    std::vector<std::pair<uint64_t, uint64_t>> Parts; ///< address, bytes
  };
  std::map<uint32_t, Slab> Slabs;
  std::map<uint64_t, uint32_t> Mapped; ///< parts of expandable segments by address
  std::vector<uint32_t> Tensors;
  for (uint32_t I = 0; I < Trace.Objects.size(); ++I) {
    const ApiObject &O = Trace.Objects[I];
    if (O.Device != Device || !isLive(I, Apis))
      continue;
    if (isTensor(I))
      Tensors.push_back(I);
    else if (IsSlab[I] && profile::Api(Trace.Apis[O.Allocation]).Name == MappingApi)
      Mapped[Addresses.at(O.Id)] = I;
    else if (IsSlab[I])
      Slabs[I].Bytes = O.Bytes;
  }
  // Tensors lie across the parts of an expandable segment: adjacent ones are one slab.
  std::map<uint32_t, uint32_t> FirstPart;
  uint64_t End = 0;
  uint32_t First = 0;
  for (const auto &[Address, I] : Mapped) {
    First = Address == End && End != 0 ? First : I;
    End = Address + Trace.Objects[I].Bytes;
    FirstPart[I] = First;
    Slabs[First].Bytes += Trace.Objects[I].Bytes;
  }
  for (uint32_t I : Tensors) {
    const ApiObject &O = Trace.Objects[I];
    const auto Part = FirstPart.find(*O.Parent);
    Slab &In = Slabs[Part == FirstPart.end() ? *O.Parent : Part->second];
    In.Used += O.Bytes;
    In.Parts.emplace_back(Addresses.at(O.Id), O.Bytes);
    add(To.Rows, MemoryOwner::Tensors, "", O.Bytes, 1);
    To.Objects.push_back(I);
  }
  for (auto &[Index, In] : Slabs) {
    const ApiObject &O = Trace.Objects[Index];
    To.OwnMemory += In.Bytes;
    add(To.Rows, MemoryOwner::Cached, blocksOf(O.Bytes), minus(In.Bytes, In.Used), 1);
    std::sort(In.Parts.begin(), In.Parts.end());
    uint64_t At = Addresses.at(O.Id), Largest = To.LargestFreeBlock.value_or(0);
    const uint64_t End = At + In.Bytes;
    for (auto [Address, Bytes] : In.Parts) {
      Largest = std::max(Largest, minus(Address, At));
      At = std::max(At, Address + Bytes);
    }
    To.LargestFreeBlock = std::max(Largest, minus(End, At));
  }
}

MemoryAccounts::Live MemoryAccounts::liveAt(uint32_t Apis) const {
  Live Now;
  for (uint32_t I = 0; I < Trace.Objects.size(); ++I) {
    const ApiObject &O = Trace.Objects[I];
    const uint64_t Bytes = Use.residency(I).Bytes;
    if (Bytes == 0 || IsSlab[I] || !isLive(I, Apis))
      continue;
    (O.Kind == ObjectKind::AsyncPool ? Now.InPools
     : O.Kind == ObjectKind::Graph   ? Now.InGraphs
                                     : Now.OwnMemory) += Bytes;
    const auto [Owner, Name] = ownerOf(I);
    add(Now.Rows, Owner, Name, Bytes, 1);
    Now.Objects.push_back(I);
  }
  addSlabs(Now, Apis);
  std::sort(Now.Objects.begin(), Now.Objects.end(), [&](uint32_t A, uint32_t B) {
    return std::pair(~Trace.Objects[A].Bytes, A) < std::pair(~Trace.Objects[B].Bytes, B);
  });
  std::map<std::tuple<std::string, unsigned, std::string, std::string>, MemorySite> Sites;
  for (uint32_t I : Now.Objects) {
    const ApiObject &O = Trace.Objects[I];
    const profile::Api A = Trace.Apis[O.Allocation];
    MemorySite Of;
    Of.CallPath = A.CallPath;
    if (A.CallPath < P.CallPaths.size())
      Of.Source = programSource(P.CallPaths[A.CallPath]);
    Of.Api = A.Name.str();
    Of.Library = O.Parent ? O.Library.str() : libraryOf(O);
    MemorySite &To =
        Sites.try_emplace({Of.Source.File, Of.Source.Line, Of.Library, Of.Api}, Of).first->second;
    To.Bytes += O.Bytes;
    ++To.Objects;
  }
  for (auto &[Key, Site] : Sites)
    Now.Sites.push_back(std::move(Site));
  std::ranges::sort(Now.Sites, {}, [](const MemorySite &S) {
    return std::tuple(~S.Bytes, S.Source.File, S.Source.Line, S.Library, S.Api);
  });
  return Now;
}

void MemoryAccounts::addKnown(MemoryAccount &To, const Live &Now,
                              const profile::MemoryReading &R) const {
  To.Rows = Now.Rows;
  add(To.Rows, MemoryOwner::PoolFree, "", minus(R.PoolBytes, Now.InPools));
  add(To.Rows, MemoryOwner::GraphFree, "", minus(R.GraphBytes, Now.InGraphs));
  add(To.Rows, MemoryOwner::OtherProcesses, "", R.OtherBytes.value_or(0));
  add(To.Rows, MemoryOwner::GMProf, "", R.OwnBytes);
}

void MemoryAccounts::addDriver(MemoryAccount &To, uint64_t Left,
                               const profile::MemoryReading &R) const {
  const profile::MemoryReading &First = *Readings.front().Of;
  const auto Take = [&](MemoryOwner Owner, uint64_t Most, const char *Name = "") {
    const uint64_t Bytes = std::min(Left, Most);
    add(To.Rows, Owner, Name, Bytes);
    Left -= Bytes;
  };
  Take(MemoryOwner::Context, ContextBytes, R.OtherBytes ? "" : "and other processes");
  Take(MemoryOwner::Modules, R.ModuleBytes);
  Take(MemoryOwner::PrintfFifo, minus(R.PrintfBytes, First.PrintfBytes));
  Take(MemoryOwner::MallocHeap, minus(R.HeapBytes, First.HeapBytes));
  Take(MemoryOwner::LocalMemory, minus(R.StackBytes, First.StackBytes));
  Take(MemoryOwner::Unattributed, Left);
}

/// Reduces rows until they add up to no more than Most. Returns by how much.
static uint64_t reduce(std::vector<MemoryRow> &Rows, uint64_t Most) {
  const uint64_t Excess = minus(sumOf(Rows), Most);
  uint64_t Left = Excess;
  for (MemoryOwner Owner : Reducible)
    for (MemoryRow &R : Rows)
      if (R.Owner == Owner) {
        const uint64_t Bytes = std::min(Left, R.Bytes);
        R.Bytes -= Bytes;
        Left -= Bytes;
      }
  std::erase_if(Rows, [](const MemoryRow &R) { return R.Bytes == 0; });
  return Excess;
}

MemoryAccount MemoryAccounts::account(uint32_t Apis, uint64_t TimeNs, const Reading *R) const {
  MemoryAccount A;
  A.Device = Device;
  A.TimeNs = TimeNs;
  Live Now = liveAt(Apis);
  A.Rows = Now.Rows;
  if (R) {
    A.Read = changesBy(R->Apis) == changesBy(Apis);
    A.Total = R->Of->TotalBytes;
    A.InUse = R->Of->inUse();
    if (!A.Read) {
      const auto Taken = [&](const Live &L) {
        return L.OwnMemory + std::max(L.InPools, R->Of->PoolBytes) +
               std::max(L.InGraphs, R->Of->GraphBytes);
      };
      A.InUse = minus(*A.InUse + Taken(Now), Taken(liveAt(R->Apis)));
    }
    addKnown(A, Now, *R->Of);
    A.ReducedBytes = reduce(A.Rows, *A.InUse);
    addDriver(A, *A.InUse - sumOf(A.Rows), *R->Of);
  }
  std::ranges::sort(A.Rows, {}, [](const MemoryRow &R) {
    return std::tuple(R.Owner == MemoryOwner::Unattributed, ~R.Bytes, R.Owner, R.Name);
  });
  A.Sites = std::move(Now.Sites);
  A.Objects = std::move(Now.Objects);
  A.LargestFreeBlock = Now.LargestFreeBlock;
  return A;
}

uint64_t MemoryAccounts::othersAt(const Reading &R) const {
  const size_t Changes = changesBy(R.Apis);
  return minus(R.Of->inUse(), Changes == 0 ? 0 : Use.bytes()[Changes - 1]);
}

MemoryOverTime MemoryAccounts::overTime() const {
  struct Change {
    uint32_t Time;
    size_t Series;
    int64_t Bytes;
  };
  std::vector<Change> Changes;
  std::map<std::pair<MemoryOwner, std::string>, size_t> Index;
  const auto Add = [&](const std::pair<MemoryOwner, std::string> &Owner, uint32_t Object,
                       int64_t Sign) {
    const ApiObject &O = Trace.Objects[Object];
    const size_t Series = Index.try_emplace(Owner, Index.size()).first->second;
    const int64_t Bytes = Sign * static_cast<int64_t>(O.Bytes);
    Changes.push_back({O.Allocation, Series, Bytes});
    if (O.Release)
      Changes.push_back({*O.Release, Series, -Bytes});
  };
  const auto Cached = [&](uint32_t Slab) {
    return std::pair(MemoryOwner::Cached, std::string(blocksOf(Trace.Objects[Slab].Bytes)));
  };
  for (uint32_t I = 0; I < Trace.Objects.size(); ++I) {
    const ApiObject &O = Trace.Objects[I];
    if (IsSlab[I] && O.Device == Device) {
      Add(Cached(I), I, 1);
    } else if (isTensor(I) && O.Device == Device) {
      Add(ownerOf(I), I, 1);
      Add(Cached(*O.Parent), I, -1);
    } else if (Use.residency(I).Bytes != 0) {
      Add(ownerOf(I), I, 1);
    }
  }
  const std::pair<MemoryOwner, std::string> Others = {MemoryOwner::Unattributed, ""};
  uint64_t Before = 0;
  for (const Reading &R : Readings) {
    const uint64_t Now = othersAt(R);
    const size_t Series = Index.try_emplace(Others, Index.size()).first->second;
    if (R.Apis != 0)
      Changes.push_back({R.Apis - 1, Series, static_cast<int64_t>(Now - Before)});
    Before = R.Apis != 0 ? Now : Before;
  }
  std::ranges::sort(Changes, {}, &Change::Time);
  MemoryOverTime All;
  All.All.resize(Index.size());
  for (const auto &[Owner, Series] : Index) {
    All.All[Series].Owner = Owner.first;
    All.All[Series].Name = Owner.second;
  }
  std::vector<int64_t> Now(Index.size());
  for (size_t I = 0; I < Changes.size(); ++I) {
    Now[Changes[I].Series] += Changes[I].Bytes;
    if (I + 1 != Changes.size() && Changes[I + 1].Time == Changes[I].Time)
      continue;
    All.Times.push_back(Changes[I].Time);
    for (size_t S = 0; S < Now.size(); ++S)
      All.All[S].Bytes.push_back(static_cast<uint64_t>(std::max<int64_t>(Now[S], 0)));
  }
  std::ranges::sort(All.All, {}, [](const MemoryOverTime::Series &S) {
    return std::tuple(S.Owner == MemoryOwner::Unattributed,
                      ~*std::max_element(S.Bytes.begin(), S.Bytes.end()), S.Owner, S.Name);
  });
  return All;
}

uint32_t MemoryAccounts::fullestAt(const MemoryPeak &Peak) const {
  std::vector<std::pair<uint32_t, int64_t>> Changes; ///< of the tensors' bytes
  for (uint32_t I = 0; I < Trace.Objects.size(); ++I)
    if (const ApiObject &O = Trace.Objects[I]; isTensor(I) && O.Device == Device) {
      Changes.emplace_back(O.Allocation, static_cast<int64_t>(O.Bytes));
      Changes.emplace_back(Trace.endOf(O), -static_cast<int64_t>(O.Bytes));
    }
  for (size_t I = 0; I < Use.times().size(); ++I)
    if (Use.bytes()[I] == Peak.Bytes)
      Changes.emplace_back(Use.times()[I], 0);
  std::sort(Changes.begin(), Changes.end());
  uint32_t Best = Peak.Time;
  int64_t Now = 0, Most = -1;
  size_t Since = 0; ///< index of the device's memory at the change
  for (const auto &[Time, Bytes] : Changes) {
    if (Time >= Trace.Apis.size())
      break;
    Now += Bytes;
    while (Since + 1 < Use.times().size() && Use.times()[Since + 1] <= Time)
      ++Since;
    if (Use.bytes()[Since] == Peak.Bytes && Now > Most) {
      Most = Now;
      Best = Time;
    }
  }
  return Best;
}

MemoryAccount MemoryAccounts::at(uint64_t TimeNs) const {
  const uint32_t Apis = apisBy(TimeNs);
  return account(Apis, TimeNs, readingFor(Apis));
}

uint64_t MemoryAccounts::failures() const {
  return static_cast<uint64_t>(
      std::ranges::count(P.FailedAllocations, Device, &profile::FailedAllocation::Device));
}

std::vector<MemoryAccount> MemoryAccounts::all() const {
  std::vector<MemoryAccount> All;
  const auto Add = [&](AccountMoment Moment, uint32_t Apis, uint64_t TimeNs, const Reading *R) {
    All.push_back(account(Apis, TimeNs, R));
    All.back().Moment = Moment;
  };
  if (const std::vector<MemoryPeak> Peaks = Use.peaks(1); !Peaks.empty()) {
    const uint32_t Time = fullestAt(Peaks[0]);
    Add(AccountMoment::Peak, Time + 1, Effects[Time], readingFor(Time + 1));
  }
  for (size_t I = P.FailedAllocations.size(); I-- > 0;) {
    const profile::FailedAllocation &F = P.FailedAllocations[I];
    if (F.Device != Device)
      continue;
    const auto Then =
        std::ranges::find_if(Readings, [&](const Reading &R) { return R.Of->Record > F.Record; });
    const bool Known = Then != Readings.end() && Then->Of->Moment == log::MemoryMoment::Failure;
    const uint32_t Apis = Known ? Then->Apis : apisBy(F.TimeNs);
    Add(AccountMoment::Failure, Apis, F.TimeNs, Known ? &*Then : readingFor(Apis));
    All.back().Failure = static_cast<uint32_t>(I);
    break;
  }
  if (All.empty())
    return All;
  if (!Readings.empty() && Readings.back().Of->Moment == log::MemoryMoment::End) {
    Add(AccountMoment::End, Readings.back().Apis, Readings.back().Of->TimeNs, &Readings.back());
  } else {
    const auto Apis = static_cast<uint32_t>(Effects.size());
    Add(AccountMoment::End, Apis,
        std::max(P.TheRun.SteadyEndNs, Effects.empty() ? 0 : Effects.back()), readingFor(Apis));
  }
  return All;
}

} // namespace gmprof::analysis
