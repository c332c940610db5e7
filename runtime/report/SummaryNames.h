//===- SummaryNames.h - The words of summary.json ---------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_SUMMARYNAMES_H
#define GMPROF_REPORT_SUMMARYNAMES_H

#include "analysis/Finding.h"
#include "analysis/SharedMemoryUse.h"
#include "profile/ApiTrace.h"
#include "profile/Profile.h"
#include "report/Summary.h"
#include <optional>

namespace gmprof {

/// Inline lists of summary.json end here; how many there are is always said.
inline constexpr size_t MaxInline = 64;
/// So do lists of the calls by which a line's function was inlined.
inline constexpr size_t MaxInlinedCalls = 8;

const char *levelName(GmprofLevel L);
const char *accessName(GmprofAccessKind K);
const char *spaceName(GmprofSpace S);
const char *ruleName(GmprofRule R);
const char *severityName(analysis::Severity S);
const char *modeName(log::LaunchMode M);
const char *objectKindName(log::ObjectKind K);
const char *apiKindName(profile::ApiKind K);

/// Nothing if the file is not known.
std::optional<summary::Source> source(const profile::SourcePosition &S);
summary::Number number(analysis::Bound B);
std::vector<summary::Bucket> buckets(const std::vector<analysis::Bucket> &Histogram);
/// By which calls of a kernel's descriptor (profile::Descriptor::Inlines) a place was inlined.
summary::InlineChain inlinedAt(const profile::Descriptor &Desc, uint32_t InlinedAt);
/// The calls by which this line's function was inlined into the kernel, each path of them once.
std::vector<summary::InlineChain> inlinedAt(const profile::Descriptor &Desc,
                                            const profile::SourcePosition &Line);
/// As the shared clones count it.
summary::Site site(const profile::Descriptor &Desc, const profile::Site &S);
/// As the global clones do.
summary::Site globalSite(const profile::Descriptor &Desc, const profile::Site &S);

} // namespace gmprof

#endif // GMPROF_REPORT_SUMMARYNAMES_H
