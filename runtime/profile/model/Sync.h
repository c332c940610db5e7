//===- Sync.h - Calls, waits and transfers ----------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_MODEL_SYNC_H
#define GMPROF_PROFILE_MODEL_SYNC_H

#include "profile/log/Sync.h"
#include "profile/model/Run.h"
#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace gmprof::profile {

/// A GPU API call; see log::ApiCallRecord.
struct ApiCall {
  std::string Api;
  uint64_t BeginNs = 0, EndNs = 0, ResumeNs = 0;
  uint64_t Stream = 0, Event = 0;
  uint64_t Operation = 0; ///< 0: none
  log::CallKind Kind = log::CallKind::Launch;
  uint32_t Device = 0, Thread = 0;
  uint32_t CallPath = None;
  uint32_t BusyBefore = 0, BusyAfter = 0;
  bool Looked = false; ///< true if BusyBefore and BusyAfter are known
  bool NonBlocking = false;
  bool HostDone = false; ///< when it returned, its operation had ended
  bool UsesHost = false; ///< its operation may access memory of the host that is not known
};

/// See log::GpuTimeRecord.
struct GpuTime {
  uint64_t Operation = 0, BeginNs = 0, EndNs = 0;
};

/// See log::HostUseRecord.
struct HostUse {
  uint64_t Operation = 0, TimeNs = 0, Address = 0;
  log::UseKind Kind = log::UseKind::Load;
  uint32_t Thread = 0;
  uint32_t CallPath = None;
  bool ByCode = false;
};

/// See log::ContentRecord.
struct Content {
  uint64_t Operation = 0, Bytes = 0;
  std::array<uint64_t, 2> Hash = {};
  uint64_t Destination = 0, Object = 0;
  log::CopyDirection Direction = log::CopyDirection::HostToDevice;
  std::optional<bool> Identical; ///< true if the destination already held the same bytes
};

/// See log::MigrationRecord.
struct Migration {
  uint64_t BeginNs = 0, EndNs = 0, Address = 0, Bytes = 0;
  uint32_t Device = 0;
  bool ToHost = false;
};

} // namespace gmprof::profile

#endif // GMPROF_PROFILE_MODEL_SYNC_H
