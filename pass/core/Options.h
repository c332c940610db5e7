//===- Options.h - The options of all profiles ------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_CORE_OPTIONS_H
#define GMPROF_PASS_CORE_OPTIONS_H

#include "gmprof/abi.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <string>
#include <vector>

namespace llvm {
class Module;
} // namespace llvm

namespace gmprof {

/// The program that makes the clones of a module.
enum class CloneOrigin {
  Compiled, ///< here
  Demand,   ///< by gmprof-instrument, at a kernel's first launch
};

struct KernelCode;

/// The options that several profiles share. A profile's own options are in its folder.
struct Options {
  GmprofLevel Level = GMPROF_LEVEL_SA_NA_SM_TH;
  std::string LevelName;      ///< as on the command line
  llvm::StringSet<> Profiles; ///< the profiles whose clones the module gets
  /// The device code that a kernel calls is in the module (limitRegisters).
  bool WholeProgram = false;
  /// Kernels among the hooks that the profiles need become part of the module.
  bool WithHookKernels = true;
  /// Instructions that inlined hooks may add to the module; further hooks are called.
  size_t InlineBudget = 0;
  std::string Kernels;     ///< regular expression; empty: all
  std::string BitcodeFile; ///< empty: none
  CloneOrigin Clones = CloneOrigin::Compiled;
  bool Verify = false;
  /// Machine code of the only kernel that gets clones; null: not known.
  const KernelCode *MachineCode = nullptr;

  bool usesStaticAnalysis() const { return Level >= GMPROF_LEVEL_SA; }
  bool countsInSharedMemory() const { return Level >= GMPROF_LEVEL_SA_NA_SM; }
  bool hasThreshold() const { return Level == GMPROF_LEVEL_SA_NA_SM_TH; }

  bool isKernelSelected(llvm::StringRef Name, llvm::StringRef Demangled) const;
};

/// Returns the options of the command line (-mllvm -gm-...), including checked options of profiles;
/// or an error of one line that names the wrong option and its valid values.
llvm::Expected<Options> optionsFromCommandLine();

/// Returns the category that --help lists the options in.
llvm::cl::OptionCategory &optionCategory();

/// An option that changes clones.
struct CloneOptionEntry {
  llvm::cl::Option *Option = nullptr;
  std::function<std::string()> Value; ///< as on the command line
};

/// Returns all options that change clones.
std::vector<CloneOptionEntry> &cloneOptions();

/// Defines an option that changes clones: a module whose clones are made on demand takes it along.
template <typename T> class CloneOption : public llvm::cl::opt<T> {
public:
  template <typename... Modifiers>
  explicit CloneOption(llvm::StringRef Name, const Modifiers &...Each)
      : llvm::cl::opt<T>(Name, llvm::cl::cat(optionCategory()), Each...) {
    cloneOptions().push_back({this, [this] {
                                if constexpr (std::is_same_v<T, std::string>)
                                  return this->getValue();
                                else
                                  return std::to_string(this->getValue());
                              }});
  }
};

/// Writes the options that change clones, as far as the command line has them, into a module.
void recordOptions(llvm::Module &M);
/// Returns the options that recordOptions wrote: "-gm-level=basic".
std::vector<std::string> recordedOptions(const llvm::Module &M);

/// Returns an error of the command line.
llvm::Error optionError(const llvm::Twine &What);

} // namespace gmprof

#endif // GMPROF_PASS_CORE_OPTIONS_H
