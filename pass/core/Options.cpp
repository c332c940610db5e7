//===- Options.cpp - What the pass can be told ----------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/core/Options.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Regex.h"
#include <optional>

using namespace llvm;
using namespace gmprof;

static cl::OptionCategory Category("GMProf options");

static cl::opt<std::string> LevelOption(
    "gm-level", cl::cat(Category), cl::init("sa-na-sm-th"),
    cl::desc("How accesses are counted: basic (each one, exactly), sa (+ static analysis), sa-na "
             "(+ non-atomic updates), sa-na-sm (+ counters in shared memory), sa-na-sm-th (+ "
             "threshold)"));
static cl::opt<unsigned> BitsOption("gm-counter-bits", cl::cat(Category), cl::init(32),
                                    cl::desc("Width of counters in shared memory: 8, 16 or 32"));
static cl::opt<std::string>
    UpdatesOption("gm-counter-updates", cl::cat(Category), cl::init(""),
                  cl::desc("How counters in shared memory are updated: plain (may lose counts) or "
                           "atomic (16 and 32 bits, the default there)"));
static cl::opt<uint64_t>
    ThresholdOption("gm-threshold", cl::cat(Category), cl::init(0),
                    cl::desc("Stop counting a word of a block here (default: what the counter "
                             "holds)"));
static cl::opt<bool>
    AlikeBlocksOption("gm-alike-blocks", cl::cat(Category), cl::init(true),
                      cl::desc("Where all blocks of a kernel provably do the same, count the first "
                               "for all of them"));
static cl::opt<bool> SharedClosedFormsOption(
    "gm-shared-closed-forms", cl::cat(Category), cl::init(true),
    cl::desc("Do not count accesses of shared memory that are a known function of the launch"));
static cl::opt<bool> HeatClosedFormsOption(
    "gm-heat-closed-forms", cl::cat(Category), cl::init(true),
    cl::desc("Do not note which warps make accesses that are a known function of the launch"));
static cl::opt<bool>
    HeatLoopsOption("gm-heat-loops", cl::cat(Category), cl::init(true),
                    cl::desc("Note all accesses of a loop before it where they move on evenly"));
static cl::opt<bool> WholeProgramOption(
    "gm-whole-program", cl::cat(Category), cl::init(false),
    cl::desc("No device code is linked with the module's: ptxas sees all that a kernel calls"));
static cl::opt<bool>
    LiveRangesOption("gm-live-ranges", cl::cat(Category), cl::init(true),
                     cl::desc("Count accesses between moves of data to and from shared memory"));
static cl::opt<unsigned>
    GlobalBitsOption("gm-global-counter-bits", cl::cat(Category), cl::init(0),
                     cl::desc("Width of counters of global memory: 8, 16 or 32 (default: 8 with "
                              "-gm-level=sa-na-sm-th, else 32)"));
static cl::opt<uint64_t> GlobalThresholdOption(
    "gm-global-threshold", cl::cat(Category), cl::init(0),
    cl::desc("Stop counting an element of global memory here, in each launch (default: what the "
             "counter holds)"));
static cl::list<std::string> ProfileOption(
    "gm-profile", cl::cat(Category), cl::CommaSeparated,
    cl::desc("What can be profiled: shared, global, objects, heat, cache (default: all)"));
static cl::opt<size_t>
    InlineBudgetOption("gm-inline-budget", cl::cat(Category), cl::init(Options().InlineBudget),
                       cl::desc("Instructions that counting may add to the module; what is beyond "
                                "is called instead, which compiles faster and runs slower"));
static cl::opt<std::string>
    KernelsOption("gm-kernels", cl::cat(Category), cl::init(""),
                  cl::desc("Instrument only kernels whose name, mangled or demangled, matches this "
                           "extended regular expression"));
static cl::opt<std::string>
    BitcodeOption("gm-bitcode", cl::cat(Category), cl::init(""), cl::value_desc("file"),
                  cl::desc("Device compilation: write the bitcode to this file; host compilation: "
                           "put it into the object, for the CPU device"));
static cl::opt<bool> VerifyOption("gm-verify", cl::cat(Category), cl::init(false),
                                  cl::desc("Verify the module after instrumentation"));

/// Atomic updates of 16 bits look at the counter first and then add, so that each
/// thread of a block (1024 at most) may add once beyond the threshold; those of 32
/// bits have room for what is added at once (SharedCounters.h).
static uint64_t maxThreshold(unsigned Bits, bool Atomic) {
  uint64_t Max = maxUIntN(Bits);
  return Atomic ? Max - (Bits == 32 ? 1u << 26 : 1024) : Max;
}

/// See GlobalCounters.h. Counters of 32 bits have room for what the warps of a whole GPU add
/// together after they have looked.
static uint64_t maxGlobalThreshold(unsigned Bits) {
  return Bits == 32 ? maxUIntN(32) - (1u << 26) : uint64_t(3) << (Bits - 2);
}

static Error bad(const Twine &What) {
  return createStringError(inconvertibleErrorCode(), Twine("GMProf: ") + What);
}

static Expected<GmprofLevel> level() {
  auto Level = StringSwitch<std::optional<GmprofLevel>>(LevelOption)
                   .Case("basic", GMPROF_LEVEL_BASIC)
                   .Case("sa", GMPROF_LEVEL_SA)
                   .Case("sa-na", GMPROF_LEVEL_SA_NA)
                   .Case("sa-na-sm", GMPROF_LEVEL_SA_NA_SM)
                   .Case("sa-na-sm-th", GMPROF_LEVEL_SA_NA_SM_TH)
                   .Default(std::nullopt);
  if (!Level)
    return bad("unknown -gm-level=" + LevelOption +
               "; levels are basic, sa, sa-na, sa-na-sm and sa-na-sm-th");
  return *Level;
}

static Error setProfiles(Options &O) {
  if (ProfileOption.getNumOccurrences() != 0)
    O.ProfileShared = O.ProfileGlobal = O.ProfileObjects = O.ProfileHeat = O.ProfileCache = false;
  for (const std::string &Profile : ProfileOption)
    if (Profile == "shared")
      O.ProfileShared = true;
    else if (Profile == "global")
      O.ProfileGlobal = true;
    else if (Profile == "objects")
      O.ProfileObjects = true;
    else if (Profile == "heat")
      O.ProfileHeat = true;
    else if (Profile == "cache")
      O.ProfileCache = true;
    else
      return bad("unknown -gm-profile=" + Profile +
                 "; the profiles there are: shared, global, objects, heat, cache");
  return Error::success();
}

static Error setGlobalCounters(Options &O) {
  bool HasThreshold = O.Level == GMPROF_LEVEL_SA_NA_SM_TH;
  O.GlobalCounterBits = HasThreshold ? 8 : 32;
  if (GlobalBitsOption.getNumOccurrences() != 0) {
    if (!is_contained({8u, 16u, 32u}, GlobalBitsOption.getValue()))
      return bad("-gm-global-counter-bits=" + Twine(GlobalBitsOption) +
                 " is not a width; use 8, 16 or 32");
    if (!HasThreshold && GlobalBitsOption != 32)
      return bad("-gm-global-counter-bits=" + Twine(GlobalBitsOption) +
                 " needs -gm-level=sa-na-sm-th; counters of -gm-level=" + LevelOption +
                 " have 32 bits");
    O.GlobalCounterBits = GlobalBitsOption;
  }
  uint64_t Max = maxGlobalThreshold(O.GlobalCounterBits);
  O.GlobalThreshold = Max;
  if (GlobalThresholdOption.getNumOccurrences() == 0)
    return Error::success();
  if (!HasThreshold)
    return bad("-gm-global-threshold needs -gm-level=sa-na-sm-th; -gm-level=" + LevelOption +
               " has no threshold");
  if (GlobalThresholdOption == 0 || GlobalThresholdOption > Max)
    return bad("-gm-global-threshold=" + Twine(GlobalThresholdOption) +
               " does not fit counters of " + Twine(O.GlobalCounterBits) + " bits; use 1 to " +
               Twine(Max) + ", or a larger -gm-global-counter-bits");
  O.GlobalThreshold = GlobalThresholdOption;
  return Error::success();
}

Expected<Options> gmprof::optionsFromCommandLine() {
  Options O;
  Expected<GmprofLevel> Level = level();
  if (!Level)
    return Level.takeError();
  O.Level = *Level;

  O.CounterBits = BitsOption;
  if (!is_contained({8u, 16u, 32u}, O.CounterBits))
    return bad("-gm-counter-bits=" + Twine(O.CounterBits) + " is not a width; use 8, 16 or 32");
  if (!UpdatesOption.empty() && UpdatesOption != "plain" && UpdatesOption != "atomic")
    return bad("unknown -gm-counter-updates=" + UpdatesOption + "; use plain or atomic");
  if (UpdatesOption == "atomic" && O.CounterBits == 8)
    return bad("-gm-counter-updates=atomic needs -gm-counter-bits=16 or 32");
  O.AtomicUpdates = O.CounterBits != 8 && UpdatesOption != "plain";

  bool HasThreshold = ThresholdOption.getNumOccurrences() != 0;
  uint64_t Max = maxThreshold(O.CounterBits, O.AtomicUpdates);
  if (HasThreshold && O.Level != GMPROF_LEVEL_SA_NA_SM_TH)
    return bad("-gm-threshold needs -gm-level=sa-na-sm-th; -gm-level=" + LevelOption +
               " has no threshold");
  if (HasThreshold && (ThresholdOption == 0 || ThresholdOption > Max))
    return bad("-gm-threshold=" + Twine(ThresholdOption) + " does not fit counters of " +
               Twine(O.CounterBits) + " bits; use 1 to " + Twine(Max) +
               ", or a larger -gm-counter-bits");
  if (HasThreshold)
    O.Threshold = ThresholdOption;
  else
    O.Threshold = O.countsInSharedMemory() ? Max : 0;

  if (Error E = setProfiles(O))
    return std::move(E);
  if (Error E = setGlobalCounters(O))
    return std::move(E);

  O.AlikeBlocks = AlikeBlocksOption;
  O.SharedClosedForms = SharedClosedFormsOption;
  O.HeatClosedForms = HeatClosedFormsOption;
  O.HeatLoops = HeatLoopsOption;
  O.WholeProgram = WholeProgramOption;
  O.LiveRanges = LiveRangesOption;
  O.InlineBudget = InlineBudgetOption;
  O.Kernels = KernelsOption;
  std::string RegexError;
  if (!O.Kernels.empty() && !Regex(O.Kernels).isValid(RegexError))
    return bad("-gm-kernels=" + O.Kernels + " is not a regular expression: " + RegexError);
  O.BitcodeFile = BitcodeOption;
  O.Verify = VerifyOption;
  return O;
}

bool Options::isKernelSelected(StringRef Name, StringRef Demangled) const {
  if (Kernels.empty())
    return true;
  Regex Expression(Kernels);
  return Expression.match(Name) || Expression.match(Demangled);
}
