//===- ProgramSource.h - The program's own lines ----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The templates around cudaMalloc and others are in a header of CUDA's, as those of gmprof.h
// are in ours; Thrust, CUB and PyTorch make calls by themselves, and so do the stubs of kernels:
// the line that a user knows is the one that called them.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_PROGRAMSOURCE_H
#define GMPROF_ANALYSIS_PROGRAMSOURCE_H

#include "profile/Profile.h"

namespace gmprof::analysis {

/// A template around a call, which says nothing that the call does not.
bool isWrapper(const profile::Frame &F);

/// The innermost frame of the program's own code whose line is known; null: there is none.
const profile::Frame *programFrame(const profile::CallPath &Path);

/// The innermost line of the program's own; no file: not known.
profile::SourcePosition programSource(const profile::CallPath &Path);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_PROGRAMSOURCE_H
