//===- SharedCases.h - Adds counts of closed forms --------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared memory accesses whose closed forms hold are not counted while the kernel runs
// (log::SharedCaseRecord). This class computes their counts, once per case, and adds them to the
// counts of the launches:
//
//  * Launches for which the descriptor has all counts get counts for all blocks and threads.
//  * If only some blocks were counted, the counts of closed forms are scaled down to these, because
//    the analysis scales all counts up together.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_SHAREDCASES_H
#define GMPROF_PROFILE_SHAREDCASES_H

#include "profile/ClosedForm.h"
#include "profile/Payload.h"
#include "profile/Profile.h"
#include <map>
#include <unordered_map>

namespace gmprof {

/// Shared memory layout of a kernel for which no launch reported one.
struct SharedLayout {
  uint32_t DynamicAddress = 0;
  uint64_t Bytes = 0;
  std::vector<uint32_t> Addresses; ///< per variable; None if not in shared memory
};
/// Lays out the static variables in sequence, and dynamic shared memory after them.
SharedLayout layOutShared(const profile::Descriptor &Desc, uint32_t DynamicSharedBytes);

class SharedCases {
public:
  /// Kernels maps kernel ids of the log to indices of P.Kernels.
  SharedCases(profile::Profile &P, const std::map<uint32_t, uint32_t> &Kernels)
      : P(P), Kernels(Kernels) {}

  /// Decodes a SharedCaseRecord; returns false if it is damaged.
  bool record(Payload B);
  /// Declares that counts C lack this case's closed forms. Returns false if the kernel has no such
  /// case.
  bool countsWithout(uint64_t Case, const profile::SharedCounts &C);
  /// Adds the computed counts; call after the last launch record. Returns the number of contexts
  /// that stay incomplete.
  uint64_t addToCounts();

private:
  struct Case {
    uint32_t Kernel = 0;
    std::array<uint32_t, 3> Grid = {1, 1, 1}, Block = {1, 1, 1};
    uint32_t DynamicSharedBytes = 0;
    std::vector<int64_t> Values;
  };
  /// Counts of one launch, per word of its layout.
  struct Computed {
    std::vector<uint64_t> Sums;
    uint64_t Lost = 0;
  };

  bool compute(const Case &K, const profile::SharedCounts &Layout, Computed &To);
  bool addTo(profile::SharedCounts &C, const Case &K, uint64_t Launches);
  profile::SharedCounts layOut(const Case &K) const;

  profile::Profile &P;
  const std::map<uint32_t, uint32_t> &Kernels;
  std::map<uint64_t, Case> Cases;
  std::unordered_map<uint64_t, uint64_t> CaseOfContext;
  /// Results by case and layout (variable addresses, number of words, first address).
  std::map<std::pair<const Case *, std::vector<uint32_t>>, Computed> Known;
};

} // namespace gmprof

#endif // GMPROF_PROFILE_SHAREDCASES_H
