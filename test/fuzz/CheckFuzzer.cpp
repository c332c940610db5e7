//===- CheckFuzzer.cpp - Fuzzes the parsers of gmreport check -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/check/CheckRule.h"
#include "report/check/Suppressions.h"
#include "report/model/Quantity.h"
#include "report/model/SummaryFilter.h"

using namespace gmprof;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  const std::string Text(reinterpret_cast<const char *>(Data), Size);
  (void)parseSuppressions(Text, "fuzz");
  (void)parseCheckRule(Text);
  (void)parseQuantity(Text);
  return 0;
}
