//===- Output.cpp - The commands' standard output -------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cli/Output.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>

namespace gmprof::cli {

std::string flushOutput() {
  std::cout.flush();
  if ((std::fflush(stdout) == 0 && !std::ferror(stdout)) || errno == EPIPE)
    return "";
  return std::string("cannot write to the standard output: ") + std::strerror(errno);
}

std::string printAnswer(const CLI::App &App, const CLI::Success &Asked) {
  App.exit(Asked);
  return flushOutput();
}

} // namespace gmprof::cli
