//===- Terminal.h - What reports are printed on -----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_TERMINAL_H
#define GMPROF_REPORT_TERMINAL_H

#include "report/TextReport.h"

namespace gmprof {

/// How a text is to look on a descriptor: in colours if it is a terminal (Color: auto, always or
/// never), as wide as asked for (0: COLUMNS, the terminal's, or 100) and as long as the screen
/// (LINES, the terminal's, or 50), with files relative to the current folder.
TextOptions terminalOptions(int Descriptor, const std::string &Color = "auto", unsigned Width = 0);

} // namespace gmprof

#endif // GMPROF_REPORT_TERMINAL_H
