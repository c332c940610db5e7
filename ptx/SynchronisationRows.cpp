//===- SynchronisationRows.cpp - Barriers, fences and warp instructions ---===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InstructionLifter.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace gmprof::ptx {
namespace {

/// Lifts bar.sync, barrier.sync and barrier.cta.sync; bar is aligned.
bool barrier(InstructionLifter &L, const Instruction &I) {
  const bool Aligned = I.Opcode == "bar" || I.has("aligned"), Counted = I.Operands.size() == 2;
  llvm::Type *Int = L.B.getInt32Ty();
  SmallVector<Value *, 2> Arguments;
  for (const Operand &O : I.Operands)
    Arguments.push_back(L.read(O, Int));
  Intrinsic::ID Id = Intrinsic::not_intrinsic;
  if (I.has("arrive"))
    Id = Aligned ? Intrinsic::nvvm_barrier_cta_arrive_aligned_count
                 : Intrinsic::nvvm_barrier_cta_arrive_count;
  else if (Counted)
    Id = Aligned ? Intrinsic::nvvm_barrier_cta_sync_aligned_count
                 : Intrinsic::nvvm_barrier_cta_sync_count;
  else
    Id = Aligned ? Intrinsic::nvvm_barrier_cta_sync_aligned_all
                 : Intrinsic::nvvm_barrier_cta_sync_all;
  L.intrinsic(Id, Arguments);
  return true;
}

/// Lifts bar.red.popc.u32 %d, barrier[, threads], %p.
bool reducingBarrier(InstructionLifter &L, const Instruction &I) {
  const bool Aligned = I.Opcode == "bar" || I.has("aligned"), Counted = I.Operands.size() == 4;
  const std::string Name = ("llvm.nvvm.barrier.cta.red." +
                            Twine(I.has("popc")  ? "popc"
                                  : I.has("and") ? "and"
                                                 : "or") +
                            (Aligned ? ".aligned" : "") + (Counted ? ".count" : ".all"))
                               .str();
  SmallVector<Value *, 3> Arguments;
  for (const Operand &O : ArrayRef(I.Operands).drop_front().drop_back())
    Arguments.push_back(L.read(O, L.B.getInt32Ty()));
  Arguments.push_back(L.read(I.Operands.back(), L.B.getInt1Ty()));
  L.write(I.Operands[0], L.intrinsic(Intrinsic::lookupIntrinsicID(Name), Arguments));
  return true;
}

/// Lifts barriers of clusters: barrier.cluster.arrive releases and barrier.cluster.wait acquires,
/// unless the first is relaxed.
bool clusterBarrier(InstructionLifter &L, const Instruction &I) {
  const bool Aligned = I.has("aligned");
  Intrinsic::ID Id = Intrinsic::not_intrinsic;
  if (I.has("wait"))
    Id = Aligned ? Intrinsic::nvvm_barrier_cluster_wait_aligned
                 : Intrinsic::nvvm_barrier_cluster_wait;
  else if (I.has("relaxed"))
    Id = Aligned ? Intrinsic::nvvm_barrier_cluster_arrive_relaxed_aligned
                 : Intrinsic::nvvm_barrier_cluster_arrive_relaxed;
  else
    Id = Aligned ? Intrinsic::nvvm_barrier_cluster_arrive_aligned
                 : Intrinsic::nvvm_barrier_cluster_arrive;
  L.intrinsic(Id, {});
  return true;
}

bool warpBarrier(InstructionLifter &L, const Instruction &I) {
  L.intrinsic(Intrinsic::nvvm_bar_warp_sync, {L.read(I.Operands[0], L.B.getInt32Ty())});
  return true;
}

bool memoryBarrier(InstructionLifter &L, const Instruction &I) {
  L.intrinsic(I.has("cta")  ? Intrinsic::nvvm_membar_cta
              : I.has("gl") ? Intrinsic::nvvm_membar_gl
                            : Intrinsic::nvvm_membar_sys,
              {});
  return true;
}

bool fence(InstructionLifter &L, const Instruction &I) {
  StringRef Scope = StringSwitch<StringRef>(I.Modifiers.back())
                        .Case("cta", "block")
                        .Case("cluster", "cluster")
                        .Case("gpu", "device")
                        .Default("");
  L.B.CreateFence(I.has("sc") ? AtomicOrdering::SequentiallyConsistent
                              : AtomicOrdering::AcquireRelease,
                  L.B.getContext().getOrInsertSyncScopeID(Scope));
  return true;
}

/// Lifts shfl.sync.down.b32 %d|%p, %a, %lane, %clamp, %mask.
bool shuffle(InstructionLifter &L, const Instruction &I) {
  const std::vector<Operand> &O = I.Operands;
  const bool Pair = O[0].K == Operand::Kind::Pair;
  StringRef Mode = I.Modifiers[1];
  Intrinsic::ID Id =
      Mode == "up" ? (Pair ? Intrinsic::nvvm_shfl_sync_up_i32p : Intrinsic::nvvm_shfl_sync_up_i32)
      : Mode == "down"
          ? (Pair ? Intrinsic::nvvm_shfl_sync_down_i32p : Intrinsic::nvvm_shfl_sync_down_i32)
      : Mode == "bfly"
          ? (Pair ? Intrinsic::nvvm_shfl_sync_bfly_i32p : Intrinsic::nvvm_shfl_sync_bfly_i32)
          : (Pair ? Intrinsic::nvvm_shfl_sync_idx_i32p : Intrinsic::nvvm_shfl_sync_idx_i32);
  llvm::Type *Int = L.B.getInt32Ty();
  Value *V =
      L.intrinsic(Id, {L.read(O[4], Int), L.read(O[1], Int), L.read(O[2], Int), L.read(O[3], Int)});
  if (!Pair) {
    L.write(O[0], V);
    return true;
  }
  L.write(O[0].Parts[0], L.B.CreateExtractValue(V, 0));
  L.write(O[0].Parts[1], L.B.CreateExtractValue(V, 1));
  return true;
}

/// Lifts vote.sync.any.pred %p, %q, %mask.
bool vote(InstructionLifter &L, const Instruction &I) {
  Intrinsic::ID Id = I.has("all")   ? Intrinsic::nvvm_vote_all_sync
                     : I.has("any") ? Intrinsic::nvvm_vote_any_sync
                     : I.has("uni") ? Intrinsic::nvvm_vote_uni_sync
                                    : Intrinsic::nvvm_vote_ballot_sync;
  L.write(I.Operands[0], L.intrinsic(Id, {L.read(I.Operands[2], L.B.getInt32Ty()),
                                          L.read(I.Operands[1], L.B.getInt1Ty())}));
  return true;
}

/// Lifts elect.sync %d|%p, %mask.
bool elect(InstructionLifter &L, const Instruction &I) {
  if (I.Operands[0].K != Operand::Kind::Pair)
    return false;
  Value *V = L.intrinsic(Intrinsic::nvvm_elect_sync, {L.read(I.Operands[1], L.B.getInt32Ty())});
  L.write(I.Operands[0].Parts[0], L.B.CreateExtractValue(V, 0));
  L.write(I.Operands[0].Parts[1], L.B.CreateExtractValue(V, 1));
  return true;
}

bool activeMask(InstructionLifter &L, const Instruction &I) {
  L.write(I.Operands[0], L.intrinsic(Intrinsic::nvvm_activemask, {}));
  return true;
}

bool matchAny(InstructionLifter &L, const Instruction &I) {
  const bool Wide = I.Modifiers.back() == "b64";
  L.write(I.Operands[0], L.intrinsic(Wide ? Intrinsic::nvvm_match_any_sync_i64
                                          : Intrinsic::nvvm_match_any_sync_i32,
                                     {L.read(I.Operands[2], L.B.getInt32Ty()),
                                      L.read(I.Operands[1], L.irType(L.type(I)))}));
  return true;
}

/// Lifts redux.sync.add.u32 %d, %a, %mask.
bool reduce(InstructionLifter &L, const Instruction &I) {
  const bool Signed = L.type(I).isSigned();
  Intrinsic::ID Id =
      StringSwitch<Intrinsic::ID>(I.Modifiers[1])
          .Case("add", Intrinsic::nvvm_redux_sync_add)
          .Case("min", Signed ? Intrinsic::nvvm_redux_sync_min : Intrinsic::nvvm_redux_sync_umin)
          .Case("max", Signed ? Intrinsic::nvvm_redux_sync_max : Intrinsic::nvvm_redux_sync_umax)
          .Case("and", Intrinsic::nvvm_redux_sync_and)
          .Case("or", Intrinsic::nvvm_redux_sync_or)
          .Default(Intrinsic::nvvm_redux_sync_xor);
  llvm::Type *Int = L.B.getInt32Ty();
  L.write(I.Operands[0], L.intrinsic(Id, {L.read(I.Operands[1], Int), L.read(I.Operands[2], Int)}));
  return true;
}

constexpr Row Rows[] = {
    {"bar", "[cta] sync", "vv?", barrier},
    {"barrier", "[cta] sync [aligned]", "vv?", barrier},
    {"bar", "[cta] arrive", "vv", barrier},
    {"barrier", "[cta] arrive [aligned]", "vv", barrier},
    {"bar", "[cta] red popc u32", "dvvv?", reducingBarrier},
    {"bar", "[cta] red and|or pred", "dvvv?", reducingBarrier},
    {"barrier", "[cta] red popc [aligned] u32", "dvvv?", reducingBarrier},
    {"barrier", "[cta] red and|or [aligned] pred", "dvvv?", reducingBarrier},
    {"barrier", "cluster arrive [release|relaxed] [aligned]", "", clusterBarrier},
    {"barrier", "cluster wait [acquire] [aligned]", "", clusterBarrier},
    {"bar", "warp sync", "v", warpBarrier},
    {"membar", "cta|gl|sys", "", memoryBarrier},
    {"fence", "acq_rel|sc cta|cluster|gpu|sys", "", fence},
    {"shfl", "sync up|down|bfly|idx b32", "pvvvv", shuffle},
    {"vote", "sync all|any|uni pred", "dvv", vote},
    {"vote", "sync ballot b32", "dvv", vote},
    {"vote", "all|any|uni sync pred", "dvv", vote},
    {"vote", "ballot sync b32", "dvv", vote},
    {"elect", "sync", "pv", elect},
    {"activemask", "b32", "d", activeMask},
    {"match", "any sync b32|b64", "dvv", matchAny},
    {"redux", "sync add|min|max u32|s32", "dvv", reduce},
    {"redux", "sync and|or|xor b32", "dvv", reduce},
};

} // namespace

ArrayRef<Row> synchronisationRows() { return Rows; }

} // namespace gmprof::ptx
