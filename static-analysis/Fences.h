//===- Fences.h - What empties an SM's L1 -----------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nothing keeps L1s coherent. What a thread is to see of other SMs after it has synchronised with
// them it must not find in L1; so ptxas empties it (CCTL.IVALL) after each fence and each operation
// with acquire semantics whose scope is larger than the block, behind barriers of clusters, and
// where a thread waits for the writes of its bulk copies. Measured on an H100: docs/cache-model.md.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_STATIC_ANALYSIS_FENCES_H
#define GMPROF_STATIC_ANALYSIS_FENCES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace llvm {
class Instruction;
} // namespace llvm

namespace gmprof {

enum class EmptiesL1 : uint8_t {
  Never,
  InClusters, ///< of several blocks
  Always,
};

/// Whether it does, as the NVPTX backend translates it; of inline assembly, never.
EmptiesL1 emptiesL1(const llvm::Instruction &I);

/// The same of a PTX instruction: fence with acq_rel and gpu.
EmptiesL1 emptiesL1(llvm::StringRef Opcode, llvm::ArrayRef<llvm::StringRef> Modifiers);

} // namespace gmprof

#endif // GMPROF_STATIC_ANALYSIS_FENCES_H
