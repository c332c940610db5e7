//===- HostAccesses.h - Finds host uses of GPU results ----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Diogenes (SC'19), Section 3.3.1: loads and stores of the host are instrumented to find the first
// use of what the GPU has written. GMProf protects pages for that purpose
// (runtime/host/sync/HostWatch.h), and instruments accesses only for memory whose pages cannot be
// protected: stacks, and data that shares its pages with other data.
//
// The table __gmprof_host_pages has a byte per page, by the page's number modulo the table's size;
// the runtime sets the byte while it watches such memory in the page. Before each load and store:
//
//   if (__gmprof_host_pages[address / 4096 % 4096]) __gmprof_host_access(address, bytes, store)
//
// Accesses that cannot be to such memory get no check: accesses to local variables whose address
// stays in the function, to variables of the module whose address stays in the module, and to
// constants; and repeated accesses in a basic block with no call in between. memcpy and similar
// functions are accesses to all their bytes. A call of a function that may not be instrumented gets
// a check for each pointer argument:
//
//   if (__gmprof_host_pages[4096]) __gmprof_host_argument(address, bytes, function)
//
// where bytes is the size of the variable from the address on, or 0 if the variable is unknown;
// byte 4096 is set while any such memory is watched. The section gmprof_host_functions lists the
// addresses of the instrumented functions, so that the runtime recognises calls of functions whose
// accesses it cannot see.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_HOST_HOSTACCESSES_H
#define GMPROF_PASS_HOST_HOSTACCESSES_H

#include "llvm/IR/PassManager.h"

namespace gmprof {

/// Implements the pass gm-host-accesses. Does not change device code.
class HostAccessesPass : public llvm::PassInfoMixin<HostAccessesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Module &M, llvm::ModuleAnalysisManager &MAM);
  static bool isRequired() { return true; }
};

/// Adds the pass to a pipeline if -gm-host-accesses asks for it.
void addHostAccesses(llvm::ModulePassManager &MPM);

} // namespace gmprof

#endif // GMPROF_PASS_HOST_HOSTACCESSES_H
