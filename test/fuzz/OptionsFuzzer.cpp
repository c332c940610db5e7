//===- OptionsFuzzer.cpp - Fuzzes the parsers of options ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/core/Options.h"
#include "host/record/OutputName.h"

using namespace gmprof::host;

/// Options are refused, or the same when they are written and parsed again; output names as well.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  const std::string Text(reinterpret_cast<const char *>(Data), Size);
  Options Parsed;
  if (parseOptions(Text, Parsed).empty()) {
    Options Again;
    if (!parseOptions(formatOptions(Parsed), Again).empty() ||
        formatOptions(Again) != formatOptions(Parsed))
      __builtin_trap();
  }
  (void)optionsJson(Parsed);
  OutputFacts Facts;
  (void)expandOutput(Text, Facts);
  const auto Literal = expandOutput(literalOutput(Text), Facts);
  if (!Text.empty() && (!Literal || *Literal != Text))
    __builtin_trap();
  return 0;
}
