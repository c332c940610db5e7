//===- Options.h - Queries CLI11's options ----------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CLI_OPTIONS_H
#define GMPROF_CLI_OPTIONS_H

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace gmprof::cli {

std::vector<const CLI::App *> commandsOf(const CLI::App &App);
std::vector<const CLI::Option *> optionsOf(const CLI::App &App);

/// Returns -o and --output.
std::vector<std::string> optionNames(const CLI::Option &O);

/// Returns the value's name in the help: FILE, or the choices; empty if it takes none.
std::string valueOf(const CLI::Option &O);

/// Returns the possible values; empty if unknown.
std::vector<std::string> choicesOf(const CLI::Option &O);

/// Returns true if the value is a file or a folder.
bool takesFile(const CLI::Option &O);

} // namespace gmprof::cli

#endif // GMPROF_CLI_OPTIONS_H
