//===- GlobalOptions.cpp - Options of the profile of global memory --------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/global/GlobalOptions.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace gmprof;

static CloneOption<unsigned>
    GlobalBitsOption("gm-global-counter-bits", cl::init(0),
                     cl::desc("Width of counters of global memory: 8, 16 or 32 (default: 8 with "
                              "-gm-level=sa-na-sm-th, else 32)"));
static CloneOption<uint64_t> GlobalThresholdOption(
    "gm-global-threshold", cl::init(0),
    cl::desc("Stop counting an element of global memory here, in each launch (default: what the "
             "counter holds)"));

/// Returns the highest threshold (GlobalCounters.h). Counters of 32 bits have room for the sum that
/// all warps of a GPU may add after they have read a counter.
static uint64_t maxGlobalThreshold(unsigned Bits) {
  return Bits == 32 ? maxUIntN(32) - (1u << 26) : uint64_t(3) << (Bits - 2);
}

Expected<GlobalOptions> gmprof::globalOptions(const Options &O) {
  GlobalOptions G;
  const bool HasThreshold = O.hasThreshold();
  G.CounterBits = HasThreshold ? 8 : 32;
  if (GlobalBitsOption.getNumOccurrences() != 0) {
    if (!is_contained({8u, 16u, 32u}, GlobalBitsOption.getValue()))
      return optionError("-gm-global-counter-bits=" + Twine(GlobalBitsOption) +
                         " is not a width; use 8, 16 or 32");
    if (!HasThreshold && GlobalBitsOption != 32)
      return optionError("-gm-global-counter-bits=" + Twine(GlobalBitsOption) +
                         " needs -gm-level=sa-na-sm-th; counters of -gm-level=" + O.LevelName +
                         " have 32 bits");
    G.CounterBits = GlobalBitsOption;
  }
  uint64_t Max = maxGlobalThreshold(G.CounterBits);
  G.Threshold = Max;
  if (GlobalThresholdOption.getNumOccurrences() == 0)
    return G;
  if (!HasThreshold)
    return optionError("-gm-global-threshold needs -gm-level=sa-na-sm-th; -gm-level=" +
                       O.LevelName + " has no threshold");
  if (GlobalThresholdOption == 0 || GlobalThresholdOption > Max)
    return optionError("-gm-global-threshold=" + Twine(GlobalThresholdOption) +
                       " does not fit counters of " + Twine(G.CounterBits) + " bits; use 1 to " +
                       Twine(Max) + ", or a larger -gm-global-counter-bits");
  G.Threshold = GlobalThresholdOption;
  return G;
}
