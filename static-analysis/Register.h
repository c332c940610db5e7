//===- Register.h - Analyses and printers for opt and clang -----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_STATIC_ANALYSIS_REGISTER_H
#define GMPROF_STATIC_ANALYSIS_REGISTER_H

namespace llvm {
class PassBuilder;
} // namespace llvm

namespace gmprof {

/// Registers AccessAnalysis, and the printers print<gm-accesses>, print<gm-variables>,
/// print<gm-closed-forms>, print<gm-live-ranges> and print<gm-touches>.
void registerAnalyses(llvm::PassBuilder &PB);

} // namespace gmprof

#endif // GMPROF_STATIC_ANALYSIS_REGISTER_H
