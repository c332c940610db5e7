//===- Terminal.h - Properties of the output terminal -----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_TEXT_TERMINAL_H
#define GMPROF_REPORT_TEXT_TERMINAL_H

#include "report/text/TextReport.h"

namespace gmprof {

/// Returns how to format text for a descriptor: coloured if it is a terminal (Color: auto, always
/// or never), with the given width (0: COLUMNS, the terminal's width, or 100), the screen's height
/// (LINES, the terminal's height, or 50), and file names relative to the current folder.
TextOptions terminalOptions(int Descriptor, const std::string &Color = "auto", unsigned Width = 0);

} // namespace gmprof

#endif // GMPROF_REPORT_TEXT_TERMINAL_H
