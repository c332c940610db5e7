//===- MachineMemory.cpp - Memory that only machine code shows ------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/core/MachineMemory.h"

#include "pass/core/Descriptor.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

#include <map>
#include <set>
#include <tuple>

using namespace llvm;
using namespace gmprof;

namespace {

std::optional<GmprofInstructionKind> kindOf(const sass::MemoryInstruction &I) {
  if (I.Executes == sass::Guard::Never)
    return std::nullopt;
  const bool IsLoad = I.Operation == sass::MemoryOperation::Load;
  switch (I.Space) {
  case sass::MemorySpace::Local:
    if (IsLoad)
      return GMPROF_INSTRUCTION_LOCAL_LOAD;
    if (I.Operation == sass::MemoryOperation::Store)
      return GMPROF_INSTRUCTION_LOCAL_STORE;
    return std::nullopt;
  case sass::MemorySpace::Constant: // Parameters and addresses of the warp have no register.
    return IsLoad && I.Address.Register ? std::optional(GMPROF_INSTRUCTION_CONSTANT_LOAD)
                                        : std::nullopt;
  case sass::MemorySpace::Texture:
    return GMPROF_INSTRUCTION_TEXTURE_FETCH;
  default:
    return std::nullopt;
  }
}

/// Returns the sum, product or recurrence of these operands, of the kind of E.
const SCEV *withOperands(ScalarEvolution &SE, const SCEV *E, SmallVectorImpl<const SCEV *> &Parts) {
  if (isa<SCEVAddExpr>(E))
    return SE.getAddExpr(Parts);
  if (isa<SCEVMulExpr>(E))
    return SE.getMulExpr(Parts);
  return SE.getAddRecExpr(Parts, cast<SCEVAddRecExpr>(E)->getLoop(), SCEV::FlagAnyWrap);
}

const SCEV *extended(ScalarEvolution &SE, const SCEV *E, Type *To, bool IsSigned) {
  if (!isa<SCEVAddExpr, SCEVMulExpr, SCEVAddRecExpr>(E))
    return IsSigned ? SE.getSignExtendExpr(E, To) : SE.getZeroExtendExpr(E, To);
  SmallVector<const SCEV *, 4> Parts;
  for (const SCEV *Part : E->operands())
    Parts.push_back(extended(SE, Part, To, IsSigned || isa<SCEVConstant>(Part)));
  return withOperands(SE, E, Parts);
}

/// Extends the parts of sums and products instead of their results, as if no index wrapped:
/// blockIdx.x * blockDim.x + threadIdx.x, whose type is unsigned, and recurrences that begin there.
const SCEV *withoutWraps(ScalarEvolution &SE, const SCEV *E) {
  if (const auto *Cast = dyn_cast<SCEVIntegralCastExpr>(E); Cast && !isa<SCEVTruncateExpr>(E))
    return extended(SE, withoutWraps(SE, Cast->getOperand()), E->getType(),
                    isa<SCEVSignExtendExpr>(E));
  if (!isa<SCEVAddExpr, SCEVMulExpr, SCEVAddRecExpr>(E))
    return E;
  SmallVector<const SCEV *, 4> Parts;
  for (const SCEV *Part : E->operands())
    Parts.push_back(withoutWraps(SE, Part));
  return withOperands(SE, E, Parts);
}

/// An access of the source to the memory of one kind of instructions.
struct SourceAccess {
  const Instruction *Inst = nullptr;
  int Variable = -1; ///< in AccessInfo
  GmprofIndex Index = GMPROF_INDEX_UNKNOWN;
  bool IsOfWarp = false; ///< all lanes have the same address, or it is of no interest
  int LaneStride = 0;    ///< see GmprofInstructionDesc
  unsigned Bytes = 0;    ///< 0: any, of copies, sets and textures
};

class Matcher {
public:
  Matcher(KernelDescription &D, const KernelCode &Code, Function &Kernel,
          FunctionAnalysisManager &FAM)
      : D(D), Code(Code), Kernel(Kernel), Places(Code, Kernel),
        Info(FAM.getResult<AccessAnalysis>(Kernel)),
        SE(FAM.getResult<ScalarEvolutionAnalysis>(Kernel)),
        IsOptimized(!Kernel.hasFnAttribute(Attribute::OptimizeNone)) {}

  void match() {
    readSource();
    for (const sass::Function &F : Code.functions())
      for (const sass::MemoryInstruction &I : F.Instructions)
        if (const std::optional<GmprofInstructionKind> Kind = kindOf(I))
          add(*Kind, F, I);
  }

private:
  KernelDescription &D;
  const KernelCode &Code;
  const Function &Kernel;
  const CodePlaces Places;
  const AccessInfo &Info;
  ScalarEvolution &SE;
  std::map<std::pair<GmprofInstructionKind, std::string>, SmallVector<SourceAccess, 2>> InSource;
  /// The only variable in local memory, if the frame holds nothing else; else -1.
  int OnlyLocal = -1;
  bool HasLaneConstants = false; ///< the source has constants whose address may differ by lane
  bool HasSpillsOnly = false;    ///< the frame holds no variable and nothing of calls
  std::map<std::tuple<GmprofInstructionKind, int, std::string, unsigned, GmprofIndex, int>, size_t>
      Numbers;
  const bool IsOptimized; ///< else all variables are in local memory

  static bool isLocal(const Variable &V) { return V.Kind == GMPROF_VARIABLE_LOCAL; }

  static bool isCall(const Instruction &I) {
    const auto *Call = dyn_cast<CallBase>(&I);
    return Call && !Call->isInlineAsm() && !isa<IntrinsicInst>(Call);
  }

  void readSource() {
    const auto Add = [&](GmprofInstructionKind Kind, const SourceAccess &A) {
      // ptxas may keep the line of the program, instead of that of the toolkit's header.
      std::set<std::string> At;
      At.insert(Places.of(*A.Inst));
      At.insert(Places.of(sourceLocation(*A.Inst)));
      // LLVM makes loops without lines of copies and sets, and inline assembly of textures has the
      // line of the statement before it.
      if (isa<MemIntrinsic>(A.Inst) || Kind == GMPROF_INSTRUCTION_TEXTURE_FETCH)
        At.insert("");
      for (const std::string &Place : At)
        InSource[{Kind, Place}].push_back(A);
    };
    SmallDenseSet<int> Locals;
    for (const Access &A : Info.accesses()) {
      SourceAccess S = {A.Inst, A.Variable, indexOf(A), bool(A.ThreadInvariantAddress)};
      S.Bytes = isa<MemIntrinsic>(A.Inst) ? 0 : A.Bytes;
      if (A.Space == GMPROF_SPACE_CONSTANT || A.Space == GMPROF_SPACE_PARAM) {
        // A table of the compiler is not the program's to change.
        S.IsOfWarp |= A.Variable >= 0 && isTableOfCompiler(Info.Variables[A.Variable]);
        HasLaneConstants |= !S.IsOfWarp;
        S.LaneStride = laneStride(A);
        Add(GMPROF_INSTRUCTION_CONSTANT_LOAD, S);
      } else if (A.Variable >= 0 && isLocal(Info.Variables[A.Variable])) {
        Locals.insert(A.Variable);
        if (A.Reads)
          Add(GMPROF_INSTRUCTION_LOCAL_LOAD, S);
        if (A.Writes)
          Add(GMPROF_INSTRUCTION_LOCAL_STORE, S);
      }
    }
    for (const TextureAccess &T : Info.Textures)
      Add(GMPROF_INSTRUCTION_TEXTURE_FETCH, {T.Inst, T.Variable});
    constexpr uint64_t FrameAlignment = 16;
    if (Locals.size() == 1 &&
        Code.Kernel.FrameBytes < Info.Variables[*Locals.begin()].Bytes + FrameAlignment)
      OnlyLocal = *Locals.begin();
    HasSpillsOnly = IsOptimized && none_of(instructions(Kernel), [](const Instruction &I) {
                      return isa<AllocaInst>(I) || isCall(I);
                    });
  }

  /// Returns how the address is computed, from the start of its variable.
  GmprofIndex indexOf(const Access &A) {
    const SCEV *Address = SE.getSCEV(A.Pointer);
    if (isa<SCEVCouldNotCompute>(Address) || !Address->getType()->isPointerTy())
      return GMPROF_INDEX_RUN_TIME;
    const auto *Base = dyn_cast<SCEVUnknown>(SE.getPointerBase(Address));
    if (!Base || !(isa<AllocaInst>(Base->getValue()) || isa<Constant>(Base->getValue())))
      return GMPROF_INDEX_RUN_TIME;
    const SCEV *Offset = SE.removePointerBase(Address);
    if (isa<SCEVConstant>(Offset))
      return GMPROF_INDEX_CONSTANT;
    const bool HasUnknown = SCEVExprContains(Offset, [&](const SCEV *S) {
      const auto *Recurrence = dyn_cast<SCEVAddRecExpr>(S);
      return isa<SCEVUnknown>(S) ||
             (Recurrence && SE.getSmallConstantTripCount(Recurrence->getLoop()) == 0);
    });
    return HasUnknown ? GMPROF_INDEX_RUN_TIME : GMPROF_INDEX_LOOP;
  }

  /// Returns the bytes from the address of a thread to that of the next one in x; 0: unknown.
  int laneStride(const Access &A) {
    const SCEV *Address = SE.getSCEV(A.Pointer);
    if (isa<SCEVCouldNotCompute>(Address))
      return 0;
    Address = withoutWraps(SE, Address);
    ValueToSCEVMapTy Next;
    for (const Instruction &I : instructions(Kernel))
      if (const auto *Call = dyn_cast<IntrinsicInst>(&I);
          Call && Call->getIntrinsicID() == Intrinsic::nvvm_read_ptx_sreg_tid_x)
        Next[Call] =
            SE.getAddExpr(SE.getSCEV(const_cast<IntrinsicInst *>(Call)), SE.getOne(Call->getType()),
                          SCEV::NoWrapFlags(SCEV::FlagNUW | SCEV::FlagNSW));
    const SCEV *OfNext = SCEVParameterRewriter::rewrite(Address, SE, Next);
    const auto *Stride = dyn_cast<SCEVConstant>(SE.getMinusSCEV(OfNext, Address));
    if (!Stride || !Stride->getAPInt().isSignedIntN(32))
      return 0;
    return static_cast<int>(Stride->getAPInt().getSExtValue());
  }

  /// Returns the accesses of the source at the instruction's place, of its width or of parts of it
  /// if there are any. Instructions of accesses without a line have any place.
  SmallVector<SourceAccess, 2> accessesOf(GmprofInstructionKind Kind, const sass::Function &F,
                                          const sass::MemoryInstruction &I) const {
    if (!F.isKernel())
      return {};
    SmallVector<SourceAccess, 2> Others;
    for (const std::string &Place : {Places.of(I), std::string()}) {
      const auto Found = InSource.find({Kind, Place});
      if (Found == InSource.end())
        continue;
      SmallVector<SourceAccess, 2> Fitting;
      copy_if(Found->second, std::back_inserter(Fitting),
              [&](const SourceAccess &A) { return A.Bytes <= I.Bytes; });
      if (!Fitting.empty())
        return Fitting;
      if (Others.empty())
        Others = Found->second;
    }
    return Others;
  }

  void add(GmprofInstructionKind Kind, const sass::Function &F, const sass::MemoryInstruction &I) {
    const SmallVector<SourceAccess, 2> Accesses = accessesOf(Kind, F, I);
    // Without constants of the program: a jump table or a literal.
    if (Kind == GMPROF_INSTRUCTION_CONSTANT_LOAD &&
        (Accesses.empty() ? !HasLaneConstants
                          : all_of(Accesses, [](const SourceAccess &A) { return A.IsOfWarp; })))
      return;
    CodeInstruction To;
    To.Kind = Kind;
    To.Bytes = I.Bytes;
    int Variable = -1;
    if (!Accesses.empty()) {
      To.Source = sourceLocation(*Accesses.front().Inst);
      for (const SourceAccess &A : Accesses)
        To.Index = std::max(To.Index, A.Index);
      if (all_of(Accesses,
                 [&](const SourceAccess &A) { return A.Variable == Accesses.front().Variable; }))
        Variable = Accesses.front().Variable;
      if (all_of(Accesses, [&](const SourceAccess &A) {
            return A.LaneStride == Accesses.front().LaneStride;
          }))
        To.LaneStride = Accesses.front().LaneStride;
    } else {
      if (!I.Places.empty()) {
        To.Source.File = Code.Module.Files[I.Places.front().File];
        To.Source.Line = I.Places.front().Line;
      }
      if (!F.isKernel())
        To.Source.Function = F.Name;
    }
    const bool IsOfLocal =
        Kind == GMPROF_INSTRUCTION_LOCAL_LOAD || Kind == GMPROF_INSTRUCTION_LOCAL_STORE;
    if (Variable < 0 && IsOfLocal && F.isKernel())
      Variable = OnlyLocal;
    if (IsOfLocal && F.isKernel() && HasSpillsOnly)
      To.Index = GMPROF_INDEX_SPILL;
    if (!IsOptimized)
      To.Index = GMPROF_INDEX_UNKNOWN;
    std::string Place = (To.Source.File + ":" + Twine(To.Source.Line) + To.Source.Function).str();
    for (const SourceCall &C : To.Source.InlinedAt)
      Place += (C.File + ":" + Twine(C.Line)).str();
    const auto [At, New] =
        Numbers.try_emplace({Kind, Variable, std::move(Place), I.Bytes, To.Index, To.LaneStride},
                            D.Instructions.size());
    if (New) {
      To.Variable = Variable < 0 ? -1 : static_cast<int>(D.indexOf(Info.Variables[Variable]));
      D.Instructions.push_back(std::move(To));
    }
    ++D.Instructions[At->second].Count;
  }
};

} // namespace

void gmprof::addMachineMemory(KernelDescription &D, const KernelCode &Code, Function &Kernel,
                              FunctionAnalysisManager &FAM) {
  D.MachineCode = Code.Module.Architecture;
  D.FrameBytes = Code.Kernel.FrameBytes;
  // Most kernels have no such instruction: the analyses run only for others.
  if (any_of(Code.instructions(),
             [](const sass::MemoryInstruction *I) { return kindOf(*I).has_value(); }))
    Matcher(D, Code, Kernel, FAM).match();
}
