//===- KernelSummary.cpp - Kernels and their launches ---------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/builder/KernelSummary.h"
#include "report/model/SummaryNames.h"
#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

namespace gmprof {

using log::LaunchMode;
using profile::None;

/// Launches of a kernel on one device with equal grid, block, dynamic shared memory, mode and
/// reason.
using LaunchKey = std::tuple<uint32_t, std::array<uint32_t, 3>, std::array<uint32_t, 3>, uint32_t,
                             LaunchMode, std::string>;
using LaunchGroups = std::map<LaunchKey, uint64_t>;

bool isProfiled(LaunchMode Mode) {
  return Mode != LaunchMode::Plain && Mode != LaunchMode::Refused;
}

/// Returns true if kernels need clones. Profiles that measure no accesses use compiler facts or
/// calls only.
static bool needsClones(const profile::Run &R) { return !R.measures(profile::Measured::None); }

static bool isShared(GmprofSpace Space) {
  return Space == GMPROF_SPACE_SHARED || Space == GMPROF_SPACE_SHARED_CLUSTER;
}

/// Counts equal launches.
static std::vector<LaunchGroups> groupLaunches(const profile::Profile &P) {
  std::vector<LaunchGroups> Groups(P.Kernels.size());
  for (const profile::Launch &L : P.Launches) {
    if (L.Times == 0)
      continue;
    const LaunchKey Key{L.Device, L.Grid, L.Block, L.DynamicSharedBytes, L.Mode, L.Reason.str()};
    Groups[L.Kernel][Key] += L.Times;
  }
  return Groups;
}

/// Adds the groups of launches, the most frequent first.
static void addLaunches(const LaunchGroups &Groups, summary::Kernel &To) {
  std::multimap<uint64_t, const LaunchKey *, std::greater<>> ByCount;
  for (const auto &[K, Count] : Groups) {
    const LaunchMode Mode = std::get<LaunchMode>(K);
    ByCount.emplace(Count, &K);
    To.launch_counts.seen += Count;
    (isProfiled(Mode)              ? To.launch_counts.profiled
     : Mode == LaunchMode::Refused ? To.launch_counts.refused
                                   : To.launch_counts.not_selected) += Count;
  }
  for (const auto &[Count, K] : ByCount) {
    const auto &[Device, Grid, Block, Dynamic, Mode, Reason] = *K;
    To.launches.push_back({Device, Grid, Block, Dynamic, modeName(Mode), Reason, Count});
  }
  if (To.launches.size() > MaxInline) {
    To.launch_groups_omitted = To.launches.size() - MaxInline;
    To.launches.resize(MaxInline);
  }
}

static summary::CodeInstruction instruction(const profile::Descriptor &Desc,
                                            const profile::CodeInstruction &I) {
  summary::CodeInstruction To;
  To.instruction = instructionName(I.Kind);
  To.source = source(I.Source);
  To.function = I.Function;
  To.inlined_at = inlinedAt(Desc, I.InlinedAt);
  if (I.Variable != None) {
    const profile::Variable &V = Desc.Variables[I.Variable];
    To.variable = V.Name;
    To.type = V.Type;
    To.variable_bytes = V.Bytes;
  }
  To.bytes = I.Bytes;
  To.count = I.Count;
  To.index = indexName(I.Index);
  return To;
}

/// Adds the instructions of local memory first, and of equal ones the most frequent.
static std::optional<summary::MachineMemory> machineMemory(const profile::Descriptor &Desc,
                                                           const profile::MachineMemory &M) {
  if (M.Instructions.empty())
    return std::nullopt;
  summary::MachineMemory To;
  To.architecture = M.Architecture;
  To.frame_bytes = M.FrameBytes;
  std::vector<profile::CodeInstruction> Sorted = M.Instructions;
  const auto Order = [](const profile::CodeInstruction &I) {
    return std::tuple(I.Kind, -int64_t(I.Count), I.Source.Line, I.Source.File, I.Bytes, I.Index);
  };
  std::ranges::sort(Sorted, {}, Order);
  const size_t Shown = std::min(Sorted.size(), MaxInline);
  for (size_t I = 0; I < Shown; ++I)
    To.instructions.push_back(instruction(Desc, Sorted[I]));
  To.instructions_omitted = Sorted.size() - Shown;
  return To;
}

void addKernels(const profile::Profile &P, summary::Summary &S) {
  const std::vector<LaunchGroups> Groups = groupLaunches(P);
  const bool OfHeat = P.TheRun.measures(profile::Measured::Memory);
  for (uint32_t I = 0; I < P.Kernels.size(); ++I) {
    const profile::Kernel &K = P.Kernels[I];
    summary::Kernel &To = S.kernels.emplace_back();
    To.id = I;
    To.name = K.Name;
    To.demangled = K.Demangled;
    To.devices = K.Devices;
    std::ranges::sort(To.devices);
    To.reason = K.Reason;
    To.registers = K.Registers;
    To.clone_registers = K.CloneRegisters;
    To.static_shared_bytes = K.StaticSharedBytes;
    addLaunches(Groups[I], To);
    if (!K.Desc)
      continue;
    const profile::Descriptor &Desc = *K.Desc;
    To.instrumented = K.Reason.empty() && (Desc.Modes != 0 || !needsClones(P.TheRun));
    To.source = source(Desc.Source);
    if (const auto Machine = P.Machine.find(I); Machine != P.Machine.end() && OfHeat)
      To.machine_memory = machineMemory(Desc, Machine->second);
    To.level = levelName(Desc.Level);
    To.counter_bits = Desc.CounterBits;
    if (Desc.Threshold != 0)
      To.threshold = Desc.Threshold;
    To.counts_exact = !(Desc.Flags & GMPROF_KERNEL_PLAIN_UPDATES);
    To.blocks_alike = (Desc.Flags & GMPROF_KERNEL_BLOCKS_ALIKE) != 0;
    for (const profile::Site &Site : Desc.Sites)
      if (Site.Variable == None && (isShared(Site.Space) || Site.Space == GMPROF_SPACE_GENERIC) &&
          Site.Rule != GMPROF_RULE_NOT_COUNTED)
        To.other_sites.push_back(site(Desc, Site));
  }
}

void addKernelTimes(const std::vector<std::optional<analysis::KernelTime>> &Times,
                    summary::Summary &S) {
  for (size_t I = 0; I < Times.size(); ++I)
    if (const auto &T = Times[I])
      S.kernels[I].seconds = {T->Measured, T->Mean, T->Total, T->Instrumented, T->Share};
}

} // namespace gmprof
