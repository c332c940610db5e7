//===- SnapshotView.h - A snapshot as a summary -----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_VIEWS_SNAPSHOTVIEW_H
#define GMPROF_REPORT_VIEWS_SNAPSHOTVIEW_H

#include "report/files/MemorySnapshot.h"
#include "report/model/Summary.h"
#include <optional>

namespace gmprof {

/// Returns the accounts of the devices' memory, and the findings about PyTorch's allocator with
/// their objects; nothing else. AtNs: time since the first event of an account that replaces the
/// others.
summary::Summary snapshotView(const MemorySnapshot &Of, std::optional<uint64_t> AtNs);

} // namespace gmprof

#endif // GMPROF_REPORT_VIEWS_SNAPSHOTVIEW_H
