//===- TraceRecords.cpp - Clones that record each request -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/cache/TraceRecords.h"

#include "pass/core/Hooks.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Support/Regex.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace gmprof;

/// The recorded address of the cursor. A thread's local memory is at lower and higher addresses.
static constexpr uint64_t LocalOrigin = uint64_t(1) << 20;

/// Returns the name of the intrinsic, or the assembly, that an instruction calls.
static StringRef calledText(const Instruction &I) {
  auto *Call = dyn_cast<CallBase>(&I);
  if (!Call)
    return "";
  if (auto *Asm = dyn_cast<InlineAsm>(Call->getCalledOperand()))
    return Asm->getAsmString();
  return Call->getCalledFunction() ? Call->getCalledFunction()->getName() : "";
}

static bool isAsyncCopy(const Update &U) {
  const StringRef Text = calledText(*U.Before);
  return U.IsBulk || Text.contains("cp.async.ca") || Text.contains("cp.async.cg");
}

static GmprofTraceKind kindOf(const Request &R, bool IsLocal) {
  const bool Writes = R.What.Counter == GMPROF_COUNTER_WRITES;
  if (IsLocal)
    return Writes ? GMPROF_TRACE_LOCAL_STORE : GMPROF_TRACE_LOCAL_LOAD;
  if (R.What.Counter == GMPROF_COUNTER_ATOMICS)
    return R.What.Before->use_empty() ? GMPROF_TRACE_REDUCTION : GMPROF_TRACE_ATOMIC;
  if (!Writes && isAsyncCopy(R.What))
    return GMPROF_TRACE_ASYNC_COPY;
  return Writes ? GMPROF_TRACE_STORE : GMPROF_TRACE_LOAD;
}

/// Returns how the access is cached: as its instruction says, or as the backend chooses.
static GmprofTraceOperator operatorOf(const Instruction &I) {
  if (auto *Load = dyn_cast<LoadInst>(&I)) {
    if (Load->isVolatile())
      return GMPROF_TRACE_CV;
    if (Load->isAtomic())
      return GMPROF_TRACE_CG;
    return Load->hasMetadata(LLVMContext::MD_invariant_load) ? GMPROF_TRACE_NC : GMPROF_TRACE_CA;
  }
  const StringRef Text = calledText(I);
  if (Text.contains("nvvm.ldg.") || Text.contains("nvvm.ldu."))
    return GMPROF_TRACE_NC;
  SmallVector<StringRef, 3> Found;
  if (!Regex("(ld|st|cp\\.async)[a-z0-9_.:]*\\.(ca|cg|cs|lu|cv|nc)").match(Text, &Found))
    return GMPROF_TRACE_CA;
  return StringSwitch<GmprofTraceOperator>(Found[2])
      .Case("cg", GMPROF_TRACE_CG)
      .Case("cs", GMPROF_TRACE_CS)
      .Case("lu", GMPROF_TRACE_LU)
      .Case("cv", GMPROF_TRACE_CV)
      .Case("nc", GMPROF_TRACE_NC)
      .Default(GMPROF_TRACE_CA);
}

namespace {

class Emitter : public AccessEmitter {
public:
  Emitter(const RequestClone &C, Hooks &H, const Request &R)
      : AccessEmitter(C, H, R.What), C(C), R(R) {}

  void emitGlobal() { record(branchOnGlobal(), /*IsLocal=*/false); }

  /// Records distances from the cursor, which are the same in all threads.
  void emitLocal() {
    Value *Pointer = genericPointer(), *IsLocal = nullptr;
    if (U.Space == GMPROF_SPACE_GENERIC)
      IsLocal = B.CreateIntrinsic(Intrinsic::nvvm_isspacep_local, {Pointer});
    else if (Pointer->getType()->getPointerAddressSpace() != 0)
      Pointer = B.CreateAddrSpaceCast(Pointer, B.getPtrTy());
    Value *Origin = B.CreatePtrToInt(C.Counters[1], B.getInt64Ty());
    Value *Address = B.CreateAdd(B.CreateSub(addressOf(Pointer, B.getInt64Ty()), Origin),
                                 B.getInt64(LocalOrigin));
    branchOn(IsLocal);
    record(Address, /*IsLocal=*/true);
  }

private:
  const RequestClone &C;
  const Request &R;

  /// Returns GmprofTraceRecord::what, without the site.
  uint32_t what(unsigned Bytes, bool IsLocal) const {
    return Log2_32(Bytes) << GMPROF_TRACE_BYTES_SHIFT |
           kindOf(R, IsLocal) << GMPROF_TRACE_KIND_SHIFT |
           (U.IsBulk ? GMPROF_TRACE_BULK : operatorOf(*U.Before)) << GMPROF_TRACE_OPERATOR_SHIFT;
  }

  void record(Value *Address, bool IsLocal) {
    const unsigned Bytes = U.Tile ? U.Tile->InGlobal.Bytes : pieceBytes(U, R.WidestPiece);
    SmallVector<Value *, 8> Arguments = {H.call(B, "active_lanes", {}), C.Counters[0],
                                         C.Counters[1], withSite(B, C, H, R, what(Bytes, IsLocal)),
                                         Address};
    if (U.Tile) {
      append_range(Arguments, tileArguments(U.Tile->InGlobal));
      H.call(B, "trace_tile", Arguments);
    } else if (U.Bytes == Bytes && !U.IsBulk) {
      H.call(B, "trace", Arguments);
    } else {
      Arguments.push_back(U.Bytes ? B.getInt64(U.Bytes) : U.Length);
      H.call(B, U.IsBulk ? "trace_bulk" : "trace_range", Arguments);
    }
  }
};

} // namespace

void gmprof::emitTrace(const RequestClone &C, Hooks &H, const Request &R) {
  const auto Emit = [&](Value * /*Lanes*/) {
    const GmprofSpace Space = R.What.Space;
    if (Space != GMPROF_SPACE_LOCAL)
      Emitter(C, H, R).emitGlobal();
    if (Space != GMPROF_SPACE_GLOBAL)
      Emitter(C, H, R).emitLocal();
  };
  if (mayDifferByLane(R))
    emitAndMeet(H, R.What.Before, Emit);
  else
    Emit(nullptr);
}

void gmprof::emitTraceOfFence(const Clone &C, Hooks &H, const Fence &Each) {
  IRBuilder<> B(Each.Inst);
  if (Each.OnlyInClusters) {
    Value *Blocks = B.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_cluster_nctarank, {});
    Value *IsCluster = B.CreateICmpUGT(Blocks, B.getInt32(1));
    B.SetInsertPoint(SplitBlockAndInsertIfThen(IsCluster, Each.Inst, /*Unreachable=*/false));
  }
  H.call(B, "trace_fence", {H.call(B, "active_lanes", {}), C.Counters[0], C.Counters[1]});
}

bool gmprof::usesWarps(const Function &F) {
  static const Regex OfWarps("shfl|vote|match\\.|redux|activemask|mma|ldmatrix|stmatrix|laneid|"
                             "lanemask|warpid|elect");
  return any_of(instructions(F), [](const Instruction &I) { return OfWarps.match(calledText(I)); });
}
