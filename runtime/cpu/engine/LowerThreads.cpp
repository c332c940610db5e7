//===- LowerThreads.cpp - Registers, barriers and warp operations ---------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/engine/Intrinsics.h"
#include "cpu/engine/Lower.h"
#include "cpu/engine/WarpOps.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace gmprof::cpu {

//===----------------------------------------------------------------------===//
// Special registers
//===----------------------------------------------------------------------===//

namespace {

/// Register with three dimensions, by name without ".x".
struct Vector3Register {
  const char *Name;
  bool OfThread;
  size_t Offset;
};
constexpr Vector3Register Vector3Registers[] = {
    {"tid", true, offsetof(ThreadState, ThreadIdx)},
    {"ntid", false, offsetof(BlockState, BlockDim)},
    {"ctaid", false, offsetof(BlockState, BlockIdx)},
    {"nctaid", false, offsetof(BlockState, GridDim)},
    {"clusterid", false, offsetof(BlockState, ClusterIdx)},
    {"nclusterid", false, offsetof(BlockState, ClusterGrid)},
    {"cluster.ctaid", false, offsetof(BlockState, InCluster)},
    {"cluster.nctaid", false, offsetof(BlockState, ClusterDim)},
};

/// Warps per SM and SMs of an H100.
constexpr uint32_t WarpsOfSm = 64, NumSms = 132;

Value *lowerSpecialRegister(IRBuilder<> &B, StringRef Name, LoweringContext &Context) {
  Type *I32 = B.getInt32Ty(), *I64 = B.getInt64Ty();
  auto [Base, Dimension] = Name.rsplit('.');
  for (const Vector3Register &R : Vector3Registers)
    if (Base == R.Name) {
      if (Dimension == "w")
        return B.getInt32(Base.starts_with("n") || Base == "cluster.nctaid" ? 1 : 0);
      size_t Offset = R.Offset + 4 * (Dimension[0] - 'x');
      return R.OfThread ? Context.loadThread(B, Offset, I32) : Context.loadBlock(B, Offset, I32);
    }
  if (Name == "cluster.ctarank")
    return Context.loadBlock(B, offsetof(BlockState, ClusterRank), I32);
  if (Name == "cluster.nctarank")
    return Context.loadBlock(B, offsetof(BlockState, ClusterSize), I32);
  if (Name == "laneid")
    return Context.loadThread(B, offsetof(ThreadState, Lane), I32);
  if (Name == "warpid")
    return Context.loadThread(B, offsetof(ThreadState, Warp), I32);
  if (Name == "nwarpid")
    return B.getInt32(WarpsOfSm);
  if (Name == "smid")
    return Context.loadBlock(B, offsetof(BlockState, SmId), I32);
  if (Name == "nsmid")
    return B.getInt32(NumSms);
  if (Name == "warpsize")
    return B.getInt32(WarpSize);
  if (Name == "gridid")
    return Context.loadBlock(B, offsetof(BlockState, GridId), I32);
  if (Name == "dynamic_smem_size")
    return Context.loadBlock(B, offsetof(BlockState, DynamicBytes), I32);
  if (Name == "total_smem_size" || Name == "aggr_smem_size")
    return Context.loadBlock(B, offsetof(BlockState, SharedBytes), I32);
  if (Name == "clock64")
    return Context.callHelper(B, "gm_clock64", I64);
  if (Name == "clock")
    return B.CreateTrunc(Context.callHelper(B, "gm_clock64", I64), I32);
  if (Name == "globaltimer")
    return Context.callHelper(B, "gm_globaltimer", I64);
  if (Name == "globaltimer.lo")
    return B.CreateTrunc(Context.callHelper(B, "gm_globaltimer", I64), I32);
  if (Name == "envreg1" || Name == "envreg2") // high and low half
    return Context.loadBlock(B, offsetof(BlockState, GridWorkspace) + (Name == "envreg1" ? 4 : 0),
                             I32);
  if (Name.starts_with("envreg") || Name.starts_with("pm"))
    return B.getInt32(0);
  if (Name.consume_front("lanemask.")) {
    Value *Lane = Context.loadThread(B, offsetof(ThreadState, Lane), I32);
    Value *Bit = B.CreateShl(B.getInt32(1), Lane);
    Value *Below = B.CreateSub(Bit, B.getInt32(1));
    if (Name == "eq")
      return Bit;
    if (Name == "lt")
      return Below;
    if (Name == "le")
      return B.CreateOr(Below, Bit);
    if (Name == "ge")
      return B.CreateNot(Below);
    if (Name == "gt")
      return B.CreateNot(B.CreateOr(Below, Bit));
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Barriers and warp operations
//===----------------------------------------------------------------------===//

/// Lowers one call.
class ThreadOp {
public:
  ThreadOp(CallInst &Call, LoweringContext &Context)
      : Call(Call), Context(Context), B(&Call), I32(B.getInt32Ty()) {}

  /// Returns the replacement of Call (null if it has no value), or nothing if the intrinsic is of
  /// another kind.
  std::optional<Value *> lower(StringRef Name);

private:
  Value *arg(unsigned I) { return Call.getArgOperand(I); }
  Value *widen(Value *V) {
    if (V->getType()->isFloatTy())
      V = B.CreateBitCast(V, I32);
    return B.CreateZExt(V, B.getInt64Ty());
  }
  Value *site() { return Context.site(Call); }
  Value *thread() { return Context.threadState(B); }
  Value *warpOp(WarpOpKind Kind, Value *Mask, Value *A = nullptr, Value *Other = nullptr,
                Value *Clamp = nullptr);
  Value *result(Value *Wide);
  Value *barrier(StringRef Name);
  std::optional<Value *> shuffle(StringRef Name);
  std::optional<Value *> vote(StringRef Name);
  std::optional<Value *> reduction(StringRef Name);

  CallInst &Call;
  LoweringContext &Context;
  IRBuilder<> B;
  Type *I32;
};

/// Emits a warp operation; a null Mask means none.
Value *ThreadOp::warpOp(WarpOpKind Kind, Value *Mask, Value *A, Value *Other, Value *Clamp) {
  Value *Zero = B.getInt32(0);
  return Context.callHelper(
      B, "gm_warp_op", B.getInt64Ty(),
      {thread(), site(), B.getInt32(uint32_t(Kind) | (Mask ? 0 : ImplicitMask)), Mask ? Mask : Zero,
       A ? widen(A) : B.getInt64(0), Other ? Other : Zero, Clamp ? Clamp : Zero});
}

/// Converts value and predicate of gm_warp_op to Call's type.
Value *ThreadOp::result(Value *Wide) {
  Type *Type = Call.getType();
  if (Type->isVoidTy())
    return nullptr;
  auto Scalar = [&](llvm::Type *T) -> Value * {
    Value *Low = B.CreateTrunc(Wide, I32);
    return T->isIntegerTy(1) ? B.CreateICmpNE(Low, B.getInt32(0)) : B.CreateBitCast(Low, T);
  };
  auto *Pair = dyn_cast<StructType>(Type);
  if (!Pair)
    return Scalar(Type);
  Value *Predicate = B.CreateTrunc(B.CreateLShr(Wide, 32), B.getInt1Ty());
  Value *Both = B.CreateInsertValue(PoisonValue::get(Pair), Scalar(Pair->getElementType(0)), 0);
  return B.CreateInsertValue(Both, Predicate, 1);
}

/// Lowers cta.{sync|arrive|red.popc|red.and|red.or}[.aligned].{all|count}.
Value *ThreadOp::barrier(StringRef Name) {
  BarrierKind Kind = BarrierKind::Sync;
  if (Name.starts_with("arrive"))
    Kind = BarrierKind::Arrive;
  else if (Name.starts_with("red.popc"))
    Kind = BarrierKind::PopCount;
  else if (Name.starts_with("red.and"))
    Kind = BarrierKind::And;
  else if (Name.starts_with("red.or"))
    Kind = BarrierKind::Or;
  bool Counted = Name.ends_with(".count");
  Value *Predicate = B.getInt32(0);
  if (Name.starts_with("red."))
    Predicate = B.CreateZExt(arg(Call.arg_size() - 1), I32);
  Value *Result = Context.callHelper(B, "gm_barrier", I32,
                                     {thread(), site(), B.getInt32(uint32_t(Kind)), arg(0),
                                      Counted ? arg(1) : B.getInt32(0), Predicate});
  if (Call.getType()->isVoidTy())
    return nullptr;
  return Call.getType()->isIntegerTy(1) ? B.CreateICmpNE(Result, B.getInt32(0)) : Result;
}

/// Lowers [sync.]{up|down|bfly|idx}.{i32|f32}[p].
std::optional<Value *> ThreadOp::shuffle(StringRef Name) {
  bool Sync = Name.consume_front("sync.");
  auto Kind = StringSwitch<std::optional<WarpOpKind>>(Name.split('.').first)
                  .Case("up", WarpOpKind::ShuffleUp)
                  .Case("down", WarpOpKind::ShuffleDown)
                  .Case("bfly", WarpOpKind::ShuffleButterfly)
                  .Case("idx", WarpOpKind::ShuffleIndex)
                  .Default(std::nullopt);
  if (!Kind)
    return std::nullopt;
  unsigned First = Sync ? 1 : 0;
  return result(warpOp(*Kind, Sync ? arg(0) : nullptr, arg(First), arg(First + 1), arg(First + 2)));
}

/// Lowers {all|any|uni|ballot}[.sync].
std::optional<Value *> ThreadOp::vote(StringRef Name) {
  bool Sync = Name.consume_back(".sync");
  auto Kind = StringSwitch<std::optional<WarpOpKind>>(Name)
                  .Case("all", WarpOpKind::VoteAll)
                  .Case("any", WarpOpKind::VoteAny)
                  .Case("uni", WarpOpKind::VoteUniform)
                  .Case("ballot", WarpOpKind::Ballot)
                  .Default(std::nullopt);
  if (!Kind)
    return std::nullopt;
  return result(warpOp(*Kind, Sync ? arg(0) : nullptr, arg(Sync ? 1 : 0)));
}

std::optional<Value *> ThreadOp::reduction(StringRef Name) {
  bool IsFloat = Name.consume_front("f");
  bool NaNWins = IsFloat && Name.consume_back(".NaN");
  bool Absolute = IsFloat && Name.consume_back(".abs");
  std::optional<WarpOpKind> Kind;
  if (IsFloat)
    Kind = StringSwitch<std::optional<WarpOpKind>>(Name)
               .Case("min", NaNWins ? WarpOpKind::ReduceFMinNaN : WarpOpKind::ReduceFMin)
               .Case("max", NaNWins ? WarpOpKind::ReduceFMaxNaN : WarpOpKind::ReduceFMax)
               .Default(std::nullopt);
  else
    Kind = StringSwitch<std::optional<WarpOpKind>>(Name)
               .Case("add", WarpOpKind::ReduceAdd)
               .Case("min", WarpOpKind::ReduceMin)
               .Case("max", WarpOpKind::ReduceMax)
               .Case("umin", WarpOpKind::ReduceUMin)
               .Case("umax", WarpOpKind::ReduceUMax)
               .Case("and", WarpOpKind::ReduceAnd)
               .Case("or", WarpOpKind::ReduceOr)
               .Case("xor", WarpOpKind::ReduceXor)
               .Default(std::nullopt);
  if (!Kind)
    return std::nullopt;
  Value *Operand = arg(0);
  if (Absolute)
    Operand = B.CreateUnaryIntrinsic(Intrinsic::fabs, Operand);
  return result(warpOp(*Kind, arg(1), Operand));
}

std::optional<Value *> ThreadOp::lower(StringRef Name) {
  if (Name.consume_front("read.ptx.sreg.")) {
    if (Value *V = lowerSpecialRegister(B, Name, Context))
      return V;
    return std::nullopt;
  }
  if (Name.consume_front("barrier.cta."))
    return barrier(Name);
  if (Name.starts_with("barrier.cluster.arrive")) {
    Context.callHelper(B, "gm_cluster_arrive", B.getVoidTy(), {thread()});
    return nullptr;
  }
  if (Name.starts_with("barrier.cluster.wait")) {
    Context.callHelper(B, "gm_cluster_wait", B.getVoidTy(), {thread(), site()});
    return nullptr;
  }
  if (Name.consume_front("shfl."))
    return shuffle(Name);
  if (Name.consume_front("vote."))
    return vote(Name);
  if (Name.consume_front("redux.sync."))
    return reduction(Name);
  if (Name == "bar.warp.sync")
    return result(warpOp(WarpOpKind::SyncWarp, arg(0)));
  if (Name == "activemask")
    return result(warpOp(WarpOpKind::ActiveMask, nullptr));
  if (Name.starts_with("match.any.sync."))
    return result(warpOp(WarpOpKind::MatchAny, arg(0), arg(1)));
  if (Name.starts_with("match.all.sync."))
    return result(warpOp(WarpOpKind::MatchAll, arg(0), arg(1)));
  if (Name == "elect.sync")
    return result(warpOp(WarpOpKind::Elect, arg(0)));
  if (Name == "nanosleep") {
    Context.callHelper(B, "gm_nanosleep", B.getVoidTy(), {thread(), site(), arg(0)});
    return nullptr;
  }
  if (Name == "exit") {
    Context.callHelper(B, "gm_exit", B.getVoidTy(), {thread()});
    return nullptr;
  }
  return std::nullopt;
}

} // namespace

bool lowerThreadIntrinsic(CallInst &Call, LoweringContext &Context) {
  StringRef Name = Call.getCalledFunction()->getName();
  Name.consume_front("llvm.nvvm.");
  std::optional<Value *> Result = ThreadOp(Call, Context).lower(Name);
  if (!Result)
    return false;
  if (*Result)
    Call.replaceAllUsesWith(*Result);
  Call.eraseFromParent();
  return true;
}

} // namespace gmprof::cpu
