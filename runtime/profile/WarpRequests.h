//===- WarpRequests.h - Warp requests of a closed form ----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lanes of a warp that execute an access in the same iteration of all enclosing loops make one
// request. This class turns a closed form into requests, block by block:
//
//  * From the outermost loop inwards, the constraints give each lane a range of iterations. Between
//    the bounds of these ranges, the same lanes iterate together. An unknown that is no loop of the
//    program has one value per lane instead.
//  * If the innermost loop advances all lanes by the same number of bytes, its iterations form one
//    run of requests, which differ only in their address. A loop on which neither the address nor
//    any inner loop depends repeats the same requests.
//  * Warps of a block that make the same requests share a run.
//  * Blocks to which the same constraints apply in the same way make the same requests at another
//    address, and are evaluated once.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_WARPREQUESTS_H
#define GMPROF_PROFILE_WARPREQUESTS_H

#include "profile/ClosedForm.h"
#include <map>
#include <unordered_map>

namespace gmprof {

inline constexpr unsigned WarpLanes = 32;

/// The addresses of a request's lanes, relative to the first active lane.
struct LanePattern {
  uint32_t Lanes = 0; ///< mask of the active lanes
  /// Bytes from the first active lane; 0 for inactive lanes.
  std::array<int64_t, WarpLanes> Offsets = {};

  bool operator==(const LanePattern &) const = default;
};

/// A run of Count requests, each Stride bytes after the previous one.
struct RequestRun {
  uint32_t Pattern = 0; ///< index in WarpRequests::patterns()
  uint32_t Warps = 0;   ///< mask of the block's warps that make them
  int64_t First = 0;    ///< address of the first lane in the first request
  int64_t Stride = 0;
  uint64_t Count = 1;
  uint64_t Times = 0; ///< executions of each request, summed over all these warps
};

class WarpRequests {
public:
  /// Prepares the requests of a form. ProgramLoops: mask of the form's loops that are loops of the
  /// program.
  WarpRequests(const BoundForm &Form, uint32_t ProgramLoops, const std::array<uint32_t, 3> &Grid,
               const std::array<uint32_t, 3> &Block);

  /// Returns false if the form's shape already rules out finding the requests.
  bool evaluable() const { return Evaluable; }
  /// Returns an upper bound of the requests of one block.
  uint64_t mostOfBlock() const { return MostOfBlock; }

  struct OfBlock {
    int64_t Base = 0; ///< to be added to the addresses of all runs
    const std::vector<RequestRun> *Runs = nullptr;
  };
  /// Returns the requests of the block with this linear number, valid until the next call; nothing
  /// if they cannot be found.
  std::optional<OfBlock> ofBlock(uint64_t Block);

  /// Returns bounds of the lanes' addresses in that block's requests.
  std::pair<int64_t, int64_t> addresses(uint64_t Block) const;

  const std::vector<LanePattern> &patterns() const { return Patterns; }

private:
  // Unknowns within a block: thread index, then loops.
  static constexpr unsigned FirstLoop = 3, Unknowns = FirstLoop + GMPROF_FORM_LOOPS;
  static constexpr unsigned NoLoop = GMPROF_FORM_LOOPS; ///< level outside of all loops
  using Lanes = std::array<int64_t, WarpLanes>;

  using Polynomial = PolynomialOf<Unknowns>;
  using Product = Polynomial::Product;
  struct Constraint {
    std::optional<unsigned> Loop;
    unsigned Level = NoLoop;         ///< innermost loop that it depends on
    bool DependsOnBlock = false;     ///< not only in its constant
    int64_t Lowest = 0, Highest = 0; ///< bounds without the constant, if !DependsOnBlock
    BoundPolynomial Value;
  };
  /// Factor * iteration + Rest >= 0, at the constraint's level.
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
  /// Address bounds in a block, without the part that depends on its index.
  int64_t LowestInBlock = 0, HighestInBlock = 0;

  // State of the block that is being evaluated.
  std::array<int64_t, 3> BlockIndex = {};
  Polynomial Address;
  std::array<std::vector<Bound>, NoLoop + 1> BoundsAt; ///< by level
  uint32_t Matters = 0; ///< mask of the loops that the address or an inner loop's bounds depend on
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
