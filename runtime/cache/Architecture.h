//===- Architecture.h - The caches of a GPU ---------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Read from JSON files, one for each architecture, that also say where each figure comes from
// (architectures/*.json; docs/cache-model.md says what the members mean).
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_ARCHITECTURE_H
#define GMPROF_CACHE_ARCHITECTURE_H

#include "cache/Replacement.h"
#include "profile/Result.h"
#include <cstdint>
#include <string>
#include <vector>

namespace gmprof::cache {

/// What a store does to its own SM's L1; it always goes on to L2.
enum class L1Stores : uint8_t {
  Allocate, ///< puts what it writes there
  Update,   ///< where the line is there already
  Invalidate,
};
inline constexpr const char *L1StoreNames[] = {"allocate", "update", "invalidate"};

/// How a line's number tells its slice and set.
enum class SetHash : uint8_t {
  Modulo,
  Xor,   ///< each bit with those further up
  Mixed, ///< evenly, whatever the addresses: stands for functions that are not known
};
inline constexpr const char *SetHashNames[] = {"modulo", "xor", "mixed"};

struct L1Model {
  uint32_t ReservedKb = 0; ///< of the unified memory: neither L1 nor shared memory
  uint32_t Sets = 1;
  Replacement Policy = Replacement::TreePlru;
  bool FillsFreeFirst = false;
  SetHash Hash = SetHash::Modulo;
  L1Stores Stores = L1Stores::Allocate;
  bool CountsStoreHits = true;
  bool AtomicsInvalidate = true;
  bool LocalWriteBack = true; ///< stores to local memory go to L2 when their line is evicted
  uint32_t PassBytes = 0;     ///< see coalesce()
};

struct L2Model {
  uint32_t Kb = 0;
  uint32_t LineBytes = 128; ///< or 64
  uint32_t Ways = 16;
  uint32_t Slices = 1; ///< of each partition
  uint32_t Partitions = 1;
  /// An SM looks first in its own partition, which keeps a copy of what is the other one's.
  bool Replicates = false;
  /// Which one a pair of SMs is in: of the first pair, the second and so on, over again.
  std::vector<uint32_t> TpcPartitions;
  /// Accesses of SMs that are no more requests apart may come at the same time; 0: nothing that
  /// makes these one.
  uint32_t CoalescedRequests = 0;
  Replacement Policy = Replacement::Lru;
  bool FillsFreeFirst = true;
  SetHash Hash = SetHash::Mixed;
  uint32_t FetchBytes = 32;        ///< that DRAM is read by
  bool FillsPartialWrites = false; ///< reads the rest of a sector that is written in part
  /// What hit counters count.
  bool CountsWriteAllocates = true; ///< as hits
  bool CountsMissingSectors = true; ///< as hits: sectors that are not there, of lines that are

  /// Of a partition's slice.
  uint32_t sets() const {
    return static_cast<uint32_t>(uint64_t(Kb) * 1024 / LineBytes / Ways / Slices / Partitions);
  }
};

struct Architecture {
  std::string Name, Device;
  uint32_t Sms = 0, WarpsPerSm = 0, BlocksPerSm = 0;
  uint32_t UnifiedKb = 0;              ///< L1 and shared memory together
  std::vector<uint32_t> SharedKb;      ///< what of it can be shared memory, ascending
  uint32_t SharedReservedPerBlock = 0; ///< bytes
  L1Model L1;
  L2Model L2;

  /// L1's lines of 128 bytes beside SharedKb of shared memory (Equation 2, with A the number of
  /// lines as L1 evicts whole ones).
  uint32_t l1Lines(uint32_t OfSharedKb) const {
    return (UnifiedKb - OfSharedKb - L1.ReservedKb) * 1024 / 128;
  }
  /// The least that holds so many blocks; the largest if none does. Blocks 0: as many as there
  /// can be of that many warps.
  uint32_t sharedKbFor(uint64_t BytesPerBlock, uint32_t Blocks, uint64_t WarpsPerBlock) const;

  /// What is impossible about it, or nothing.
  std::string impossible() const;
};

/// Text: a file's; Name: what the file is called in messages.
Result<Architecture> parseArchitecture(const std::string &Text, const std::string &Name);

/// NameOrPath: sm_90, or a file.
Result<Architecture> readArchitecture(const std::string &NameOrPath);

/// Those that can be named; empty if the folder is not found.
std::vector<std::string> architectureNames();

/// By the names that files use; false for others.
bool parseReplacement(const std::string &Name, Replacement &To);

} // namespace gmprof::cache

#endif // GMPROF_CACHE_ARCHITECTURE_H
