//===- BlockPlacements.h - Where and when blocks run untraced ---*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The file that a run with K__gm_blocks leaves for the run that traces: the SM and the times of
// each block, by launch.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_CACHE_BLOCKPLACEMENTS_H
#define GMPROF_HOST_CACHE_BLOCKPLACEMENTS_H

#include "gmprof/abi.h"
#include "profile/Result.h"
#include <array>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace gmprof::host {

using PlacedBlocks = std::vector<GmprofPlacedBlock>; ///< by linear number

/// A launch, as two runs of a program have it.
struct PlacedLaunch {
  std::string Kernel;
  uint64_t Number = 0; ///< LaunchRecord::id
  std::array<uint32_t, 3> Grid = {}, Block = {};

  auto operator<=>(const PlacedLaunch &) const = default;
};

class BlockPlacements {
public:
  /// Returns the path of the file beside an event log.
  static std::string pathOf(const std::string &Log);
  /// Appends a launch to a file, which the first one makes. Returns whether it is written.
  static bool append(const std::string &Path, const PlacedLaunch &Launch,
                     std::span<const GmprofPlacedBlock> Blocks);

  /// Reads a file, up to its last complete launch.
  static Result<BlockPlacements> read(const std::string &Path);
  /// Returns the blocks of a launch; null if it is not in the file.
  std::shared_ptr<const PlacedBlocks> find(const PlacedLaunch &Launch) const;

private:
  std::map<PlacedLaunch, std::shared_ptr<const PlacedBlocks>> Launches;
};

} // namespace gmprof::host

#endif // GMPROF_HOST_CACHE_BLOCKPLACEMENTS_H
