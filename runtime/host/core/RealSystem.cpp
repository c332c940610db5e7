//===- RealSystem.cpp - The C library behind the interposed functions -----===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/core/RealSystem.h"
#include <atomic>
#include <dlfcn.h>

namespace gmprof::host {

// Looking up may call free(), so there is no lock around it; it first happens before there
// are threads.
const RealSystem &realSystem() {
  static constinit RealSystem Functions = {};
  static constinit std::atomic<bool> Begun = false;
  // Each free() of the program comes here: threads only read the flag once it is set.
  if (!Begun.load(std::memory_order_relaxed) && !Begun.exchange(true, std::memory_order_relaxed)) {
#define GMPROF_FIND(name)                                                                          \
  Functions.name = reinterpret_cast<decltype(&::name)>(dlsym(RTLD_NEXT, #name));
    GMPROF_SYSTEM_FUNCTIONS(GMPROF_FIND)
#undef GMPROF_FIND
  }
  return Functions;
}

namespace {
__attribute__((constructor)) void findEarly() { realSystem(); }
} // namespace

} // namespace gmprof::host
