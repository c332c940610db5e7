//===- AccessStatements.h - Memory accesses in inline assembly --*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Triton writes each access to global memory as inline assembly, under a predicate:
// "@$2 ld.global.b32 $0, [$1];". As a load in a branch, analyses describe it like any other.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PTX_ACCESSSTATEMENTS_H
#define GMPROF_PTX_ACCESSSTATEMENTS_H

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace gmprof::ptx {

/// Replaces inline assembly that accesses memory by LLVM IR, if all its instructions have rows and
/// it has no labels. Other inline assembly stays as it is. Returns an error if an operand does not
/// fit its instruction.
llvm::Error liftAccesses(llvm::Module &M);

} // namespace gmprof::ptx

#endif // GMPROF_PTX_ACCESSSTATEMENTS_H
