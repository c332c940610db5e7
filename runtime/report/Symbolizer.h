//===- Symbolizer.h - From addresses to functions and lines -----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The work is done by a program of its own, gmprof-symbolizer, because it takes
// LLVM, which neither the profiled program (which may write its own summary) nor a
// machine that only runs programs should have to load. Both sides of what it reads
// and writes are described here:
//
//   in   one line for each address: the image's build id or "-", the address in the
//        file in hexadecimal digits, the file's path
//   out  one line of JSON for each: [[function, file, line, column], …], inlined
//        functions first; unknown parts are empty or 0. null: the file is gone, or
//        is not the one that ran
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_SYMBOLIZER_H
#define GMPROF_REPORT_SYMBOLIZER_H

#include "profile/Profile.h"

namespace gmprof {

/// Sets the frames of all call paths. What cannot be named stays an address in its
/// image, and becomes a Gap if the reason is not the image's own. Objects that only their
/// call paths name get these names (analysis/TensorNames.h).
void symbolize(profile::Profile &P, const std::string &Symbolizer);

/// Where gmprof-symbolizer is installed, seen from this program or library.
std::string symbolizerPath();

} // namespace gmprof

#endif // GMPROF_REPORT_SYMBOLIZER_H
