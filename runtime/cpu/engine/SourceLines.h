//===- SourceLines.h - Source lines of machine code ----------- -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_ENGINE_SOURCELINES_H
#define GMPROF_CPU_ENGINE_SOURCELINES_H

#include "cpu/engine/Image.h"
#include "cpu/engine/Kernel.h"

#include "llvm/ADT/StringRef.h"

namespace gmprof::cpu {

/// A file of clang or the CUDA toolkit: what its user wants to know is the line
/// that it was inlined into.
bool isToolchainHeader(llvm::StringRef File);

/// "file:line" of the machine code at Address in a kernel's code, or empty if
/// that is not known.
std::string sourceLine(const Image &Image, const CompiledKernel &Kernel, uint64_t Address);

} // namespace gmprof::cpu

#endif // GMPROF_CPU_ENGINE_SOURCELINES_H
