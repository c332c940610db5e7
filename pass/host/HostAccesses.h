//===- HostAccesses.h - Sees host code use what the GPU wrote ---*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Diogenes (SC'19), Section 3.3.1: loads and stores of the host are instrumented to find the first
// use of what the GPU has written. In GMProf pages are protected for that
// (runtime/host/sync/HostWatch.h); this is for memory of which pages cannot be: stacks, and what
// shares its pages with other data.
//
// The table __gmprof_host_pages has a byte per page, by the page's number modulo the table's
// size; the runtime sets it where such memory is watched. Before each load and store:
//
//   if (__gmprof_host_pages[address / 4096 % 4096]) __gmprof_host_access(address, bytes, store)
//
// Left out are accesses that cannot be of such memory: to variables whose address stays in the
// function or, of the module's own, in the module, to constants; and accesses to where the same
// basic block has accessed before, with no call in between. memcpy and the like are accesses of
// all their bytes. A call of a function that may be compiled otherwise gets, for each pointer that
// it is given,
//
//   if (__gmprof_host_pages[4096]) __gmprof_host_argument(address, bytes, function)
//
// where bytes is what the variable has from there on, 0 if it is not known which it is; byte 4096
// says whether anything is watched. The runtime knows which functions are instrumented, so that it
// sees what it cannot see: their addresses are in the section gmprof_host_functions.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_HOST_HOSTACCESSES_H
#define GMPROF_PASS_HOST_HOSTACCESSES_H

#include "llvm/IR/PassManager.h"

namespace gmprof {

/// gm-host-accesses. Does not change device code.
class HostAccessesPass : public llvm::PassInfoMixin<HostAccessesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &MAM);
  static bool isRequired() { return true; }
};

/// Adds the pass to a pipeline if -gm-host-accesses asks for it.
void addHostAccesses(llvm::ModulePassManager &MPM);

} // namespace gmprof

#endif // GMPROF_PASS_HOST_HOSTACCESSES_H
