//===- FindingSummary.cpp - Findings --------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/builder/FindingSummary.h"
#include "report/model/Findings.h"
#include "report/model/SummaryNames.h"

namespace gmprof {

using profile::None;

/// Adds the chains by which the finding's line was inlined; lines in headers may have several.
static void setInlined(summary::Finding &To, const analysis::Finding &F,
                       const profile::Profile &P) {
  if (F.Kernel == None || F.Source.Line == 0 || !P.Kernels[F.Kernel].Desc)
    return;
  To.inlined_at = inlinedAt(*P.Kernels[F.Kernel].Desc, F.Source);
  if (To.inlined_at.size() > MaxInlinedCalls) {
    To.inlined_omitted = To.inlined_at.size() - MaxInlinedCalls;
    To.inlined_at.resize(MaxInlinedCalls);
  }
}

void addFindings(const profile::Profile &P, const std::vector<analysis::Finding> &Findings,
                 ObjectsSummary &Global, const SharedSummary &Shared, summary::Summary &S) {
  for (const analysis::Finding &F : Findings) {
    summary::Finding &To = S.findings.emplace_back(finding(F));
    if (F.ObjectId != 0) {
      const uint32_t Index = Global.indexOf(F.ObjectId);
      To.object = {Index, F.Object, S.objects[Index].kind};
    } else if (const auto Index = Shared.find(F.Kernel, F.Object, F.ObjectBytes))
      To.object = {*Index, F.Object, S.objects[*Index].kind};
    if (F.Kernel != None)
      To.kernel = {F.Kernel, P.Kernels[F.Kernel].Demangled, S.kernels[F.Kernel].source};
    if (S.sync && F.Site < S.sync->sites.size())
      To.site = F.Site;
    setInlined(To, F, P);
  }
  joinPatterns(S.findings);
  rank(S.findings);
}

} // namespace gmprof
