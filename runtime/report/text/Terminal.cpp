//===- Terminal.cpp - Properties of the output terminal -------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/text/Terminal.h"
#include <algorithm>
#include <clocale>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace gmprof {

static bool useColor(int Descriptor, const std::string &When) {
  if (When != "auto")
    return When == "always";
  const char *NoColor = std::getenv("NO_COLOR");
  const char *Term = std::getenv("TERM");
  return ::isatty(Descriptor) && !(NoColor && *NoColor) &&
         !(Term && std::strcmp(Term, "dumb") == 0);
}

/// Returns a number in the environment, such as COLUMNS or LINES; 0 if unset.
static unsigned environmentNumber(const char *Name) {
  const char *Value = std::getenv(Name);
  const unsigned long N = Value ? std::strtoul(Value, nullptr, 10) : 0;
  return N <= 10000 ? static_cast<unsigned>(N) : 0;
}

TextOptions terminalOptions(int Descriptor, const std::string &Color, unsigned Width) {
  TextOptions Options;
  Options.Color = useColor(Descriptor, Color);
  std::setlocale(LC_CTYPE, "");
  Options.Utf8 = std::strcmp(::nl_langinfo(CODESET), "UTF-8") == 0;
  winsize Size = {};
  const bool IsTerminal = ::ioctl(Descriptor, TIOCGWINSZ, &Size) == 0;
  const unsigned Columns = environmentNumber("COLUMNS"), Lines = environmentNumber("LINES");
  if (Width || Columns || (IsTerminal && Size.ws_col))
    Options.Width = std::max(Width ? Width : Columns ? Columns : Size.ws_col, 40u);
  if (Lines || (IsTerminal && Size.ws_row))
    Options.Lines = Lines ? Lines : Size.ws_row;
  std::error_code Ignored;
  Options.Folder = std::filesystem::current_path(Ignored).string();
  return Options;
}

} // namespace gmprof
