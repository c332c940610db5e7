//===- CountedLaunches.cpp - Launches that global memory counts -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/elements/CountedLaunches.h"
#include "profile/LaunchModes.h"
#include "profile/Saturating.h"
#include <algorithm>

namespace gmprof::analysis {

using namespace profile;

CountedLaunches::CountedLaunches(const Profile &P, const ObjectHistory &H) : P(P), H(H) {
  findContexts();
  findKernels();
  findUnobserved();
  for (const GlobalCounts &R : P.Global)
    RecordsOf[R.Object].push_back(&R);
  InPasses = std::any_of(P.Gaps.begin(), P.Gaps.end(),
                         [](const Gap &G) { return G.What == "objects of launches"; });
}

void CountedLaunches::findContexts() {
  for (uint32_t I = 0; I < P.GlobalContexts.size(); ++I) {
    const GlobalContext &C = P.GlobalContexts[I];
    Contexts.emplace_back().Of = &C;
    ContextByNumber[C.Context] = I;
    for (uint64_t Object : std::set<uint64_t>(C.Objects.begin(), C.Objects.end()))
      if (Object != 0)
        ContextsOf[Object].push_back(I);
  }
  forEachLaunchMode(P, [&](const Launch &L) {
    auto It = ContextByNumber.find(L.Context);
    if (isGlobal(L.Mode) && It != ContextByNumber.end())
      Contexts[It->second].Launches = addSaturating(Contexts[It->second].Launches, L.Times);
  });
  const ApiTrace &T = H.trace();
  for (uint32_t I = 0; I < T.Apis.size(); ++I) {
    const std::optional<Launch> L = counted(T.Apis[I]);
    const std::optional<uint32_t> Index = L ? indexOf(L->Context) : std::nullopt;
    if (!Index)
      continue;
    CountedContext &C = Contexts[*Index];
    C.Apis.push_back(I);
    C.First = std::min(C.First, H.timestamp(I));
    C.Last = std::max(C.Last, H.timestamp(I));
    C.Streams.insert(T.Apis[I].Stream);
  }
}

/// Returns what the kernel's descriptor says about its accesses.
static CountedKernel describe(const Descriptor &Desc) {
  CountedKernel K;
  K.Forms = kernelForms(Desc, K.Problem);
  K.IsAccessed.resize(Desc.Variables.size());
  for (const Site &S : Desc.Sites) {
    if (S.GlobalRule == GMPROF_RULE_NOT_COUNTED)
      continue;
    if (S.Variable != None)
      K.IsAccessed[S.Variable] = true;
    if (S.Variable != None && Desc.Variables[S.Variable].Root != None)
      continue;
    K.CountsAnywhere = true;
    if (S.GlobalRule == GMPROF_RULE_SKIPPED)
      K.Uncounted = S.GlobalReason;
  }
  if (Desc.Flags & GMPROF_KERNEL_OPAQUE_CALLS)
    K.Uncounted = "the kernel calls code that could not be followed";
  return K;
}

void CountedLaunches::findKernels() {
  for (const Kernel &K : P.Kernels)
    Kernels.push_back(K.Desc ? describe(*K.Desc) : CountedKernel());
  for (const CountedContext &C : Contexts) {
    CountedKernel &K = Kernels[C.Of->Kernel];
    K.Profiled |= C.Launches != 0;
    K.First = std::min(K.First, C.First);
    K.Last = std::max(K.Last, C.Last);
    K.Streams.insert(C.Streams.begin(), C.Streams.end());
  }
}

void CountedLaunches::findUnobserved() {
  const ApiTrace &T = H.trace();
  for (uint32_t I = 0; I < T.Apis.size(); ++I) {
    if (!T.Apis[I].Inferred || !isUnprofiled(T.Apis[I]))
      continue;
    UnobservedApis.push_back(I);
    if (!isKnown(T.Apis[I]))
      UnknownApis.push_back(I);
  }
}

std::optional<uint32_t> CountedLaunches::indexOf(uint64_t Number) const {
  auto It = ContextByNumber.find(Number);
  return It == ContextByNumber.end() ? std::nullopt : std::optional(It->second);
}

std::span<const uint32_t> CountedLaunches::contextsOf(uint64_t ObjectId) const {
  auto It = ContextsOf.find(ObjectId);
  return It == ContextsOf.end() ? std::span<const uint32_t>() : It->second;
}

std::span<const GlobalCounts *const> CountedLaunches::recordsOf(uint64_t ObjectId) const {
  auto It = RecordsOf.find(ObjectId);
  return It == RecordsOf.end() ? std::span<const GlobalCounts *const>() : It->second;
}

std::optional<Launch> CountedLaunches::counted(const Api &A) const {
  return A.Launch == None ? std::nullopt : launchIn(P, A.Launch, isGlobal);
}

bool CountedLaunches::isUnprofiled(const Api &A) const {
  return A.Kind == ApiKind::Launch && !counted(A);
}

bool CountedLaunches::isKnown(const Api &A) const {
  return A.Launch != None && Kernels[P.Launches[A.Launch].Kernel].Profiled;
}

CountedLaunches::Unobserved CountedLaunches::unobserved(uint32_t Begin, uint32_t End) const {
  const auto Number = [&](const std::vector<uint32_t> &Of) {
    return static_cast<uint64_t>(std::lower_bound(Of.begin(), Of.end(), End) -
                                 std::lower_bound(Of.begin(), Of.end(), Begin));
  };
  return {Number(UnobservedApis), Number(UnknownApis)};
}

} // namespace gmprof::analysis
