//===- HeatPatterns.h - Inefficient patterns of heat maps -------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The patterns of cuThermo (2025), Section IV.C, and bank conflicts, each in the file of its name.
// The paper leaves it to the eye to find them in a picture; here each has a rule, which looks at
// an object's temperatures and at the requests of the accesses that make them (HeatUse.h): a
// temperature says how many warps share a word, not whether that costs anything.
//
// A sector is one that was accessed, a word one of it that was; T(word) and T(sector) are their
// temperatures by accesses of all kinds.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_HEATPATTERNS_H
#define GMPROF_ANALYSIS_HEATPATTERNS_H

#include "analysis/Finding.h"
#include "analysis/HeatUse.h"
#include <optional>
#include <vector>

namespace gmprof::analysis {

struct HeatPatternOptions {
  //// Whether an access's lanes are so far apart that it needs twice the sectors.
  bool isUncoalesced(const HeatAccess &A);

  // Sectors of an object that have to be like that, at least, and which share of all.
  uint64_t HotSectors = 8, SharedSectors = 4, SparseSectors = 4;
  double HotShare = 0.25, SharedShare = 0.5;
  /// Which share of an object's accesses has to be of sparse sectors, or of strided requests.
  double StridedShare = 0.5;
  /// Hot: the sector's temperature, at least, and as a share of the block's warps; and how
  /// close the hottest word has to come to it.
  unsigned SharedBy = 4;
  double SharedByShare = 0.5, WordShare = 2.0 / 3;
  /// Up to these coefficients of variation words are equally hot, and alike in false sharing.
  double EqualVariation = 0.15, AlikeVariation = 0.3;
  /// Random hot spots: mean temperature of words.
  double RandomWord = 2;
  /// False sharing: how often T(word) goes into T(sector) at least; and the sum of its words'
  /// into it at most.
  double SectorOverWord = 2, WordSumOverSector = 1.5;
  /// Strided: words of a sector that are used, at most; which share of their distances is equal.
  unsigned SparseWords = 4;
  double EqualDistances = 0.5;
  /// Misaligned: of an access's requests; threads that take part in one; and how often they come
  /// back to the same words.
  double MisalignedShare = 0.25, MisalignedLanes = 16, MisalignedReuse = 1.5;
  /// Shared memory: which share of the words; words of a warp that shuffles can replace.
  double PrivateShare = 0.95;
  uint64_t FewShuffledWords = 8, ShuffledWords = 256;
  /// Bank conflicts: wavefronts in excess, as a share of the ideal, and of a block.
  double ExcessShare = 0.1;
  uint64_t ExcessPerBlock = 8;
};

/// A pattern in one launch.
struct HeatFinding {
  Finding Found; ///< but for how many launches there are, and the fingerprint
  /// What makes it the same in another launch: of whichever object it is.
  uint32_t CallPath = profile::None;
  double NeedlessBytes = 0; ///< or wavefronts, of the whole grid
};

// Of sectors, by their temperatures alone.
bool isHot(const profile::Temperatures &T, unsigned Warps, const HeatPatternOptions &Options = {});
bool isFalselyShared(const profile::Temperatures &T, const HeatPatternOptions &Options = {});
bool isSparse(const profile::Temperatures &T, const HeatPatternOptions &Options = {});

/// Whether an access's lanes are so far apart that it needs twice the sectors.
bool isUncoalesced(const HeatAccess &A);

// Sectors of an object that have the pattern, whether or not it is worth a finding.
uint64_t hotSectors(const LaunchHeat &L, const ObjectHeat &O,
                    const HeatPatternOptions &Options = {});
uint64_t falselySharedSectors(const LaunchHeat &L, const ObjectHeat &O,
                              const HeatPatternOptions &Options = {});
uint64_t sparseSectors(const ObjectHeat &O, const HeatPatternOptions &Options = {});

/// HotSpot.cpp
std::optional<HeatFinding> hotSpot(const LaunchHeat &L, const ObjectHeat &O,
                                   const HeatPatternOptions &Options = {});
/// Where it makes a hot spot, it is reported instead of that. UncoalescedAccess.cpp
std::optional<HeatFinding> uncoalescedAccess(const LaunchHeat &L, const ObjectHeat &O,
                                             const HeatPatternOptions &Options = {});
/// FalseSharing.cpp
std::optional<HeatFinding> falseSharing(const LaunchHeat &L, const ObjectHeat &O,
                                        const HeatPatternOptions &Options = {});
/// MisalignedAccess.cpp
std::optional<HeatFinding> misalignedAccess(const LaunchHeat &L, const ObjectHeat &O,
                                            const HeatPatternOptions &Options = {});
/// StridedAccess.cpp
std::optional<HeatFinding> stridedAccess(const LaunchHeat &L, const ObjectHeat &O,
                                         const HeatPatternOptions &Options = {});
/// SharedMemoryAbuse.cpp
std::optional<HeatFinding> sharedMemoryAbuse(const profile::Profile &P, const LaunchHeat &L,
                                             const ArrayHeat &A,
                                             const HeatPatternOptions &Options = {});
/// One for each access. BankConflict.cpp
std::vector<HeatFinding> bankConflicts(const profile::Profile &P, const LaunchHeat &L,
                                       const ArrayHeat &A, const HeatPatternOptions &Options = {});

/// Of all launches, with fingerprints; not ranked. Launches of a kernel with the same finding,
/// about the same object or objects of the same call, are one, with the numbers of the worst.
std::vector<Finding> heatFindings(const profile::Profile &P, const std::vector<LaunchHeat> &Uses,
                                  const HeatPatternOptions &Options = {});

/// A finding about an object, with what all patterns say. Source is the busiest line of Accesses,
/// which are numbers in L, or else of all of the object's.
HeatFinding heatFinding(const LaunchHeat &L, const ObjectHeat &O, const char *Pattern,
                        const std::vector<uint32_t> &Accesses);

/// Of the access with the most sectors or wavefronts, of those with a line; else the kernel's.
profile::SourcePosition busiestLine(const LaunchHeat &L, const std::vector<uint32_t> &Accesses);

/// Adds what these accesses come to, and what of that is needless.
void addTraffic(HeatFinding &F, const LaunchHeat &L, const std::vector<uint32_t> &Accesses,
                double NeedlessBytes);

/// Of a share of the kernel's traffic.
Severity severityOf(double Share);

/// The accesses of the object for which Is holds.
std::vector<uint32_t> accessesWhere(const LaunchHeat &L, const ObjectHeat &O,
                                    const std::function<bool(const HeatAccess &)> &Is);

/// A mean, or a spread.
struct Weighted {
  double Weight = 0, Sum = 0, Squares = 0;

  void add(double X, double Times) {
    Weight += Times;
    Sum += X * Times;
    Squares += X * X * Times;
  }
  double mean() const { return Weight == 0 ? 0 : Sum / Weight; }
  /// Standard deviation over mean.
  double variation() const;
};

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_HEATPATTERNS_H
