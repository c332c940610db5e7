//===- CloneCompiler.h - Makes clones of kernels on demand ------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_INSTRUMENT_CLONECOMPILER_H
#define GMPROF_INSTRUMENT_CLONECOMPILER_H

#include "host/instrument/CloneProtocol.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/Error.h"

#include <chrono>

namespace gmprof::instrument {

/// Time of the steps of CloneCompiler::compile.
struct CloneTimes {
  std::chrono::nanoseconds Read{}, Instrument{}, Generate{};
};

/// A module with the clones of one kernel.
struct CompiledClone {
  std::string Code;                   ///< CloneAnswer::Text, in the request's form
  std::vector<std::string> Variables; ///< CloneAnswer::Variables
};

/// Makes clones. It sets options of LLVM and of the pass, which are global: there must be one at a
/// time.
class CloneCompiler {
public:
  /// Reads the hooks, which takes longer than a small clone.
  CloneCompiler();
  ~CloneCompiler();

  /// Makes the clones of one kernel for each profile, in a module of their own: the clones, the
  /// kernel's descriptor, and the functions, constants and shared variables that they need; or, in
  /// the form Instrumented, each clone in a module of its own. File names the module in errors.
  llvm::Expected<CompiledClone> compile(const CloneRequest &Request, llvm::StringRef File,
                                        CloneTimes *Times = nullptr);

private:
  llvm::Expected<CompiledClone> compileUnlessReported(const CloneRequest &Request,
                                                      llvm::StringRef File, CloneTimes *Times);

  std::string Reported; ///< the first error that LLVM reported, while it went on
  llvm::LLVMContext Context;
};

} // namespace gmprof::instrument

#endif // GMPROF_INSTRUMENT_CLONECOMPILER_H
