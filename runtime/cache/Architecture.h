//===- Architecture.h - Cache parameters of a GPU ---------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Read from JSON files, one per architecture, which also name the source of each figure
// (architectures/*.json; docs/cache-model.md describes the members).
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

/// Effect of a store on its SM's L1; the store always goes to L2 as well.
enum class L1Stores : uint8_t {
  Allocate, ///< allocates the line and writes to it
  Update,   ///< writes only if the line is present
  Invalidate,
};
inline constexpr const char *L1StoreNames[] = {"allocate", "update", "invalidate"};

/// Hash that maps a line's number to its slice and set.
enum class SetHash : uint8_t {
  Modulo,
  Xor,   ///< xor of each bit with higher ones
  Mixed, ///< uniform for any addresses; stands for unknown hash functions
};
inline constexpr const char *SetHashNames[] = {"modulo", "xor", "mixed"};

/// Parameters of L1.
struct L1Model {
  uint32_t ReservedKb = 0; ///< part of the unified memory that is neither L1 nor shared memory
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

/// Parameters of L2.
struct L2Model {
  uint32_t Kb = 0;
  uint32_t LineBytes = 128; ///< or 64
  uint32_t Ways = 16;
  uint32_t Slices = 1; ///< per partition
  uint32_t Partitions = 1;
  /// An SM looks up its own partition first, which keeps copies of the other one's lines.
  bool Replicates = false;
  /// Partition of each pair of SMs (TPC); repeats from the beginning.
  std::vector<uint32_t> TpcPartitions;
  /// Maximum distance in requests at which accesses of several SMs count as simultaneous and are
  /// merged; 0: never merged.
  uint32_t CoalescedRequests = 0;
  Replacement Policy = Replacement::Lru;
  bool FillsFreeFirst = true;
  SetHash Hash = SetHash::Mixed;
  uint32_t FetchBytes = 32;        ///< granularity of DRAM reads
  bool FillsPartialWrites = false; ///< a partial write of a sector reads the rest of it
  /// Behaviour of the hardware's hit counters.
  bool CountsWriteAllocates = true; ///< a write-allocate counts as a hit
  bool CountsMissingSectors = true; ///< a missing sector of a present line counts as a hit

  /// Returns the number of sets in a slice of one partition.
  uint32_t sets() const {
    return static_cast<uint32_t>(uint64_t(Kb) * 1024 / LineBytes / Ways / Slices / Partitions);
  }
};

/// Cache and occupancy parameters of a GPU.
struct Architecture {
  std::string Name, Device;
  uint32_t Sms = 0, WarpsPerSm = 0, BlocksPerSm = 0;
  uint32_t UnifiedKb = 0;              ///< L1 and shared memory together
  std::vector<uint32_t> SharedKb;      ///< possible sizes of shared memory, ascending
  uint32_t SharedReservedPerBlock = 0; ///< bytes
  L1Model L1;
  L2Model L2;

  /// Returns L1's lines of 128 bytes beside OfSharedKb of shared memory (Equation 2, with A the
  /// number of lines, because L1 evicts whole lines).
  uint32_t l1Lines(uint32_t OfSharedKb) const {
    return (UnifiedKb - OfSharedKb - L1.ReservedKb) * 1024 / 128;
  }
  /// Returns the smallest shared memory size that holds this number of blocks, or the largest size
  /// if none does. Blocks 0: as many blocks of WarpsPerBlock warps as fit.
  uint32_t sharedKbFor(uint64_t BytesPerBlock, uint32_t Blocks, uint64_t WarpsPerBlock) const;

  /// Returns the reason why the parameters are inconsistent, or an empty string.
  std::string impossible() const;
};

/// Parses the text of an architecture file; Name is used in messages.
Result<Architecture> parseArchitecture(const std::string &Text, const std::string &Name);

/// Reads a named architecture (sm_90) or a file that ends in .json.
Result<Architecture> readArchitecture(const std::string &NameOrPath);

/// Returns the names that readArchitecture() accepts; empty if the folder is not found.
std::vector<std::string> architectureNames();

/// Parses a policy's name as used in files; returns false for unknown names.
bool parseReplacement(const std::string &Name, Replacement &To);

} // namespace gmprof::cache

#endif // GMPROF_CACHE_ARCHITECTURE_H
