//===- AccessPrinter.h - Parts shared by the printers -----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_STATIC_ANALYSIS_ACCESSPRINTER_H
#define GMPROF_STATIC_ANALYSIS_ACCESSPRINTER_H

#include "Accesses.h"

namespace gmprof {

/// Prints <file>:<line>:<column>, or - if the location is unknown.
void printLocation(llvm::raw_ostream &OS, const llvm::Instruction &I);

/// Prints <location> <kind> <space> <bytes> <variable>.
void printSummary(llvm::raw_ostream &OS, const Access &A, llvm::ArrayRef<Variable> Variables);

} // namespace gmprof

#endif // GMPROF_STATIC_ANALYSIS_ACCESSPRINTER_H
