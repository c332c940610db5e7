//===- Instrument.h - The pass gm-instrument --------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_CORE_INSTRUMENT_H
#define GMPROF_PASS_CORE_INSTRUMENT_H

#include "llvm/IR/PassManager.h"

namespace gmprof {

/// Implements the pass gm-instrument. Adds clones of kernels and their descriptors to a device
/// module, unless they can be made on demand, and writes the module's bitcode to a file if the
/// options name one; adds that bitcode to a host module. A second run changes nothing.
class InstrumentPass : public llvm::PassInfoMixin<InstrumentPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &MAM);
  static bool isRequired() { return true; }
};

} // namespace gmprof

#endif // GMPROF_PASS_CORE_INSTRUMENT_H
