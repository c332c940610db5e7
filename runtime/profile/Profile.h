//===- Profile.h - The model of a profiled run ------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The decoded and checked contents of one run's event log; plain data without judgement.
// ProfileBuilder makes it, the analyses read it, and tests write it by hand. Indices refer to the
// vectors of Profile, unless stated otherwise.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_PROFILE_H
#define GMPROF_PROFILE_PROFILE_H

#include "profile/CompactVector.h"
#include "profile/HeatMap.h"
#include "profile/model/CallPaths.h"
#include "profile/model/Descriptor.h"
#include "profile/model/Global.h"
#include "profile/model/Launches.h"
#include "profile/model/Objects.h"
#include "profile/model/Run.h"
#include "profile/model/Shared.h"
#include "profile/model/Streams.h"
#include "profile/model/Sync.h"
#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace gmprof::profile {

struct Profile {
  Run TheRun;
  std::vector<Device> Devices;
  std::vector<Kernel> Kernels;
  CompactVector<Launch> Launches;
  /// In order of the launches. LaunchModes.h iterates over launches and these.
  std::vector<LaunchForms> FurtherContexts;
  std::vector<LaunchTime> LaunchTimes; ///< in order of the launches
  std::vector<SharedCounts> Shared;    ///< one per context
  std::vector<GlobalContext> GlobalContexts;
  std::vector<GlobalCounts> Global;
  std::vector<HeatContext> Heat; ///< one per context
  CompactVector<Object> Objects;
  CompactVector<GraphMemoryRelease> GraphMemoryReleases; ///< per object in order of release
  std::vector<MemoryReading> MemoryReadings;             ///< in order of the records
  std::vector<FailedAllocation> FailedAllocations;       ///< in order of the records
  std::vector<AccessSet> AccessSets;
  uint64_t LaunchesWithoutHits = 0; ///< launches of clones whose recorded accesses were never read
  CompactVector<Copy> Copies;
  CompactVector<Order> Orders;
  std::vector<GraphNode> Nodes;
  std::vector<GraphNodes> Graphs;
  std::vector<GraphLaunch> GraphLaunches;
  std::vector<Region> Regions;
  std::vector<ApiCall> Calls; ///< in synchronization profiles only, like the next four
  std::vector<GpuTime> GpuTimes;
  std::vector<HostUse> Uses;
  std::vector<Content> Contents;
  std::vector<Migration> Migrations;
  std::vector<CallPath> CallPaths;
  std::vector<PythonStack> PythonStacks;
  std::vector<Image> Images;
  std::vector<Gap> Gaps;
  /// Kernels that ran as graph nodes without being profiled.
  uint64_t PlainGraphNodes = 0;
  std::map<uint32_t, MachineMemory> Machine; ///< by kernel: those whose machine code is known
};

/// Returns the contexts that have counts.
inline std::set<uint64_t> countedContexts(const Profile &P) {
  std::set<uint64_t> Counted;
  const auto Add = [&](const auto &Contexts) {
    for (const auto &C : Contexts)
      Counted.insert(C.Context);
  };
  Add(P.Shared);
  Add(P.Heat);
  Add(P.GlobalContexts);
  return Counted;
}

} // namespace gmprof::profile

#endif // GMPROF_PROFILE_PROFILE_H
