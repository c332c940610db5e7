//===- HostAllocations.h - Names of the host's allocations ------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names allocations after variables. Host code passes the address of a variable to cudaMalloc and
// similar functions, or to a function of the program that passes it on. Before each of these calls,
// the pass inserts a call of the runtime's __gmprof_name_next_object(address, name). Members of
// Thrust's vectors allocate memory of their own: __gmprof_name_container(address, name) names the
// vector before such a call, and ends with nulls. Functions that allocate memory for members of an
// object, like a constructor, know the object as Class::x or p->x:
// __gmprof_name_instance(address, bytes, name) says before a call what the caller calls the object,
// with what precedes a member's name ("s.", "p->"), and ends with nulls. No call is made if the
// runtime is not loaded.
//
// It runs at the start of the pipeline, when the variables still are in memory and the templates of
// CUDA's headers are not inlined.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_HOST_HOSTALLOCATIONS_H
#define GMPROF_PASS_HOST_HOSTALLOCATIONS_H

#include "llvm/IR/PassManager.h"

namespace gmprof {

/// Implements the pass gm-host-allocations. Does not change device code.
class HostAllocationsPass : public llvm::PassInfoMixin<HostAllocationsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &MAM);
  static bool isRequired() { return true; }
};

} // namespace gmprof

#endif // GMPROF_PASS_HOST_HOSTALLOCATIONS_H
