//===- CloneCompiler.h - Makes clones of kernels on demand ------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_INSTRUMENT_CLONECOMPILER_H
#define GMPROF_INSTRUMENT_CLONECOMPILER_H

#include "host/instrument/CloneProtocol.h"

#include "llvm/Support/Error.h"

#include <chrono>

namespace gmprof::instrument {

/// Processor time of the steps of compileClone.
struct CloneTimes {
  std::chrono::nanoseconds Read{}, Instrument{}, Generate{};
};

/// A module with the clones of one kernel for one profile.
struct CompiledClone {
  std::string Ptx;
  std::vector<std::string> Variables; ///< CloneAnswer::Variables
};

/// Makes the clones of one kernel for one profile, in a module of their own: the clones, the
/// kernel's descriptor, and the functions, constants and shared variables that they need. File
/// names the module in errors. Sets options of LLVM and of the pass, which are global: calls must
/// not overlap.
llvm::Expected<CompiledClone> compileClone(const CloneRequest &Request, llvm::StringRef File,
                                           CloneTimes *Times = nullptr);

} // namespace gmprof::instrument

#endif // GMPROF_INSTRUMENT_CLONECOMPILER_H
