//===- EventLogFuzzer.cpp - Fuzzes the reader of event logs -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/EventLogReader.h"
#include "profile/ProfileBuilder.h"
#include "report/builder/SummaryBuilder.h"
#include "report/model/SummaryJson.h"

using namespace gmprof;

/// A log is refused, or becomes a summary that can be read.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  const auto *Bytes = reinterpret_cast<const std::byte *>(Data);
  auto Log = EventLogReader::create({Bytes, Bytes + Size}, "fuzz.gmlog");
  if (!Log)
    return 0;
  auto Profile = buildProfile(*Log, "fuzz.gmlog");
  if (!Profile)
    return 0;
  if (!parseSummary(toJson(buildSummary(*Profile).Content), "summary"))
    __builtin_trap();
  return 0;
}
