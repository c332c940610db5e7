//===- SizeLimitSignal.h - Too large a file is an error ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Who writes beyond RLIMIT_FSIZE gets a signal, which ends the process by default. As long as one
// of these exists, the write fails in this thread, and those that it starts, as on a full disk.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_SIZELIMITSIGNAL_H
#define GMPROF_REPORT_SIZELIMITSIGNAL_H

#include <csignal>

namespace gmprof {

class NoSizeLimitSignal {
public:
  NoSizeLimitSignal();
  ~NoSizeLimitSignal();
  NoSizeLimitSignal(const NoSizeLimitSignal &) = delete;

private:
  sigset_t Before; ///< what was blocked
};

} // namespace gmprof

#endif // GMPROF_REPORT_SIZELIMITSIGNAL_H
