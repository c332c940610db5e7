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

/// Returns the file that the loader mapped at an address, as messages name it.
std::string objectFile(const void *Address);

/// Code of a registered fat binary, or why there is none.
struct EmbeddedCode {
  std::vector<std::string> Units; ///< by translation unit; one, unless they are linked
  int Architecture = 0;           ///< 90 for sm_90
  bool IsPtx = false;
  std::string Missing; ///< "has no PTX, only code for sm_80", or empty
};

/// Returns the code of a registered fat binary: the bitcode of gmprof-clang++ for the highest
/// architecture, else the PTX that suits the device best.
EmbeddedCode codeOf(const void *Wrapper);

/// How to embed PTX in a program of nvcc; the end of messages.
extern const char *const HowToEmbedPtx;

/// Returns a copy of an image of the forms of cuModuleLoadData, or of raw bitcode with LLVM's
/// wrapper, which states the size. Prints a line if it cannot be used.
Result<std::shared_ptr<Image>> copyImage(const void *Data);
/// Reads a file that holds an image; raw bitcode needs no wrapper.
Result<std::shared_ptr<Image>> readImage(const std::string &File);

} // namespace gmprof::cpu::api

#endif // GMPROF_CPU_API_IMAGES_H
