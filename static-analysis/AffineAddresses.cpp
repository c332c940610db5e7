//===- AffineAddresses.cpp - Accesses whose addresses are known ahead -----===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
#include "AffineAddresses.h"
#include "AddressSpaces.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace gmprof;

int64_t Polynomial::constant() const {
  auto Found = Terms.find(Product());
  return Found == Terms.end() ? 0 : Found->second;
}

namespace {

using Wide = __int128;

/// Coefficients and bounds beyond this are given up on, so that their products
/// do not overflow.
constexpr Wide Limit = Wide(1) << 62;
/// No address of a real kernel has terms of more factors.
constexpr unsigned MaxFactors = 6;
constexpr unsigned MaxLoops = GMPROF_FACTOR_PARAMETER - GMPROF_FACTOR_LOOP;

constexpr const char *NotAffine = "the address is not a polynomial of what the launch determines";

/// An integer that an expression is congruent to, and what is known of its range.
struct Reading {
  Polynomial P;
  Wide Min = 0, Max = 0;
  bool Bounded = true;

  void limitRange() { Bounded = Bounded && Min >= -Limit && Max <= Limit; }
};

Reading constant(int64_t C) {
  Reading R;
  if (C != 0)
    R.P.Terms[{}] = C;
  R.Min = R.Max = C;
  return R;
}

Reading unknown(unsigned Factor, Wide Min, Wide Max) {
  Reading R;
  R.P.Terms[{uint8_t(Factor)}] = 1;
  R.Min = Min;
  R.Max = Max;
  R.limitRange();
  return R;
}

/// Returns false if the coefficient gets too large.
bool addTerm(Polynomial &P, const Polynomial::Product &Factors, Wide Coefficient) {
  Wide Sum = Coefficient;
  if (auto Found = P.Terms.find(Factors); Found != P.Terms.end())
    Sum += Found->second;
  if (Sum < -Limit || Sum > Limit)
    return false;
  if (Sum == 0)
    P.Terms.erase(Factors);
  else
    P.Terms[Factors] = int64_t(Sum);
  return true;
}

std::optional<Reading> sum(Reading A, const Reading &B) {
  for (const auto &[Factors, Coefficient] : B.P.Terms)
    if (!addTerm(A.P, Factors, Coefficient))
      return std::nullopt;
  A.Bounded = A.Bounded && B.Bounded;
  if (A.Bounded) {
    A.Min += B.Min;
    A.Max += B.Max;
    A.limitRange();
  }
  return A;
}

std::optional<Reading> product(const Reading &A, const Reading &B) {
  Reading Result;
  for (const auto &[FactorsA, CoefficientA] : A.P.Terms)
    for (const auto &[FactorsB, CoefficientB] : B.P.Terms) {
      Polynomial::Product Factors = FactorsA;
      append_range(Factors, FactorsB);
      llvm::sort(Factors);
      if (Factors.size() > MaxFactors ||
          !addTerm(Result.P, Factors, Wide(CoefficientA) * CoefficientB))
        return std::nullopt;
    }
  Result.Bounded = A.Bounded && B.Bounded;
  if (Result.Bounded) {
    auto [Min, Max] = std::minmax({A.Min * B.Min, A.Min * B.Max, A.Max * B.Min, A.Max * B.Max});
    Result.Min = Min;
    Result.Max = Max;
    Result.limitRange();
  }
  return Result;
}

/// The limits of CUDA (compute capability 7.5 to 12): threads of a block and
/// blocks of a grid along each dimension.
constexpr int64_t MaxBlockDim[] = {1024, 1024, 64};
constexpr int64_t MaxGridDim[] = {INT32_MAX, 65535, 65535};

/// tid, ntid, ctaid or nctaid.
std::optional<Reading> readRegister(const IntrinsicInst &I, int64_t MaxThreads) {
  const auto Index = [](unsigned Factor, int64_t Count) { return unknown(Factor, 0, Count - 1); };
  const auto Size = [](unsigned Factor, int64_t Max) { return unknown(Factor, 1, Max); };
  const auto BlockDim = [&](unsigned D) { return std::min(MaxBlockDim[D], MaxThreads); };
  switch (I.getIntrinsicID()) {
  case Intrinsic::nvvm_read_ptx_sreg_tid_x:
    return Index(GMPROF_FACTOR_TID_X, BlockDim(0));
  case Intrinsic::nvvm_read_ptx_sreg_tid_y:
    return Index(GMPROF_FACTOR_TID_Y, BlockDim(1));
  case Intrinsic::nvvm_read_ptx_sreg_tid_z:
    return Index(GMPROF_FACTOR_TID_Z, BlockDim(2));
  case Intrinsic::nvvm_read_ptx_sreg_ntid_x:
    return Size(GMPROF_FACTOR_NTID_X, BlockDim(0));
  case Intrinsic::nvvm_read_ptx_sreg_ntid_y:
    return Size(GMPROF_FACTOR_NTID_Y, BlockDim(1));
  case Intrinsic::nvvm_read_ptx_sreg_ntid_z:
    return Size(GMPROF_FACTOR_NTID_Z, BlockDim(2));
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_x:
    return Index(GMPROF_FACTOR_CTAID_X, MaxGridDim[0]);
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_y:
    return Index(GMPROF_FACTOR_CTAID_Y, MaxGridDim[1]);
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_z:
    return Index(GMPROF_FACTOR_CTAID_Z, MaxGridDim[2]);
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_x:
    return Size(GMPROF_FACTOR_NCTAID_X, MaxGridDim[0]);
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_y:
    return Size(GMPROF_FACTOR_NCTAID_Y, MaxGridDim[1]);
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_z:
    return Size(GMPROF_FACTOR_NCTAID_Z, MaxGridDim[2]);
  default:
    return std::nullopt;
  }
}

/// Whether the launch, more than the shape of a block, decides on the factor.
bool isOfLaunch(unsigned Factor) {
  return (Factor >= GMPROF_FACTOR_CTAID_X && Factor <= GMPROF_FACTOR_NCTAID_Z) ||
         Factor >= GMPROF_FACTOR_PARAMETER;
}

/// Whether the factor is the same for all threads, blocks and iterations.
bool isSameInLaunch(unsigned Factor) {
  return (Factor >= GMPROF_FACTOR_NTID_X && Factor <= GMPROF_FACTOR_NTID_Z) ||
         (Factor >= GMPROF_FACTOR_NCTAID_X && Factor <= GMPROF_FACTOR_NCTAID_Z) ||
         Factor >= GMPROF_FACTOR_PARAMETER;
}

template <typename Predicate> bool anyFactor(const Polynomial &P, Predicate Test) {
  return any_of(P.Terms, [&](const auto &Term) { return any_of(Term.first, Test); });
}

/// Reads expressions as polynomials and collects the conditions for that.
class Reader {
public:
  Reader(ScalarEvolution &SE, int64_t MaxThreads, ArrayRef<AffineLoop> Loops)
      : SE(SE), MaxThreads(MaxThreads), Loops(Loops) {}

  std::optional<Reading> read(const SCEV *S, unsigned Depth = 0);
  /// The same for a number of which all bits are known: it has to be equal to the
  /// expression, read as unsigned.
  std::optional<Reading> readUnsigned(const SCEV *S) {
    return extend(S, /*Signed=*/false, /*Depth=*/0);
  }
  SmallVector<AffineCondition, 0> Conditions;
  const char *Why = "";

private:
  ScalarEvolution &SE;
  int64_t MaxThreads;
  ArrayRef<AffineLoop> Loops;

  std::optional<Reading> refuse(const char *Reason) {
    Why = Reason;
    return std::nullopt;
  }
  std::optional<Reading> readUnknown(const Value *V);
  std::optional<Reading> readRecurrence(const SCEVAddRecExpr *Rec, unsigned Depth);
  std::optional<Reading> extend(const SCEV *Narrow, bool Signed, unsigned Depth);
  std::optional<Reading> iterationOf(unsigned Index);
  bool mayBecomeCondition(const Polynomial &P) const;
};

std::optional<Reading> Reader::read(const SCEV *S, unsigned Depth) {
  if (Depth > 16)
    return refuse("the address is too complex");
  switch (S->getSCEVType()) {
  case scConstant: {
    const APInt &C = cast<SCEVConstant>(S)->getAPInt();
    return C.getSignificantBits() <= 62 ? constant(C.getSExtValue()) : refuse(NotAffine);
  }
  case scAddExpr:
  case scMulExpr: {
    const bool IsSum = S->getSCEVType() == scAddExpr;
    std::optional<Reading> Result = constant(IsSum ? 0 : 1);
    for (const SCEV *Op : S->operands()) {
      std::optional<Reading> R = read(Op, Depth + 1);
      if (!R)
        return R;
      Result = IsSum ? sum(*Result, *R) : product(*Result, *R);
      if (!Result)
        return refuse("the address is too complex");
    }
    return Result;
  }
  case scTruncate:
    return read(cast<SCEVTruncateExpr>(S)->getOperand(), Depth + 1);
  case scZeroExtend:
    return extend(cast<SCEVZeroExtendExpr>(S)->getOperand(), /*Signed=*/false, Depth);
  case scSignExtend:
    return extend(cast<SCEVSignExtendExpr>(S)->getOperand(), /*Signed=*/true, Depth);
  case scAddRecExpr:
    return readRecurrence(cast<SCEVAddRecExpr>(S), Depth);
  case scUnknown:
    return readUnknown(cast<SCEVUnknown>(S)->getValue());
  default:
    return refuse(NotAffine);
  }
}

std::optional<Reading> Reader::readUnknown(const Value *V) {
  if (auto *I = dyn_cast<IntrinsicInst>(V))
    if (std::optional<Reading> R = readRegister(*I, MaxThreads))
      return R;
  auto *Parameter = dyn_cast<Argument>(V);
  if (!Parameter || !isKernel(*Parameter->getParent()) || !V->getType()->isIntegerTy() ||
      V->getType()->getIntegerBitWidth() > 64)
    return refuse(NotAffine);
  const unsigned Factor = GMPROF_FACTOR_PARAMETER + Parameter->getArgNo();
  if (Factor > UINT8_MAX)
    return refuse("the kernel has too many parameters");
  const Wide Half = Wide(1) << (V->getType()->getIntegerBitWidth() - 1);
  return unknown(Factor, -Half, Half - 1);
}

std::optional<Reading> Reader::readRecurrence(const SCEVAddRecExpr *Rec, unsigned Depth) {
  if (!Rec->isAffine())
    return refuse("the address does not change evenly in a loop");
  const auto *Found = find_if(Loops, [&](const AffineLoop &A) { return A.L == Rec->getLoop(); });
  if (Found == Loops.end())
    return refuse("changes in a loop whose trip count is not known at the launch");
  std::optional<Reading> Start = read(Rec->getStart(), Depth + 1);
  if (!Start)
    return Start;
  std::optional<Reading> Step = read(Rec->getStepRecurrence(SE), Depth + 1);
  if (!Step)
    return Step;
  std::optional<Reading> Advance = product(*Step, *iterationOf(Found - Loops.begin()));
  std::optional<Reading> Result = Advance ? sum(*Start, *Advance) : std::nullopt;
  return Result ? Result : refuse("the address is too complex");
}

std::optional<Reading> Reader::iterationOf(unsigned Index) {
  const Polynomial &Trips = Loops[Index].Trips;
  if (Trips.isConstant())
    return unknown(GMPROF_FACTOR_LOOP + Index, 0, std::max<int64_t>(Trips.constant() - 1, 0));
  const APInt Most = SE.getUnsignedRangeMax(SE.getBackedgeTakenCount(Loops[Index].L));
  return unknown(GMPROF_FACTOR_LOOP + Index, 0,
                 Most.getActiveBits() < 62 ? Wide(Most.getZExtValue()) : Limit + 1);
}

/// Launches decide whether the value wraps. Where the block's shape alone decides,
/// or the type is narrow, wrapping is what the program means to do.
bool Reader::mayBecomeCondition(const Polynomial &P) const {
  return anyFactor(P, [&](unsigned Factor) {
    const bool IsLoop = Factor >= GMPROF_FACTOR_LOOP && Factor < GMPROF_FACTOR_PARAMETER;
    return IsLoop ? !Loops[Factor - GMPROF_FACTOR_LOOP].Trips.isConstant() : isOfLaunch(Factor);
  });
}

std::optional<Reading> Reader::extend(const SCEV *Narrow, bool Signed, unsigned Depth) {
  std::optional<Reading> R = read(Narrow, Depth + 1);
  if (!R)
    return R;
  const unsigned Bits = SE.getTypeSizeInBits(Narrow->getType());
  const Wide Span = Wide(1) << std::min(Bits, 63u);
  const Wide Min = Signed ? -(Span / 2) : 0, Max = (Signed ? Span / 2 : Span) - 1;
  if (R->Bounded && R->Min >= Min && R->Max <= Max)
    return R;
  const bool NeverFits = R->Bounded && (R->Max < Min || R->Min > Max);
  if (NeverFits || Bits < 32 || !mayBecomeCondition(R->P))
    return refuse("the index may wrap around");
  Conditions.push_back({R->P, int64_t(Min), int64_t(Max)});
  R->Min = R->Bounded ? std::max(R->Min, Min) : Min;
  R->Max = R->Bounded ? std::min(R->Max, Max) : Max;
  R->Bounded = true;
  R->limitRange();
  return R;
}

/// What the kernel's attributes say of the number of threads of a block.
int64_t maxThreads(const Function &F) {
  int64_t Result = 1024;
  for (StringRef Name : {"nvvm.maxntid", "nvvm.reqntid"}) {
    if (!F.hasFnAttribute(Name))
      continue;
    int64_t Threads = 1;
    SmallVector<StringRef, 3> Sizes;
    F.getFnAttribute(Name).getValueAsString().split(Sizes, ',');
    for (StringRef Size : Sizes) {
      int64_t Value;
      if (Size.trim().getAsInteger(10, Value) || Value < 1 || Value > 1024)
        return 1024;
      Threads *= Value;
    }
    Result = std::min(Result, Threads);
  }
  return Result;
}

/// Why an access is neither affine nor a sweep, whatever its address, or null.
const char *whyNotPlain(const Access &A) {
  if (A.Space != GMPROF_SPACE_SHARED && A.Space != GMPROF_SPACE_GLOBAL)
    return "not in shared or global memory";
  if (A.Tile || A.Lanes < 32)
    return "only some lanes access memory";
  if (A.Bytes == 0)
    return "the length is not constant";
  if (A.Predicate)
    return "has a predicate";
  if (!A.Pointer->getType()->isPointerTy())
    return "the address is an integer";
  return nullptr;
}

} // namespace

AffineAddresses::AffineAddresses(Function &F, const LoopInfo &LI, const CycleInfo &CI,
                                 const DominatorTree &DT, ScalarEvolution &SE)
    : LI(LI), DT(DT), SE(SE), Flow(F), Loops(LI, CI, DT, Flow, SE), Counts(LI, DT, Flow, Loops, SE),
      MaxThreads(maxThreads(F)) {}

/// The loops around BB, from the innermost, that execute BB (or the loop inside)
/// once in every iteration, and whose trip count is the same for the whole launch.
void AffineAddresses::findLoops(const BasicBlock &BB, AffineAddress &Result) const {
  const BasicBlock *Inner = &BB;
  Result.Anchor = &BB;
  for (const Loop *L = LI.getLoopFor(&BB); L && Result.Loops.size() < MaxLoops;
       L = L->getParentLoop()) {
    if (Loops.whyNotOnceInEachIteration(*Inner, *L))
      break;
    AffineLoop Affine;
    Affine.L = L;
    if (std::optional<uint64_t> Executions = Counts.executionsIn(*Inner, *L)) {
      Affine.Trips = constant(*Executions).P;
    } else {
      const BasicBlock *Exiting = L->getExitingBlock();
      const SCEV *Taken = SE.getBackedgeTakenCount(L);
      if (!Exiting || isa<SCEVCouldNotCompute>(Taken))
        break;
      Reader R(SE, MaxThreads, {});
      std::optional<Reading> Trips = R.readUnsigned(Taken);
      if (!Trips || anyFactor(Trips->P, [](unsigned Factor) { return !isSameInLaunch(Factor); }))
        break;
      Trips = sum(*Trips, constant(executesInLastIteration(Inner, Exiting, DT)));
      if (!Trips)
        break;
      Affine.Trips = std::move(Trips->P);
      append_range(Result.Conditions, R.Conditions);
    }
    Result.Loops.push_back(std::move(Affine));
    Inner = L->getHeader();
    Result.Anchor = L->getLoopPreheader();
  }
  Result.Once = !LI.getLoopFor(Result.Anchor) && !Loops.isInIrreducibleCycle(*Result.Anchor) &&
                Flow.postDominates(*Result.Anchor, BB.getParent()->getEntryBlock());
}

std::optional<AffineAddress> AffineAddresses::affineAddress(const Access &A,
                                                            ArrayRef<Variable> Variables,
                                                            const char *&Why) const {
  const auto Refuse = [&](const char *Reason) {
    Why = Reason;
    return std::nullopt;
  };
  if (const char *Reason = whyNotPlain(A))
    return Refuse(Reason);
  if (!A.UniformExecution)
    return Refuse(A.UniformExecution.Why);
  const BasicBlock &BB = *A.Inst->getParent();
  if (Loops.isInIrreducibleCycle(BB))
    return Refuse("irreducible control flow");
  const SCEV *Pointer = SE.getSCEV(A.Pointer);
  const auto *Base = dyn_cast<SCEVUnknown>(SE.getPointerBase(Pointer));
  const Value *Object = A.Variable < 0 ? nullptr : Variables[A.Variable].Base;
  if (!Base || !Object || Base->getValue()->stripPointerCasts() != Object ||
      !isa<GlobalVariable, Argument>(Object))
    return Refuse("the address does not start at one variable or parameter");

  AffineAddress Result;
  findLoops(BB, Result);
  Reader R(SE, MaxThreads, Result.Loops);
  std::optional<Reading> Offset = R.read(SE.removePointerBase(Pointer));
  if (!Offset)
    return Refuse(R.Why);
  Result.Address = std::move(Offset->P);
  if (!addTerm(Result.Address, {}, A.Displacement))
    return Refuse(NotAffine);
  append_range(Result.Conditions, R.Conditions);
  return Result;
}

std::optional<Sweep> AffineAddresses::sweep(const Access &A, const char *&Why) const {
  const auto Refuse = [&](const char *Reason) {
    Why = Reason;
    return std::nullopt;
  };
  if (const char *Reason = whyNotPlain(A))
    return Refuse(Reason);
  const BasicBlock &BB = *A.Inst->getParent();
  const Loop *L = LI.getLoopFor(&BB);
  if (!L)
    return Refuse("not in a loop");
  if (Loops.isInIrreducibleCycle(BB))
    return Refuse("irreducible control flow");
  if (any_of(L->blocks(), [&](const BasicBlock *In) { return Flow.mayLeaveIn(*In); }))
    return Refuse("the loop has an opaque call");
  if (const char *Reason = Loops.whyNotOnceInEachIteration(BB, *L))
    return Refuse(Reason);
  const auto *Address = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(A.Pointer));
  if (!Address || Address->getLoop() != L || !Address->isAffine())
    return Refuse("the address does not change evenly in the loop");
  const auto *Stride = dyn_cast<SCEVConstant>(Address->getStepRecurrence(SE));
  if (!Stride)
    return Refuse("the stride is not constant");
  const BasicBlock *Exiting = L->getExitingBlock();
  const SCEV *Taken = SE.getBackedgeTakenCount(L);
  if (!Exiting || isa<SCEVCouldNotCompute>(Taken))
    return Refuse("the trip count is not known before the loop");
  SCEVExpander Expander(SE, "gm");
  const Instruction *Before = L->getLoopPreheader()->getTerminator();
  const SCEV *Start = SE.getAddExpr(
      Address->getStart(), SE.getConstant(Stride->getType(), A.Displacement, /*isSigned=*/true));
  if (!Expander.isSafeToExpandAt(Start, Before) || !Expander.isSafeToExpandAt(Taken, Before))
    return Refuse("start or trip count cannot be computed before the loop");
  return Sweep{L, Start, Stride->getAPInt().getSExtValue(), Taken,
               executesInLastIteration(&BB, Exiting, DT)};
}
