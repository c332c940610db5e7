//===- PtxLinker.h - PTX to machine code by the driver's linker -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function that loads PTX holds the driver's lock while it compiles: launches and allocations of
// other threads wait for it, which takes seconds. The linker compiles without that lock, and
// loading its result takes less than a millisecond.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_CORE_PTXLINKER_H
#define GMPROF_HOST_CORE_PTXLINKER_H

#include "profile/Result.h"
#include <cuda.h>
#include <string>

namespace gmprof::host {

class PtxLinker {
public:
  /// Returns the linker of the process. The first call compiles an empty module, so that the driver
  /// loads its compiler on the caller's thread. Each call needs a current context.
  static const PtxLinker &get();

  /// Returns whether the driver has one: the CPU device has not.
  explicit operator bool() const { return Create && AddData && Complete && Destroy; }
  /// Returns a cubin for the device of the current context, or the first line of what the compiler
  /// says. May be called from any thread.
  Result<std::string> compile(const std::string &Ptx) const;

private:
  PtxLinker();

  decltype(&::cuLinkCreate) Create;
  decltype(&::cuLinkAddData) AddData;
  decltype(&::cuLinkComplete) Complete;
  decltype(&::cuLinkDestroy) Destroy;
};

} // namespace gmprof::host

#endif // GMPROF_HOST_CORE_PTXLINKER_H
