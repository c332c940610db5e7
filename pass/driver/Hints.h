//===- Hints.h - Fixes of errors of clang -----------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// clang refuses some programs that nvcc accepts, with errors that do not name the
// cause. After a failed compilation, gmprof-clang++ reads clang's diagnostics and
// says what to change.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_DRIVER_HINTS_H
#define GMPROF_DRIVER_HINTS_H

#include <string>
#include <vector>

namespace gmprof::driver {

struct Diagnostic {
  std::string Level;   ///< error, warning, note, …
  std::string File;    ///< as clang prints it; empty: none
  unsigned Line = 0;   ///< from 1
  unsigned Column = 0; ///< from 1, in bytes
  std::string Message;
};

/// Reads the property list that clang writes to $CC_LOG_DIAGNOSTICS_FILE. Returns none
/// if the file cannot be read.
std::vector<Diagnostic> readDiagnostics(const std::string &PropertyList);

/// Returns one hint for each cause that GMProf knows, which begins with the place in the
/// source ("a.cu:3: …"). Reads the lines that errors are in.
std::vector<std::string> hintsFor(const std::vector<Diagnostic> &Diagnostics);

} // namespace gmprof::driver

#endif // GMPROF_DRIVER_HINTS_H
