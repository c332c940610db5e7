//===- FlagsFuzzer.cpp - Fuzzes the flags of gmprof-clang++ -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flags.h"
#include "Plan.h"
#include <sstream>

using namespace gmprof::driver;

/// A word in each line. Response files are not read.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  std::istringstream Lines({reinterpret_cast<const char *>(Data), Size});
  std::vector<std::string> Words;
  for (std::string Word; std::getline(Lines, Word);)
    Words.push_back(Word);
  CommandLine Line = parse(Words);
  if (Line.Errors.empty())
    (void)planCommands(Line, {"/clang++", "/cuda", "/lib", "/include"}, {"sm_90"}, "/tmp");
  return 0;
}
