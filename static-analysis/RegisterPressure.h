//===- RegisterPressure.h - How many registers code needs ------*- C++ -*--===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How many warps a multiprocessor holds depends on the registers of a kernel, which only ptxas
// knows. An estimate from the IR: registers that hold values at a time, with instructions in
// their order. ptxas reorders instructions and unrolls loops as long as 32 registers are enough for
// it, which leave room for all warps that a multiprocessor can hold.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_STATIC_ANALYSIS_REGISTERPRESSURE_H
#define GMPROF_STATIC_ANALYSIS_REGISTERPRESSURE_H

#include "llvm/IR/PassManager.h"

namespace gmprof {

/// The most registers of 32 bits whose values are live at a time. Without constants and
/// arguments, which a kernel has in constant memory, and without predicates.
unsigned mostLiveRegisters(const llvm::Function &F);

/// With so many, a multiprocessor holds all the warps that it can.
constexpr unsigned RegistersOfFullOccupancy = 32;

/// Whether ptxas is likely to need no more for F.
bool likelyHasFullOccupancy(const llvm::Function &F);

/// print<gm-register-pressure>: registers of <function>: <number>[, full occupancy]
class RegisterPressurePrinterPass : public llvm::PassInfoMixin<RegisterPressurePrinterPass> {
  llvm::raw_ostream &OS;

public:
  explicit RegisterPressurePrinterPass(llvm::raw_ostream &OS) : OS(OS) {}
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
  static bool isRequired() { return true; }
};

} // namespace gmprof

#endif // GMPROF_STATIC_ANALYSIS_REGISTERPRESSURE_H
