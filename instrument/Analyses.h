//===- Analyses.h - The analysis managers of a module -----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_INSTRUMENT_ANALYSES_H
#define GMPROF_INSTRUMENT_ANALYSES_H

#include "static-analysis/Register.h"

#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"

namespace gmprof::instrument {

/// Holds LLVM's analysis managers, with the project's analyses registered.
struct Analyses {
  llvm::LoopAnalysisManager Loops;
  llvm::FunctionAnalysisManager Functions;
  llvm::CGSCCAnalysisManager CallGraphs;
  llvm::ModuleAnalysisManager Modules;

  Analyses() {
    llvm::PassBuilder Builder;
    registerAnalyses(Builder);
    Builder.registerModuleAnalyses(Modules);
    Builder.registerCGSCCAnalyses(CallGraphs);
    Builder.registerFunctionAnalyses(Functions);
    Builder.registerLoopAnalyses(Loops);
    Builder.crossRegisterProxies(Loops, Functions, CallGraphs, Modules);
  }

  /// Removes functions and variables that nothing refers to.
  void removeUnused(llvm::Module &M) { llvm::GlobalDCEPass().run(M, Modules); }
};

} // namespace gmprof::instrument

#endif // GMPROF_INSTRUMENT_ANALYSES_H
