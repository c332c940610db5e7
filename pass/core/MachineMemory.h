//===- MachineMemory.h - Memory that only machine code shows ----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No profile records accesses of local and constant memory and of textures, and ptxas decides which
// arrays stay in local memory and which values are spilled to it. The kernel's machine code has the
// instructions; the accesses of the source at their places tell the variables.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_CORE_MACHINEMEMORY_H
#define GMPROF_PASS_CORE_MACHINEMEMORY_H

#include "pass/core/KernelCode.h"
#include "static-analysis/Accesses.h"
#include "llvm/IR/PassManager.h"

namespace gmprof {

struct KernelDescription;

/// Instructions of machine code that do the same at one place; see GmprofInstructionDesc.
struct CodeInstruction {
  GmprofInstructionKind Kind = GMPROF_INSTRUCTION_LOCAL_LOAD;
  int Variable = -1; ///< number in the description
  SourceLocation Source;
  unsigned Bytes = 0, Count = 0;
  GmprofIndex Index = GMPROF_INDEX_UNKNOWN;
  int LaneStride = 0;
};

/// Adds the machine code's instructions to the description of a kernel.
void addMachineMemory(KernelDescription &D, const KernelCode &Code, llvm::Function &Kernel,
                      llvm::FunctionAnalysisManager &FAM);

} // namespace gmprof

#endif // GMPROF_PASS_CORE_MACHINEMEMORY_H
