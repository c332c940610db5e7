//===- HeatKernel.cpp - What is known of a launch's heat ------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/heat/HeatKernel.h"
#include "profile/HeatMap.h"
#include "profile/Mutex.h"
#include "profile/Saturating.h"
#include "profile/SiteNumbers.h"
#include <algorithm>
#include <set>

namespace gmprof::host {

/// More than launches of one kernel differ in at a time.
static constexpr size_t MaxKnown = 4096;

HeatKernel::HeatKernel(const profile::Descriptor &Desc, std::vector<size_t> ParamBytes,
                       std::vector<uint64_t> Symbols)
    : Params(Desc, std::move(ParamBytes), std::move(Symbols)) {
  const std::vector<uint32_t> Places = profile::heatPlaces(Desc);
  for (const uint32_t Site : siteNumbers(Desc).OfFunctions)
    FunctionPlaces.push_back(
        static_cast<gmprof_u8>(Site == profile::None ? GMPROF_HEAT_PLACES - 1 : Places[Site]));
  const std::vector<profile::Form> Described(Desc.HeatForms.begin(), Desc.HeatForms.end());
  KernelForms All(Described, Desc.ParamCount);
  Usable = All.Usable && Params.problem().empty();
  Integers = std::move(All.Parameters);
  for (size_t I = 0; I < All.Forms.size() && Usable; ++I)
    Forms.push_back({Desc.HeatForms[I], std::move(All.Forms[I].Access)});
}

bool HeatKernel::isShared(const Form &F) const {
  const GmprofVariableKind Kind = Params.variables()[F.What.Variable].Kind;
  return Kind == GMPROF_VARIABLE_SHARED || Kind == GMPROF_VARIABLE_SHARED_DYNAMIC;
}

std::vector<uint64_t> HeatKernel::objects(void **Args, const ProgramMemory &Memory) const {
  std::vector<uint64_t> Objects(Params.variables().size());
  for (size_t V = 0; Params.problem().empty() && V < Objects.size(); ++V)
    if (const std::optional<LiveObject> O = Memory.find(Params.pointer(V, Args)))
      Objects[V] = O->Id;
  return Objects;
}

/// Returns nothing if the closed forms do not hold or take too long to compute.
HeatKernel::Reaches HeatKernel::reaches(const DescribedLaunch &L) const {
  std::vector<HeatReach> Reaches;
  uint64_t Requests = 0;
  for (const Form &F : Forms) {
    if (!holds(F.Access, {L.Grid, L.Block, L.Values, {}}))
      return std::nullopt;
    const std::optional<HeatReach> Reach = reachOf(F.What, F.Access, L);
    if (!Reach)
      return std::nullopt;
    Requests = addSaturating(Requests, Reach->Requests);
    Reaches.push_back(*Reach);
  }
  return Requests <= MostHeatRequests ? std::optional(std::move(Reaches)) : std::nullopt;
}

/// Adds the numbers of the ranges with bytes from First to Last.
static void addRanges(const MemoryRanges &From, uint64_t First, uint64_t Last,
                      std::set<size_t> &To) {
  auto At = std::upper_bound(
      From.Ranges.begin(), From.Ranges.end(), First,
      [](uint64_t Address, const GmprofObjectRange &R) { return Address < R.base + R.bytes; });
  for (; At != From.Ranges.end() && At->base <= Last; ++At)
    To.insert(static_cast<size_t>(At - From.Ranges.begin()));
}

std::optional<HeatCase> HeatKernel::caseOf(uint32_t Kernel, const LaunchInput &L,
                                           uint32_t DynamicShared, const BlockRange &Noted,
                                           const MemoryRanges &Ranges,
                                           const std::vector<uint64_t> &Objects, bool InGraph,
                                           Recorder &Log) {
  if (!Usable || Forms.empty())
    return std::nullopt;
  DescribedLaunch Of;
  Of.Grid = L.Grid;
  Of.Block = L.Block;
  Of.Noted = Noted;
  Of.Values.resize(Params.parameters());
  std::vector<uint64_t> Key(L.Grid.begin(), L.Grid.end());
  Key.insert(Key.end(), L.Block.begin(), L.Block.end());
  for (uint32_t P : Integers) {
    Of.Values[P] = Params.value(P, L.Args);
    Key.push_back(static_cast<uint64_t>(Of.Values[P]));
  }

  LockGuard Guard(Lock);
  if (Known.size() >= MaxKnown)
    Known.clear();
  const auto [At, New] = Known.try_emplace(Key);
  if (New)
    At->second = reaches(Of);
  if (!At->second)
    return std::nullopt;
  Of.Pointers.resize(Params.variables().size());
  for (size_t V = 0; V < Of.Pointers.size(); ++V)
    Of.Pointers[V] = Params.pointer(V, L.Args);
  std::set<size_t> Reached;
  for (size_t I = 0; I < Forms.size(); ++I) {
    const HeatReach &Reach = (*At->second)[I];
    const uint64_t Pointer = Of.Pointers[Forms[I].What.Variable];
    if (isShared(Forms[I]) || Reach.Requests == 0)
      continue;
    if (Pointer == 0)
      return std::nullopt; // the driver does not say where the variable is
    addRanges(Ranges, Pointer + uint64_t(Reach.Lowest), Pointer + uint64_t(Reach.Highest), Reached);
  }

  Key.push_back(DynamicShared);
  Key.insert(Key.end(), Of.Pointers.begin(), Of.Pointers.end());
  Key.insert(Key.end(), Objects.begin(), Objects.end());
  if (InGraph)
    if (const auto Same = InGraphs.find(Key); Same != InGraphs.end())
      return Same->second;
  HeatCase Case;
  Case.Context = Log.nextContextId();
  log::HeatCaseRecord Record = {};
  Record.context = Case.Context;
  Record.firstBlock = Noted.First;
  Record.endBlock = Noted.End;
  Record.blockStep = Noted.Step;
  Record.kernel = Kernel;
  std::copy(L.Grid.begin(), L.Grid.end(), Record.grid);
  std::copy(L.Block.begin(), L.Block.end(), Record.block);
  Record.dynamicSharedBytes = DynamicShared;
  Record.valueCount = static_cast<uint32_t>(Of.Values.size());
  Record.variableCount = static_cast<uint32_t>(Of.Pointers.size());
  Record.rangeCount = static_cast<uint32_t>(Reached.size());
  std::vector<log::HeatRange> Described;
  for (size_t R : Reached) {
    Described.push_back({Ranges.Objects[R], Ranges.Ranges[R].base, Ranges.Ranges[R].bytes});
    Case.Ranges.push_back(Ranges.Ranges[R].base);
  }
  Log.profileRecord(log::RecordKind::HeatCase, Record, std::span(Of.Values), std::span(Objects),
                    std::span(Of.Pointers), std::span(Described));
  if (InGraph)
    InGraphs[Key] = Case;
  return Case;
}

} // namespace gmprof::host
