//===- Suggestion.h - Suggests a word for a mistyped one --------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CLI_SUGGESTION_H
#define GMPROF_CLI_SUGGESTION_H

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace gmprof::cli {

/// Returns the insertions, deletions, substitutions and swaps of neighbours that turn A into B, no
/// part being changed twice (optimal string alignment).
unsigned editDistance(const std::string &A, const std::string &B);

/// Returns the candidate nearest to Word, and the first one of equally near ones; empty if all
/// differ in more than a third of Word's length, and in more than one change.
std::string nearest(const std::string &Word, const std::vector<std::string> &Candidates);

/// Returns "; did you mean heat?" for a word that is none of the choices; empty if none is near.
std::string suggestChoice(const std::string &Word, const std::vector<std::string> &Choices);

/// Returns ": did you mean --profile?" for an option that Command does not have; empty if none of
/// its options is near.
std::string suggestOption(const CLI::App &Command, const std::string &Option);

/// Returns what to answer to the command line of App, with subcommands: an error about its first
/// mistyped command or option, such as "there is no command 'hml': did you mean 'html'?". Returns
/// an empty string if no known word is similar.
std::string suggestUsage(const CLI::App &App, const std::vector<std::string> &Arguments);

/// Returns what is wrong with the command line of App, which CLI11 refused for this error: what
/// suggestUsage answers, or else the error.
std::string usageError(const CLI::App &App, const std::vector<std::string> &Arguments,
                       const CLI::ParseError &Error);

/// Returns " (see gmprof run --help)" for the command of App that the command line names.
std::string helpOf(const CLI::App &App, const std::vector<std::string> &Arguments);

} // namespace gmprof::cli

#endif // GMPROF_CLI_SUGGESTION_H
