//===- HeatUse.h - A launch's requests to memory ----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Combines the heat records of a launch (profile/HeatMap.h): for each global memory object and each
// shared memory array its temperatures, and the source accesses that cause them with their
// requests. Instructions at the same source position that access the same memory in the same way
// are one access: an unrolled loop has several.
//
// An instruction accesses the object that its variable points to. If that is unknown, it is the
// only object accessed from its line that no other instruction there accesses.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_HEAT_HEATUSE_H
#define GMPROF_ANALYSIS_HEAT_HEATUSE_H

#include "analysis/shared/SharedRegions.h"
#include "profile/Profile.h"
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace gmprof::analysis {

struct HeatAccess {
  profile::SourcePosition Source;
  std::string Function;
  uint32_t Variable = profile::None;
  GmprofAccessKind Kind = GMPROF_ACCESS_LOAD;
  bool Shared = false;
  uint64_t Object = 0;            ///< id of a global memory object; 0: unknown
  uint32_t Array = profile::None; ///< for shared memory: index in LaunchHeat::Arrays
  unsigned Bytes = 0;             ///< per lane; 0: varies
  uint32_t Place = 0;             ///< see profile::heatPlaces
  unsigned Instructions = 0;
  bool Reduction = false;  ///< an atomic that only accumulates (GmprofSiteDesc::reduction)
  std::string ElementType; ///< that the kernel's parameter points to; empty: unknown
  bool Computed = true;    ///< closed forms describe all of it, nothing was recorded
  uint64_t OfPtx = 0;      ///< requests whose width is that of PTX, not of the machine code
  GmprofHeatSite Requests = {};
  /// Requests by inlined call (index in profile::Descriptor::Inlines, or None).
  std::map<uint32_t, GmprofHeatSite> Inlined;

  bool isStore() const;
  double lanesPerRequest() const;
  /// Returns true if the lanes of a request access the same word, or the same wide element.
  bool isUniform() const;
  /// Returns true if instructions are wider than the source's access: several are joined.
  bool isJoined() const;
  /// Returns the bytes of the instructions that each access is split into; 0 if it is one
  /// instruction, or if that is not known.
  unsigned splitBytes() const;
  /// Returns true if each request has a single active lane.
  bool isOfOneLane() const { return Requests.lanes == Requests.requests; }
  /// Bytes that requests transfer and do not use.
  uint64_t unusedBytes() const;
  uint64_t sectorsBeyondIdeal() const { return Requests.transactions - Requests.ideal; }
};

/// Statistics of a map over the accessed words and sectors.
struct HeatStatistics {
  uint64_t Sectors = 0, Words = 0, Accesses = 0;
  double MeanWord = 0, MeanSector = 0;
  unsigned MaxWord = 0, MaxSector = 0;
};

struct ObjectHeat {
  const profile::HeatMap *Map = nullptr;
  std::string Name;                  ///< the kernel's name for it, else the object's; may be empty
  uint64_t Bytes = 0;                ///< size of the object
  uint32_t CallPath = profile::None; ///< call that allocated it
  bool Pitched = false;              ///< allocated with padded rows, as by cudaMallocPitch
  uint64_t Places = 0;               ///< mask of accessing places
  bool SeveralBlocks = false;        ///< true if several sampled blocks access some sector
  std::vector<uint32_t> Accesses;    ///< known accesses, as indices in LaunchHeat::Accesses
  HeatStatistics Numbers;

  /// Returns the name, or "an object of 64 bytes".
  std::string describe() const;
};

/// A shared memory array of the first sampled block.
struct ArrayHeat {
  SharedRegion Region;
  std::string Name, Type;
  profile::SourcePosition Source;
  std::vector<uint32_t> Accesses; ///< indices in LaunchHeat::Accesses
  /// Accessed words: by one thread, by several threads of one warp, by several warps.
  uint64_t OfThread = 0, OfWarp = 0, OfWarps = 0;
  /// Words among these that were both written and read.
  uint64_t ReusedOfThread = 0, ReusedOfWarp = 0;
  uint64_t Threads = 0, Warps = 0; ///< threads and warps with private words

  uint64_t touched() const { return OfThread + OfWarp + OfWarps; }
};

struct LaunchHeat {
  const profile::HeatContext *Context = nullptr;
  uint32_t Kernel = 0;
  const profile::Descriptor *Desc = nullptr; ///< of the kernel
  profile::SourcePosition Source;            ///< of the kernel
  uint64_t FirstLaunch = 0;                  ///< profile::Launch::Id
  uint64_t Launches = 0;                     ///< number of launches in the context
  uint64_t Blocks = 0;                       ///< number of blocks in their grids
  std::vector<HeatAccess> Accesses;
  std::vector<ObjectHeat> Objects;
  std::vector<ArrayHeat> Arrays;
  /// Requests of functions with unknown sites, to global and shared memory.
  GmprofHeatSite NotInlined = {};
  uint64_t Sectors = 0;    ///< accessed by all global memory requests
  uint64_t Wavefronts = 0; ///< of all shared memory requests
  /// Sites with requests: described by closed forms, and recorded.
  std::vector<uint32_t> Computed, Recorded;

  unsigned warps() const { return static_cast<unsigned>(Context->warpsPerBlock()); }
  /// Returns the factor from the sampled blocks of all launches to all blocks of one launch.
  double toWholeLaunch() const;
  /// Returns Some as a share of all sectors.
  double shareOfSectors(uint64_t Some) const;
  /// Returns the mask of the places with an access that may be to the object and for which Is
  /// holds. Includes functions that are not inlined, which may access anything.
  uint64_t placesWhere(const ObjectHeat &O,
                       const std::function<bool(const HeatAccess &)> &Is) const;
};

/// Returns one entry per context, in the order of kernels and launches.
std::vector<LaunchHeat> heatUse(const profile::Profile &P);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_HEAT_HEATUSE_H
