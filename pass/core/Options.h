//===- Options.h - What the pass can be told --------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_CORE_OPTIONS_H
#define GMPROF_PASS_CORE_OPTIONS_H

#include "gmprof/abi.h"
#include "llvm/Support/Error.h"
#include <string>

namespace gmprof {

struct Options {
  GmprofLevel Level = GMPROF_LEVEL_SA_NA_SM_TH;
  unsigned CounterBits = 32;
  /// What counters in shared memory saturate at; 0: counters in device memory.
  unsigned Threshold = 0;
  /// Counters in shared memory are updated atomically.
  bool AtomicUpdates = true;
  /// Where all blocks do the same, the first is counted for all (AlikeBlocks.h).
  bool AlikeBlocks = true;
  /// Accesses of shared memory that a closed form describes are not counted
  /// (ClosedFormRule.cpp).
  bool SharedClosedForms = true;
  /// K__gm_heat does not note accesses that a closed form describes.
  bool HeatClosedForms = true;
  bool HeatLoops = true;
  /// The device code that a kernel calls is in the module (limitRegisters).
  bool WholeProgram = false;
  /// Accesses of shared memory are counted per live range too (RangeRule.h).
  bool LiveRanges = true;
  /// Which clones there are.
  bool ProfileShared = true, ProfileGlobal = true, ProfileObjects = true, ProfileHeat = true,
       ProfileCache = true;
  unsigned GlobalCounterBits = 8;
  unsigned GlobalThreshold = 192; ///< what counters of global memory are exact below
  /// Instructions that inlined hooks may add to the module; further hooks are called.
  size_t InlineBudget = 100000;
  std::string Kernels;     ///< regular expression; empty: all
  std::string BitcodeFile; ///< empty: none
  bool Verify = false;

  bool usesStaticAnalysis() const { return Level >= GMPROF_LEVEL_SA; }
  bool countsInSharedMemory() const { return Level >= GMPROF_LEVEL_SA_NA_SM; }

  /// The levels below are the paper's, which had no closed forms.
  bool describesShared() const {
    return usesStaticAnalysis() && countsInSharedMemory() && SharedClosedForms;
  }
  bool describesHeat() const { return usesStaticAnalysis() && HeatClosedForms; }
  bool notesHeatOfLoops() const { return usesStaticAnalysis() && HeatLoops; }
  bool countsRanges() const { return LiveRanges && countsInSharedMemory(); }
  bool countsFirstBlockForAll() const { return usesStaticAnalysis() && AlikeBlocks; }

  bool isKernelSelected(llvm::StringRef Name, llvm::StringRef Demangled) const;
};

/// The options of the command line (-mllvm -gm-…), or one line that says which
/// of them is wrong and what it may be.
llvm::Expected<Options> optionsFromCommandLine();

} // namespace gmprof

#endif // GMPROF_PASS_CORE_OPTIONS_H
