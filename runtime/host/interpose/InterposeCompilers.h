//===- InterposeCompilers.h - Compilers that the program calls --*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_INTERPOSE_INTERPOSECOMPILERS_H
#define GMPROF_HOST_INTERPOSE_INTERPOSECOMPILERS_H

namespace gmprof::host {

/// Returns the function that a program gets which looks up nvrtcGetCUBIN. Real: NVRTC's, or null.
void *interposedNvrtc(void *Real);

} // namespace gmprof::host

#endif // GMPROF_HOST_INTERPOSE_INTERPOSECOMPILERS_H
