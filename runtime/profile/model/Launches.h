//===- Launches.h - Kernels and launches ------------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_MODEL_LAUNCHES_H
#define GMPROF_PROFILE_MODEL_LAUNCHES_H

#include "profile/Name.h"
#include "profile/log/Launches.h"
#include "profile/model/Descriptor.h"
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gmprof::profile {

struct Kernel {
  std::string Name, Demangled;
  std::vector<uint32_t> Devices; ///< devices on which it was loaded
  uint32_t StaticSharedBytes = 0, Registers = 0, CloneRegisters = 0;
  std::optional<Descriptor> Desc; ///< absent: not compiled by the pass, or invalid
  std::string Reason;             ///< why it is never profiled; empty: it can be
};

struct Launch {
  uint64_t Id = 0, TimeNs = 0, Stream = 0;
  uint64_t Context = 0; ///< Context of SharedCounts, GlobalContext or HeatContext; 0: none
  uint32_t Kernel = 0;
  log::LaunchMode Mode = log::LaunchMode::Plain;
  std::array<uint32_t, 3> Grid = {1, 1, 1}, Block = {1, 1, 1};
  uint32_t DynamicSharedBytes = 0, Device = 0;
  uint32_t CallPath = None, Thread = 0;
  uint32_t AccessSet = None;
  /// Superset of AccessSet that was known before the launch, if data decided; else None.
  uint32_t PossibleSet = None;
  bool Graph = false;  ///< true for a kernel node of a graph
  bool InBody = false; ///< true if that node is in a conditional body
  uint64_t Times = 1;  ///< executions: the replays of a graph node, else 1
  Name Reason;         ///< why the launch was not profiled
  uint64_t Record = 0; ///< position of the record in the log: 1, 2, …
};

/// A further context that a launch counts in; see log::LaunchFormsRecord.
struct LaunchForms {
  uint32_t Launch = None; ///< index
  log::LaunchMode Mode = log::LaunchMode::Shared;
  uint64_t Context = 0;
};

/// Execution time of a launch on the GPU; see log::LaunchTimeRecord.
struct LaunchTime {
  uint32_t Launch = None; ///< index
  uint64_t Ns = 0;
};

/// The objects that launches access; see log::AccessSetRecord.
struct AccessSet {
  log::AccessKnowledge Knowledge = log::AccessKnowledge::Exact;
  std::vector<log::ObjectAccess> Accesses;
};

} // namespace gmprof::profile

#endif // GMPROF_PROFILE_MODEL_LAUNCHES_H
