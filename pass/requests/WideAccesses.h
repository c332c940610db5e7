//===- WideAccesses.h - Accesses that become one instruction ----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The NVPTX backend merges adjacent loads and stores to vector accesses (LLVM's
// LoadStoreVectorizer): the four floats of a float4 are one request of 16 bytes for the hardware.
// To find them, that pass runs on a copy of the function: loads are followed to their replacements,
// and stores are recognised by unique values that replace the stored ones.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_REQUESTS_WIDEACCESSES_H
#define GMPROF_PASS_REQUESTS_WIDEACCESSES_H

#include "static-analysis/Accesses.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Support/Alignment.h"

namespace gmprof {

/// An access that is part of a wide one.
struct WidePart {
  unsigned Number = 0;
  int64_t Offset = 0; ///< in the wide access, in bytes
};

struct WideAccess {
  /// The access at whose place the wide access is made: the first one of loads, the last one of
  /// stores.
  WidePart Leader;
  unsigned Bytes = 0;
  llvm::Align Alignment;
  llvm::SmallVector<WidePart, 4> Others;
  /// Iterations of the parts' loop that it consists of; see Update::Iterations.
  unsigned Iterations = 1;
};

/// Returns the wide accesses of an optimised function. Accesses are numbered as in Info.
llvm::SmallVector<WideAccess, 0> wideAccesses(llvm::Function &F, const AccessInfo &Info,
                                              llvm::FunctionAnalysisManager &FAM);

} // namespace gmprof

#endif // GMPROF_PASS_REQUESTS_WIDEACCESSES_H
