//===- SummaryFuzzer.cpp - Fuzzes the reader of summaries ---------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/formats/FindingsCsv.h"
#include "report/formats/Tables.h"
#include "report/model/SummaryJson.h"
#include "report/text/TextReport.h"

using namespace gmprof;

/// A summary is refused, or can be shown, and is the same when it is written and read again.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  const auto Summary = parseSummary({reinterpret_cast<const char *>(Data), Size}, "fuzz.json");
  if (!Summary)
    return 0;
  const std::string Json = toJson(*Summary);
  const auto Again = parseSummary(Json, "again.json");
  if (!Again || toJson(*Again) != Json)
    __builtin_trap();
  (void)textReport(*Summary, {});
  (void)textOverview(*Summary, {});
  (void)markdownReport(*Summary, {});
  (void)findingsCsv(*Summary);
  (void)tablesOf(*Summary, "/nowhere");
  return 0;
}
