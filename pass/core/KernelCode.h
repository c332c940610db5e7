//===- KernelCode.h - The machine code of a kernel --------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions of LLVM and of the machine code belong together if they are at one place.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_CORE_KERNELCODE_H
#define GMPROF_PASS_CORE_KERNELCODE_H

#include "sass/MachineCode.h"
#include "static-analysis/Accesses.h"
#include "llvm/ADT/STLExtras.h"
#include <vector>

namespace gmprof {

/// The machine code of a kernel.
struct KernelCode {
  const sass::MachineCode &Module;
  const sass::Function &Kernel;

  /// Returns the kernel and its copies of device functions that ptxas did not inline.
  auto functions() const {
    return llvm::make_filter_range(
        Module.Functions, [this](const sass::Function &F) { return F.Kernel == Kernel.Name; });
  }

  /// Returns all memory instructions of functions().
  std::vector<const sass::MemoryInstruction *> instructions() const;
};

/// The places of instructions: a line of a file, and the lines that it was inlined at, from the
/// innermost outwards; empty if not known.
class CodePlaces {
public:
  CodePlaces(const KernelCode &Code, const llvm::Function &F);

  std::string of(const sass::MemoryInstruction &I) const;
  std::string of(const llvm::Instruction &I) const;
  std::string of(const SourceLocation &Source) const;

private:
  const KernelCode &Code;
  bool HasLines; ///< of both sides
  bool HasCalls; ///< whether the machine code tells where functions were inlined
};

} // namespace gmprof

#endif // GMPROF_PASS_CORE_KERNELCODE_H
