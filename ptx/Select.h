//===- Select.h - One kernel of a PTX module --------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PTX_SELECT_H
#define GMPROF_PTX_SELECT_H

#include "Syntax.h"

namespace gmprof::ptx {

/// Returns the names of the kernels that a module defines.
std::vector<llvm::StringRef> kernels(const Module &M);

/// Removes the functions and variables of a module that a kernel does not refer to, directly or
/// through functions, variables and aliases: lifting the rest takes time for one kernel only.
/// Other kernels stay if the kernel refers to them. The module must define the kernel.
void select(Module &M, llvm::StringRef Kernel);

} // namespace gmprof::ptx

#endif // GMPROF_PTX_SELECT_H
