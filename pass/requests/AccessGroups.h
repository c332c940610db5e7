//===- AccessGroups.h - Accesses that may be one instruction ----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_REQUESTS_ACCESSGROUPS_H
#define GMPROF_PASS_REQUESTS_ACCESSGROUPS_H

#include "pass/requests/AccessClusters.h"
#include "llvm/ADT/STLExtras.h"
#include <functional>
#include <map>

namespace gmprof {

/// Number of instructions by bytes, the widest first.
using InstructionWidths = std::map<unsigned, unsigned, std::greater<>>;

/// Elements of consecutive addresses, which become one instruction.
struct AccessGroup {
  const AccessCluster *Of = nullptr;
  llvm::SmallVector<ClusterElement, 4> Elements; ///< by address
  unsigned Bytes = 0;
  unsigned Iterations = 1; ///< whose elements become one instruction
  unsigned Unused = 0;     ///< bytes in front of the first element that belong to the instruction
};

/// Groups of wanted widths, and the elements that are in none.
struct AccessDivision {
  std::vector<AccessGroup> Groups, Left;
  bool IsAsWanted = true; ///< as many groups of each width as wanted, and no element is left

  /// Returns whether each element that is left has a wanted width, so that it may be an
  /// instruction of its own.
  bool explainsAll(const InstructionWidths &Wanted) const {
    return llvm::all_of(Left, [&](const AccessGroup &Each) {
      return llvm::all_of(Each.Elements,
                          [&](const ClusterElement &E) { return Wanted.contains(E.Bytes); });
    });
  }
};

/// Returns maximal groups of elements of consecutive addresses, in program order of their first
/// elements.
std::vector<AccessGroup> segmentsOf(llvm::ArrayRef<const AccessCluster *> Clusters);

/// Moves up to Most groups of Bytes out of Segments to Into, after the first Skip ones.
void takeGroups(std::vector<AccessGroup> &Segments, unsigned Bytes, unsigned Most, unsigned Skip,
                std::vector<AccessGroup> &Into);

/// The bytes of the widest instruction, which accesses an aligned address.
constexpr unsigned WindowBytes = 16;

/// Splits elements of consecutive addresses into those of each 16 bytes, of which the instruction
/// may access some in vain: at least three quarters become an instruction of 16 bytes. Begin: the
/// first address, modulo 16.
std::vector<AccessGroup> windowsOf(const AccessGroup &Segment, unsigned Begin);

/// Makes as many groups of each width as are wanted, if there are so many; or as many as
/// possible.
AccessDivision divide(llvm::ArrayRef<const AccessCluster *> Clusters,
                      const InstructionWidths &Wanted, bool NarrowFirst,
                      bool AsManyAsPossible = false);

} // namespace gmprof

#endif // GMPROF_PASS_REQUESTS_ACCESSGROUPS_H
