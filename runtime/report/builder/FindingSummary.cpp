//===- FindingSummary.cpp - Findings --------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/builder/FindingSummary.h"
#include "report/model/Findings.h"
#include "report/model/SummaryNames.h"
#include <utility>

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

void addFindings(const profile::Profile &P, std::vector<analysis::Finding> Findings,
                 ObjectsSummary &Global, const SharedSummary &Shared, summary::Summary &S) {
  for (analysis::Finding &F : Findings) {
    summary::Finding &To = S.findings.emplace_back();
    To.pattern = F.Pattern;
    To.kind = F.Kind;
    To.also = std::move(F.Also);
    To.origin = F.Origin;
    To.severity = severityName(F.Level);
    if (F.ObjectId != 0) {
      const uint32_t Index = Global.indexOf(F.ObjectId);
      To.object = {Index, F.Object, S.objects[Index].kind};
    } else if (const auto Index = Shared.find(F.Kernel, F.Object, F.ObjectBytes))
      To.object = {*Index, F.Object, S.objects[*Index].kind};
    if (F.Kernel != None)
      To.kernel = {F.Kernel, P.Kernels[F.Kernel].Demangled, S.kernels[F.Kernel].source};
    if (S.sync && F.Site < S.sync->sites.size())
      To.site = F.Site;
    To.source = source(F.Source);
    setInlined(To, F, P);
    for (const profile::SourcePosition &Frame : F.CallPath)
      if (auto Position = source(Frame))
        To.call_path.push_back(*Position);
    To.evidence = std::move(F.Evidence);
    To.bytes_saved = F.BytesSaved;
    To.seconds_saved = F.SecondsSaved;
    To.message = std::move(F.Message);
    To.suggestion = std::move(F.Suggestion);
    To.fingerprint = std::move(F.Fingerprint);
  }
  joinPatterns(S.findings);
  rank(S.findings);
}

} // namespace gmprof
