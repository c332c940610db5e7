//===- KernelModule.h - One kernel of a module, as LLVM IR ------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_INSTRUMENT_KERNELMODULE_H
#define GMPROF_INSTRUMENT_KERNELMODULE_H

#include "ptx/Codegen.h"

namespace gmprof::instrument {

/// A kernel and what it needs of its module, in LLVM IR that the verifier has accepted.
struct KernelModule {
  std::unique_ptr<llvm::Module> M;
  llvm::Function *Kernel = nullptr;
  ptx::CodegenTarget Target;
  std::vector<std::string> Options; ///< of the pass, that the module was compiled with
  /// Names of the program's variables that the module reaches by address; nothing: none of it does.
  std::optional<std::vector<std::string>> Variables;
};

/// Reads PTX, LLVM IR or bitcode, and keeps one kernel. PTX is lifted and simplified; LLVM IR is
/// expected to be optimised. Kernel is the mangled name; empty: the module must have one kernel.
/// Architecture is the device's ("sm_90"); empty: the one that the module states. File names the
/// module in errors.
llvm::Expected<KernelModule> readKernel(llvm::StringRef Bytes, llvm::StringRef File,
                                        llvm::StringRef Kernel, llvm::StringRef Architecture,
                                        llvm::LLVMContext &Context);

/// Writes the target and the variables of a kernel to its module's metadata, where readKernel finds
/// them: those of a clone, which is written as bitcode, are those of the kernel's module.
void keepFacts(KernelModule &K);

} // namespace gmprof::instrument

#endif // GMPROF_INSTRUMENT_KERNELMODULE_H
