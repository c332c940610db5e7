//===- Instrumenter.h - Adds instrumented clones to a module ----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each kernel and each profile (CloneBuilder.h):
//
//   1. copy the kernel, with the launch parameter (Clone.h);
//   2. simplify the copy until the analyses recognize its accesses;
//   3. have the profile's builder emit calls of hooks (runtime/device), and inline those;
//   4. redirect the copy's calls to instrumented clones of device functions
//      (DeviceFunctions.h);
//   5. add its entry and exits (KernelEntry.h, Exits.h).
//
// The kernel itself does not change. Its descriptor (Descriptor.h) tells the host of the clones and
// of every access.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_CORE_INSTRUMENTER_H
#define GMPROF_PASS_CORE_INSTRUMENTER_H

#include "pass/core/ArgumentSpaces.h"
#include "pass/core/CloneBuilder.h"
#include "pass/core/Hooks.h"
#include "pass/core/Options.h"
#include "pass/core/Sites.h"
#include <map>
#include <vector>

namespace gmprof {

class Instrumenter {
public:
  Instrumenter(llvm::Module &M, llvm::FunctionAnalysisManager &FAM, const Options &O,
               llvm::ArrayRef<llvm::Function *> Kernels);
  void run();

  /// \name For builders
  /// @{

  llvm::Module &M;
  llvm::FunctionAnalysisManager &FAM;
  const Options &O;
  const llvm::ArrayRef<llvm::Function *> Kernels;
  const uint64_t Unit; ///< of GmprofSiteDesc::functionSite

  Hooks &hooks() { return H; }
  /// Returns a copy of a kernel, simplified for the analyses.
  Clone cloneKernel(llvm::Function &Kernel, CloneBuilder &Builder, const CloneKind &Kind);
  /// Removes a clone from the module.
  void discard(const Clone &C);
  /// Returns the sites of C's original. They are made from the first of its clones: all clones have
  /// the same accesses.
  FunctionSites &sitesOf(const Clone &C, const AccessInfo &Info);
  /// Returns the sites of a function, or null if it has no clone.
  FunctionSites *sitesOf(const llvm::Function &F);
  /// Returns whether C accesses memory in functions whose clones it calls.
  bool followsCalls(const Clone &C);
  /// Redirects the calls in C to clones.
  void followCalls(const Clone &C, FunctionSites &Into);
  /// Inlines the hooks that a clone of a kernel calls, limits its registers, and keeps it in the
  /// module.
  void complete(const Clone &C, const RegisterLimit &Limit);

  /// @}

private:
  const ArgumentSpaces Spaces;
  const bool MeetsOtherBlocks; ///< see Clone
  std::vector<std::unique_ptr<CloneBuilder>> Builders;
  Hooks H;
  /// Clones of device functions, by name suffix.
  std::map<std::pair<const llvm::Function *, std::string>, llvm::Function *> Clones;
  std::map<const llvm::Function *, FunctionSites> Sites;
  unsigned NextFunctionSite = 0;

  void instrumentKernel(llvm::Function &Kernel);
  void addSites(KernelDescription &D, bool AddVisible);
  bool isFollowed(const llvm::CallBase &Call, const CloneBuilder &Builder);
  bool accessesNothingCounted(const llvm::CallBase &Call, const CloneBuilder &Builder);
  llvm::Function *cloneOf(llvm::Function &F, CloneBuilder &Builder, const CloneKind &Kind);
  void cloneForOtherModules();
  void describeFunctions();
};

} // namespace gmprof

#endif // GMPROF_PASS_CORE_INSTRUMENTER_H
