//===- GlobalMemoryUse.cpp - Access counts per element --------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/global/GlobalMemoryUse.h"
#include "analysis/global/ObjectCollector.h"
#include "analysis/global/Stretches.h"
#include "profile/CounterKind.h"
#include "profile/ElementSize.h"
#include "profile/LaunchModes.h"
#include "profile/Saturating.h"
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace gmprof::analysis {

using namespace profile;

std::vector<KernelForm> kernelForms(const Descriptor &Desc, std::string &Problem) {
  std::vector<KernelForm> Forms;
  for (const Form &F : Desc.Forms) {
    const Site &S = Desc.Sites[F.Site];
    std::optional<GmprofCounterKind> Kind = counterKind(S.Kind);
    Result<ClosedForm> Decoded = decodeClosedForm(F.Words, Desc.ParamCount);
    if (!Decoded || !Kind || S.Bytes == 0)
      Problem = Decoded ? "a closed form is of no single kind of access" : Decoded.error();
    else
      Forms.push_back({F.Variable, *Kind, S.Bytes, std::move(*Decoded)});
  }
  return Forms;
}

FormLaunch formLaunch(const GlobalContext &C) { return {C.Grid, C.Block, C.Values, std::nullopt}; }

Bound GlobalObjectUse::total() const {
  Bound Sum;
  for (const GlobalAccesses &A : Kinds) {
    Sum.Value += A.Total.Value;
    Sum.AtLeast |= A.Total.AtLeast;
  }
  return Sum;
}

static uint64_t blocksOf(const GlobalContext &C) {
  return mulSaturating(mulSaturating<uint64_t>(C.Grid[0], C.Grid[1]), uint64_t(C.Grid[2]));
}

namespace {

using Context = ObjectCollector::Context;

/// Determines one kernel's use of all objects.
class KernelCollector {
public:
  KernelCollector(const Profile &P, uint32_t Kernel) : P(P), Desc(*P.Kernels[Kernel].Desc) {
    Use.Kernel = Kernel;
  }
  void add(const GlobalContext &C, uint64_t Launches);
  void add(const GlobalCounts &C) { Records[C.Object].push_back(&C); }
  bool empty() const { return Contexts.empty() && Records.empty(); }
  KernelGlobalUse finish(uint64_t LaunchesSeen, size_t Threads);

private:
  unsigned elementShift(uint64_t Object) const;
  std::vector<uint32_t> variablesOf(uint64_t Object) const;
  std::string uncounted(const std::vector<uint32_t> &Variables) const;
  uint64_t object(const Object &O, GlobalObjectUse &To, size_t Threads) const;
  void countOutside();
  void estimate();

  const Profile &P;
  const Descriptor &Desc;
  KernelGlobalUse Use;
  std::vector<KernelForm> Forms;
  std::vector<Context> Contexts;
  std::map<uint64_t, std::vector<const GlobalCounts *>> Records; ///< by object
  std::string BadForm;
};

} // namespace

void KernelCollector::add(const GlobalContext &C, uint64_t Launches) {
  Contexts.push_back({&C, Launches});
  Use.LaunchesProfiled = addSaturating(Use.LaunchesProfiled, Launches);
  if (C.ClosedForms)
    Use.LaunchesWithForms = addSaturating(Use.LaunchesWithForms, Launches);
  Use.BlockSample = std::max(Use.BlockSample, C.BlockSample);
  Use.Blocks = addSaturating(Use.Blocks, C.Blocks);
  Use.BlocksLaunched =
      addSaturating(Use.BlocksLaunched, mulSaturating(blocksOf(C), C.LaunchesCounted));
  Use.BlocksSelected = addSaturating(
      Use.BlocksSelected, mulSaturating((blocksOf(C) - 1) / C.BlockSample + 1, C.LaunchesCounted));
  Use.Outside = addSaturating(Use.Outside, C.Outside);
  if (C.CounterBytes >= Use.CounterBytes) {
    Use.ObjectBytes = C.CounterBytes > Use.CounterBytes ? C.ObjectBytes
                                                        : std::max(Use.ObjectBytes, C.ObjectBytes);
    Use.CounterBytes = C.CounterBytes;
  }
}

/// Returns the smallest element size in which any launch counted the object.
unsigned KernelCollector::elementShift(uint64_t Object) const {
  unsigned Shift = MaxElementShift;
  if (auto It = Records.find(Object); It != Records.end()) {
    for (const GlobalCounts *R : It->second)
      Shift = std::min(Shift, R->ElementShift);
    return Shift;
  }
  for (uint32_t V : variablesOf(Object))
    Shift = std::min(Shift, gmprof::elementShift(Desc, V));
  return Shift;
}

/// Returns the accessed variables that point to the object.
std::vector<uint32_t> KernelCollector::variablesOf(uint64_t Object) const {
  std::set<uint32_t> Variables;
  for (const Site &S : Desc.Sites)
    if (S.Variable != None && S.GlobalRule != GMPROF_RULE_NOT_COUNTED)
      for (const Context &C : Contexts)
        if (C.Of->Objects[S.Variable] == Object)
          Variables.insert(S.Variable);
  return {Variables.begin(), Variables.end()};
}

std::string KernelCollector::uncounted(const std::vector<uint32_t> &Variables) const {
  for (const Site &S : Desc.Sites)
    if (S.GlobalRule == GMPROF_RULE_SKIPPED &&
        (S.Variable == None ||
         std::find(Variables.begin(), Variables.end(), S.Variable) != Variables.end()))
      return S.GlobalReason.empty() ? "an access could not be counted" : S.GlobalReason;
  if (Desc.Flags & GMPROF_KERNEL_OPAQUE_CALLS)
    return "the kernel calls code that could not be followed";
  return BadForm;
}

/// Determines the use of one object. Returns the number of accesses outside it.
uint64_t KernelCollector::object(const Object &O, GlobalObjectUse &To, size_t Threads) const {
  To.Object = O.Id;
  To.Bytes = O.Bytes;
  To.Variables = variablesOf(O.Id);
  const unsigned Shift = elementShift(O.Id);
  To.ElementBytes = 1u << Shift;
  To.Elements = (O.Bytes >> Shift) + ((O.Bytes & (To.ElementBytes - 1)) != 0);
  To.Uncounted = uncounted(To.Variables);

  // Blocks launched and blocks counted, by block sample.
  std::map<uint32_t, std::pair<double, double>> Blocks;
  for (const Context &C : Contexts) {
    auto &[Launched, Counted] = Blocks[C.Of->BlockSample];
    Launched += static_cast<double>(blocksOf(*C.Of)) * static_cast<double>(C.Of->LaunchesCounted);
    Counted += static_cast<double>(C.Of->Blocks);
  }
  std::map<uint32_t, double> Scales;
  for (const auto &[Sample, Ratio] : Blocks)
    Scales[Sample] = Ratio.second > 0 ? std::max(Ratio.first / Ratio.second, 1.0) : 1;
  ObjectCollector Collector(Desc, Forms, Contexts, To);
  auto Counts = Records.find(O.Id);
  return Collector.collect(Counts == Records.end() ? std::vector<const GlobalCounts *>()
                                                   : Counts->second,
                           Scales, Threads);
}

/// Counts the closed forms' accesses through pointers to no known object.
void KernelCollector::countOutside() {
  for (const Context &C : Contexts)
    for (const KernelForm &F : Forms) {
      if (!C.Of->ClosedForms || C.Of->Objects[F.Variable] != 0)
        continue;
      (void)forEachProgression(F.Form, formLaunch(*C.Of), [&](const Progression &P) {
        uint64_t Accesses = mulSaturating(P.Times, C.Launches);
        for (const Progression::Dimension &D : P.Dimensions)
          Accesses = mulSaturating(Accesses, D.Extent);
        Use.Outside = addSaturating(Use.Outside, Accesses);
      });
    }
}

/// Estimates the totals of all launches, and their standard error.
void KernelCollector::estimate() {
  const auto Variance = [](uint64_t Part, uint64_t All) {
    const auto N = static_cast<double>(Part), Of = static_cast<double>(All);
    return Part == 0 || Part >= All ? 0 : (1 - N / Of) / N;
  };
  const double ByBlocks = Variance(Use.Blocks, Use.BlocksLaunched);
  const double ByLaunches = Variance(Use.LaunchesProfiled, Use.LaunchesSeen);
  const double Scale = Use.LaunchesProfiled == 0 ? 1
                                                 : static_cast<double>(Use.LaunchesSeen) /
                                                       static_cast<double>(Use.LaunchesProfiled);
  for (GlobalObjectUse &O : Use.Objects)
    for (GlobalAccesses &A : O.Kinds) {
      const double Counted = Scale * (A.Total.Value - A.ByClosedForms);
      A.TotalEstimate = {Scale * A.Total.Value, A.Total.AtLeast};
      A.StandardError = std::sqrt(Counted * Counted * ByBlocks +
                                  A.TotalEstimate.Value * A.TotalEstimate.Value * ByLaunches);
    }
}

KernelGlobalUse KernelCollector::finish(uint64_t LaunchesSeen, size_t Threads) {
  Use.LaunchesSeen = std::max(LaunchesSeen, Use.LaunchesProfiled);
  Forms = kernelForms(Desc, BadForm);
  std::vector<Object> Accessed;
  for (const Object &O : P.Objects)
    if (Records.count(O.Id) || !variablesOf(O.Id).empty())
      Accessed.push_back(O);
  Use.Objects.resize(Accessed.size());
  std::vector<uint64_t> Outside(Accessed.size());
  forEachObject(
      Accessed.size(), Threads, [&](size_t I) { return Accessed[I].Bytes; },
      [&](size_t I, size_t Sharing) { Outside[I] = object(Accessed[I], Use.Objects[I], Sharing); });
  for (uint64_t Accesses : Outside)
    Use.Outside = addSaturating(Use.Outside, Accesses);
  countOutside();
  estimate();
  return std::move(Use);
}

std::vector<KernelGlobalUse> globalMemoryUse(const Profile &P, size_t Threads) {
  std::map<uint64_t, uint64_t> Launches; ///< by context
  std::vector<uint64_t> Seen(P.Kernels.size());
  for (const Launch &L : P.Launches)
    Seen[L.Kernel] = addSaturating(Seen[L.Kernel], L.Times);
  profile::forEachLaunchMode(P, [&](const Launch &L) {
    if (profile::isGlobal(L.Mode))
      Launches[L.Context] = addSaturating(Launches[L.Context], L.Times);
  });
  std::map<uint32_t, KernelCollector> Kernels;
  const auto Collector = [&](uint32_t Kernel) -> KernelCollector & {
    return Kernels.try_emplace(Kernel, P, Kernel).first->second;
  };
  for (const GlobalContext &C : P.GlobalContexts)
    if (P.Kernels[C.Kernel].Desc)
      Collector(C.Kernel).add(C, Launches[C.Context]);
  for (const GlobalCounts &C : P.Global)
    if (P.Kernels[C.Kernel].Desc)
      Collector(C.Kernel).add(C);
  std::vector<KernelGlobalUse> Uses;
  for (auto &[Kernel, C] : Kernels)
    Uses.push_back(C.finish(Seen[Kernel], Threads));
  return Uses;
}

} // namespace gmprof::analysis
