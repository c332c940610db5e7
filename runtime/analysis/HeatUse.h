//===- HeatUse.h - What a launch's requests do to memory --------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Puts together what a heat profile says of a launch (profile/HeatMap.h): of each object
// of global memory and each array of shared memory its temperatures, and the accesses in the
// source that make them, with their requests. Instructions that stand at the same place of the
// source and access the same memory in the same way are one access: of an unrolled loop there are
// several.
//
// An instruction accesses the object that its variable points to. Where that is not known,
// and just one object was accessed from its line by none of the others, it is that one.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_HEATUSE_H
#define GMPROF_ANALYSIS_HEATUSE_H

#include "analysis/SharedRegions.h"
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
  uint64_t Object = 0;            ///< of global memory: its id; 0: not known
  uint32_t Array = profile::None; ///< of shared memory: in LaunchHeat::Arrays
  unsigned Bytes = 0;             ///< of one thread; 0: differs
  uint32_t Place = 0;             ///< profile::heatPlaces
  unsigned Instructions = 0;
  bool Reduction = false; ///< an atomic that only accumulates (GmprofSiteDesc::reduction)
  bool Computed = true;   ///< closed forms say all of it, nothing was noted
  GmprofHeatSite Requests = {};
  /// Of these, by the inlined call that they are in (profile::Descriptor::Inlines), or None.
  std::map<uint32_t, GmprofHeatSite> Inlined;

  bool isStore() const;
  double lanesPerRequest() const;
  /// Lanes want the same: one word, or as much as an access has.
  bool isUniform() const;
  /// One thread of a warp is active.
  bool isOfOneLane() const { return Requests.lanes == Requests.requests; }
  /// What is transferred and not used by the request.
  uint64_t unusedBytes() const;
  uint64_t sectorsBeyondIdeal() const { return Requests.sectors - Requests.ideal; }
};

/// Numbers of a map's temperatures, of words and sectors that were accessed.
struct HeatStatistics {
  uint64_t Sectors = 0, Words = 0, Accesses = 0;
  double MeanWord = 0, MeanSector = 0;
  unsigned MaxWord = 0, MaxSector = 0;
};

struct ObjectHeat {
  const profile::HeatMap *Map = nullptr;
  std::string Name;                  ///< as the kernel calls it, else of the object; may be empty
  uint64_t Bytes = 0;                ///< of the object
  uint32_t CallPath = profile::None; ///< of the call that made it
  uint64_t Places = 0;               ///< mask
  bool SeveralBlocks = false;        ///< some sectors are accessed by several of the noted blocks
  std::vector<uint32_t> Accesses;    ///< in LaunchHeat::Accesses; only those that are known
  HeatStatistics Numbers;

  /// The name, or "an object of 64 bytes".
  std::string describe() const;
};

/// An array in the shared memory of the first block that was noted.
struct ArrayHeat {
  SharedRegion Region;
  std::string Name, Type;
  profile::SourcePosition Source;
  std::vector<uint32_t> Accesses; ///< in LaunchHeat::Accesses
  /// Words that were accessed: by one thread, by several of one warp, by several warps.
  uint64_t OfThread = 0, OfWarp = 0, OfWarps = 0;
  /// Of these the ones that were written and read.
  uint64_t ReusedOfThread = 0, ReusedOfWarp = 0;
  uint64_t Threads = 0, Warps = 0; ///< that have words of their own

  uint64_t touched() const { return OfThread + OfWarp + OfWarps; }
};

struct LaunchHeat {
  const profile::HeatContext *Context = nullptr;
  uint32_t Kernel = 0;
  const profile::Descriptor *Desc = nullptr; ///< the kernel's
  profile::SourcePosition Source;            ///< of the kernel
  uint64_t FirstLaunch = 0;                  ///< profile::Launch::Id
  uint64_t Launches = 0;                     ///< that the context notes
  uint64_t Blocks = 0;                       ///< of their grids
  std::vector<HeatAccess> Accesses;
  std::vector<ObjectHeat> Objects;
  std::vector<ArrayHeat> Arrays;
  /// Of functions whose sites are not known, of global and shared memory alike.
  GmprofHeatSite NotInlined = {};
  uint64_t Sectors = 0;    ///< that the requests of global memory touch
  uint64_t Wavefronts = 0; ///< of those of shared memory
  /// Sites with requests: those that closed forms describe, and those that were noted.
  std::vector<uint32_t> Computed, Noted;

  unsigned warps() const { return static_cast<unsigned>(Context->warpsPerBlock()); }
  /// From the blocks that were noted to all of them.
  double toAllBlocks() const;
  /// Of all sectors that the requests touch.
  double shareOfSectors(uint64_t Some) const;
  /// Places with an access that may be one of the object and for which Is holds. Functions
  /// that are not inlined may do anything.
  uint64_t placesWhere(const ObjectHeat &O,
                       const std::function<bool(const HeatAccess &)> &Is) const;
};

/// One entry for each context, in the order of the kernels and launches.
std::vector<LaunchHeat> heatUse(const profile::Profile &P);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_HEATUSE_H
