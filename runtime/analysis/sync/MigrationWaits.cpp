//===- MigrationWaits.cpp - Waits for managed memory to move --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/sync/MigrationWaits.h"
#include <algorithm>

namespace gmprof::analysis {

using profile::Migration;
using profile::Profile;

namespace {

/// Migrations by begin, and the intervals in which at least one is active.
class MigrationTimes {
public:
  explicit MigrationTimes(std::vector<Migration> Migrations);
  uint64_t bytes(uint64_t BeginNs, uint64_t EndNs) const {
    return bytesBefore(EndNs) - bytesBefore(BeginNs);
  }
  uint64_t moving(uint64_t BeginNs, uint64_t EndNs) const {
    return movingBefore(EndNs) - movingBefore(BeginNs);
  }

private:
  /// Disjoint and in order.
  struct Interval {
    uint64_t BeginNs, EndNs;
    uint64_t NsBefore; ///< total length of all earlier intervals
  };

  uint64_t bytesBefore(uint64_t Ns) const;
  uint64_t movingBefore(uint64_t Ns) const;

  std::vector<uint64_t> Begins, SumOfBytes; ///< sum up to and including each
  std::vector<Interval> Intervals;
};

} // namespace

MigrationTimes::MigrationTimes(std::vector<Migration> Migrations) {
  std::sort(Migrations.begin(), Migrations.end(),
            [](const Migration &A, const Migration &B) { return A.BeginNs < B.BeginNs; });
  uint64_t Bytes = 0;
  for (const Migration &M : Migrations) {
    Begins.push_back(M.BeginNs);
    SumOfBytes.push_back(Bytes += M.Bytes);
    if (Intervals.empty()) {
      Intervals.push_back({M.BeginNs, M.EndNs, 0});
      continue;
    }
    Interval &Last = Intervals.back();
    if (M.BeginNs <= Last.EndNs)
      Last.EndNs = std::max(Last.EndNs, M.EndNs);
    else
      Intervals.push_back({M.BeginNs, M.EndNs, Last.NsBefore + Last.EndNs - Last.BeginNs});
  }
}

uint64_t MigrationTimes::bytesBefore(uint64_t Ns) const {
  const auto N = std::lower_bound(Begins.begin(), Begins.end(), Ns) - Begins.begin();
  return N == 0 ? 0 : SumOfBytes[static_cast<size_t>(N) - 1];
}

uint64_t MigrationTimes::movingBefore(uint64_t Ns) const {
  auto It = std::lower_bound(Intervals.begin(), Intervals.end(), Ns,
                             [](const Interval &I, uint64_t Time) { return I.BeginNs < Time; });
  if (It == Intervals.begin())
    return 0;
  --It;
  return It->NsBefore + std::min(Ns, It->EndNs) - It->BeginNs;
}

std::vector<MigrationWait> migrationWaits(const Profile &P, const SyncTrace &T) {
  std::vector<MigrationWait> Waits(T.Calls.size());
  if (P.Migrations.empty())
    return Waits;
  const MigrationTimes Times(P.Migrations);
  for (size_t I = 0; I < T.Calls.size(); ++I) {
    const SyncCall &W = T.Calls[I];
    if (!W.Waits || W.WaitNs == 0)
      continue;
    const uint64_t EndNs = P.Calls[W.Index].EndNs, BeginNs = EndNs - std::min(EndNs, W.WaitNs);
    Waits[I] = {W.WaitNs, Times.bytes(BeginNs, EndNs), Times.moving(BeginNs, EndNs)};
  }
  return Waits;
}

/// Returns the managed object at the migration's address and time; 0: none.
static uint64_t objectAt(const Profile &P, const std::vector<size_t> &Managed, const Migration &M) {
  for (size_t I : Managed) {
    const profile::Object O = P.Objects[I];
    if (M.Address - O.Address < O.Bytes && O.Made.BeginNs <= M.BeginNs &&
        (!O.Released || M.BeginNs <= O.Released->EndNs))
      return O.Id;
  }
  return 0;
}

std::optional<std::vector<MigratedObject>> migratedObjects(const Profile &P) {
  std::vector<size_t> Managed;
  for (size_t I = 0; I < P.Objects.size(); ++I)
    if (P.Objects[I].Kind == log::ObjectKind::Managed)
      Managed.push_back(I);
  const bool Known = std::none_of(P.Gaps.begin(), P.Gaps.end(),
                                  [](const profile::Gap &G) { return G.What == "migrations"; });
  if (Managed.empty() || (P.Migrations.empty() && !Known))
    return std::nullopt;
  std::map<uint64_t, MigratedObject> ById;
  for (const Migration &M : P.Migrations) {
    MigratedObject &O = ById[objectAt(P, Managed, M)];
    (M.ToHost ? O.ToHostBytes : O.ToDeviceBytes) += M.Bytes;
    (M.ToHost ? O.ToHostNs : O.ToDeviceNs) += M.EndNs - M.BeginNs;
  }
  std::vector<MigratedObject> All;
  for (auto &[Id, O] : ById) {
    O.Object = Id;
    All.push_back(O);
  }
  std::sort(All.begin(), All.end(), [](const MigratedObject &A, const MigratedObject &B) {
    return std::pair(B.ToDeviceBytes + B.ToHostBytes, A.Object) <
           std::pair(A.ToDeviceBytes + A.ToHostBytes, B.Object);
  });
  return All;
}

} // namespace gmprof::analysis
