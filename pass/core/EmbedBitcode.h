//===- EmbedBitcode.h - Device bitcode for the CPU device -------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The device compilation of a translation unit writes its bitcode to a file, and
// the host compilation that follows puts it into the object.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_CORE_EMBEDBITCODE_H
#define GMPROF_PASS_CORE_EMBEDBITCODE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace llvm {
class Module;
} // namespace llvm

namespace gmprof {

/// Adds the record of a device module (abi.h) to File, beside those of other architectures. Each
/// translation unit needs a file of its own.
llvm::Error writeDeviceBitcode(llvm::Module &M, llvm::StringRef File);

/// Adds the records of File, compressed, to a host module: behind the fat binary or, if the linker
/// makes that, in a section of its own.
llvm::Error embedDeviceBitcode(llvm::Module &M, llvm::StringRef File);

} // namespace gmprof

#endif // GMPROF_PASS_CORE_EMBEDBITCODE_H
