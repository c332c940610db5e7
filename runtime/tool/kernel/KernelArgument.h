//===- KernelArgument.h - Arguments of a kernel -----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TOOL_KERNEL_KERNELARGUMENT_H
#define GMPROF_TOOL_KERNEL_KERNELARGUMENT_H

#include "tool/kernel/KernelSignature.h"
#include "tool/kernel/NpyFile.h"

namespace gmprof::kernel {

/// Value of a parameter.
struct KernelArgument {
  std::string Value;             ///< its bytes; of an array, the pointer, once it is allocated
  std::optional<NpyArray> Array; ///< what a pointer leads to
  std::string File;              ///< that the array was read from
  std::string Output;            ///< where to write it after the launch, if it was named
};

/// Decodes an argument of the command line for a parameter: FILE.npy, inout:FILE.npy:OUTPUT.npy,
/// null, an integer, or a number that may end in f.
Result<KernelArgument> decodeArgument(const std::string &Text, const Parameter &P);

} // namespace gmprof::kernel

#endif // GMPROF_TOOL_KERNEL_KERNELARGUMENT_H
