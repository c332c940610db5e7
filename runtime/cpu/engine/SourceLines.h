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

/// Returns whether a file belongs to clang or the CUDA toolkit; messages then show the line into
/// which its code was inlined.
bool isToolchainHeader(llvm::StringRef File);

/// Returns "file:line" of the machine code at Address in a kernel, or an empty string if unknown.
std::string sourceLine(const Image &Image, const CompiledKernel &Kernel, uint64_t Address);

} // namespace gmprof::cpu

#endif // GMPROF_CPU_ENGINE_SOURCELINES_H
