//===- Progress.cpp - Reports progress of long work -----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/Progress.h"

namespace gmprof {

static thread_local ProgressReceiver Receiver = nullptr;

void setProgressReceiver(ProgressReceiver To) { Receiver = To; }
ProgressReceiver progressReceiver() { return Receiver; }

void progress(const std::string &Doing, uint64_t Done, uint64_t Of) {
  if (Receiver)
    Receiver(Doing, Done, Of);
}

} // namespace gmprof
