//===- Output.h - The commands' standard output -----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CLI_OUTPUT_H
#define GMPROF_CLI_OUTPUT_H

#include <CLI/CLI.hpp>
#include <string>

namespace gmprof::cli {

/// Writes the rest of the standard output. Returns why it cannot be written; empty if it is, or if
/// its reader has ended.
std::string flushOutput();

/// Prints what --help, --version, --man or --completion ask for, and returns as flushOutput.
std::string printAnswer(const CLI::App &App, const CLI::Success &Asked);

} // namespace gmprof::cli

#endif // GMPROF_CLI_OUTPUT_H
