//===- ExecutedAddress.h - Addresses where accesses are made ----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An index of 32 bits may overflow, as far as ScalarEvolution knows, where marks (nsw, nuw) are
// those of code behind a condition: they prove nothing of iterations that do not get there. But
// where an access is made, no marked sum that its address follows from has overflowed: it would be
// an access at poison, which no program may make. So there the extended sum is the sum of the
// extended numbers.
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

/// What Pointer is wherever memory is accessed at it.
const llvm::SCEV *executedAddress(llvm::Value *Pointer, llvm::ScalarEvolution &SE);

} // namespace gmprof

#endif // GMPROF_STATIC_ANALYSIS_EXECUTEDADDRESS_H
