//===- Descriptor.h - The kernel's description in the module ----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_CORE_DESCRIPTOR_H
#define GMPROF_PASS_CORE_DESCRIPTOR_H

#include "pass/core/Options.h"
#include "pass/core/Sites.h"

namespace llvm {
class Function;
class GlobalVariable;
} // namespace llvm

namespace gmprof {

/// All that the descriptor (abi.h) of a kernel holds, or of a device function.
struct KernelDescription {
  const llvm::Function *Kernel = nullptr;
  unsigned Modes = 0;
  unsigned Flags = 0;
  std::string SkipReason;   ///< why it is not profiled at all
  std::string SharedReason; ///< why no clone counts shared memory
  std::vector<SiteVariable> Variables;
  std::vector<Site> Sites; ///< their Variable is an index into Variables
  std::vector<MoveSite> Moves;
  std::vector<TouchSite> Touches;
  std::vector<HeatFormSite> HeatForms;
  std::vector<unsigned> RangeVariables; ///< those whose live ranges are counted
  uint64_t Unit = 0;                    ///< of the sites of functions
  /// Functions with descriptors of their own that it may call.
  llvm::SetVector<const llvm::Function *> Callees;

  /// Adds the accesses of the kernel or of a device function that it calls.
  void add(const FunctionSites &Function);
  /// The index of a variable of the module, which need not have been accessed.
  unsigned indexOf(const llvm::GlobalVariable &Variable);
};

/// Adds the constant `__gm_kernel_<kernel>`, or `__gm_function_<function>`, to the module.
llvm::GlobalVariable *emitDescriptor(const KernelDescription &Description, const Options &O);

} // namespace gmprof

#endif // GMPROF_PASS_CORE_DESCRIPTOR_H
