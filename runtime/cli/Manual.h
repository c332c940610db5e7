//===- Manual.h - Manual and completions of a command --------- -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both are made of what CLI11 knows of a command's options, as its --help is: there is no other
// description of them.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CLI_MANUAL_H
#define GMPROF_CLI_MANUAL_H

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace gmprof::cli {

/// What --help and the manual have below the options. Lines that begin with a space stay as they
/// are.
struct ManualSection {
  std::string Title, Text;
};

/// App keeps its subcommands' options, --man and --completion among them, until it is parsed.
void addManual(CLI::App &App, std::vector<ManualSection> Sections);

/// In roff, for man(1).
std::string manPage(const CLI::App &App, const std::vector<ManualSection> &Sections);

/// Shell: bash, zsh or fish.
std::string completion(const CLI::App &App, const std::string &Shell);

} // namespace gmprof::cli

#endif // GMPROF_CLI_MANUAL_H
