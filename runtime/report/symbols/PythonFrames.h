//===- PythonFrames.h - Python functions on call paths ----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_SYMBOLS_PYTHONFRAMES_H
#define GMPROF_REPORT_SYMBOLS_PYTHONFRAMES_H

#include "profile/Profile.h"
#include <string>
#include <vector>

namespace gmprof {

/// Returns the symbolized frames of native code with Python functions in place of the frames of the
/// interpreter, both innermost first. Interpreter: the path of its image.
///
/// The interpreter can be on a path several times, with native code in between that it called and
/// that called it. If each of its evaluation loops runs one Python function, as before Python 3.11,
/// each function takes the place of its loop. Since then a loop can run several functions, and only
/// the interpreter knows which ones: then all functions are at the innermost loop.
std::vector<profile::Frame> withPythonFrames(std::vector<profile::Frame> Native,
                                             const std::vector<profile::PythonFrame> &Python,
                                             const std::string &Interpreter);

} // namespace gmprof

#endif // GMPROF_REPORT_SYMBOLS_PYTHONFRAMES_H
