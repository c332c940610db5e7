//===- LineDirectives.h - Reduces debug info to lines -----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ptxas refuses full debug info of optimised code, so clang emits only line directives for it,
// which describe no variables. With -gm-line-directives, clang emits full debug info; once the
// descriptors are written, this pass reduces it to line directives.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_CORE_LINEDIRECTIVES_H
#define GMPROF_PASS_CORE_LINEDIRECTIVES_H

#include "llvm/IR/PassManager.h"

namespace gmprof {

/// Implements the pass gm-line-directives. Reduces full debug info to that of
/// -gline-directives-only. In the pipeline it runs if -gm-line-directives is set.
class LineDirectivesPass : public llvm::PassInfoMixin<LineDirectivesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &MAM);
  static bool isRequired() { return true; }
};

/// Adds the pass to the end of the device pipeline if it is requested.
void addLineDirectives(llvm::ModulePassManager &MPM);

} // namespace gmprof

#endif // GMPROF_PASS_CORE_LINEDIRECTIVES_H
