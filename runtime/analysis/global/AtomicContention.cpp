//===- AtomicContention.cpp - Atomics of many threads on one word ---------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/global/AtomicContention.h"
#include "analysis/ParameterTypes.h"
#include "analysis/Wording.h"
#include "profile/CounterKind.h"
#include "profile/LaunchModes.h"
#include "profile/Saturating.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gmprof::analysis {

using namespace profile;

const char *const AggregatePerWarp =
    "An atomicAdd can be aggregated per warp: one lane adds the sum of all active lanes "
    "(cooperative_groups::coalesced_threads()), and each lane takes the returned value plus the "
    "sum of the lanes before it, provided that the program does not depend on which thread gets "
    "which value: they stay unique, in another order. Copies per block in shared memory would "
    "change the values, which the kernel uses. Compare the times of both versions: ptxas "
    "aggregates "
    "additions of an integer to one word by itself.";

/// Returns whether the site is an atomic of global memory that may update the object.
static bool mayUpdate(const Site &S, const GlobalObjectUse &O) {
  return S.GlobalRule != GMPROF_RULE_NOT_COUNTED && counterKind(S.Kind) == GMPROF_COUNTER_ATOMICS &&
         (S.Variable == None ||
          std::find(O.Variables.begin(), O.Variables.end(), S.Variable) != O.Variables.end());
}

bool isOnlyAccumulated(const Descriptor &Desc, const GlobalObjectUse &O) {
  return std::all_of(Desc.Sites.begin(), Desc.Sites.end(),
                     [&](const Site &S) { return !mayUpdate(S, O) || S.Reduction; });
}

const char *orderOfAdditions(const std::string &Type) {
  return isIntegerType(Type)
             ? ""
             : " Floating-point additions then come in another order, and round otherwise.";
}

static double blocksOf(const Profile &P, uint32_t Kernel) {
  double Blocks = 0;
  profile::forEachLaunchMode(P, [&](const Launch &L) {
    if (L.Kernel == Kernel && profile::isGlobal(L.Mode))
      Blocks += static_cast<double>(mulSaturating(
          mulSaturating(mulSaturating<uint64_t>(L.Grid[0], L.Grid[1]), uint64_t(L.Grid[2])),
          L.Times));
  });
  return Blocks;
}

static std::string nameOf(const Profile &P, const Descriptor &Desc, const GlobalObjectUse &O) {
  std::vector<std::string> Names;
  for (uint32_t V : O.Variables)
    if (const std::string &Name = Desc.Variables[V].Name;
        !Name.empty() && std::find(Names.begin(), Names.end(), Name) == Names.end())
      Names.push_back(Name);
  for (const Object &Known : P.Objects)
    if (Names.empty() && Known.Id == O.Object && !Known.Name.empty())
      Names.push_back(Known.Name);
  return fmt::format("{}", fmt::join(Names, ", "));
}

static Finding describe(const Profile &P, const KernelGlobalUse &Use, const GlobalObjectUse &O,
                        double PerBlock, double Share, const AtomicContentionOptions &Options) {
  const Descriptor &Desc = *P.Kernels[Use.Kernel].Desc;
  const GlobalAccesses &Atomics = O.Kinds[GMPROF_COUNTER_ATOMICS];
  const auto Updates = static_cast<uint64_t>(std::llround(Atomics.Total.Value));
  Finding F;
  F.Pattern = "atomic_contention";
  F.Origin = "gmprof";
  F.Kernel = Use.Kernel;
  F.Object = nameOf(P, Desc, O);
  F.ObjectId = O.Object;
  F.ObjectBytes = O.Bytes;
  F.Source = Desc.Source;
  for (const Site &S : Desc.Sites)
    if (S.Source.Line != 0 && mayUpdate(S, O) && !S.Reduction) {
      F.Source = S.Source;
      break;
    }
  F.Level = Share >= Options.MediumShare ? Severity::Medium : Severity::Low;
  F.Evidence = {{"atomics", Updates},
                {"elements", Atomics.Touched},
                {"atomics_per_element_and_block", PerBlock},
                {"share_of_accesses", Share}};
  F.Message = fmt::format("{}{} atomics update {} of {}, {:.3g} per block and "
                          "element, one after the other.",
                          Atomics.Total.AtLeast ? "At least " : "", grouped(Updates),
                          plural(Atomics.Touched, "element"),
                          F.Object.empty() ? "an object" : quotedName(F.Object), PerBlock);
  F.Suggestion = AggregatePerWarp;
  return F;
}

std::vector<Finding> atomicContention(const Profile &P, const std::vector<KernelGlobalUse> &Uses,
                                      const AtomicContentionOptions &Options) {
  std::vector<Finding> Findings;
  for (const KernelGlobalUse &Use : Uses) {
    const double Blocks = blocksOf(P, Use.Kernel);
    double All = 0;
    for (const GlobalObjectUse &O : Use.Objects)
      All += O.total().Value;
    for (const GlobalObjectUse &O : Use.Objects) {
      const GlobalAccesses &Atomics = O.Kinds[GMPROF_COUNTER_ATOMICS];
      if (Atomics.Touched == 0 || Blocks == 0 || All == 0 ||
          isOnlyAccumulated(*P.Kernels[Use.Kernel].Desc, O))
        continue;
      const double PerBlock = Atomics.Total.Value / Blocks / static_cast<double>(Atomics.Touched);
      const double Share = Atomics.Total.Value / All;
      if (PerBlock < Options.MinUpdates || Share < Options.MinShare)
        continue;
      Findings.push_back(describe(P, Use, O, PerBlock, Share, Options));
      Findings.back().Fingerprint = fingerprint(Findings.back(), P);
    }
  }
  return Findings;
}

} // namespace gmprof::analysis
