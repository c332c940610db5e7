//===- Memory.cpp - Memory and address intrinsics -------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Asynchronous copies complete immediately, so waiting for them is a no-op. Every fence is
// sequentially consistent. Caches are not modelled: cache hints have no effect.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "llvm/IR/Intrinsics.h"

using namespace llvm;

namespace gmprof::cpu {

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

static Value *addressOf(IntrinsicCall &S, Value *Pointer) {
  return S.B.CreatePtrToInt(Pointer, S.B.getInt64Ty());
}

/// Returns whether Low <= Address < High.
static Value *within(IRBuilderBase &B, Value *Address, Value *Low, Value *High) {
  return B.CreateICmpULT(B.CreateSub(Address, Low), B.CreateSub(High, Low));
}

static bool lowerIsSpace(IntrinsicCall &S) {
  IRBuilder<> &B = S.B;
  Type *I64 = B.getInt64Ty();
  Value *Address = addressOf(S, S.arg(0));
  auto IsPeers = [&] {
    return within(B, Address, S.Context.loadBlock(B, offsetof(BlockState, PeersLow), I64),
                  S.Context.loadBlock(B, offsetof(BlockState, PeersHigh), I64));
  };
  auto IsShared = [&] {
    Value *Base = S.Context.loadBlock(B, offsetof(BlockState, SharedBase), I64);
    Value *Bytes = S.Context.loadBlock(B, offsetof(BlockState, SharedBytes), I64);
    return within(B, Address, Base, B.CreateAdd(Base, Bytes));
  };
  auto IsConst = [&] {
    return within(B, Address, S.Context.loadBlock(B, offsetof(BlockState, ConstantLow), I64),
                  S.Context.loadBlock(B, offsetof(BlockState, ConstantHigh), I64));
  };
  auto IsLocal = [&] {
    return within(B, Address, S.Context.loadThread(B, offsetof(ThreadState, StackLow), I64),
                  S.Context.loadThread(B, offsetof(ThreadState, StackHigh), I64));
  };
  auto IsParam = [&] {
    return within(B, Address, S.Context.loadBlock(B, offsetof(BlockState, Params), I64),
                  S.Context.loadBlock(B, offsetof(BlockState, ParamsEnd), I64));
  };
  StringRef Space = S.Mods.next();
  if (Space == "shared")
    S.Result = S.Mods.take("cluster") ? IsPeers() : IsShared();
  else if (Space == "const")
    S.Result = IsConst();
  else if (Space == "local")
    S.Result = IsLocal();
  else if (Space == "global")
    S.Result = B.CreateNot(B.CreateOr({IsPeers(), IsConst(), IsLocal(), IsParam()}));
  else
    return false;
  return true;
}

/// Maps an address to the shared memory of another block of the cluster.
static Value *mapToBlock(IntrinsicCall &S, Value *Pointer, Value *Rank) {
  Value *There = S.helper("gm_mapa", S.B.getInt64Ty(),
                          {S.Context.threadState(S.B), addressOf(S, Pointer), Rank});
  return S.B.CreateIntToPtr(There, S.B.getPtrTy());
}

static bool lowerMapA(IntrinsicCall &S) {
  S.Mods.take("shared");
  S.Mods.take("cluster");
  S.Result = S.B.CreatePointerBitCastOrAddrSpaceCast(mapToBlock(S, S.arg(0), S.arg(1)), S.type());
  return true;
}

static bool lowerGetCtaRank(IntrinsicCall &S) {
  S.Mods.take("shared");
  S.Mods.take("cluster");
  S.Result = S.helper("gm_cta_rank", S.B.getInt32Ty(),
                      {S.Context.threadState(S.B), addressOf(S, S.arg(0))});
  return true;
}

static bool lowerIsExplicitCluster(IntrinsicCall &S) {
  Value *Is = S.Context.loadBlock(S.B, offsetof(BlockState, ExplicitCluster), S.B.getInt32Ty());
  S.Result = S.B.CreateTrunc(Is, S.B.getInt1Ty());
  return true;
}

static bool lowerInternal(IntrinsicCall &S) {
  if (!S.Mods.take("addrspace") || !S.Mods.take("wrap"))
    return false;
  S.Result = S.B.CreatePointerBitCastOrAddrSpaceCast(S.arg(0), S.type());
  return true;
}

//===----------------------------------------------------------------------===//
// Loads, copies, fences
//===----------------------------------------------------------------------===//

static bool lowerLdu(IntrinsicCall &S) {
  if (!S.Mods.take("global") || S.Mods.takeOneOf({"i", "f", "p"}).empty())
    return false;
  Align Alignment(std::max<uint64_t>(1, cast<ConstantInt>(S.arg(1))->getZExtValue()));
  S.Result = S.B.CreateAlignedLoad(S.type(), S.arg(0), Alignment);
  return true;
}

static bool fence(IntrinsicCall &S) {
  S.B.CreateFence(AtomicOrdering::SequentiallyConsistent);
  return true;
}

static bool lowerMembar(IntrinsicCall &S) {
  return !S.Mods.takeOneOf({"cta", "gl", "sys"}).empty() && fence(S);
}

/// Lowers fences, which differ only in what they order.
static bool lowerFence(IntrinsicCall &S) {
  while (!S.Mods.empty())
    S.Mods.next();
  return fence(S);
}

/// Copies Count bytes; with a third argument, copies only that many and fills the rest with zeros.
static void copyAsync(IntrinsicCall &S, uint64_t Count) {
  Value *To = S.arg(0), *From = S.arg(1);
  Align Alignment(Count);
  if (S.Call.arg_size() == 2) {
    Type *T = S.B.getIntNTy(Count * 8);
    S.B.CreateAlignedStore(S.B.CreateAlignedLoad(T, From, Alignment), To, Alignment);
    return;
  }
  Value *Wanted = S.B.CreateBinaryIntrinsic(Intrinsic::umin, S.arg(2), S.B.getInt32(Count));
  S.B.CreateMemSet(To, S.B.getInt8(0), Count, Alignment);
  S.B.CreateMemCpy(To, Alignment, From, Align(1), S.B.CreateZExt(Wanted, S.B.getInt64Ty()));
}

/// Lowers cp.async.bulk.FROM.to.TO: (to, barrier, from, bytes …), or (to, from, bytes …) for a copy
/// to global memory, for which no barrier waits.
static bool copyBulk(IntrinsicCall &S) {
  bool ToGlobal = S.Mods.rest().back() == "global";
  while (S.Mods.take("cta") || S.Mods.take("cluster") || S.Mods.take("to") ||
         S.Mods.take("shared") || S.Mods.take("global"))
    ;
  if (!S.Mods.empty())
    return false;
  // (to, barrier, from, bytes, mask, policy, has mask, has policy)
  constexpr unsigned Mask = 4, HasMask = 6, FromGlobal = 8;
  if (S.Call.arg_size() == FromGlobal && cast<ConstantInt>(S.arg(HasMask))->isOne()) {
    S.helper("gm_multicast", S.B.getVoidTy(),
             {S.Context.threadState(S.B), addressOf(S, S.arg(0)), S.arg(2), S.arg(3),
              addressOf(S, S.arg(1)), S.B.CreateZExt(S.arg(Mask), S.B.getInt32Ty())});
    return true;
  }
  Value *Bytes = S.arg(ToGlobal ? 2 : 3);
  S.B.CreateMemCpy(S.arg(0), Align(16), S.arg(ToGlobal ? 1 : 2), Align(16),
                   S.B.CreateZExt(Bytes, S.B.getInt64Ty()));
  if (!ToGlobal)
    S.helper("gm_mbarrier_complete_tx", S.B.getVoidTy(), {S.arg(1), Bytes});
  return true;
}

/// Lowers cp.async.{ca,cg}.shared.global.N[.s], cp.async.{commit.group,wait.group,wait.all},
/// cp.async.bulk.{commit.group,wait.group} and cp.async.mbarrier.arrive.
static bool lowerCpAsync(IntrinsicCall &S) {
  if (!S.Mods.take("async"))
    return false;
  StringRef Kind = S.Mods.next();
  if (Kind == "ca" || Kind == "cg") {
    if (!S.Mods.take("shared") || !S.Mods.take("global"))
      return false;
    uint64_t Count;
    if (S.Mods.next().getAsInteger(10, Count))
      return false;
    S.Mods.take("s");
    copyAsync(S, Count);
    return true;
  }
  if (Kind == "bulk") {
    Kind = S.Mods.next();
    if (Kind == "global" || Kind == "shared")
      return copyBulk(S);
    if (Kind == "prefetch")
      return S.Mods.take("L2");
  }
  if (Kind == "commit" || Kind == "wait") {
    S.Mods.takeOneOf({"group", "all"});
    S.Mods.take("read");
    return true;
  }
  if (Kind == "mbarrier" && S.Mods.take("arrive")) {
    // Earlier copies are complete, so this arrives immediately. An arrival without noinc first
    // increments the expected arrivals for its own arrival, which has no net effect.
    if (S.Mods.take("noinc"))
      S.helper("gm_mbarrier_arrive", S.B.getInt64Ty(),
               {S.arg(0), S.B.getInt32(1), S.B.getInt32(0), S.B.getInt32(0)});
    S.Mods.take("shared");
    return true;
  }
  return false;
}

/// Lowers st.bulk, which stores zeros.
static bool lowerStore(IntrinsicCall &S) {
  if (!S.Mods.take("bulk"))
    return false;
  S.Mods.take("shared");
  S.Mods.take("cta");
  S.B.CreateMemSet(S.arg(0), S.B.getInt8(0), S.arg(1), Align(8));
  return true;
}

/// Removes hints and operations that only matter on a GPU.
static bool lowerToNothing(IntrinsicCall &S) {
  while (!S.Mods.empty())
    S.Mods.next();
  return S.type()->isVoidTy();
}

//===----------------------------------------------------------------------===//
// mbarrier
//===----------------------------------------------------------------------===//

static Value *parameter(IntrinsicCall &S, unsigned I, uint32_t Default) {
  return I < S.Call.arg_size() ? S.arg(I) : S.B.getInt32(Default);
}

static bool arrive(IntrinsicCall &S) {
  bool Drop = S.Mods.take("drop");
  bool ExpectTx = S.Mods.take("expect");
  S.Mods.take("tx");
  S.Mods.take("noComplete");
  // arg(1) is a number of bytes for expect_tx, else a number of arrivals.
  Value *Arrivals = ExpectTx ? S.B.getInt32(1) : parameter(S, 1, 1);
  Value *Bytes = ExpectTx ? S.arg(1) : S.B.getInt32(0);
  Value *State = S.helper("gm_mbarrier_arrive", S.B.getInt64Ty(),
                          {S.arg(0), Arrivals, Bytes, S.B.getInt32(Drop)});
  if (!S.type()->isVoidTy())
    S.Result = State;
  return true;
}

/// Lowers test_wait and try_wait, by state or by parity.
static bool testWait(IntrinsicCall &S) {
  bool Parity = S.Mods.take("parity");
  S.Mods.take("wait");
  S.Mods.take("tl");
  Value *Done = Parity ? S.helper("gm_mbarrier_test_parity", S.B.getInt32Ty(), {S.arg(0), S.arg(1)})
                       : S.helper("gm_mbarrier_test", S.B.getInt32Ty(), {S.arg(0), S.arg(1)});
  S.Result = S.B.CreateTrunc(Done, S.B.getInt1Ty());
  return true;
}

static bool lowerMBarrier(IntrinsicCall &S) {
  StringRef Operation = S.Mods.next();
  S.Mods.take("relaxed");
  if (S.Mods.take("scope")) {
    S.Mods.takeOneOf({"cta", "cluster"});
    S.Mods.take("space");
    S.Mods.takeOneOf({"cta", "cluster"});
  }
  S.Mods.take("shared");
  Type *Void = S.B.getVoidTy();
  if (Operation == "init")
    S.helper("gm_mbarrier_init", Void, {S.arg(0), S.arg(1)});
  else if (Operation == "arrive")
    return arrive(S);
  else if (Operation == "test" || Operation == "try")
    return testWait(S);
  else if (Operation == "expect" && S.Mods.take("tx"))
    S.helper("gm_mbarrier_expect_tx", Void, {S.arg(0), S.arg(1)});
  else if (Operation == "complete" && S.Mods.take("tx"))
    S.helper("gm_mbarrier_complete_tx", Void, {S.arg(0), S.arg(1)});
  else if (Operation == "pending" && S.Mods.take("count"))
    S.Result = S.helper("gm_mbarrier_pending_count", S.B.getInt32Ty(), {S.arg(0)});
  else
    return Operation == "inval";
  return true;
}

std::span<const RuleEntry> memoryRules() {
  static const RuleEntry Rules[] = {
      {"isspacep", lowerIsSpace},
      {"mapa", lowerMapA},
      {"getctarank", lowerGetCtaRank},
      {"is_explicit_cluster", lowerIsExplicitCluster},
      {"internal", lowerInternal},
      {"ldu", lowerLdu},
      {"membar", lowerMembar},
      {"fence", lowerFence},
      {"cp", lowerCpAsync},
      {"st", lowerStore},
      {"mbarrier", lowerMBarrier},
      {"prefetch", lowerToNothing},
      {"prefetchu", lowerToNothing},
      {"discard", lowerToNothing},
      {"applypriority", lowerToNothing},
      {"griddepcontrol", lowerToNothing},
      {"setmaxnreg", lowerToNothing},
      {"pm", lowerToNothing},
  };
  return Rules;
}

} // namespace gmprof::cpu
