//===- GlobalSummary.cpp - The global profile in summary.json -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/builder/GlobalSummary.h"
#include "profile/LaunchModes.h"
#include "profile/Saturating.h"
#include "report/model/SummaryNames.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace gmprof {

using profile::None;

static std::optional<summary::GlobalAccesses> accesses(const analysis::GlobalAccesses &A) {
  if (!A.Possible)
    return std::nullopt;
  return summary::GlobalAccesses{
      A.Launches,
      number(A.Total),
      number(A.TotalEstimate),
      A.StandardError,
      A.ByClosedForms,
      A.Touched,
      A.AtThreshold,
      {number(A.Min), number(A.Mean), number(A.Max), buckets(A.Histogram)}};
}

static bool isGlobal(const profile::Site &S) { return S.GlobalRule != GMPROF_RULE_NOT_COUNTED; }

static summary::GlobalObjectUse objectUse(const profile::Descriptor &Desc,
                                          const analysis::GlobalObjectUse &Use, uint32_t Index) {
  summary::GlobalObjectUse To;
  To.object = Index;
  for (uint32_t V : Use.Variables)
    To.names.push_back(Desc.Variables[V].Name);
  To.element_bytes = Use.ElementBytes;
  To.elements = Use.Elements;
  To.touched = Use.Touched;
  To.reads = accesses(Use.Kinds[GMPROF_COUNTER_READS]);
  To.writes = accesses(Use.Kinds[GMPROF_COUNTER_WRITES]);
  To.atomics = accesses(Use.Kinds[GMPROF_COUNTER_ATOMICS]);
  for (const profile::Site &S : Desc.Sites)
    if (isGlobal(S) &&
        std::find(Use.Variables.begin(), Use.Variables.end(), S.Variable) != Use.Variables.end())
      To.sites.push_back(globalSite(Desc, S));
  To.uncounted_reason = Use.Uncounted;
  return To;
}

summary::GlobalUse globalUse(const profile::Profile &P, const analysis::KernelGlobalUse &Use,
                             const std::function<uint32_t(uint64_t)> &IndexOf, std::string &Counts,
                             uint64_t &LinesLeft) {
  const profile::Descriptor &Desc = *P.Kernels[Use.Kernel].Desc;
  summary::GlobalUse To;
  To.level = levelName(Desc.GlobalLevel);
  To.counter_bits = Desc.GlobalCounterBits;
  if (Desc.GlobalThreshold != 0)
    To.threshold = Desc.GlobalThreshold;
  To.launches_profiled = Use.LaunchesProfiled;
  To.launches_by_closed_forms = Use.LaunchesWithForms;
  To.block_sample = Use.BlockSample;
  To.blocks_counted = Use.Blocks;
  To.blocks_launched = Use.BlocksLaunched;
  To.outside = Use.Outside;
  To.counter_bytes = Use.CounterBytes;
  To.object_bytes = Use.ObjectBytes;
  for (const profile::Site &S : Desc.Sites) {
    if (!isGlobal(S))
      continue;
    ++(S.GlobalRule == GMPROF_RULE_CLOSED_FORM ? To.sites_by_closed_forms
       : S.GlobalRule == GMPROF_RULE_SKIPPED   ? To.sites_skipped
                                               : To.sites_counted);
    if (S.Variable == None)
      To.other_sites.push_back(globalSite(Desc, S));
  }
  for (const analysis::GlobalObjectUse &O : Use.Objects) {
    const uint32_t Index = IndexOf(O.Object);
    summary::GlobalObjectUse &Object = To.objects.emplace_back(objectUse(Desc, O, Index));
    Object.counts_complete = !O.CountsOmitted && O.Counts.size() <= LinesLeft;
    for (const analysis::EqualElements &Run : O.Counts) {
      if (LinesLeft == 0)
        break;
      --LinesLeft;
      fmt::format_to(std::back_inserter(Counts), "{},{},{},{},{},{},{},{}\n", Use.Kernel, Index,
                     Run.First, Run.Last, Run.Accesses[GMPROF_COUNTER_READS],
                     Run.Accesses[GMPROF_COUNTER_WRITES], Run.Accesses[GMPROF_COUNTER_ATOMICS],
                     Run.AtThreshold ? 1 : 0);
    }
  }
  return To;
}

uint64_t launchesWithoutGlobalCounts(const profile::Profile &P) {
  std::map<uint64_t, uint64_t> Missing; ///< key: context
  profile::forEachLaunchMode(P, [&](const profile::Launch &L) {
    const std::optional<profile::Descriptor> &Desc = P.Kernels[L.Kernel].Desc;
    const bool Counts =
        L.Mode == log::LaunchMode::GlobalAll || (L.Mode == log::LaunchMode::Global && Desc &&
                                                 (Desc->Modes & GMPROF_MODE_GLOBAL_CLONE) != 0);
    if (Counts)
      Missing[L.Context] = addSaturating(Missing[L.Context], L.Times);
  });
  for (const profile::GlobalContext &C : P.GlobalContexts)
    if (auto It = Missing.find(C.Context); It != Missing.end())
      It->second -= std::min(It->second, C.LaunchesCounted);
  uint64_t Sum = 0;
  for (const auto &[Context, Launches] : Missing)
    Sum = addSaturating(Sum, Launches);
  return Sum;
}

uint64_t objectsWithoutElements(const profile::Profile &P) {
  if (!P.TheRun.records("elements"))
    return 0;
  std::set<uint64_t> LeftOut;
  for (const profile::Object &O : P.Objects) {
    if (O.Kind == log::ObjectKind::Graph || O.Parent != 0)
      LeftOut.insert(O.Id);
    if (O.Parent != 0)
      LeftOut.insert(O.Parent);
  }
  return LeftOut.size();
}

} // namespace gmprof
