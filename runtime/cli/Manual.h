//===- Manual.h - Manual and completions of a command --------- -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Manual and completions are generated from CLI11's options, as --help is.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CLI_MANUAL_H
#define GMPROF_CLI_MANUAL_H

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace gmprof::cli {

/// A section that --help and the manual print below the options. Lines that begin with a space are
/// kept verbatim.
struct ManualSection {
  std::string Title, Text;
};

/// Adds the sections, --man and --completion. Both print the options that App and its subcommands
/// have when App is parsed; App must not move until then.
void addManual(CLI::App &App, std::vector<ManualSection> Sections);

/// Returns the manual as roff, for man(1).
std::string manPage(const CLI::App &App, const std::vector<ManualSection> &Sections);

/// Returns the completions for Shell: bash, zsh or fish.
std::string completion(const CLI::App &App, const std::string &Shell);

} // namespace gmprof::cli

#endif // GMPROF_CLI_MANUAL_H
