//===- ExecutedAddress.h - Addresses at executed accesses -------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A 32-bit index may overflow as far as ScalarEvolution knows if its nsw and nuw flags belong to
// conditional code, because they prove nothing for iterations that do not execute it. When the
// access executes, however, no flagged sum in its address has overflowed: the address would be
// poison, which no valid program accesses. Then the extension of a sum is the sum of the
// extensions.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_STATIC_ANALYSIS_EXECUTEDADDRESS_H
#define GMPROF_STATIC_ANALYSIS_EXECUTEDADDRESS_H

namespace llvm {
class SCEV;
class ScalarEvolution;
class Value;
} // namespace llvm

namespace gmprof {

/// Returns Pointer's value, valid wherever memory is accessed through it.
const llvm::SCEV *executedAddress(llvm::Value *Pointer, llvm::ScalarEvolution &SE);

} // namespace gmprof

#endif // GMPROF_STATIC_ANALYSIS_EXECUTEDADDRESS_H
