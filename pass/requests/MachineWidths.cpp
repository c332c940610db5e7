//===- MachineWidths.cpp - Widths that ptxas gives accesses ---------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/requests/MachineWidths.h"

#include "ptx/Lift.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/MathExtras.h"

#include <map>

using namespace llvm;
using namespace gmprof;

namespace {

/// The memory and the direction of an access. An instruction executes accesses of its own shape
/// only.
struct Shape {
  bool Shared = false; ///< in shared memory; else in global memory, or where a pointer leads
  bool Stores = false;

  auto operator<=>(const Shape &) const = default;
};

/// A line of the PTX, or see CodePlaces.
using Place = std::string;

/// Number of instructions by bytes, the widest first.
using Widths = std::map<unsigned, unsigned, std::greater<>>;

uint64_t bytesOf(const Widths &W) {
  uint64_t Sum = 0;
  for (auto [Bytes, Count] : W)
    Sum += uint64_t(Bytes) * Count;
  return Sum;
}

/// An access at an offset from the first one of its cluster.
struct Element {
  unsigned Number = 0;
  int64_t Offset = 0;
  unsigned Bytes = 0;
};

/// Accesses of one shape and block whose addresses differ by constants, and between which nothing
/// can change the memory. In program order.
struct Cluster {
  Shape Is;
  const BasicBlock *Block = nullptr;
  const SCEV *Address = nullptr; ///< of the first element
  SmallVector<Element, 8> Elements;
};

/// Elements of consecutive addresses, which become one instruction.
struct Group {
  const Cluster *Of = nullptr;
  SmallVector<Element, 4> Elements; ///< by address
  unsigned Bytes = 0;
  unsigned Iterations = 1; ///< whose elements become one instruction
};

class Matcher {
public:
  Matcher(Function &F, const AccessInfo &Info, const KernelCode &Code,
          ArrayRef<WideAccess> Predicted, FunctionAnalysisManager &FAM)
      : F(F), Info(Info), Code(Code), Predicted(Predicted),
        SE(FAM.getResult<ScalarEvolutionAnalysis>(F)), LI(FAM.getResult<LoopAnalysis>(F)),
        DT(FAM.getResult<DominatorTreeAnalysis>(F)), Places(Code, F) {}

  MachineWidths match() {
    readInstructions();
    cluster();
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
  Function &F;
  const AccessInfo &Info;
  const KernelCode &Code;
  const ArrayRef<WideAccess> Predicted;
  ScalarEvolution &SE;
  const LoopInfo &LI;
  const DominatorTree &DT;
  const CodePlaces Places;
  bool HasPtxLines = false; ///< whether places are lines of the PTX
  std::map<std::pair<Shape, Place>, Widths> Executed;
  /// Bytes of the first instruction of a line.
  std::map<std::pair<Shape, Place>, unsigned> First;
  std::vector<Cluster> Clusters;
  /// Lines that belong together, and their clusters.
  struct Component {
    Shape Is;
    SmallVector<Place, 4> Lines;
    SmallVector<const Cluster *, 4> Clusters;
  };
  std::map<std::pair<Shape, Place>, unsigned> LineNumbers;
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
    for (const sass::MemoryInstruction &I : Code.Kernel.Instructions)
      if (const std::optional<Shape> Is = shapeOf(I)) {
        const std::pair Key(*Is, placeOf(I));
        ++Executed[Key][I.Bytes];
        First.try_emplace(Key, I.Bytes);
      }
  }

  static std::optional<Shape> shapeOf(const sass::MemoryInstruction &I) {
    const bool IsLoad = I.Operation == sass::MemoryOperation::Load;
    if ((!IsLoad && I.Operation != sass::MemoryOperation::Store) ||
        I.Executes == sass::Guard::Never || I.Bytes == 0)
      return std::nullopt;
    if (I.Space != sass::MemorySpace::Shared && I.Space != sass::MemorySpace::Global &&
        I.Space != sass::MemorySpace::Generic)
      return std::nullopt;
    return Shape{I.Space == sass::MemorySpace::Shared, !IsLoad};
  }

  /// Returns the line of the PTX that a load or store was lifted from; 0: not known.
  static uint32_t ptxLineOf(const Instruction &I) {
    const MDNode *Node = I.getMetadata(ptx::LineKind);
    return Node ? mdconst::extract<ConstantInt>(Node->getOperand(0))->getZExtValue() : 0;
  }

  /// Returns whether each load and store has a line of the PTX, and each one of the machine code
  /// has the line of such an access. (An atomic may be a loop with a load.)
  bool hasPtxLines() const {
    std::map<uint32_t, std::optional<Shape>> Lines;
    for (const Access &A : Info.accesses()) {
      const uint32_t Line = ptxLineOf(*A.Inst);
      if (shapeOf(A) && Line == 0)
        return false;
      Lines[Line] = shapeOf(A);
    }
    return all_of(Code.Kernel.Instructions, [&](const sass::MemoryInstruction &I) {
      const auto Is = shapeOf(I);
      if (!Is)
        return true;
      const auto Found = Lines.find(I.PtxLine);
      return I.PtxLine != 0 && Found != Lines.end() && (!Found->second || Found->second == Is);
    });
  }

  //===--------------------------------------------------------------------===//
  // Accesses
  //===--------------------------------------------------------------------===//

  Place placeOf(const Instruction &I) const {
    return HasPtxLines ? std::to_string(ptxLineOf(I)) : Places.of(I);
  }

  /// Returns whether A is a part of a copy or set of memory, which LLVM makes accesses of.
  static bool isCopy(const Access &A) { return isa<MemIntrinsic>(A.Inst); }

  static std::optional<Shape> shapeOf(const Access &A) {
    if ((!isa<LoadInst>(A.Inst) && !isa<StoreInst>(A.Inst) && !isCopy(A)) || A.Bytes == 0 ||
        A.Space == GMPROF_SPACE_CONSTANT || A.Space == GMPROF_SPACE_LOCAL ||
        A.Space == GMPROF_SPACE_PARAM)
      return std::nullopt;
    return Shape{A.Space == GMPROF_SPACE_SHARED, A.Writes};
  }

  /// Returns the address, as ptxas computes with it: modulo 2^32 in shared memory.
  const SCEV *addressOf(const Access &A, Shape Is) {
    const SCEV *S = SE.getSCEV(A.Pointer);
    if (!Is.Shared)
      return S;
    Type *Bits32 = Type::getInt32Ty(F.getContext());
    if (S->getType()->isPointerTy())
      S = SE.getPtrToIntExpr(S, SE.getEffectiveSCEVType(S->getType()));
    return isa<SCEVCouldNotCompute>(S) ? S : SE.getTruncateOrNoop(S, Bits32);
  }

  std::optional<int64_t> distance(const SCEV *From, const SCEV *To) {
    if (isa<SCEVCouldNotCompute>(From) || isa<SCEVCouldNotCompute>(To))
      return std::nullopt;
    const auto *Difference = dyn_cast<SCEVConstant>(SE.getMinusSCEV(To, From));
    return Difference ? std::optional(Difference->getAPInt().getSExtValue()) : std::nullopt;
  }

  /// Returns whether accesses before and after I cannot be one instruction.
  static bool separates(const Instruction &I) {
    const auto *Call = dyn_cast<CallBase>(&I);
    return (Call && !isa<DbgInfoIntrinsic>(I) && Call->mayHaveSideEffects() &&
            !isa<AssumeInst>(I)) ||
           isa<FenceInst>(I) || isa<AtomicRMWInst>(I) || isa<AtomicCmpXchgInst>(I);
  }

  void cluster() {
    DenseMap<const Instruction *, SmallVector<unsigned, 2>> Numbers;
    for (auto [Number, A] : enumerate(Info.accesses()))
      Numbers[A.Inst].push_back(Number);
    /// The predicted wide access of each, and the parts' offsets.
    DenseMap<unsigned, std::pair<const WideAccess *, int64_t>> InWide;
    for (const WideAccess &W : Predicted) {
      InWide[W.Leader.Number] = {&W, W.Leader.Offset};
      for (const WidePart &P : W.Others)
        InWide[P.Number] = {&W, P.Offset};
    }
    for (const BasicBlock &BB : F) {
      size_t Begin = Clusters.size(); // of those that can get further elements
      DenseMap<const WideAccess *, std::pair<size_t, int64_t>> Known;
      for (const Instruction &I : BB) {
        if (separates(I)) {
          Begin = Clusters.size();
          Known.clear();
        }
        for (const unsigned Number : Numbers.lookup(&I)) {
          const Access &A = Info.accesses()[Number];
          const std::optional<Shape> Is = shapeOf(A);
          if (!Is)
            continue;
          if (Is->Stores) // loads of the same memory before it and after it stay apart
            for (size_t Each = Begin; Each < Clusters.size(); ++Each)
              if (!Clusters[Each].Is.Stores && Clusters[Each].Is.Shared == Is->Shared &&
                  mayOverlap(Clusters[Each], A))
                Clusters[Each].Block = nullptr;
          const auto Wide = InWide.find(Number);
          const WideAccess *W = Wide == InWide.end() ? nullptr : Wide->second.first;
          const auto [To, Offset] =
              placeIn(Begin, BB, A, *Is, W, W ? Wide->second.second : 0, Known);
          Clusters[To].Elements.push_back({Number, Offset, A.Bytes});
        }
      }
    }
  }

  /// Returns whether a store may change what a cluster loads: unless both variables are known and
  /// differ.
  bool mayOverlap(const Cluster &C, const Access &Store) const {
    const Access &Load = Info.accesses()[C.Elements.front().Number];
    return Load.Variable < 0 || Store.Variable < 0 || Load.Variable == Store.Variable;
  }

  /// Returns the cluster of an access, and its offset there. Makes one if there is none.
  std::pair<size_t, int64_t>
  placeIn(size_t Begin, const BasicBlock &BB, const Access &A, Shape Is, const WideAccess *Wide,
          int64_t InWide, DenseMap<const WideAccess *, std::pair<size_t, int64_t>> &Known) {
    if (Wide)
      if (const auto It = Known.find(Wide); It != Known.end())
        return {It->second.first, It->second.second + InWide};
    const SCEV *Address = addressOf(A, Is);
    const auto Found = [&](size_t Index, int64_t Offset) {
      if (Wide)
        Known[Wide] = {Index, Offset - InWide};
      return std::pair(Index, Offset);
    };
    for (size_t Each = Begin; Each < Clusters.size(); ++Each) {
      Cluster &C = Clusters[Each];
      if (C.Block != &BB || C.Is != Is)
        continue;
      if (const std::optional<int64_t> Offset = distance(C.Address, Address))
        return Found(Each, *Offset + A.Displacement);
    }
    Clusters.push_back({Is, &BB, Address, {}});
    return Found(Clusters.size() - 1, A.Displacement);
  }

  //===--------------------------------------------------------------------===//
  // Lines
  //===--------------------------------------------------------------------===//

  /// Returns a number for the accesses of a shape that have the line of an element.
  unsigned lineOf(const Cluster &C, const Element &E) {
    const std::pair Key(C.Is, placeOf(*Info.accesses()[E.Number].Inst));
    return LineNumbers.try_emplace(Key, LineNumbers.size()).first->second;
  }

  void join() {
    EquivalenceClasses<unsigned> Together;
    for (const Cluster &C : Clusters) {
      const unsigned First = lineOf(C, C.Elements.front());
      for (const Element &E : C.Elements)
        Together.unionSets(First, lineOf(C, E));
    }
    for (const Cluster &C : Clusters) {
      Component &Into = Components[Together.getLeaderValue(lineOf(C, C.Elements.front()))];
      Into.Is = C.Is;
      Into.Clusters.push_back(&C);
      for (const Element &E : C.Elements)
        if (const Place P = placeOf(*Info.accesses()[E.Number].Inst); !is_contained(Into.Lines, P))
          Into.Lines.push_back(P);
    }
  }

  //===--------------------------------------------------------------------===//
  // Widths
  //===--------------------------------------------------------------------===//

  /// Takes up to Most groups of Bytes out of segments of elements. SkipFirst: that many of them
  /// stay apart.
  static void takeGroups(std::vector<Group> &Segments, unsigned Bytes, unsigned Most, unsigned Skip,
                         std::vector<Group> &Into) {
    std::vector<Group> Left;
    for (Group &S : Segments) {
      Group Rest{S.Of, {}, 0};
      const auto Flush = [&] {
        if (!Rest.Elements.empty())
          Left.push_back(std::move(Rest));
        Rest = {S.Of, {}, 0};
      };
      for (size_t I = 0; I < S.Elements.size();) {
        size_t End = I;
        unsigned Sum = 0;
        while (End < S.Elements.size() && Sum < Bytes)
          Sum += S.Elements[End++].Bytes;
        const bool Fits = Sum == Bytes;
        if (Fits && Skip > 0)
          --Skip;
        else if (Fits && Most > 0) {
          --Most;
          Flush();
          Into.push_back({S.Of, {S.Elements.begin() + I, S.Elements.begin() + End}, Bytes});
          I = End;
          continue;
        } else if (!Fits)
          End = I + 1;
        for (; I < End; ++I)
          Rest.Elements.push_back(S.Elements[I]);
      }
      Flush();
    }
    Segments = std::move(Left);
  }

  /// Returns how many groups of Bytes segments have.
  static unsigned capacity(const std::vector<Group> &Segments, unsigned Bytes) {
    std::vector<Group> Copy = Segments, Into;
    takeGroups(Copy, Bytes, UINT_MAX, 0, Into);
    return Into.size();
  }

  /// Returns maximal segments of consecutive addresses, in program order of their first elements.
  static std::vector<Group> segmentsOf(const Component &C) {
    std::vector<Group> Segments;
    for (const Cluster *Each : C.Clusters) {
      SmallVector<Element, 8> Sorted = Each->Elements;
      sort(Sorted, [](const Element &A, const Element &B) {
        return std::pair(A.Offset, A.Number) < std::pair(B.Offset, B.Number);
      });
      const size_t Begin = Segments.size();
      for (const Element &E : Sorted) {
        const auto Continues = [&] {
          const Element &Last = Segments.back().Elements.back();
          return Segments.size() > Begin && Last.Offset + Last.Bytes == E.Offset;
        };
        if (Segments.size() == Begin || !Continues())
          Segments.push_back({Each, {}, 0});
        Segments.back().Elements.push_back(E);
      }
    }
    return Segments;
  }

  /// Groups of wanted widths, and the elements that are in none.
  struct Division {
    std::vector<Group> Groups, Left;
    bool IsAsWanted = true; ///< as many groups of each width as wanted, and no element is left

    /// Returns whether each element that is left has a wanted width, so that it may be an
    /// instruction of its own.
    bool explainsAll(const Widths &Wanted) const {
      return all_of(Left, [&](const Group &Each) {
        return all_of(Each.Elements, [&](const Element &E) { return Wanted.contains(E.Bytes); });
      });
    }
  };

  /// Makes as many groups of each width as are wanted, if there are so many; or as many as
  /// possible.
  static Division divide(const Component &C, const Widths &Wanted, bool NarrowFirst,
                         bool AsManyAsPossible = false) {
    Division D;
    D.Left = segmentsOf(C);
    for (auto [Bytes, Count] : Wanted) {
      const unsigned Most = capacity(D.Left, Bytes);
      const unsigned Take = AsManyAsPossible ? Most : std::min(Most, Count);
      D.IsAsWanted &= Take == Count;
      takeGroups(D.Left, Bytes, Take, NarrowFirst ? Most - Take : 0, D.Groups);
    }
    D.IsAsWanted &= D.Left.empty();
    return D;
  }

  void explain(const Component &C) {
    Widths Found;
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
    for (const Cluster *Each : C.Clusters)
      for (const Element &E : Each->Elements)
        Accessed += E.Bytes;
    if (Found.size() == 1 && all_of(C.Clusters, [&](const Cluster *Each) {
          return isCopy(Info.accesses()[Each->Elements.front().Number]);
        }))
      return split(C, Found.begin()->first);
    const bool NarrowFirst = FirstBytes != 0 && FirstBytes < Found.begin()->first;
    const uint64_t Copies = std::max<uint64_t>(1, (bytesOf(Found) + Accessed / 2) / Accessed);
    const uint64_t Difference = AbsoluteDifference(bytesOf(Found), Copies * Accessed);
    const bool IsExact = Difference == 0 && none_of(Found, [&](const auto &Each) {
                           return Each.second % Copies != 0;
                         });
    Widths Wanted;
    for (auto [Bytes, Count] : Found)
      Wanted[Bytes] = (Count + Copies / 2) / Copies;
    Division D = divide(C, Wanted, NarrowFirst);
    bool IsExplained = IsExact && D.IsAsWanted;
    if (IsExact && !IsExplained && Found.size() == 1)
      if (auto Groups = joinIterations(C, Found.begin()->first, Copies)) {
        D.Groups = std::move(*Groups);
        IsExplained = true;
      }
    if (!IsExplained) {
      // An instruction may have another line than its access: take the groups that come closest.
      if (Difference * 4 > Copies * Accessed)
        return;
      if (!D.explainsAll(Wanted))
        D = divide(C, Wanted, NarrowFirst, /*AsManyAsPossible=*/true);
      if (!D.explainsAll(Wanted))
        return;
    }
    for (const Cluster *Each : C.Clusters)
      for (const Element &E : Each->Elements) {
        Grouped.insert(E.Number);
        if (IsExplained)
          Result.Explained.push_back(E.Number);
      }
    for (const Group &G : D.Groups)
      if (G.Elements.size() > 1 || G.Iterations > 1)
        Result.Wide.push_back(describe(G));
  }

  /// Returns the groups of accesses that instructions of Bytes execute without exception, if each
  /// is made of consecutive addresses of an iteration or of several ones. Copies: of the accesses
  /// in the machine code.
  std::optional<std::vector<Group>> joinIterations(const Component &C, unsigned Bytes,
                                                   uint64_t Copies) {
    std::vector<Group> Segments = segmentsOf(C), Groups;
    takeGroups(Segments, Bytes, UINT_MAX, 0, Groups);
    for (Group &S : Segments) {
      unsigned OfIteration = 0;
      for (const Element &E : S.Elements)
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

  /// Returns whether each lane executes a cluster's accesses a multiple of Iterations times in its
  /// loop, each time Bytes further.
  bool isMadeOfIterations(const Cluster &C, unsigned Bytes, unsigned Iterations) {
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
      Widths Loads, Swaps;
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
    for (const sass::MemoryInstruction &I : Code.Kernel.Instructions)
      if (I.Space == sass::MemorySpace::Shared && I.Executes != sass::Guard::Never) {
        Line &L = Lines[placeOf(I)];
        if (I.Operation == sass::MemoryOperation::Load)
          ++L.Loads[I.Bytes];
        else if (StringRef(I.Mnemonic).starts_with("ATOMS.CAS"))
          ++L.Swaps[I.Bytes];
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
    for (const Cluster *Each : C.Clusters)
      for (const Element &E : Each->Elements) {
        Result.Pieces[E.Number] = Bytes;
        Result.Explained.push_back(E.Number);
      }
  }

  WideAccess describe(const Group &G) const {
    const auto Inst = [&](const Element &E) { return Info.accesses()[E.Number].Inst; };
    const Element *Leader = &G.Elements.front();
    for (const Element &E : G.Elements)
      if (&E != Leader && Inst(E)->comesBefore(Inst(*Leader)) != G.Of->Is.Stores)
        Leader = &E;
    const int64_t Begin = G.Elements.front().Offset;
    WideAccess W;
    W.Leader = {Leader->Number, Leader->Offset - Begin};
    W.Bytes = G.Bytes;
    W.Alignment = Align(G.Bytes);
    W.Iterations = G.Iterations;
    for (const Element &E : G.Elements)
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
