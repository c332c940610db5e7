//===- HeatPatterns.h - Inefficiency patterns in heat maps ------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The patterns of cuThermo (2025), Section IV.C, and bank conflicts, each in the file of its name.
// The paper finds them by visual inspection. In GMProf each has a rule on an object's temperatures
// and on the requests that cause them (HeatUse.h): a temperature tells how many warps share a word,
// not whether sharing has a cost.
//
// Only accessed sectors and words count. T(word) and T(sector) are temperatures by accesses of all
// kinds.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_HEAT_HEATPATTERNS_H
#define GMPROF_ANALYSIS_HEAT_HEATPATTERNS_H

#include "analysis/Finding.h"
#include "analysis/heat/HeatUse.h"
#include <optional>
#include <vector>

namespace gmprof::analysis {

struct HeatPatternOptions {
  /// Minimum number of sectors with the pattern, and their minimum share of the object's sectors.
  uint64_t HotSectors = 8, SharedSectors = 4, SparseSectors = 4;
  double HotShare = 0.25, SharedShare = 0.5;
  /// Minimum share of an object's accesses that go to sparse sectors, or that strided requests
  /// make.
  double StridedShare = 0.5;
  /// Hot spots: minimum temperature of the sector, also as a share of the block's warps; and
  /// minimum share of it that the hottest word has.
  unsigned SharedBy = 4;
  double SharedByShare = 0.5, WordShare = 2.0 / 3;
  /// Maximum coefficient of variation of equally hot words, and of similar words in false sharing.
  double EqualVariation = 0.15, AlikeVariation = 0.3;
  /// Hot spots of atomics: minimum updates of a word by a block, and minimum share of them among
  /// the updates and sectors of the kernel.
  double AtomicUpdates = 32, AtomicShare = 0.05;
  /// Hot spots: fewer requests of a warp to the object make shared memory save little time.
  double FewRequests = 8;
  /// Random hot spots: minimum mean temperature of words.
  double RandomWord = 2;
  /// False sharing: minimum ratio of T(sector) to the largest T(word); maximum ratio of the sum of
  /// T(word) to T(sector).
  double SectorOverWord = 2, WordSumOverSector = 1.5;
  /// False sharing of counters: minimum updates of its word by a warp, on average.
  unsigned CounterUpdates = 8;
  /// Strided: maximum number of used words of a sector; minimum share of equal distances.
  unsigned SparseWords = 4;
  double EqualDistances = 0.5;
  /// Pieces of threads without a common stride: minimum active lanes per request, for pieces that
  /// caches hold and for larger ones.
  double PartialLanes = 30, PartialLanesOfLarge = 16;
  /// Misaligned: minimum share of the requests, and of aligned ones among loads of neighbours;
  /// minimum active lanes per request; maximum accesses per word and warp.
  double MisalignedShare = 0.25, AlignedShare = 0.25, MisalignedLanes = 16, MisalignedReuse = 1.5;
  /// Shared memory: minimum share of words that are written and read; maximum words per warp for
  /// shuffles.
  double PrivateShare = 0.95;
  uint64_t FewShuffledWords = 8, ShuffledWords = 256;
  /// Bank conflicts: minimum excess wavefronts, relative to the ideal and per block.
  double ExcessShare = 0.1;
  uint64_t ExcessPerBlock = 8;
};

/// A pattern in one launch.
struct HeatFinding {
  Finding Found; ///< without number of launches and fingerprint
  /// Allocating call path, which identifies the same finding in another launch.
  uint32_t CallPath = profile::None;
  double NeedlessBytes = 0; ///< bytes or wavefronts, for the whole grid of a launch
  /// Replaces Found's suggestion if other launches access the object otherwise; empty: none does.
  std::string FixForSome;
};

// Classify a sector by its temperatures alone.
bool isHot(const profile::Temperatures &T, unsigned Warps, const HeatPatternOptions &Options = {});
bool isFalselyShared(const profile::Temperatures &T, const HeatPatternOptions &Options = {});
bool isSparse(const profile::Temperatures &T, const HeatPatternOptions &Options = {});

/// Returns true if requests have at least this many lanes on average, need twice the ideal sectors,
/// and use at most half of their bytes.
bool isSpread(const HeatAccess &A, double LeastLanes);
/// Returns true if requests are spread, with a stride between their lanes.
bool isUncoalesced(const HeatAccess &A);

/// Returns true if at least half of the requests have a common stride between their lanes.
bool hasStride(const GmprofHeatSite &Requests);
/// Returns the mean stride in bytes, without its sign; 0 unless hasStride.
uint64_t meanStride(const GmprofHeatSite &Requests);

/// Returns true if accesses of this many bytes in all leave bytes of the object's accessed words
/// out.
bool hasGaps(const ObjectHeat &O, uint64_t AccessedBytes);
/// Returns true if warps use whole sectors of the object, each sector by one warp.
bool usesWholeSectors(const ObjectHeat &O);

/// Returns true if closed forms describe none of the accesses: data may decide on their addresses.
bool mayBeData(const LaunchHeat &L, const std::vector<uint32_t> &Accesses);

// Return the number of the object's sectors with the pattern, whether or not a finding results.
uint64_t hotSectors(const LaunchHeat &L, const ObjectHeat &O,
                    const HeatPatternOptions &Options = {});
uint64_t falselySharedSectors(const LaunchHeat &L, const ObjectHeat &O,
                              const HeatPatternOptions &Options = {});
uint64_t sparseSectors(const ObjectHeat &O, const HeatPatternOptions &Options = {});

/// Finds hot spots (HotSpot.cpp).
std::optional<HeatFinding> hotSpot(const LaunchHeat &L, const ObjectHeat &O,
                                   const HeatPatternOptions &Options = {});
/// Finds words that many lanes of a block update by atomics (HotAtomics.cpp), for hotSpot.
std::optional<HeatFinding> hotAtomics(const LaunchHeat &L, const ObjectHeat &O,
                                      const HeatPatternOptions &Options);
/// Finds uncoalesced accesses (UncoalescedAccess.cpp).
std::optional<HeatFinding> uncoalescedAccess(const LaunchHeat &L, const ObjectHeat &O,
                                             const HeatPatternOptions &Options = {});
/// Finds false sharing (FalseSharing.cpp).
std::optional<HeatFinding> falseSharing(const LaunchHeat &L, const ObjectHeat &O,
                                        const HeatPatternOptions &Options = {});
/// Finds misaligned accesses (MisalignedAccess.cpp).
std::optional<HeatFinding> misalignedAccess(const LaunchHeat &L, const ObjectHeat &O,
                                            const HeatPatternOptions &Options = {});
/// Finds strided accesses (StridedAccess.cpp).
std::optional<HeatFinding> stridedAccess(const LaunchHeat &L, const ObjectHeat &O,
                                         const HeatPatternOptions &Options = {});
/// Finds gathers and scatters (ScatteredAccess.cpp).
std::optional<HeatFinding> scatteredAccess(const LaunchHeat &L, const ObjectHeat &O,
                                           const HeatPatternOptions &Options = {});
/// Finds shared memory abuse (SharedMemoryAbuse.cpp).
std::vector<HeatFinding> sharedMemoryAbuse(const profile::Profile &P, const LaunchHeat &L,
                                           const ArrayHeat &A,
                                           const HeatPatternOptions &Options = {});
/// Returns one finding per access. BankConflict.cpp
std::vector<HeatFinding> bankConflicts(const profile::Profile &P, const LaunchHeat &L,
                                       const ArrayHeat &A, const HeatPatternOptions &Options = {});

/// Finds arrays and spilled registers in local memory, with fingerprints. LocalMemory.cpp
std::vector<Finding> localMemory(const profile::Profile &P);

/// Returns the passes over the constant cache that an instruction's request takes for a full warp;
/// 0: not known. SerializedConstantLoad.cpp
uint64_t constantPasses(const profile::Profile &P, uint32_t Kernel,
                        const profile::CodeInstruction &I);
/// Finds loads of constants that take several passes, with fingerprints.
std::vector<Finding> serializedConstantLoads(const profile::Profile &P);

/// Finds a pattern in the machine code of all kernels.
using MachineCodePattern = std::vector<Finding> (*)(const profile::Profile &);
inline constexpr MachineCodePattern MachineCodePatterns[] = {localMemory, serializedConstantLoads};

/// Finds a pattern in the accesses of one launch to an object in global memory.
using ObjectHeatPattern = std::optional<HeatFinding> (*)(const LaunchHeat &, const ObjectHeat &,
                                                         const HeatPatternOptions &);
/// Finds a pattern in the accesses of one launch to an array in shared memory.
using ArrayHeatPattern = std::vector<HeatFinding> (*)(const profile::Profile &, const LaunchHeat &,
                                                      const ArrayHeat &,
                                                      const HeatPatternOptions &);

inline constexpr ObjectHeatPattern ObjectHeatPatterns[] = {misalignedAccess};
/// Patterns of objects without uncoalesced accesses (uncoalescedAccess), which are their cause in
/// others.
inline constexpr ObjectHeatPattern CoalescedHeatPatterns[] = {hotSpot, falseSharing, stridedAccess,
                                                              scatteredAccess};
inline constexpr ArrayHeatPattern ArrayHeatPatterns[] = {sharedMemoryAbuse, bankConflicts};

/// Returns the findings of all launches with fingerprints, not ranked. Equal findings of a kernel's
/// launches, about the same object or objects of the same call, are merged, with the numbers of the
/// worst.
std::vector<Finding> heatFindings(const profile::Profile &P, const std::vector<LaunchHeat> &Uses,
                                  const HeatPatternOptions &Options = {});

/// Creates a finding about an object, with the fields that all patterns have. Source is the line of
/// Accesses (indices in L) with the most traffic, or else of all accesses of the object.
HeatFinding heatFinding(const LaunchHeat &L, const ObjectHeat &O, const char *Pattern,
                        const std::vector<uint32_t> &Accesses);

/// Returns the line of the access with the most sectors or wavefronts; without lines, the kernel's.
profile::SourcePosition busiestLine(const LaunchHeat &L, const std::vector<uint32_t> &Accesses);

/// Adds the traffic of these accesses, and its needless part, to the evidence.
void addTraffic(HeatFinding &F, const LaunchHeat &L, const std::vector<uint32_t> &Accesses,
                double NeedlessBytes);

/// Returns the severity for a share of the kernel's traffic.
Severity severityOf(double Share);

/// Returns the indices of the object's accesses for which Is holds.
std::vector<uint32_t> accessesWhere(const LaunchHeat &L, const ObjectHeat &O,
                                    const std::function<bool(const HeatAccess &)> &Is);

/// Weighted mean and variation.
struct Weighted {
  double Weight = 0, Sum = 0, Squares = 0;

  void add(double X, double Times) {
    Weight += Times;
    Sum += X * Times;
    Squares += X * X * Times;
  }
  double mean() const { return Weight == 0 ? 0 : Sum / Weight; }
  /// Returns the coefficient of variation: standard deviation over mean.
  double variation() const;
};

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_HEAT_HEATPATTERNS_H
