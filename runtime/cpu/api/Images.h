//===- Images.h - Images that programs load as modules ----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The engine runs bitcode, PTX and LLVM IR. An image is one of these, or a fat binary or its
// wrapper with PTX in it. A cubin is refused.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_API_IMAGES_H
#define GMPROF_CPU_API_IMAGES_H

#include "cpu/api/Modules.h"

namespace gmprof::cpu::api {

/// PTX of a fat binary, or why there is none.
struct EmbeddedPtx {
  std::string Text;
  int Architecture = 0;
  std::string Missing; ///< "has no PTX, only code for sm_80", or empty
};

/// Returns the PTX of a fat binary that suits the device best: that of the highest architecture up
/// to the device's, else that of the lowest one. FatBinary may be a wrapper.
EmbeddedPtx ptxOf(const void *FatBinary);

/// Returns the PTX of the translation units that a registered fat binary was linked from
/// (nvcc -rdc=true): nvcc keeps it in a section of the program.
std::vector<EmbeddedPtx> relocatablePtxOf(const void *Wrapper);

/// How to embed PTX in a program of nvcc; the end of messages.
extern const char *const HowToEmbedPtx;

/// Returns a copy of an image of the forms of cuModuleLoadData, or of raw bitcode with LLVM's
/// wrapper, which states the size. Prints a line if it cannot be used.
Result<std::shared_ptr<Image>> copyImage(const void *Data);
/// Reads a file that holds an image; raw bitcode needs no wrapper.
Result<std::shared_ptr<Image>> readImage(const std::string &File);

} // namespace gmprof::cpu::api

#endif // GMPROF_CPU_API_IMAGES_H
