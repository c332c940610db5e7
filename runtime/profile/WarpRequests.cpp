//===- WarpRequests.cpp - Warp requests of a closed form ------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/WarpRequests.h"
#include "profile/Saturating.h"
#include <algorithm>
#include <bit>

namespace gmprof {

/// Maximum number of blocks whose requests are cached, and of recursion steps per block.
static constexpr size_t MostKnown = 4096;
static constexpr uint64_t MostSteps = uint64_t(1) << 24;

static size_t mixed(size_t Hash, uint64_t Value) {
  Hash = (Hash ^ Value) * 0x9e3779b97f4a7c15ull;
  return Hash ^ Hash >> 29;
}

size_t WarpRequests::Hash::operator()(const RunKey &K) const {
  return mixed(mixed(mixed(mixed(0, K.Pattern), uint64_t(K.First)), uint64_t(K.Stride)), K.Count);
}

size_t WarpRequests::Hash::operator()(const LanePattern &P) const {
  size_t Hash = mixed(0, P.Lanes);
  for (int64_t Offset : P.Offsets)
    Hash = mixed(Hash, uint64_t(Offset));
  return Hash;
}

static bool isBlockIndex(uint8_t Unknown) {
  return Unknown >= BlockUnknowns && Unknown < LoopUnknowns;
}

static bool dependsOnBlock(const BoundPolynomial &P) {
  return std::any_of(P.Products.begin(), P.Products.end(), [](const auto &Of) {
    return std::any_of(Of.Factors.begin(), Of.Factors.end(), isBlockIndex);
  });
}

/// Returns the highest power of the unknown in P.
static unsigned degree(const BoundPolynomial &P, unsigned Unknown) {
  unsigned Degree = P.Linear[Unknown] != 0;
  for (const auto &Of : P.Products)
    Degree = std::max(
        Degree, static_cast<unsigned>(std::count(Of.Factors.begin(), Of.Factors.end(), Unknown)));
  return Degree;
}

WarpRequests::WarpRequests(const BoundForm &Bound, uint32_t ProgramLoops,
                           const std::array<uint32_t, 3> &Grid,
                           const std::array<uint32_t, 3> &Block)
    : Grid(Grid), Block(Block), ProgramLoops(ProgramLoops), Form(Bound) {
  describe();
}

void WarpRequests::describe() {
  const uint64_t Threads = uint64_t(Block[0]) * Block[1] * Block[2];
  MostOfBlock = Form.Empty ? 0 : (Threads + WarpLanes - 1) / WarpLanes;
  for (unsigned L = 0; L < Form.Loops; ++L)
    if (ProgramLoops >> L & 1)
      MostOfBlock = mulSaturating(MostOfBlock, uint64_t(Form.LastIteration[L]) + 1);
  AddressDependsOnBlock = dependsOnBlock(Form.Address);
  if (!AddressDependsOnBlock)
    std::tie(LowestInBlock, HighestInBlock) = bounds(inBlock(Form.Address));
  for (const BoundForm::Constraint &From : Form.Constraints) {
    Constraint C;
    C.Loop = From.Loop;
    C.Value = From.Value;
    for (unsigned L = 0; L < Form.Loops && C.Level == NoLoop; ++L)
      if (degree(C.Value, LoopUnknowns + L) != 0 || C.Loop == L)
        C.Level = L;
    if (C.Level != NoLoop && degree(C.Value, LoopUnknowns + C.Level) > 1)
      Evaluable = false;
    C.DependsOnBlock = dependsOnBlock(C.Value);
    if (!C.DependsOnBlock) {
      Polynomial Rest = inBlock(C.Value);
      Rest.Constant = 0;
      std::tie(C.Lowest, C.Highest) = bounds(Rest);
    }
    Constraints.push_back(std::move(C));
  }
  Evaluable = Evaluable && Threads <= WarpLanes * WarpLanes;
}

//===----------------------------------------------------------------------===//
// A block
//===----------------------------------------------------------------------===//

/// Substitutes the block's index into the polynomial.
WarpRequests::Polynomial WarpRequests::inBlock(const BoundPolynomial &P) const {
  Polynomial Result;
  Result.Constant = P.Constant;
  for (unsigned U = 0; U < FormUnknowns; ++U)
    if (isBlockIndex(uint8_t(U)))
      Result.Constant += P.Linear[U] * BlockIndex[U - BlockUnknowns];
    else
      Result.Linear[U < BlockUnknowns ? U : FirstLoop + U - LoopUnknowns] = P.Linear[U];
  for (const BoundPolynomial::Product &Of : P.Products) {
    Product Left = {Of.Coefficient, {}};
    for (uint8_t U : Of.Factors)
      if (isBlockIndex(U))
        Left.Coefficient *= BlockIndex[U - BlockUnknowns];
      else
        Left.Factors.push_back(uint8_t(U < BlockUnknowns ? U : FirstLoop + U - LoopUnknowns));
    if (Left.Factors.empty())
      Result.Constant += Left.Coefficient;
    else if (Left.Factors.size() == 1)
      Result.Linear[Left.Factors[0]] += Left.Coefficient;
    else if (Left.Coefficient != 0)
      Result.Products.push_back(std::move(Left));
  }
  return Result;
}

/// Returns bounds of a polynomial over all threads and iterations.
std::pair<int64_t, int64_t> WarpRequests::bounds(const Polynomial &P) const {
  const auto Last = [&](unsigned U) {
    return U < FirstLoop ? int64_t(Block[U]) - 1 : Form.LastIteration[U - FirstLoop];
  };
  int64_t Lo = P.Constant, Hi = P.Constant;
  const auto Add = [&](int64_t Most) { (Most < 0 ? Lo : Hi) += Most; };
  for (unsigned U = 0; U < Unknowns; ++U)
    Add(P.Linear[U] * Last(U));
  for (const Product &Of : P.Products) {
    int64_t Most = Of.Coefficient;
    for (uint8_t U : Of.Factors)
      Most *= Last(U);
    Add(Most);
  }
  return {Lo, Hi};
}

/// Returns false if the block satisfies the constraint anyway. Sets Holds to false if no thread
/// satisfies it.
bool WarpRequests::needed(const Constraint &C, const Polynomial &P, bool &Holds) const {
  auto [Lo, Hi] = std::pair(P.Constant + C.Lowest, P.Constant + C.Highest);
  if (C.DependsOnBlock)
    std::tie(Lo, Hi) = bounds(P);
  if (Hi < 0 && !C.Loop)
    Holds = false;
  return Lo < 0;
}

void WarpRequests::split(const Polynomial &P, unsigned Loop, Polynomial &Factor, Polynomial &Rest) {
  const auto U = uint8_t(FirstLoop + Loop);
  Rest = P;
  Rest.Linear[U] = 0;
  Rest.Products.clear();
  Factor.Constant = P.Linear[U];
  for (const Product &Of : P.Products) {
    const auto At = std::find(Of.Factors.begin(), Of.Factors.end(), U);
    if (At == Of.Factors.end()) {
      Rest.Products.push_back(Of);
      continue;
    }
    Product Left = Of;
    Left.Factors.erase(Left.Factors.begin() + (At - Of.Factors.begin()));
    if (Left.Factors.size() == 1)
      Factor.Linear[Left.Factors[0]] += Left.Coefficient;
    else
      Factor.Products.push_back(std::move(Left));
  }
}

std::array<int64_t, 3> WarpRequests::indexOf(uint64_t Number) const {
  return {int64_t(Number % Grid[0]), int64_t(Number / Grid[0] % Grid[1]),
          int64_t(Number / Grid[0] / Grid[1])};
}

std::pair<int64_t, int64_t> WarpRequests::addresses(uint64_t Number) const {
  if (AddressDependsOnBlock)
    return {Form.LowestAddress, Form.HighestAddress};
  const std::array<int64_t, 3> Index = indexOf(Number);
  int64_t Base = 0;
  for (unsigned D = 0; D < 3; ++D)
    Base += Form.Address.Linear[BlockUnknowns + D] * Index[D];
  return {Base + LowestInBlock, Base + HighestInBlock};
}

std::optional<WarpRequests::OfBlock> WarpRequests::ofBlock(uint64_t Number) {
  static const std::vector<RequestRun> None;
  if (Form.Empty)
    return OfBlock{0, &None};
  if (!Evaluable)
    return std::nullopt;
  BlockIndex = indexOf(Number);
  Address = inBlock(Form.Address);
  const int64_t Base = Address.Constant;
  Address.Constant = 0;

  // Everything that distinguishes the requests of two blocks.
  std::vector<int64_t> Key;
  const auto Append = [&](const Polynomial &P) {
    Key.insert(Key.end(), P.Linear.begin(), P.Linear.end());
    for (const Product &Of : P.Products) {
      Key.push_back(Of.Coefficient);
      Key.insert(Key.end(), Of.Factors.begin(), Of.Factors.end());
    }
  };
  if (AddressDependsOnBlock)
    Append(Address);
  for (auto &At : BoundsAt)
    At.clear();
  bool Holds = true;
  for (size_t I = 0; I < Constraints.size() && Holds; ++I) {
    const Constraint &C = Constraints[I];
    const Polynomial P = inBlock(C.Value);
    if (!needed(C, P, Holds))
      continue;
    Key.insert(Key.end(), {int64_t(I), P.Constant});
    if (C.DependsOnBlock)
      Append(P);
    Bound B;
    B.Loop = C.Loop;
    if (C.Level == NoLoop)
      B.Rest = P;
    else
      split(P, C.Level, B.Factor, B.Rest);
    BoundsAt[C.Level].push_back(std::move(B));
  }
  if (!Holds)
    return OfBlock{0, &None};
  if (Known.size() > MostKnown)
    Known.clear();
  const auto [At, New] = Known.try_emplace(std::move(Key));
  if (New) {
    if (!evaluateBlock()) {
      Known.erase(At);
      return std::nullopt;
    }
    for (const auto &[Run, By] : Found)
      At->second.push_back({Run.Pattern, By.first, Run.First, Run.Stride, Run.Count, By.second});
    std::sort(At->second.begin(), At->second.end(), [](const RequestRun &A, const RequestRun &B) {
      return std::tie(A.First, A.Pattern, A.Stride, A.Count) <
             std::tie(B.First, B.Pattern, B.Stride, B.Count);
    });
  }
  return OfBlock{Base, &At->second};
}

bool WarpRequests::evaluateBlock() {
  Found.clear();
  Steps = 0;
  Matters = 0;
  const auto Mark = [&](const Polynomial &P, unsigned Except) {
    for (unsigned L = 0; L < Form.Loops; ++L) {
      const auto U = uint8_t(FirstLoop + L);
      const bool Has = P.Linear[U] != 0 ||
                       std::any_of(P.Products.begin(), P.Products.end(), [&](const Product &Of) {
                         return std::count(Of.Factors.begin(), Of.Factors.end(), U) != 0;
                       });
      if (Has && L != Except)
        Matters |= 1u << L;
    }
  };
  Mark(Address, NoLoop);
  for (unsigned Level = 0; Level < NoLoop; ++Level)
    for (const Bound &B : BoundsAt[Level]) {
      Mark(B.Factor, Level);
      Mark(B.Rest, Level);
      if (B.Loop && *B.Loop != Level)
        Matters |= 1u << *B.Loop;
    }
  const unsigned Threads = Block[0] * Block[1] * Block[2];
  for (unsigned W = 0; W * WarpLanes < Threads; ++W)
    if (!warp(W))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// A warp
//===----------------------------------------------------------------------===//

WarpRequests::Lanes WarpRequests::evaluate(const Polynomial &P) const {
  Lanes Result;
  Result.fill(P.Constant);
  for (unsigned U = 0; U < Unknowns; ++U)
    if (const int64_t Coefficient = P.Linear[U])
      for (unsigned Lane = 0; Lane < WarpLanes; ++Lane)
        Result[Lane] += Coefficient * Values[U][Lane];
  for (const Product &Of : P.Products)
    for (unsigned Lane = 0; Lane < WarpLanes; ++Lane) {
      int64_t Value = Of.Coefficient;
      for (uint8_t U : Of.Factors)
        Value *= Values[U][Lane];
      Result[Lane] += Value;
    }
  return Result;
}

bool WarpRequests::warp(unsigned Number) {
  const unsigned Threads = Block[0] * Block[1] * Block[2];
  Warp = Number;
  uint32_t Mask = 0;
  for (auto &Of : Values)
    Of.fill(0);
  for (unsigned Lane = 0; Lane < WarpLanes && Number * WarpLanes + Lane < Threads; ++Lane) {
    const unsigned Thread = Number * WarpLanes + Lane;
    Values[0][Lane] = Thread % Block[0];
    Values[1][Lane] = Thread / Block[0] % Block[1];
    Values[2][Lane] = Thread / Block[0] / Block[1];
    Mask |= 1u << Lane;
  }
  for (const Bound &B : BoundsAt[NoLoop]) {
    const Lanes Value = evaluate(B.Rest);
    for (unsigned Lane = 0; Lane < WarpLanes; ++Lane)
      if (Value[Lane] < 0)
        Mask &= ~(1u << Lane);
  }
  return Mask == 0 || enter(Form.Loops, Mask, 1);
}

static int64_t floorDivide(int64_t A, int64_t B) {
  return A / B - (A % B != 0 && (A < 0) != (B < 0));
}

/// Narrows each lane's iterations of loop Level; returns false if the result is not one interval.
bool WarpRequests::clip(const Bound &B, unsigned Level, uint32_t Mask,
                        std::array<Range, WarpLanes> &To) const {
  const Lanes Factor = evaluate(B.Factor), Rest = evaluate(B.Rest);
  for (uint32_t Left = Mask; Left != 0; Left &= Left - 1) {
    const auto Lane = static_cast<unsigned>(std::countr_zero(Left));
    if (B.Loop && *B.Loop != Level && Values[FirstLoop + *B.Loop][Lane] == 0)
      continue;
    const bool OrFirst = B.Loop && *B.Loop == Level;
    Range &R = To[Lane];
    if (Factor[Lane] > 0) {
      const int64_t Lo = -floorDivide(Rest[Lane], Factor[Lane]);
      if (OrFirst && Lo > 1 && R.Lo == 0)
        return false;
      if (!OrFirst || Lo > 1)
        R.Lo = std::max(R.Lo, Lo);
      continue;
    }
    int64_t Hi = Factor[Lane] < 0  ? floorDivide(Rest[Lane], -Factor[Lane])
                 : Rest[Lane] >= 0 ? R.Hi
                                   : -1;
    R.Hi = std::min(R.Hi, OrFirst ? std::max<int64_t>(Hi, 0) : Hi);
  }
  return true;
}

/// Computes each lane's iterations of a loop; lanes without any leave the mask.
bool WarpRequests::rangesAt(unsigned Level, uint32_t &Mask,
                            std::array<Range, WarpLanes> &To) const {
  To.fill({0, Form.LastIteration[Level]});
  for (const Bound &B : BoundsAt[Level])
    if (!clip(B, Level, Mask, To))
      return false;
  for (unsigned Lane = 0; Lane < WarpLanes; ++Lane)
    if (To[Lane].Lo > To[Lane].Hi)
      Mask &= ~(1u << Lane);
  return true;
}

/// Descends into the loops below Level with lanes that agree on the iterations of all loops from
/// Level on (0 is the innermost loop).
bool WarpRequests::enter(unsigned Level, uint32_t Mask, uint64_t Times) {
  if (++Steps > MostSteps)
    return false;
  if (Level == 0) {
    add(Mask, evaluate(Address), 0, 1, Times);
    return true;
  }
  --Level;
  std::array<Range, WarpLanes> Ranges;
  if (!rangesAt(Level, Mask, Ranges))
    return false;
  if (Mask == 0)
    return true;
  if (!(ProgramLoops >> Level & 1)) {
    for (unsigned Lane = 0; Lane < WarpLanes; ++Lane) {
      if ((Mask >> Lane & 1) && Ranges[Lane].Lo != Ranges[Lane].Hi)
        return false;
      Values[FirstLoop + Level][Lane] = Ranges[Lane].Lo;
    }
    return enter(Level, Mask, Times);
  }
  std::vector<int64_t> Bounds;
  for (uint32_t Left = Mask; Left != 0; Left &= Left - 1) {
    const Range &R = Ranges[static_cast<unsigned>(std::countr_zero(Left))];
    Bounds.insert(Bounds.end(), {R.Lo, R.Hi + 1});
  }
  std::sort(Bounds.begin(), Bounds.end());
  Bounds.erase(std::unique(Bounds.begin(), Bounds.end()), Bounds.end());
  for (size_t I = 0; I + 1 < Bounds.size(); ++I) {
    uint32_t Together = 0;
    for (unsigned Lane = 0; Lane < WarpLanes; ++Lane)
      if ((Mask >> Lane & 1) && Ranges[Lane].Lo <= Bounds[I] && Bounds[I] <= Ranges[Lane].Hi)
        Together |= 1u << Lane;
    if (Together != 0 && !goRound(Level, Together, Times, Bounds[I], Bounds[I + 1]))
      return false;
  }
  return true;
}

/// Executes the iterations from Begin to End - 1 with the lanes in Mask.
bool WarpRequests::goRound(unsigned Level, uint32_t Mask, uint64_t Times, int64_t Begin,
                           int64_t End) {
  Lanes &Iteration = Values[FirstLoop + Level];
  Iteration.fill(Begin);
  const auto Count = static_cast<uint64_t>(End - Begin);
  if (!(Matters >> Level & 1))
    return enter(Level, Mask, mulSaturating(Times, Count));
  if (Level == 0) {
    Polynomial Factor, Rest;
    split(Address, 0, Factor, Rest);
    const bool IsLinear =
        std::none_of(Factor.Products.begin(), Factor.Products.end(),
                     [](const Product &Of) {
                       return std::count(Of.Factors.begin(), Of.Factors.end(), FirstLoop) != 0;
                     }) &&
        Factor.Linear[FirstLoop] == 0;
    const Lanes Strides = evaluate(Factor);
    const int64_t Stride = Strides[static_cast<unsigned>(std::countr_zero(Mask))];
    bool Same = IsLinear;
    for (unsigned Lane = 0; Lane < WarpLanes; ++Lane)
      Same = Same && (!(Mask >> Lane & 1) || Strides[Lane] == Stride);
    if (Same) {
      add(Mask, evaluate(Address), Stride, Count, Times);
      return true;
    }
  }
  for (int64_t I = Begin; I < End; ++I) {
    Iteration.fill(I);
    if (!enter(Level, Mask, Times))
      return false;
  }
  return true;
}

void WarpRequests::add(uint32_t Mask, const Lanes &Addresses, int64_t Stride, uint64_t Count,
                       uint64_t Times) {
  LanePattern P;
  P.Lanes = Mask;
  const int64_t First = Addresses[static_cast<unsigned>(std::countr_zero(Mask))];
  for (unsigned Lane = 0; Lane < WarpLanes; ++Lane)
    P.Offsets[Lane] = Mask >> Lane & 1 ? Addresses[Lane] - First : 0;
  const auto [At, New] = PatternNumbers.try_emplace(P, static_cast<uint32_t>(Patterns.size()));
  if (New)
    Patterns.push_back(P);
  if (Stride == 0) {
    Times = mulSaturating(Times, Count);
    Count = 1;
  }
  auto &[Warps, Sum] = Found[{At->second, First, Count == 1 ? 0 : Stride, Count}];
  Warps |= 1u << Warp;
  Sum = addSaturating(Sum, Times);
}

} // namespace gmprof
