//===- Sites.h - What the descriptor says of a function's accesses -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_SITES_H
#define GMPROF_PASS_SITES_H

#include "static-analysis/Accesses.h"
#include "llvm/ADT/SetVector.h"

namespace gmprof {

struct Site {
  int Variable = -1; ///< of the same FunctionSites
  SourceLocation Source;
  GmprofAccessKind Kind = GMPROF_ACCESS_LOAD;
  GmprofSpace Space = GMPROF_SPACE_GENERIC;
  unsigned Bytes = 0;
  bool Reduction = false; ///< see GmprofSiteDesc::reduction
  /// How it is counted, and why no better.
  struct Counting {
    GmprofRule Rule = GMPROF_RULE_NOT_COUNTED;
    std::string Reason;
  } Shared, Global;
  std::optional<StaticCount> Static;
  /// Of a function that is not inlined: its number among those of the module.
  std::optional<unsigned> FunctionSite;
  std::vector<int64_t> Form; ///< if there is one: GmprofFormDesc's words
};

/// The closed form of an access of K__gm_heat_all, see GmprofHeatFormDesc.
struct HeatFormSite {
  unsigned Site = 0; ///< number in the same FunctionSites
  int Variable = -1;
  unsigned Loops = 0;
  int64_t Offset = 0;
  unsigned Bytes = 0, PieceBytes = 0;
  std::vector<int64_t> Form;
};

/// A move between global and shared memory (static-analysis/LiveRanges.h).
struct MoveSite {
  GmprofMoveKind Kind = GMPROF_MOVE_BEGIN;
  int Shared = -1, Global = -1; ///< variables of the same FunctionSites
  unsigned Bytes = 0;
  SourceLocation Source;
};

/// That an object may be accessed (static-analysis/Touches.h).
struct TouchSite {
  int Variable = -1; ///< of the same FunctionSites
  unsigned Kinds = 0;
  GmprofTouchRule Rule = GMPROF_TOUCH_ALWAYS;
  unsigned Flag = 0;
  std::vector<int64_t> Form; ///< GmprofTouchDesc's words
};

struct SiteVariable : Variable {
  std::optional<unsigned> Root; ///< number in GmprofGlobalLaunch::roots
};

/// The accesses of one function, as counted in its clones.
struct FunctionSites {
  std::vector<SiteVariable> Variables;
  std::vector<Site> Sites;
  std::vector<MoveSite> Moves;         ///< of a kernel, with those of functions it calls
  std::vector<TouchSite> Touches;      ///< of a kernel
  std::vector<HeatFormSite> HeatForms; ///< of a kernel
  bool HasOpaqueCalls = false;
  /// Clones of which are called, or may be.
  llvm::SetVector<const llvm::Function *> Callees;
};

/// Describes a variable of a clone, which need not outlive that.
SiteVariable siteVariable(const Variable &V);

/// Numbers the variables of a kernel that the launch parameter has room for, those
/// with the accesses that have to be counted first.
void assignRoots(FunctionSites &Kernel);

} // namespace gmprof

#endif // GMPROF_PASS_SITES_H
