//===- Instrument.h - Adds instrumented clones to a module ------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_CORE_INSTRUMENT_H
#define GMPROF_PASS_CORE_INSTRUMENT_H

#include "pass/core/Options.h"
#include "llvm/IR/PassManager.h"
#include <optional>

namespace gmprof {

/// gm-instrument. In a device module: clones of kernels, their descriptors and,
/// if asked for, the module's bitcode in a file. In a host module: that bitcode
/// in the object. A second run changes nothing.
class InstrumentPass : public llvm::PassInfoMixin<InstrumentPass> {
public:
  InstrumentPass() = default;
  /// With these options instead of those of the command line.
  explicit InstrumentPass(Options O) : Given(std::move(O)) {}

  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &MAM);
  static bool isRequired() { return true; }

private:
  std::optional<Options> Given;
};

} // namespace gmprof

#endif // GMPROF_PASS_CORE_INSTRUMENT_H
