//===- Rules.cpp - How an access is counted -------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/rules/Rules.h"

#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;
using namespace gmprof;

std::vector<CountedSite> &CountedSites::of(const Function &F, const FunctionSites &Sites) {
  std::vector<CountedSite> &Counted = Functions[&F];
  Counted.resize(Sites.Sites.size());
  return Counted;
}

CountedSite CountedSites::of(const DescribedFunction &F, unsigned Number) const {
  if (const auto &Reason = F.Sites->Sites[Number].OpaqueReason)
    return {GMPROF_RULE_SKIPPED, *Reason, {}, {}};
  const auto Counted = Functions.find(F.F);
  return Counted == Functions.end() ? CountedSite() : Counted->second[Number];
}

RuleContext::RuleContext(CountingClone &C, GmprofSpace Counted, Updates &Planned,
                         FunctionAnalysisManager &FAM)
    : C(C), Counted(Counted), DT(FAM.getResult<DominatorTreeAnalysis>(*C.F)),
      LI(FAM.getResult<LoopAnalysis>(*C.F)), SE(FAM.getResult<ScalarEvolutionAnalysis>(*C.F)),
      TTI(FAM.getResult<TargetIRAnalysis>(*C.F)),
      Forms(*C.F, LI, FAM.getResult<CycleAnalysis>(*C.F), DT, SE),
      Swept(*C.F, LI, FAM.getResult<CycleAnalysis>(*C.F), DT, SE), Planned(Planned) {}

void gmprof::addReason(std::string &Why, StringRef Rule, StringRef Reason) {
  if (!Reason.empty())
    Why += ((Why.empty() ? "" : "; ") + Rule + ": " + Reason).str();
}

bool gmprof::emitCounts(RuleContext &Context, FunctionSites &Sites, Instrumenter &I,
                        function_ref<void()> EmitCounters, EmitUpdate Emit) {
  const CountingClone &C = Context.C;
  planSweeps(Context);
  planEach(Context);
  const bool Counts = !Context.Planned.empty() || I.followsCalls(C);
  if (C.IsKernel)
    EmitCounters();
  Context.Planned.emit(C, I.hooks(), Emit);
  I.followCalls(C, Sites);
  SmallVector<AllocaInst *, 8> Counters;
  for (auto &[_, Counter] : Context.Executions)
    Counters.push_back(Counter);
  I.FAM.invalidate(*C.F, PreservedAnalyses::none());
  PromoteMemToReg(Counters, I.FAM.getResult<DominatorTreeAnalysis>(*C.F));
  I.hooks().inlineInto(*C.F);
  simplifyAfterInstrumentation(*C.F, I.FAM);
  return Counts;
}
