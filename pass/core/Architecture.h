//===- Architecture.h - The target of a module ------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_CORE_ARCHITECTURE_H
#define GMPROF_PASS_CORE_ARCHITECTURE_H

#include "llvm/IR/Module.h"

namespace gmprof {

/// Returns the compute capability of a module's target: 90 for sm_90a; 0 for a module without
/// functions.
inline unsigned architecture(const llvm::Module &M) {
  for (const llvm::Function &F : M) {
    llvm::StringRef Cpu = F.getFnAttribute("target-cpu").getValueAsString();
    unsigned Number;
    if (Cpu.consume_front("sm_") && !Cpu.consumeInteger(10, Number))
      return Number;
  }
  return 0;
}

} // namespace gmprof

#endif // GMPROF_PASS_CORE_ARCHITECTURE_H
