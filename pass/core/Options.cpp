//===- Options.cpp - The options of all profiles --------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/core/Options.h"

#include "pass/Profiles.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Regex.h"
#include <optional>

using namespace llvm;
using namespace gmprof;

cl::OptionCategory &gmprof::optionCategory() {
  static cl::OptionCategory Category("GMProf options");
  return Category;
}

static CloneOption<std::string> LevelOption(
    "gm-level", cl::init("sa-na-sm-th"),
    cl::desc("How accesses are counted: basic (each one, exactly), sa (+ static analysis), sa-na "
             "(+ non-atomic updates), sa-na-sm (+ counters in shared memory), sa-na-sm-th (+ "
             "threshold)"));
static cl::opt<bool> WholeProgramOption(
    "gm-whole-program", cl::cat(optionCategory()), cl::init(false),
    cl::desc("No device code is linked with the module's: ptxas sees all that a kernel calls"));
static std::string profileNames() {
  std::string Names;
  for (const Profile *P : profiles())
    Names += (Names.empty() ? "" : ", ") + std::string(P->Name);
  return Names;
}
static const std::string ProfileText =
    "What can be profiled: " + profileNames() + " (default: all)";
static cl::list<std::string> ProfileOption("gm-profile", cl::cat(optionCategory()),
                                           cl::CommaSeparated, cl::desc(ProfileText));
static CloneOption<size_t>
    InlineBudgetOption("gm-inline-budget", cl::init(100000),
                       cl::desc("Instructions that counting may add to the module; what is beyond "
                                "is called instead, which compiles faster and runs slower"));
static CloneOption<std::string>
    KernelsOption("gm-kernels", cl::init(""),
                  cl::desc("Instrument only kernels whose name, mangled or demangled, matches this "
                           "extended regular expression"));
static cl::opt<std::string>
    BitcodeOption("gm-bitcode", cl::cat(optionCategory()), cl::init(""), cl::value_desc("file"),
                  cl::desc("Device compilation: write the bitcode to this file; host compilation: "
                           "put it into the object, for the CPU device"));
static cl::opt<CloneOrigin> ClonesOption(
    "gm-clones", cl::cat(optionCategory()), cl::init(CloneOrigin::Compiled),
    cl::desc("Where the clones of kernels are made:"),
    cl::values(clEnumValN(CloneOrigin::Compiled, "compiled", "here"),
               clEnumValN(CloneOrigin::Demand, "demand",
                          "at a kernel's first launch, of the bitcode that -gm-bitcode embeds")));
static cl::opt<bool> VerifyOption("gm-verify", cl::cat(optionCategory()), cl::init(false),
                                  cl::desc("Verify the module after instrumentation"));

Error gmprof::optionError(const Twine &What) {
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
    return optionError("unknown -gm-level=" + LevelOption +
                       "; levels are basic, sa, sa-na, sa-na-sm and sa-na-sm-th");
  return *Level;
}

static Error setProfiles(Options &O) {
  if (ProfileOption.getNumOccurrences() == 0)
    for (const Profile *P : profiles())
      O.Profiles.insert(P->Name);
  for (const std::string &Name : ProfileOption) {
    if (none_of(profiles(), [&](const Profile *P) { return Name == P->Name; }))
      return optionError("unknown -gm-profile=" + Name +
                         "; the profiles there are: " + profileNames());
    O.Profiles.insert(Name);
  }
  return Error::success();
}

Expected<Options> gmprof::optionsFromCommandLine() {
  Options O;
  Expected<GmprofLevel> Level = level();
  if (!Level)
    return Level.takeError();
  O.Level = *Level;
  O.LevelName = LevelOption;
  if (Error E = setProfiles(O))
    return std::move(E);
  for (const Profile *P : profiles())
    if (P->CheckOptions)
      if (Error E = P->CheckOptions(O))
        return std::move(E);
  O.WholeProgram = WholeProgramOption;
  O.InlineBudget = InlineBudgetOption;
  O.Kernels = KernelsOption;
  std::string RegexError;
  if (!O.Kernels.empty() && !Regex(O.Kernels).isValid(RegexError))
    return optionError("-gm-kernels=" + O.Kernels + " is not a regular expression: " + RegexError);
  O.BitcodeFile = BitcodeOption;
  O.Clones = ClonesOption;
  if (O.Clones == CloneOrigin::Demand && O.BitcodeFile.empty())
    return optionError(
        "-gm-clones=demand needs -gm-bitcode=<file>: clones are made of the bitcode");
  if (O.Clones == CloneOrigin::Demand && ProfileOption.getNumOccurrences() != 0)
    return optionError("-gm-profile needs -gm-clones=compiled: clones on demand are those of the "
                       "run's profiles");
  O.Verify = VerifyOption;
  return O;
}

std::vector<CloneOptionEntry> &gmprof::cloneOptions() {
  static std::vector<CloneOptionEntry> All;
  return All;
}

static constexpr const char *OptionsMetadata = "gmprof.options";

void gmprof::recordOptions(Module &M) {
  NamedMDNode *Recorded = M.getOrInsertNamedMetadata(OptionsMetadata);
  Recorded->clearOperands();
  LLVMContext &Context = M.getContext();
  for (const CloneOptionEntry &Each : cloneOptions())
    if (Each.Option->getNumOccurrences() != 0)
      Recorded->addOperand(MDNode::get(
          Context, MDString::get(Context, ("-" + Each.Option->ArgStr + "=" + Each.Value()).str())));
}

std::vector<std::string> gmprof::recordedOptions(const Module &M) {
  std::vector<std::string> Found;
  if (const NamedMDNode *Recorded = M.getNamedMetadata(OptionsMetadata))
    for (const MDNode *Each : Recorded->operands())
      if (const auto *Text =
              Each->getNumOperands() == 1 ? dyn_cast<MDString>(Each->getOperand(0)) : nullptr)
        Found.push_back(Text->getString().str());
  return Found;
}

bool Options::isKernelSelected(StringRef Name, StringRef Demangled) const {
  if (Kernels.empty())
    return true;
  Regex Expression(Kernels);
  return Expression.match(Name) || Expression.match(Demangled);
}
