//===- SizeLimitSignal.h - Blocks the file size signal ----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writing beyond RLIMIT_FSIZE raises SIGXFSZ, which ends the process by default. While one of these
// exists, such a write fails instead, as on a full disk, in this thread and the threads that it
// starts.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_FILES_SIZELIMITSIGNAL_H
#define GMPROF_REPORT_FILES_SIZELIMITSIGNAL_H

#include <csignal>

namespace gmprof {

class NoSizeLimitSignal {
public:
  NoSizeLimitSignal();
  ~NoSizeLimitSignal();
  NoSizeLimitSignal(const NoSizeLimitSignal &) = delete;

private:
  sigset_t Before; ///< mask to restore
};

} // namespace gmprof

#endif // GMPROF_REPORT_FILES_SIZELIMITSIGNAL_H
