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
  GmprofRule Rule = GMPROF_RULE_NOT_COUNTED;
  std::string Reason;
  std::optional<StaticCount> Static;
};

/// The accesses of one function, as counted in its clone.
struct FunctionSites {
  std::vector<Variable> Variables;
  std::vector<Site> Sites;
  bool HasOpaqueCalls = false;
  llvm::SetVector<const llvm::Function *> Callees; ///< clones of which are called
};

} // namespace gmprof

#endif // GMPROF_PASS_SITES_H
