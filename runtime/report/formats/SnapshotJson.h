//===- SnapshotJson.h - Snapshots of PyTorch's memory as JSON ---*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_FORMATS_SNAPSHOTJSON_H
#define GMPROF_REPORT_FORMATS_SNAPSHOTJSON_H

#include "report/views/SnapshotView.h"

namespace gmprof {

/// Returns the snapshot in the format that docs/report.md describes, gmprof.snapshot/1.
std::string snapshotJson(const SnapshotView &Of);

} // namespace gmprof

#endif // GMPROF_REPORT_FORMATS_SNAPSHOTJSON_H
