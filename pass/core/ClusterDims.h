//===- ClusterDims.h - __cluster_dims__ for NVPTX ---------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// clang 22 checks the attribute cluster_dims of a kernel and generates nothing for
// it, so a launch with <<<>>> would run without clusters. NvccCompatibility.h, which
// gmprof-clang++ includes, adds an annotation with the same dimensions. This pass
// turns the annotation into the function attribute nvvm.cluster_dim, from which LLVM
// makes .explicitcluster and .reqnctapercluster.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_CORE_CLUSTERDIMS_H
#define GMPROF_PASS_CORE_CLUSTERDIMS_H

#include "llvm/IR/PassManager.h"

namespace gmprof {

/// Implements the pass gm-cluster-dims. Does not change modules without such annotations, such as
/// host code.
class ClusterDimsPass : public llvm::PassInfoMixin<ClusterDimsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &MAM);
  static bool isRequired() { return true; }
};

} // namespace gmprof

#endif // GMPROF_PASS_CORE_CLUSTERDIMS_H
