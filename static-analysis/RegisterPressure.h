//===- RegisterPressure.h - Estimates register use --------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Occupancy depends on a kernel's registers, which only ptxas knows. This estimate counts the live
// values of the IR in its instruction order. ptxas reorders instructions and unrolls loops as long
// as 32 registers suffice, which allow full occupancy.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_STATIC_ANALYSIS_REGISTERPRESSURE_H
#define GMPROF_STATIC_ANALYSIS_REGISTERPRESSURE_H

#include "llvm/IR/PassManager.h"

namespace gmprof {

/// Returns the maximum number of simultaneously live 32-bit registers. Excludes constants and
/// arguments, which are in constant memory, and predicates.
unsigned mostLiveRegisters(const llvm::Function &F);

/// Number of registers per thread up to which a multiprocessor holds the maximum number of warps.
constexpr unsigned RegistersOfFullOccupancy = 32;

/// Returns true if ptxas is likely to need no more than RegistersOfFullOccupancy for F.
bool likelyHasFullOccupancy(const llvm::Function &F);

/// Implements print<gm-register-pressure>: registers of <function>: <number>[, full occupancy]
class RegisterPressurePrinterPass : public llvm::PassInfoMixin<RegisterPressurePrinterPass> {
  llvm::raw_ostream &OS;

public:
  explicit RegisterPressurePrinterPass(llvm::raw_ostream &OS) : OS(OS) {}
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
  static bool isRequired() { return true; }
};

} // namespace gmprof

#endif // GMPROF_STATIC_ANALYSIS_REGISTERPRESSURE_H
