//===- BlockAccesses.cpp - What a block accesses of an object -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/shared/BlockAccesses.h"
#include "profile/ElementCounts.h"
#include "profile/Saturating.h"
#include <algorithm>
#include <bit>
#include <set>

namespace gmprof::analysis {

using namespace profile;

/// The accesses of one block, or of one of its threads, to an object.
struct BlockAccesses::Elements {
  std::vector<std::pair<Progression, unsigned>> Parts; ///< each with the bytes of one access
  uint64_t Begin = 0, End = 0;                         ///< elements that contain them

  std::vector<CountRun> count(uint64_t First, uint64_t Elements, unsigned Shift) const {
    ElementCounts Counts(First, Elements, Shift);
    for (const auto &[Where, Bytes] : Parts)
      Counts.add(Where, Bytes);
    return Counts.finishRuns();
  }
};

std::vector<uint32_t> BlockAccesses::variablesOf(const GlobalObjectUse &O) const {
  std::vector<uint32_t> Variables;
  std::copy_if(O.Variables.begin(), O.Variables.end(), std::back_inserter(Variables),
               [&](uint32_t V) { return Context->Objects[V] == O.Object; });
  return Variables;
}

bool BlockAccesses::accesses(const GlobalObjectUse &O, GmprofCounterKind Kind) const {
  if (O.Kinds[Kind].Touched == 0)
    return false;
  if (O.Variables.empty())
    return true;
  const std::vector<uint32_t> Variables = variablesOf(O);
  return std::any_of(K.Desc->Sites.begin(), K.Desc->Sites.end(), [&](const Site &S) {
    return S.GlobalRule != GMPROF_RULE_NOT_COUNTED && counterKind(S.Kind).value_or(Kind) == Kind &&
           std::find(Variables.begin(), Variables.end(), S.Variable) != Variables.end();
  });
}

Bound BlockAccesses::perBlock(const GlobalObjectUse &O) const {
  Bound Sum;
  for (unsigned I = 0; I < GMPROF_COUNTER_KINDS; ++I)
    if (const GlobalAccesses &A = O.Kinds[I]; accesses(O, static_cast<GmprofCounterKind>(I))) {
      Sum.Value += A.Total.Value / static_cast<double>(A.Launches);
      Sum.AtLeast |= A.Total.AtLeast;
    }
  Sum.Value /= static_cast<double>(std::max<uint64_t>(blocksOf(*Typical), 1));
  return Sum;
}

unsigned BlockAccesses::pieceBytes(const GlobalObjectUse &O) const {
  const std::vector<uint32_t> Variables = variablesOf(O);
  unsigned Most = 0;
  for (const Site &S : K.Desc->Sites)
    if (S.GlobalRule != GMPROF_RULE_NOT_COUNTED &&
        std::find(Variables.begin(), Variables.end(), S.Variable) != Variables.end())
      Most = std::max(Most, S.Bytes == 0 ? O.ElementBytes : S.Bytes);
  return Most == 0 ? O.ElementBytes : std::min(Most, O.ElementBytes);
}

static bool hasAny(const FormPolynomial &P, const std::set<uint32_t> &Factors) {
  return std::any_of(P.begin(), P.end(), [&](const FormTerm &T) {
    return std::any_of(T.Factors.begin(), T.Factors.end(),
                       [&](uint32_t F) { return Factors.contains(F); });
  });
}

/// Returns true if the address depends on the thread index. A quotient of it, as the warp of a
/// thread, is a loop variable that constraints bound by the index from below; a loop over elements
/// begins with the same one in all threads.
static bool dependsOnThread(const ClosedForm &Form) {
  std::set<uint32_t> OfThread = {GMPROF_FACTOR_TID_X, GMPROF_FACTOR_TID_Y, GMPROF_FACTOR_TID_Z};
  for (size_t Known = 0; Known != OfThread.size();) {
    Known = OfThread.size();
    for (const FormConstraint &C : Form.Constraints) {
      if (!hasAny(C.Value, OfThread))
        continue;
      for (const FormTerm &T : C.Value)
        for (uint32_t F : T.Factors)
          if (T.Coefficient > 0 && F >= GMPROF_FACTOR_LOOP && F < GMPROF_FACTOR_PARAMETER)
            OfThread.insert(F);
    }
  }
  return hasAny(Form.Address, OfThread);
}

bool BlockAccesses::isReadAlike(const GlobalObjectUse &O) const {
  return std::all_of(K.Desc->Forms.begin(), K.Desc->Forms.end(), [&](const Form &F) {
    if (Context->Objects[F.Variable] != O.Object)
      return true;
    const Result<ClosedForm> Decoded = decodeClosedForm(F.Words, K.Desc->ParamCount);
    return Decoded && !dependsOnThread(*Decoded);
  });
}

/// Windows bound memory.
constexpr uint64_t CountedWindow = uint64_t(1) << 20;

static unsigned elementShift(const GlobalObjectUse &O) {
  return static_cast<unsigned>(std::countr_zero(O.ElementBytes));
}

/// Returns the accesses within L, nothing if a form is not evaluable.
std::optional<BlockAccesses::Elements> BlockAccesses::accessesOf(const GlobalObjectUse &O,
                                                                 const FormLaunch &L) const {
  Elements All;
  All.Begin = O.Elements;
  for (const Form &F : K.Desc->Forms) {
    if (Context->Objects[F.Variable] != O.Object)
      continue;
    Result<ClosedForm> Decoded = decodeClosedForm(F.Words, K.Desc->ParamCount);
    const unsigned Bytes = K.Desc->Sites[F.Site].Bytes;
    if (!Decoded || Bytes == 0 || !forEachProgression(*Decoded, L, [&](const Progression &From) {
          Progression Moved = From;
          Moved.Base += Context->Offsets[F.Variable];
          const ElementRun Hull = ElementRuns(Moved, Bytes, elementShift(O)).hull({0, O.Elements});
          if (Hull.Count == 0)
            return;
          All.Begin = std::min(All.Begin, Hull.First);
          All.End = std::max(All.End, std::min(Hull.end(), O.Elements));
          All.Parts.emplace_back(std::move(Moved), Bytes);
        }))
      return std::nullopt;
  }
  return All;
}

std::optional<uint64_t> BlockAccesses::elementsOfBlock(const GlobalObjectUse &O) const {
  if (!Context->ClosedForms)
    return std::nullopt;
  for (const Site &S : K.Desc->Sites)
    if (S.GlobalRule != GMPROF_RULE_NOT_COUNTED && S.GlobalRule != GMPROF_RULE_CLOSED_FORM &&
        (S.Variable == None || Context->Objects[S.Variable] == O.Object))
      return std::nullopt;
  const auto &G = Context->Grid;
  const std::array<uint32_t, 3> Samples[] = {
      {0, 0, 0}, {G[0] / 2, G[1] / 2, G[2] / 2}, {G[0] - 1, G[1] - 1, G[2] - 1}};
  uint64_t Most = 0;
  for (const std::array<uint32_t, 3> &Block : Samples) {
    FormLaunch L = formLaunch(*Context);
    L.OnlyBlock = Block;
    const std::optional<Elements> Of = accessesOf(O, L);
    // A block with a larger span does not suit shared memory.
    constexpr uint64_t MaxSpan = uint64_t(1) << 32;
    if (!Of || (Of->End > Of->Begin && Of->End - Of->Begin > MaxSpan))
      return std::nullopt;
    uint64_t Touched = 0;
    for (uint64_t First = Of->Begin; First < Of->End; First += CountedWindow)
      for (const CountRun &R :
           Of->count(First, std::min(CountedWindow, Of->End - First), elementShift(O)))
        Touched += R.Times != 0 ? R.Elements : 0;
    Most = std::max(Most, Touched);
  }
  return Most;
}

bool BlockAccesses::isOfOneThreadEach(const GlobalObjectUse &O) const {
  FormLaunch L = formLaunch(*Context);
  L.OnlyBlock = {0, 0, 0};
  const std::optional<Elements> OfBlock = accessesOf(O, L);
  const auto &B = Context->Block;
  bool Any = false;
  for (const std::array<uint32_t, 3> &Thread : {std::array<uint32_t, 3>{0, 0, 0},
                                                {B[0] / 2, B[1] / 2, B[2] / 2},
                                                {B[0] - 1, B[1] - 1, B[2] - 1}}) {
    L.OnlyThread = Thread;
    const std::optional<Elements> Of = accessesOf(O, L);
    if (!OfBlock || !Of || (Of->End > Of->Begin && Of->End - Of->Begin > CountedWindow))
      return false;
    if (Of->End <= Of->Begin)
      continue;
    Any = true;
    const uint64_t Elements = Of->End - Of->Begin;
    const std::vector<CountRun> Its = Of->count(Of->Begin, Elements, elementShift(O)),
                                All = OfBlock->count(Of->Begin, Elements, elementShift(O));
    // Two threads' counts of an element add up.
    uint64_t ItsEnd = 0, AllEnd = 0;
    for (auto I = Its.begin(), A = All.begin(); I != Its.end() && A != All.end();) {
      if (I->Times != 0 && I->Times != A->Times)
        return false;
      const uint64_t Next = std::min(ItsEnd + I->Elements, AllEnd + A->Elements);
      if (Next == ItsEnd + I->Elements)
        ItsEnd += I++->Elements;
      if (Next == AllEnd + A->Elements)
        AllEnd += A++->Elements;
    }
  }
  return Any;
}

bool BlockAccesses::isUniformInWarps(const GlobalObjectUse &O) const {
  constexpr uint32_t WarpSize = 32;
  const auto &B = Context->Block;
  const uint32_t Threads = B[0] * B[1] * B[2];
  const auto PartsOf = [&](uint32_t Thread) -> std::optional<decltype(Elements::Parts)> {
    FormLaunch L = formLaunch(*Context);
    L.OnlyBlock = {0, 0, 0};
    L.OnlyThread =
        std::array<uint32_t, 3>{Thread % B[0], Thread / B[0] % B[1], Thread / B[0] / B[1]};
    std::optional<Elements> Of = accessesOf(O, L);
    return Of ? std::optional(std::move(Of->Parts)) : std::nullopt;
  };
  const uint32_t LastWarp = (Threads - 1) / WarpSize;
  for (uint32_t Warp : {0u, LastWarp / 2, LastWarp}) {
    const auto First = PartsOf(Warp * WarpSize),
               Last = PartsOf(std::min((Warp + 1) * WarpSize, Threads) - 1);
    if (!First || First != Last)
      return false;
  }
  return true;
}

} // namespace gmprof::analysis
