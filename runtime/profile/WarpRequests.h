//===- WarpRequests.h - The requests that a closed form stands for -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lanes of a warp that execute an access in the same iteration of all loops around it make
// one request. Here a closed form becomes requests, block by block:
//
//  * From the outermost loop inwards, the constraints give each lane of a warp a range of
//    iterations. Between the bounds of these ranges the same lanes go round together. An
//    unknown that is no loop of the program has one value in each lane instead.
//  * Where the innermost loop moves all lanes on by the same number of bytes, its iterations are
//    one run of requests: they differ in their address alone. A loop that neither the address
//    nor anything further in depends on makes the same requests several times.
//  * Warps of a block that make the same requests make one run.
//  * Blocks for which the same constraints say something, and the same, make the same
//    requests, at another address: what is found of one serves for all of them.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_WARPREQUESTS_H
#define GMPROF_PROFILE_WARPREQUESTS_H

#include "profile/ClosedForm.h"
#include <map>
#include <unordered_map>

namespace gmprof {

inline constexpr unsigned WarpLanes = 32;

/// Where the lanes of a request access memory.
struct LanePattern {
  uint32_t Lanes = 0;                          ///< mask of those that take part
  std::array<int64_t, WarpLanes> Offsets = {}; ///< from the first of them; 0 for others

  bool operator==(const LanePattern &) const = default;
};

/// Count requests, each Stride bytes behind the one before.
struct RequestRun {
  uint32_t Pattern = 0; ///< number in WarpRequests::patterns()
  uint32_t Warps = 0;   ///< mask: warps of the block that make them
  int64_t First = 0;    ///< where the first lane of the first one accesses memory
  int64_t Stride = 0;
  uint64_t Count = 1;
  uint64_t Times = 0; ///< that each of them is made, by all these warps together
};

class WarpRequests {
public:
  /// ProgramLoops: mask of the form's loops that are loops of the program.
  WarpRequests(const BoundForm &Form, uint32_t ProgramLoops, const std::array<uint32_t, 3> &Grid,
               const std::array<uint32_t, 3> &Block);

  /// Whether it can be said what the requests are, as far as the form tells.
  bool evaluable() const { return Evaluable; }
  /// What no number of requests of a block exceeds.
  uint64_t mostOfBlock() const { return MostOfBlock; }

  struct OfBlock {
    int64_t Base = 0; ///< to be added to the addresses of all runs
    const std::vector<RequestRun> *Runs = nullptr;
  };
  /// Those of the block with this linear number, until the next call; nothing if they cannot
  /// be found.
  std::optional<OfBlock> ofBlock(uint64_t Block);

  /// Between which the addresses of that block's requests are: the first bytes of lanes.
  std::pair<int64_t, int64_t> addresses(uint64_t Block) const;

  const std::vector<LanePattern> &patterns() const { return Patterns; }

private:
  // The unknowns of a block: thread index, then the loops.
  static constexpr unsigned FirstLoop = 3, Unknowns = FirstLoop + GMPROF_FORM_LOOPS;
  static constexpr unsigned NoLoop = GMPROF_FORM_LOOPS; ///< outside of all
  using Lanes = std::array<int64_t, WarpLanes>;

  struct Product {
    int64_t Coefficient = 0;
    std::vector<uint8_t> Factors;
  };
  struct Polynomial {
    int64_t Constant = 0;
    std::array<int64_t, Unknowns> Linear = {};
    std::vector<Product> Products;
  };
  struct Constraint {
    std::optional<unsigned> Loop;
    unsigned Level = NoLoop;         ///< the innermost loop that it depends on
    bool DependsOnBlock = false;     ///< by more than its constant
    int64_t Lowest = 0, Highest = 0; ///< without the constant, if it does not
    BoundPolynomial Value;
  };
  /// Factor * iteration + Rest, at the constraint's level.
  struct Bound {
    std::optional<unsigned> Loop;
    Polynomial Factor, Rest;
  };
  struct RunKey {
    uint32_t Pattern;
    int64_t First, Stride;
    uint64_t Count;
    bool operator==(const RunKey &) const = default;
  };
  struct Hash {
    size_t operator()(const RunKey &K) const;
    size_t operator()(const LanePattern &P) const;
  };
  struct Range {
    int64_t Lo = 0, Hi = 0;
  };

  void describe();
  std::array<int64_t, 3> indexOf(uint64_t Block) const;
  Polynomial inBlock(const BoundPolynomial &P) const;
  static void split(const Polynomial &P, unsigned Loop, Polynomial &Factor, Polynomial &Rest);
  std::pair<int64_t, int64_t> bounds(const Polynomial &P) const;
  bool needed(const Constraint &C, const Polynomial &P, bool &Holds) const;
  bool evaluateBlock();
  bool warp(unsigned Number);
  bool enter(unsigned Level, uint32_t Mask, uint64_t Times);
  bool rangesAt(unsigned Level, uint32_t &Mask, std::array<Range, WarpLanes> &To) const;
  bool clip(const Bound &B, unsigned Level, uint32_t Mask, std::array<Range, WarpLanes> &To) const;
  bool goRound(unsigned Level, uint32_t Mask, uint64_t Times, int64_t Begin, int64_t End);
  Lanes evaluate(const Polynomial &P) const;
  void add(uint32_t Mask, const Lanes &Addresses, int64_t Stride, uint64_t Count, uint64_t Times);

  std::array<uint32_t, 3> Grid, Block;
  uint32_t ProgramLoops;
  BoundForm Form;
  std::vector<Constraint> Constraints;
  bool Evaluable = true, AddressDependsOnBlock = false;
  uint64_t MostOfBlock = 0;
  int64_t LowestInBlock = 0, HighestInBlock = 0; ///< address, without what depends on the block

  // Of the block that is being evaluated.
  std::array<int64_t, 3> BlockIndex = {};
  Polynomial Address;
  std::array<std::vector<Bound>, NoLoop + 1> BoundsAt; ///< by level
  uint32_t Matters = 0; ///< loops that the address, or what is further in, depends on
  uint64_t Steps = 0;
  unsigned Warp = 0;
  std::array<Lanes, Unknowns> Values = {};
  std::unordered_map<RunKey, std::pair<uint32_t, uint64_t>, Hash> Found;

  std::vector<LanePattern> Patterns;
  std::unordered_map<LanePattern, uint32_t, Hash> PatternNumbers;
  std::map<std::vector<int64_t>, std::vector<RequestRun>> Known;
};

} // namespace gmprof

#endif // GMPROF_PROFILE_WARPREQUESTS_H
