//===- SiteCallers.h - Callers of lines with several sites ------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_SYNC_SITECALLERS_H
#define GMPROF_ANALYSIS_SYNC_SITECALLERS_H

#include "analysis/sync/SyncProblems.h"

namespace gmprof::analysis {

/// Sets SyncSite::Caller. SamePath: the result of pathsBySource.
void nameCallers(std::vector<SyncSite> &Sites, const profile::Profile &P,
                 const std::vector<uint32_t> &SamePath);

/// Returns " The caller is app.cu:7."; "" for a site that has its line for itself.
std::string callerSentence(const SyncSite &Site);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_SYNC_SITECALLERS_H
