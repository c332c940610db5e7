//===- Fences.h - Instructions that invalidate L1 ---------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// L1 caches are not coherent. After a thread has synchronized with other SMs, it must not find
// their data's old values in L1; so ptxas invalidates L1 (CCTL.IVALL) after each fence and each
// operation with acquire semantics whose scope exceeds the block, after cluster barriers, and where
// a thread waits for the writes of its bulk copies. Measured on an H100: docs/cache-model.md.
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
  InClusters, ///< only in clusters of several blocks
  Always,
};

/// Returns the effect of I as the NVPTX backend translates it; Never for inline assembly.
EmptiesL1 emptiesL1(const llvm::Instruction &I);

/// Returns the effect of a PTX instruction, such as opcode fence with modifiers acq_rel and gpu.
EmptiesL1 emptiesL1(llvm::StringRef Opcode, llvm::ArrayRef<llvm::StringRef> Modifiers);

} // namespace gmprof

#endif // GMPROF_STATIC_ANALYSIS_FENCES_H
