//===- KernelRegex.cpp - Selects kernels by name --------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/core/KernelRegex.h"
#include <algorithm>
#include <cstdint>
#include <regex.h>

namespace gmprof::host {

/// Returns true if repetitions would exhaust memory: the C library copies what is repeated for each
/// required time, and copies the copies of nested repetitions.
static bool repeatsTooMuch(const std::string &Regex) {
  constexpr uint64_t MostCopies = uint64_t(1) << 20;
  uint64_t Copies = Regex.size();
  for (size_t I = 0; I < Regex.size() && Copies <= MostCopies; ++I) {
    if (Regex[I] == '\\')
      ++I;
    else if (Regex[I] == '+')
      Copies *= 2;
    else if (Regex[I] == '{') {
      uint64_t Most = 1, Number = 0; // of "{Number,Number}"
      for (size_t At = I + 1; At < Regex.size() && Regex[At] != '}'; ++At) {
        const bool IsDigit = Regex[At] >= '0' && Regex[At] <= '9';
        Number = IsDigit ? std::min<uint64_t>(Number * 10 + (Regex[At] - '0'), MostCopies) : 0;
        Most = std::max(Most, Number);
      }
      Copies *= Most;
    }
  }
  return Copies > MostCopies;
}

std::string checkRegex(const std::string &Text) {
  if (Text.empty())
    return "";
  if (repeatsTooMuch(Text))
    return "must be a regular expression with fewer repetitions (+ and {})";
  regex_t Compiled;
  int Failure = regcomp(&Compiled, Text.c_str(), REG_EXTENDED | REG_NOSUB);
  if (Failure == 0) {
    regfree(&Compiled);
    return "";
  }
  char Message[128];
  regerror(Failure, &Compiled, Message, sizeof(Message));
  return std::string("must be a POSIX extended regular expression (") + Message + ")";
}

bool matchesKernel(const std::string &Regex, const std::string &Mangled,
                   const std::string &Demangled) {
  regex_t Compiled;
  if (Regex.empty() || regcomp(&Compiled, Regex.c_str(), REG_EXTENDED | REG_NOSUB) != 0)
    return true;
  bool Found = regexec(&Compiled, Mangled.c_str(), 0, nullptr, 0) == 0 ||
               regexec(&Compiled, Demangled.c_str(), 0, nullptr, 0) == 0;
  regfree(&Compiled);
  return Found;
}

} // namespace gmprof::host
