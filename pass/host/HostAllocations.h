//===- HostAllocations.h - Names of what the host allocates -----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In host code, cudaMalloc and its like are given the address of a variable, and what
// they allocate is best called by that variable's name. Before each such call, the
// pass puts one of the runtime's __gmprof_name_next_object(address, name), if the
// runtime is there. The names are those of the debug info: d_x, s.x, p->x, Class::x,
// v[2].
//
// It runs at the start of the pipeline, where the variables still are in memory, and
// where the templates of CUDA's headers are not inlined yet.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_HOST_HOSTALLOCATIONS_H
#define GMPROF_PASS_HOST_HOSTALLOCATIONS_H

#include "llvm/IR/PassManager.h"

namespace gmprof {

/// gm-host-allocations. Does not change device code.
class HostAllocationsPass : public llvm::PassInfoMixin<HostAllocationsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &MAM);
  static bool isRequired() { return true; }
};

} // namespace gmprof

#endif // GMPROF_PASS_HOST_HOSTALLOCATIONS_H
