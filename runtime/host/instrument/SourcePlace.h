//===- SourcePlace.h - Where a module's source text is ----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Libraries such as CuPy compile source text of a Python file, or text that they make, as a
// temporary file, which they remove. Findings name the Python file instead.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_INSTRUMENT_SOURCEPLACE_H
#define GMPROF_HOST_INSTRUMENT_SOURCEPLACE_H

#include <string>

namespace gmprof {

struct SourcePlace {
  std::string File;      ///< of the program; empty: not known
  unsigned Line = 0;     ///< of the text's first line, or of the call that had it compiled
  bool Verbatim = false; ///< File contains the text at Line

  /// Returns the place of what this thread loads; empty if it is not known.
  static SourcePlace &ofThread();
};

/// Returns PTX whose lines are those of the place: lines of the first file that does not exist
/// become lines of P.File if it contains the text, else of a file that is called "source of KERNEL
/// (compiled at FILE:LINE)". The lines of the PTX itself stay where they are.
std::string withSourcePlace(const std::string &Ptx, const SourcePlace &P);

} // namespace gmprof

#endif // GMPROF_HOST_INSTRUMENT_SOURCEPLACE_H
