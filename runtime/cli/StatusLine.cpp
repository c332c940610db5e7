//===- StatusLine.cpp - Shows progress on a terminal ----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cli/StatusLine.h"
#include "profile/Progress.h"
#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

namespace gmprof::cli {
namespace {

const char *Name = "";
std::string Shown;

/// Returns the terminal's width; a wider line would wrap, and its begin would remain.
size_t columns() {
  winsize Size = {};
  const bool Known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &Size) == 0 && Size.ws_col != 0;
  return Known ? Size.ws_col : 80;
}

void show(const std::string &Doing, uint64_t Done, uint64_t Of) {
  std::string Line = fmt::format("{}: {}", Name, Doing);
  if (Of != 0)
    Line += fmt::format(", {} %", static_cast<unsigned>(100.0 * static_cast<double>(Done) /
                                                        static_cast<double>(Of)));
  if (Line == Shown)
    return;
  Shown = Line;
  std::replace_if(
      Line.begin(), Line.end(), [](unsigned char C) { return C < 0x20 || C == 0x7f; }, '?');
  Line.resize(std::min(Line.size(), columns() - 1));
  fmt::print(stderr, "\r{}\033[K", Line);
  std::fflush(stderr);
}

} // namespace

void showProgressOf(const char *Command) {
  const char *Term = std::getenv("TERM");
  if (!::isatty(STDERR_FILENO) || !Term || std::string_view(Term) == "dumb")
    return;
  Name = Command;
  setProgressReceiver(show);
}

void clearStatusLine() {
  if (Shown.empty())
    return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
  Shown.clear();
}

} // namespace gmprof::cli
