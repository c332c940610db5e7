//===- MachineWidths.h - Widths that ptxas gives accesses -------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ptxas joins accesses of consecutive addresses, whose alignment it knows better than LLVM, and
// keeps others apart. The kernel's machine code tells how wide the instructions of a source line
// are; which accesses are joined follows from their addresses.
//
// Accesses are compared by lines: those of a run, accesses of consecutive addresses in one block,
// belong together, and so do runs that share a line. A line whose instructions transfer a multiple
// of the bytes that its accesses transfer was unrolled by ptxas. Of 16 aligned bytes, ptxas may
// also load a word that no access needs.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_REQUESTS_MACHINEWIDTHS_H
#define GMPROF_PASS_REQUESTS_MACHINEWIDTHS_H

#include "pass/core/KernelCode.h"
#include "pass/requests/WideAccesses.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace gmprof {

struct MachineWidths {
  llvm::SmallVector<WideAccess, 0> Wide;
  llvm::DenseMap<unsigned, unsigned> Pieces; ///< bytes of the instructions of a copy or set
  /// Atomics of shared memory that are loops of a load and a compare-and-swap. The loop ends after
  /// one iteration if no other thread changes the memory in between.
  llvm::DenseSet<unsigned> Loops;
  /// Accesses whose instructions are known. Of the other ones Wide has those that are predicted.
  llvm::SmallVector<unsigned, 0> Explained;
};

/// Returns the wide accesses of an optimised function, a kernel or a device function that it calls,
/// as Code has them: in a function of its own, or inlined. Accesses are numbered as in Info.
/// Predicted: those that the backend of LLVM makes.
MachineWidths machineWidths(llvm::Function &F, const AccessInfo &Info, const KernelCode &Code,
                            llvm::ArrayRef<WideAccess> Predicted,
                            llvm::FunctionAnalysisManager &FAM);

} // namespace gmprof

#endif // GMPROF_PASS_REQUESTS_MACHINEWIDTHS_H
