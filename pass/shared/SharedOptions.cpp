//===- SharedOptions.cpp - Options of the profile of shared memory --------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/shared/SharedOptions.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace gmprof;

static CloneOption<unsigned>
    BitsOption("gm-counter-bits", cl::init(32),
               cl::desc("Width of counters in shared memory: 8, 16 or 32"));
static CloneOption<std::string>
    UpdatesOption("gm-counter-updates", cl::init(""),
                  cl::desc("How counters in shared memory are updated: plain (may lose counts) or "
                           "atomic (16 and 32 bits, the default there)"));
static CloneOption<uint64_t>
    ThresholdOption("gm-threshold", cl::init(0),
                    cl::desc("Stop counting a word of a block here (default: what the counter "
                             "holds)"));
static CloneOption<bool>
    AlikeBlocksOption("gm-alike-blocks", cl::init(true),
                      cl::desc("Where all blocks of a kernel provably do the same, count the first "
                               "for all of them"));
static CloneOption<bool> SharedClosedFormsOption(
    "gm-shared-closed-forms", cl::init(true),
    cl::desc("Do not count accesses of shared memory that are a known function of the launch"));
static CloneOption<bool>
    LiveRangesOption("gm-live-ranges", cl::init(true),
                     cl::desc("Count accesses between moves of data to and from shared memory"));

/// Returns the highest threshold. Atomic updates of 16 bits read the counter first and then add, so
/// that each thread of a block (1024 at most) may add once beyond the threshold; those of 32 bits
/// have room for the sum of all concurrent updates (SharedCounters.h).
static uint64_t maxThreshold(unsigned Bits, bool Atomic) {
  uint64_t Max = maxUIntN(Bits);
  return Atomic ? Max - (Bits == 32 ? 1u << 26 : 1024) : Max;
}

Expected<SharedOptions> gmprof::sharedOptions(const Options &O) {
  SharedOptions S;
  S.CounterBits = BitsOption;
  if (!is_contained({8u, 16u, 32u}, S.CounterBits))
    return optionError("-gm-counter-bits=" + Twine(S.CounterBits) +
                       " is not a width; use 8, 16 or 32");
  if (!UpdatesOption.empty() && UpdatesOption != "plain" && UpdatesOption != "atomic")
    return optionError("unknown -gm-counter-updates=" + UpdatesOption + "; use plain or atomic");
  if (UpdatesOption == "atomic" && S.CounterBits == 8)
    return optionError("-gm-counter-updates=atomic needs -gm-counter-bits=16 or 32");
  S.AtomicUpdates = S.CounterBits != 8 && UpdatesOption != "plain";

  bool HasThreshold = ThresholdOption.getNumOccurrences() != 0;
  uint64_t Max = maxThreshold(S.CounterBits, S.AtomicUpdates);
  if (HasThreshold && !O.hasThreshold())
    return optionError("-gm-threshold needs -gm-level=sa-na-sm-th; -gm-level=" + O.LevelName +
                       " has no threshold");
  if (HasThreshold && (ThresholdOption == 0 || ThresholdOption > Max))
    return optionError("-gm-threshold=" + Twine(ThresholdOption) + " does not fit counters of " +
                       Twine(S.CounterBits) + " bits; use 1 to " + Twine(Max) +
                       ", or a larger -gm-counter-bits");
  if (HasThreshold)
    S.Threshold = ThresholdOption;
  else
    S.Threshold = O.countsInSharedMemory() ? Max : 0;

  S.AlikeBlocks = O.usesStaticAnalysis() && AlikeBlocksOption;
  S.ClosedForms = O.usesStaticAnalysis() && O.countsInSharedMemory() && SharedClosedFormsOption;
  S.LiveRanges = O.countsInSharedMemory() && LiveRangesOption;
  return S;
}
