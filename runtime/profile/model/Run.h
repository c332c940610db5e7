//===- Run.h - The run, its devices and what was lost -----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_MODEL_RUN_H
#define GMPROF_PROFILE_MODEL_RUN_H

#include "gmprof/abi/types.h"
#include "profile/ProfileTraits.h"
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gmprof::profile {

inline constexpr uint32_t None = GMPROF_NONE;

struct SourcePosition {
  std::string File; ///< absolute if the compiler provided the directory; empty: unknown
  unsigned Line = 0, Column = 0;
};

struct Run {
  std::vector<std::string> Command;
  std::string Host;
  int64_t Pid = 0, ParentPid = 0;
  std::optional<int> Rank; ///< MPI rank
  std::string DeviceKind;  ///< "gpu" or "cpu"
  std::string ToolName, ToolVersion;
  std::string ConfigJson = "{}"; ///< effective options, a JSON object
  /// Names of the profiles that the run records, of gmprof/profiles.def.
  std::vector<std::string> Profiles = {UnnamedProfile};
  /// Stage of the sync profile; "baseline": calls and their duration only.
  std::string SyncStage;
  uint64_t StartUnixNs = 0, SteadyStartNs = 0;
  uint64_t EndUnixNs = 0, SteadyEndNs = 0; ///< 0 if the program died
  std::optional<int> ExitStatus;
  bool Ended = false;     ///< true if the log has its End record
  bool Truncated = false; ///< true if the log ends within a record

  /// Returns true if the run records the profile of this name.
  bool records(std::string_view Name) const {
    return std::find(Profiles.begin(), Profiles.end(), Name) != Profiles.end();
  }
  bool measures(Measured Accesses) const {
    return std::ranges::any_of(
        Profiles, [&](const std::string &Each) { return profile::measures(Each, Accesses); });
  }
  bool recordsCalls() const { return std::ranges::any_of(Profiles, profile::recordsCalls); }
  bool recordsAllocations() const {
    return std::ranges::any_of(Profiles, profile::recordsAllocations);
  }
  /// Returns true if the run records GPU API calls, but neither whether they wait nor which results
  /// the host reads: too little for findings about synchronization and transfers.
  bool syncAtFirstSight() const { return recordsCalls() && SyncStage == "baseline"; }
};

struct Device {
  uint32_t Id = 0;
  std::string Name, ComputeCapability;
  std::string AttributesJson = "{}"; ///< all recorded attributes, a JSON object
  /// Per multiprocessor; 0: not recorded.
  uint64_t SharedBytesPerSm = 0, SharedBytesReservedPerBlock = 0, ThreadsPerSm = 0;
};

/// Something that was skipped, capped or lost.
struct Gap {
  std::string What, Reason;
  uint64_t Count = 0;
};

} // namespace gmprof::profile

#endif // GMPROF_PROFILE_MODEL_RUN_H
