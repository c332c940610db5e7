//===- SummaryNames.h - Names and values in summary.json --------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_MODEL_SUMMARYNAMES_H
#define GMPROF_REPORT_MODEL_SUMMARYNAMES_H

#include "analysis/Finding.h"
#include "analysis/shared/SharedMemoryUse.h"
#include "profile/ApiTrace.h"
#include "profile/Profile.h"
#include "report/model/Summary.h"
#include <optional>

namespace gmprof {

/// Maximum length of inline lists in summary.json; the number of omitted entries is always stated.
inline constexpr size_t MaxInline = 64;
/// Maximum number of chains of inlined calls per line.
inline constexpr size_t MaxInlinedCalls = 8;

const char *levelName(GmprofLevel L);
const char *accessName(GmprofAccessKind K);
const char *spaceName(GmprofSpace S);
const char *ruleName(GmprofRule R);
const char *instructionName(GmprofInstructionKind K);
const char *indexName(GmprofIndex I);
const char *severityName(analysis::Severity S);
const char *modeName(log::LaunchMode M);
const char *objectKindName(log::ObjectKind K);
const char *apiKindName(profile::ApiKind K);

/// Returns nothing if the file is unknown.
std::optional<summary::Source> source(const profile::SourcePosition &S);
summary::Number number(analysis::Bound B);
/// Returns the finding without references to objects, kernels and calls, and without a number.
summary::Finding finding(analysis::Finding F);
std::vector<summary::Bucket> buckets(const std::vector<analysis::Bucket> &Histogram);
/// Returns the chain at index InlinedAt of profile::Descriptor::Inlines.
summary::InlineChain inlinedAt(const profile::Descriptor &Desc, uint32_t InlinedAt);
/// Returns the distinct chains by which this line's function was inlined into the kernel.
std::vector<summary::InlineChain> inlinedAt(const profile::Descriptor &Desc,
                                            const profile::SourcePosition &Line);
/// Describes a site with the rule of the shared clones.
summary::Site site(const profile::Descriptor &Desc, const profile::Site &S);
/// Describes a site with the rule of the global clones.
summary::Site globalSite(const profile::Descriptor &Desc, const profile::Site &S);

} // namespace gmprof

#endif // GMPROF_REPORT_MODEL_SUMMARYNAMES_H
