//===- MachineWidths.cpp - Widths that ptxas gives accesses ---------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/requests/MachineWidths.h"

#include "pass/requests/AccessGroups.h"
#include "ptx/Lift.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/MathExtras.h"

#include <map>

using namespace llvm;
using namespace gmprof;

namespace {

/// A line of the PTX, or see CodePlaces.
using Place = std::string;

uint64_t bytesOf(const InstructionWidths &W) {
  uint64_t Sum = 0;
  for (auto [Bytes, Count] : W)
    Sum += uint64_t(Bytes) * Count;
  return Sum;
}

/// Returns the shape of the accesses that an instruction may execute, unless it is no load or store
/// of memory that lanes share.
std::optional<AccessShape> shapeOf(const sass::MemoryInstruction &I) {
  const bool IsLoad = I.Operation == sass::MemoryOperation::Load;
  if ((!IsLoad && I.Operation != sass::MemoryOperation::Store) ||
      I.Executes == sass::Guard::Never || I.Bytes == 0)
    return std::nullopt;
  if (I.Space != sass::MemorySpace::Shared && I.Space != sass::MemorySpace::Global &&
      I.Space != sass::MemorySpace::Generic)
    return std::nullopt;
  return AccessShape{I.Space == sass::MemorySpace::Shared, !IsLoad};
}

class Matcher {
public:
  Matcher(Function &F, const AccessInfo &Info, const KernelCode &Code,
          ArrayRef<WideAccess> Predicted, FunctionAnalysisManager &FAM)
      : F(F), Info(Info), Instructions(Code.instructions()), Predicted(Predicted),
        SE(FAM.getResult<ScalarEvolutionAnalysis>(F)), LI(FAM.getResult<LoopAnalysis>(F)),
        DT(FAM.getResult<DominatorTreeAnalysis>(F)), Places(Code, F),
        Clusters(clustersOf(F, Info, Predicted, SE)) {}

  MachineWidths match() {
    readInstructions();
    join();
    for (auto &[First, Lines] : Components)
      explain(Lines);
    findLoops();
    for (const WideAccess &W : Predicted)
      if (!Grouped.contains(W.Leader.Number) &&
          none_of(W.Others, [&](const WidePart &P) { return Grouped.contains(P.Number); }))
        Result.Wide.push_back(W);
    return std::move(Result);
  }

private:
  const Function &F;
  const AccessInfo &Info;
  const std::vector<const sass::MemoryInstruction *> Instructions;
  const ArrayRef<WideAccess> Predicted;
  ScalarEvolution &SE;
  const LoopInfo &LI;
  const DominatorTree &DT;
  const CodePlaces Places;
  const std::vector<AccessCluster> Clusters;
  bool HasPtxLines = false; ///< whether places are lines of the PTX
  std::map<std::pair<AccessShape, Place>, InstructionWidths> Executed;
  /// Bytes of the first instruction of a line.
  std::map<std::pair<AccessShape, Place>, unsigned> First;
  /// Lines that belong together, and their clusters.
  struct Component {
    AccessShape Is;
    SmallVector<Place, 4> Lines;
    SmallVector<const AccessCluster *, 4> Clusters;
  };
  std::map<std::pair<AccessShape, Place>, unsigned> LineNumbers;
  std::map<unsigned, Component> Components;
  DenseSet<unsigned> Grouped; ///< accesses whose instructions are known, or nearly
  MachineWidths Result;

  //===--------------------------------------------------------------------===//
  // Instructions
  //===--------------------------------------------------------------------===//

  Place placeOf(const sass::MemoryInstruction &I) const {
    return HasPtxLines ? std::to_string(I.PtxLine) : Places.of(I);
  }

  void readInstructions() {
    HasPtxLines = hasPtxLines();
    for (const sass::MemoryInstruction *I : Instructions)
      if (const std::optional<AccessShape> Is = shapeOf(*I)) {
        const std::pair Key(*Is, placeOf(*I));
        ++Executed[Key][I->Bytes];
        First.try_emplace(Key, I->Bytes);
      }
  }

  /// Returns the line of the PTX that a load or store was lifted from; 0: not known.
  static uint32_t ptxLineOf(const Instruction &I) {
    const MDNode *Node = I.getMetadata(ptx::LineKind);
    return Node ? mdconst::extract<ConstantInt>(Node->getOperand(0))->getZExtValue() : 0;
  }

  /// Returns whether each load and store has a line of the PTX, and each one of the machine code
  /// has the line of such an access, here or in another function. (An atomic may be a loop with a
  /// load.)
  bool hasPtxLines() const {
    std::map<uint32_t, std::optional<AccessShape>> Lines;
    for (const Function &Each : *F.getParent())
      for (const Instruction &I : instructions(Each))
        if (const uint32_t Line = ptxLineOf(I))
          Lines[Line] = std::nullopt;
    for (const Access &A : Info.accesses()) {
      const uint32_t Line = ptxLineOf(*A.Inst);
      if (shapeOf(A) && Line == 0)
        return false;
      Lines[Line] = shapeOf(A);
    }
    return all_of(Instructions, [&](const sass::MemoryInstruction *I) {
      const auto Is = shapeOf(*I);
      if (!Is)
        return true;
      const auto Found = Lines.find(I->PtxLine);
      return I->PtxLine != 0 && Found != Lines.end() && (!Found->second || Found->second == Is);
    });
  }

  //===--------------------------------------------------------------------===//
  // Accesses
  //===--------------------------------------------------------------------===//

  Place placeOf(const Instruction &I) const {
    return HasPtxLines ? std::to_string(ptxLineOf(I)) : Places.of(I);
  }

  //===--------------------------------------------------------------------===//
  // Lines
  //===--------------------------------------------------------------------===//

  /// Returns a number for the accesses of a shape that have the line of an element.
  unsigned lineOf(const AccessCluster &C, const ClusterElement &E) {
    const std::pair Key(C.Is, placeOf(*Info.accesses()[E.Number].Inst));
    return LineNumbers.try_emplace(Key, LineNumbers.size()).first->second;
  }

  void join() {
    EquivalenceClasses<unsigned> Together;
    for (const AccessCluster &C : Clusters) {
      const unsigned First = lineOf(C, C.Elements.front());
      for (const ClusterElement &E : C.Elements)
        Together.unionSets(First, lineOf(C, E));
    }
    for (const AccessCluster &C : Clusters) {
      Component &Into = Components[Together.getLeaderValue(lineOf(C, C.Elements.front()))];
      Into.Is = C.Is;
      Into.Clusters.push_back(&C);
      for (const ClusterElement &E : C.Elements)
        if (const Place P = placeOf(*Info.accesses()[E.Number].Inst); !is_contained(Into.Lines, P))
          Into.Lines.push_back(P);
    }
  }

  //===--------------------------------------------------------------------===//
  // InstructionWidths
  //===--------------------------------------------------------------------===//

  void explain(const Component &C) {
    InstructionWidths Found;
    unsigned FirstBytes = 0;
    for (const Place &P : C.Lines) {
      const auto It = Executed.find({C.Is, P});
      if (It == Executed.end())
        continue;
      for (auto [Bytes, Count] : It->second)
        Found[Bytes] += Count;
      if (FirstBytes == 0)
        FirstBytes = First.at({C.Is, P});
    }
    uint64_t Accessed = 0;
    for (const AccessCluster *Each : C.Clusters)
      for (const ClusterElement &E : Each->Elements)
        Accessed += E.Bytes;
    if (Found.size() == 1 && all_of(C.Clusters, [&](const AccessCluster *Each) {
          return isCopy(Info.accesses()[Each->Elements.front().Number]);
        }))
      return split(C, Found.begin()->first);
    const bool NarrowFirst = FirstBytes != 0 && FirstBytes < Found.begin()->first;
    const uint64_t Copies = std::max<uint64_t>(1, (bytesOf(Found) + Accessed / 2) / Accessed);
    const uint64_t Difference = AbsoluteDifference(bytesOf(Found), Copies * Accessed);
    const bool IsExact = Difference == 0 && none_of(Found, [&](const auto &Each) {
                           return Each.second % Copies != 0;
                         });
    InstructionWidths Wanted;
    for (auto [Bytes, Count] : Found)
      Wanted[Bytes] = (Count + Copies / 2) / Copies;
    AccessDivision D = divide(C.Clusters, Wanted, NarrowFirst);
    bool IsExplained = IsExact && D.IsAsWanted;
    if (IsExact && !IsExplained && Found.size() == 1)
      if (auto Groups = joinIterations(C, Found.begin()->first, Copies)) {
        D.Groups = std::move(*Groups);
        IsExplained = true;
      }
    if (!IsExplained)
      if (auto Groups = joinWindows(C, Found)) {
        D.Groups = std::move(*Groups);
        IsExplained = true;
      }
    if (!IsExplained) {
      // An instruction may have another line than its access: take the groups that come closest.
      if (Difference * 4 > Copies * Accessed)
        return;
      if (!D.explainsAll(Wanted))
        D = divide(C.Clusters, Wanted, NarrowFirst, /*AsManyAsPossible=*/true);
      if (!D.explainsAll(Wanted))
        return;
    }
    for (const AccessCluster *Each : C.Clusters)
      for (const ClusterElement &E : Each->Elements) {
        Grouped.insert(E.Number);
        if (IsExplained)
          Result.Explained.push_back(E.Number);
      }
    for (const AccessGroup &G : D.Groups)
      if (G.Elements.size() > 1 || G.Iterations > 1)
        Result.Wide.push_back(describe(G));
  }

  /// Returns the groups of accesses that instructions of Bytes execute without exception, if each
  /// is made of consecutive addresses of an iteration or of several ones. Copies: of the accesses
  /// in the machine code.
  std::optional<std::vector<AccessGroup>> joinIterations(const Component &C, unsigned Bytes,
                                                         uint64_t Copies) {
    std::vector<AccessGroup> Segments = segmentsOf(C.Clusters), Groups;
    takeGroups(Segments, Bytes, UINT_MAX, 0, Groups);
    for (AccessGroup &S : Segments) {
      unsigned OfIteration = 0;
      for (const ClusterElement &E : S.Elements)
        OfIteration += E.Bytes;
      S.Bytes = Bytes;
      S.Iterations = Bytes / OfIteration;
      if (Bytes % OfIteration != 0 || Copies % S.Iterations != 0 ||
          !isMadeOfIterations(*S.Of, OfIteration, S.Iterations))
        return std::nullopt;
      Groups.push_back(std::move(S));
    }
    return Groups;
  }

  /// Returns an address modulo WindowBytes, if that is always the same.
  std::optional<unsigned> residueOf(const SCEV *Address) {
    if (SE.getMinTrailingZeros(Address) >= Log2_32(WindowBytes))
      return 0;
    if (const auto *Known = dyn_cast<SCEVConstant>(Address))
      return Known->getAPInt().urem(WindowBytes);
    if (const auto *Cast = dyn_cast<SCEVIntegralCastExpr>(Address))
      return residueOf(Cast->getOperand());
    if (!isa<SCEVAddExpr, SCEVAddRecExpr>(Address))
      return std::nullopt;
    unsigned Sum = 0;
    for (auto [I, Part] : enumerate(Address->operands())) {
      const std::optional<unsigned> Of = residueOf(Part);
      if (!Of || (*Of != 0 && I != 0 && isa<SCEVAddRecExpr>(Address)))
        return std::nullopt;
      Sum += *Of;
    }
    return Sum % WindowBytes;
  }

  /// Returns the groups of accesses if the instructions Found access each aligned 16 bytes at once,
  /// also where a word of them is not used.
  std::optional<std::vector<AccessGroup>> joinWindows(const Component &C,
                                                      const InstructionWidths &Found) {
    if (C.Is.Stores)
      return std::nullopt;
    std::vector<AccessGroup> Groups;
    InstructionWidths Widths;
    for (const AccessGroup &Segment : segmentsOf(C.Clusters)) {
      const AccessCluster &Of = *Segment.Of;
      const std::optional<unsigned> Address =
          Segment.Elements.size() > 1 ? residueOf(Of.Address) : std::optional(0U);
      if (!Address || !Of.Block)
        return std::nullopt;
      const int64_t Offset = Segment.Elements.front().Offset - Of.Elements.front().Offset;
      const auto Begin = static_cast<unsigned>(*Address + Offset) % WindowBytes;
      if (Segment.Elements.size() == 1)
        Groups.push_back({&Of, Segment.Elements, Segment.Elements.front().Bytes});
      else
        append_range(Groups, windowsOf(Segment, Begin));
    }
    for (const AccessGroup &G : Groups)
      ++Widths[G.Bytes];
    if (Widths.size() != Found.size())
      return std::nullopt;
    const unsigned Copies = Found.begin()->second / Widths.begin()->second;
    return Copies != 0 && all_of(Widths,
                                 [&](const auto &Each) {
                                   const auto In = Found.find(Each.first);
                                   return In != Found.end() && In->second == Copies * Each.second;
                                 })
               ? std::optional(std::move(Groups))
               : std::nullopt;
  }

  /// Returns whether each lane executes a cluster's accesses a multiple of Iterations times in its
  /// loop, each time Bytes further.
  bool isMadeOfIterations(const AccessCluster &C, unsigned Bytes, unsigned Iterations) {
    const auto *Address = dyn_cast<SCEVAddRecExpr>(C.Address);
    if (!C.Block || !Address || Address->getLoop() != LI.getLoopFor(C.Block))
      return false;
    const auto *Step = dyn_cast<SCEVConstant>(Address->getStepRecurrence(SE));
    const BasicBlock *Latch = Address->getLoop()->getLoopLatch();
    return Address->isAffine() && Step && Step->getAPInt().abs() == Bytes && Latch &&
           DT.dominates(C.Block, Latch) &&
           SE.getSmallConstantTripMultiple(Address->getLoop()) % Iterations == 0;
  }

  /// Finds atomics whose lines have as many loads as compare-and-swaps, and nothing else in shared
  /// memory, neither in the machine code nor in the function.
  void findLoops() {
    struct Line {
      SmallVector<unsigned, 2> Atomics; ///< of the function
      InstructionWidths Loads, Swaps;
      bool HasOthers = false;
    };
    std::map<Place, Line> Lines;
    for (auto [Number, A] : enumerate(Info.accesses()))
      if (A.Space == GMPROF_SPACE_SHARED) {
        Line &L = Lines[placeOf(*A.Inst)];
        if (isa<AtomicRMWInst>(A.Inst))
          L.Atomics.push_back(Number);
        else
          L.HasOthers = true;
      }
    for (const sass::MemoryInstruction *I : Instructions)
      if (I->Space == sass::MemorySpace::Shared && I->Executes != sass::Guard::Never) {
        Line &L = Lines[placeOf(*I)];
        if (I->Operation == sass::MemoryOperation::Load)
          ++L.Loads[I->Bytes];
        else if (StringRef(I->Mnemonic).starts_with("ATOMS.CAS"))
          ++L.Swaps[I->Bytes];
        else
          L.HasOthers = true;
      }
    for (const auto &[Where, L] : Lines) {
      if (L.HasOthers || L.Atomics.empty() || L.Loads.size() != 1 || L.Loads != L.Swaps)
        continue;
      const auto [Bytes, Count] = *L.Loads.begin();
      if (Count % L.Atomics.size() != 0 || any_of(L.Atomics, [&, Each = Bytes](unsigned Number) {
            return Info.accesses()[Number].Bytes != Each;
          }))
        continue;
      Result.Loops.insert(L.Atomics.begin(), L.Atomics.end());
      append_range(Result.Explained, L.Atomics);
    }
  }

  /// Copies consist of instructions of Bytes.
  void split(const Component &C, unsigned Bytes) {
    for (const AccessCluster *Each : C.Clusters)
      for (const ClusterElement &E : Each->Elements) {
        Result.Pieces[E.Number] = Bytes;
        Result.Explained.push_back(E.Number);
      }
  }

  WideAccess describe(const AccessGroup &G) const {
    const auto Inst = [&](const ClusterElement &E) { return Info.accesses()[E.Number].Inst; };
    const ClusterElement *Leader = &G.Elements.front();
    for (const ClusterElement &E : G.Elements)
      if (&E != Leader && Inst(E)->comesBefore(Inst(*Leader)) != G.Of->Is.Stores)
        Leader = &E;
    const int64_t Begin = G.Elements.front().Offset - G.Unused;
    WideAccess W;
    W.Leader = {Leader->Number, Leader->Offset - Begin};
    W.Bytes = G.Bytes;
    W.Alignment = Align(G.Bytes);
    W.Iterations = G.Iterations;
    for (const ClusterElement &E : G.Elements)
      if (&E != Leader)
        W.Others.push_back({E.Number, E.Offset - Begin});
    return W;
  }
};

} // namespace

MachineWidths gmprof::machineWidths(Function &F, const AccessInfo &Info, const KernelCode &Code,
                                    ArrayRef<WideAccess> Predicted, FunctionAnalysisManager &FAM) {
  return Matcher(F, Info, Code, Predicted, FAM).match();
}
