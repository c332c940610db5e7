//===- AccountView.h - Owners of memory as a part of summary.json *- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_VIEWS_ACCOUNTVIEW_H
#define GMPROF_REPORT_VIEWS_ACCOUNTVIEW_H

#include "analysis/objects/MemoryAccount.h"
#include "report/model/Summary.h"

namespace gmprof {

/// Maximum number of call sites, and of objects, of an account.
inline constexpr size_t MaxAccountRows = 32;

/// Returns the account as it is in summary.json.
summary::MemoryAccount accountView(const profile::Profile &P, const profile::ApiTrace &Trace,
                                   const analysis::MemoryAccount &A);

/// Returns the account of the moment, or null.
const summary::MemoryAccount *accountAt(const summary::DeviceMemory &D, const std::string &Moment);

/// Returns an owner in words: PyTorch, cached and free: small blocks. Owner, Name: as in
/// summary::MemoryRow.
std::string ownerText(const std::string &Owner, const std::string &Name);

} // namespace gmprof

#endif // GMPROF_REPORT_VIEWS_ACCOUNTVIEW_H
