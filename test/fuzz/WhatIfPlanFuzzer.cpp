//===- WhatIfPlanFuzzer.cpp - Fuzzes the reader of what-if plans --------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/sync/WhatIfPlan.h"

using namespace gmprof::host;

/// A plan is refused, or says of each call once what becomes of it.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  const auto Plan = parseWhatIfPlan(std::string(reinterpret_cast<const char *>(Data), Size));
  if (!Plan)
    return 0;
  for (const WhatIfPlan::Place &P : Plan->Places) {
    const WhatIfPlan::Range *Before = nullptr;
    for (const WhatIfPlan::Range &R : P.Ranges) {
      if (R.First > R.Last || (Before && Before->Last >= R.First) ||
          R.Do == WhatIfPlan::Instead::AsItIs)
        __builtin_trap();
      Before = &R;
    }
  }
  return 0;
}
