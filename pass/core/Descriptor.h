//===- Descriptor.h - The kernel's description in the module ----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_CORE_DESCRIPTOR_H
#define GMPROF_PASS_CORE_DESCRIPTOR_H

#include "pass/core/MachineMemory.h"
#include "pass/core/Sites.h"
#include <memory>

namespace llvm {
class Function;
class GlobalVariable;
} // namespace llvm

namespace gmprof {

class CloneBuilder;

/// A function whose sites are in a description.
struct DescribedFunction {
  const llvm::Function *F = nullptr;
  const FunctionSites *Sites = nullptr;
  unsigned FirstSite = 0;           ///< number in the description
  llvm::SmallVector<int> Variables; ///< numbers in the description, of Sites->Variables

  int variable(int Number) const { return Number < 0 ? Number : Variables[Number]; }
};

/// The content of the descriptor (abi.h) of a kernel or of a device function, apart from the facts
/// that builders add.
struct KernelDescription {
  const llvm::Function *Kernel = nullptr;
  unsigned Modes = 0;
  unsigned Flags = 0;
  std::string SkipReason; ///< why it is not profiled at all
  uint64_t Unit = 0;      ///< of the sites of functions
  std::vector<Variable> Variables;
  std::vector<DescribedFunction> Functions; ///< the kernel is the first
  unsigned SiteCount = 0;
  /// Functions with descriptors of their own that it may call.
  llvm::SetVector<const llvm::Function *> Callees;
  unsigned MachineCode = 0, FrameBytes = 0; ///< see GmprofKernelDesc
  std::vector<CodeInstruction> Instructions;

  /// Adds the sites of the kernel or of a device function that it calls.
  void add(const llvm::Function &F, const FunctionSites &Sites);
  /// Returns the number of a variable of the module, which need not have been accessed.
  unsigned indexOf(const llvm::GlobalVariable &Variable);
  /// Returns the number of a variable that an analysis of the kernel describes.
  unsigned indexOf(const Variable &Variable);
};

/// Adds the constant `__gm_kernel_<kernel>`, or `__gm_function_<function>`, to the module.
llvm::GlobalVariable *emitDescriptor(const KernelDescription &D,
                                     llvm::ArrayRef<std::unique_ptr<CloneBuilder>> Builders);

} // namespace gmprof

#endif // GMPROF_PASS_CORE_DESCRIPTOR_H
