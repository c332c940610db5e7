//===- ResponseFiles.h - Files of arguments ---------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the arguments that a command line names as @FILE, or as nvcc's --options-file.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_DRIVER_RESPONSEFILES_H
#define GMPROF_DRIVER_RESPONSEFILES_H

#include <string>
#include <string_view>
#include <vector>

namespace gmprof::driver {

/// Returns the words of a response file: separated by white space, with quotes and
/// backslashes as in the shell.
std::vector<std::string> readWords(std::string_view Text);

/// Replaces each @FILE by the words in it, as clang and nvcc do. A file that
/// cannot be read is left as it is, for clang to complain about.
std::vector<std::string> expandResponseFiles(const std::vector<std::string> &Arguments);

} // namespace gmprof::driver

#endif // GMPROF_DRIVER_RESPONSEFILES_H
