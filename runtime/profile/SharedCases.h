//===- SharedCases.h - Adds what closed forms say of shared memory *- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the closed forms of a kernel's accesses of shared memory hold, nothing counts
// them while it runs (log::SharedCaseRecord). Here they are computed, once for all
// launches of a case, and added to the counts of these launches: so the profile
// has all counts in one place.
//
//  * Launches for which the descriptor knows all have no counts of their own. They
//    get some, of all blocks and threads of the launches.
//  * Where only some blocks were counted, what closed forms say is scaled down to
//    these, since all counts are scaled up together.
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

/// Where the variables of a kernel are in shared memory, if nothing has reported it.
struct SharedLayout {
  uint32_t DynamicAddress = 0;
  uint64_t Bytes = 0;
  std::vector<uint32_t> Addresses; ///< per variable, or None
};
/// One behind the other.
SharedLayout layOutShared(const profile::Descriptor &Desc, uint32_t DynamicSharedBytes);

class SharedCases {
public:
  /// Kernels are the kernels of P by their ids in the log.
  SharedCases(profile::Profile &P, const std::map<uint32_t, uint32_t> &Kernels)
      : P(P), Kernels(Kernels) {}

  /// False when the record is damaged.
  bool record(Payload B);
  /// The counts of a context are without this case's closed forms. False if there is no
  /// such case of that kernel.
  bool countsWithout(uint64_t Case, const profile::SharedCounts &C);
  /// When all launches are known. Returns how many contexts lack what could not be
  /// computed.
  uint64_t addToCounts();

private:
  struct Case {
    uint32_t Kernel = 0;
    std::array<uint32_t, 3> Grid = {1, 1, 1}, Block = {1, 1, 1};
    uint32_t DynamicSharedBytes = 0;
    std::vector<int64_t> Values;
  };
  /// Counts of one launch, per word of a layout.
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
  /// What was computed, by case and the layout's words and addresses.
  std::map<std::pair<const Case *, std::vector<uint32_t>>, Computed> Known;
};

} // namespace gmprof

#endif // GMPROF_PROFILE_SHAREDCASES_H
