//===- Sites.h - The accesses of a function ---------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_CORE_SITES_H
#define GMPROF_PASS_CORE_SITES_H

#include "static-analysis/Accesses.h"
#include "llvm/ADT/SetVector.h"

namespace gmprof {

/// An instruction that accesses memory, or a call that cannot be followed.
struct Site {
  int Variable = -1; ///< number in the same FunctionSites, or -1
  SourceLocation Source;
  GmprofAccessKind Kind = GMPROF_ACCESS_LOAD;
  GmprofSpace Space = GMPROF_SPACE_GENERIC;
  unsigned Bytes = 0;
  bool Reduction = false;       ///< see GmprofSiteDesc::reduction
  bool HasMachineWidth = false; ///< see GmprofSiteDesc::machineWidth
  /// Why the call cannot be followed; none: an access.
  std::optional<std::string> OpaqueReason;
  /// In a function that is not inlined: the number among such sites of the module.
  std::optional<unsigned> FunctionSite;
};

/// The sites of one function. All of its clones have the same.
struct FunctionSites {
  std::vector<Variable> Variables; ///< their Base is a variable of the module, or null
  std::vector<Site> Sites;
  bool HasOpaqueCalls = false;
  /// The functions whose clones may be called.
  llvm::SetVector<const llvm::Function *> Callees;
};

/// Returns the description of a variable of a clone that may outlive the clone.
Variable siteVariable(const Variable &V);

/// Returns whether an access is to a compiler-generated table, such as one of a switch.
bool isOfCompilerTable(const Access &A, const FunctionSites &Function);

} // namespace gmprof

#endif // GMPROF_PASS_CORE_SITES_H
