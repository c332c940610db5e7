//===- ProgramSource.h - Source lines of the program ------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Template wrappers of cudaMalloc and similar are in CUDA's headers, those of gmprof.h in GMProf's;
// Thrust, CUB, PyTorch, kernel stubs and containers of C++ make calls of their own. Users know the
// line that called them. In a Python program it is one of its own files rather than of Python's
// standard library, of installed packages (site-packages, dist-packages), of their libraries, or of
// code that torch.compile or FX has generated; code of a string (<string>) comes in between.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_PROGRAMSOURCE_H
#define GMPROF_ANALYSIS_PROGRAMSOURCE_H

#include "profile/Profile.h"
#include <string_view>

namespace gmprof::analysis {

/// Returns true for a template wrapper of an API call.
bool isWrapper(const profile::Frame &F);

/// Returns true if code in a header of CUDA's C++ libraries or PyTorch makes the call.
bool isCallOfLibrary(const profile::CallPath &Path);

/// Returns true for a file of code that torch.compile or a package of PyTorch has generated.
bool isGeneratedFile(std::string_view File);

/// Returns true for a frame in a file of the program's, not of a package, a string or generated.
bool isUserCode(const profile::Frame &F);

/// Returns the innermost frame of the program's own code with a known line; in a Python program
/// without one, of code of a string, or else of any. null: none.
const profile::Frame *programFrame(const profile::CallPath &Path);

/// Returns that frame and the calls of the program's own code that led to it, innermost first.
std::vector<const profile::Frame *> programFrames(const profile::CallPath &Path);

/// Returns the innermost line of the program's own code; without a file if unknown.
profile::SourcePosition programSource(const profile::CallPath &Path);

/// Returns "app.cu:7", or "app.cu:7:12" if the position has a column.
std::string placeText(const profile::SourcePosition &S);

/// Returns for each call path the first one with the same frames outside C++'s library: functions,
/// lines and columns. Copies of a call in an unrolled loop differ in addresses only, and two calls
/// in one line in columns. Frames without a column are equal if their addresses are.
std::vector<uint32_t> pathsBySource(const profile::Profile &P);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_PROGRAMSOURCE_H
