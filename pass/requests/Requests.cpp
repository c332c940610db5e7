//===- Requests.cpp - The memory requests of a clone ----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/requests/Requests.h"

#include "pass/requests/MachineWidths.h"
#include "static-analysis/Reconvergence.h"

using namespace llvm;
using namespace gmprof;

/// Returns the most bytes that an instruction of the backend accesses. Copies and sets of memory
/// use registers of 8 bytes, and if they are long, a loop over bytes (NVPTXLowerAggrCopies); in
/// shared memory ptxas joins two of these registers.
static unsigned widestPiece(const Access &A, bool OfShared) {
  constexpr unsigned LongestUnrolled = 128;
  if (A.Kind != GMPROF_ACCESS_COPY_FROM && A.Kind != GMPROF_ACCESS_COPY_TO)
    return 16;
  return A.Bytes != 0 && A.Bytes <= LongestUnrolled ? (OfShared ? 16 : 8) : 1;
}

unsigned gmprof::pieceBytes(const Update &U, unsigned Widest) {
  const unsigned Most = std::min<uint64_t>(U.Alignment.value(), Widest);
  return U.Bytes ? std::min(Most, 1u << countr_zero(U.Bytes)) : Most;
}

static MachineWidths findWidths(const Clone &C, const AccessInfo &Info, FunctionSites &Sites,
                                Instrumenter &I) {
  MachineWidths Widths;
  if (!C.Original->hasFnAttribute(Attribute::OptimizeNone))
    Widths.Wide = wideAccesses(*C.F, Info, I.FAM);
  if (I.O.MachineCode)
    Widths = machineWidths(*C.F, Info, *I.O.MachineCode, Widths.Wide, I.FAM);
  for (const unsigned Number : Widths.Explained)
    Sites.Sites[Number].HasMachineWidth = true;
  return Widths;
}

SmallVector<Request, 0> gmprof::findRequests(const Clone &C, const AccessInfo &Info,
                                             FunctionSites &Sites, Instrumenter &I,
                                             function_ref<bool(const Access &)> IsRecorded) {
  const MachineWidths Widths = findWidths(C, Info, Sites, I);
  DenseMap<unsigned, const WideAccess *> Leaders;
  DenseSet<unsigned> Others;
  for (const WideAccess &W : Widths.Wide) {
    Leaders[W.Leader.Number] = &W;
    for (const WidePart &P : W.Others)
      Others.insert(P.Number);
  }
  SmallVector<Request, 0> Found;
  for (auto [Number, A] : enumerate(Info.accesses())) {
    if (!IsRecorded(A) || Others.contains(Number))
      continue;
    Request &R = Found.emplace_back();
    R.What = Updates::of(A);
    R.Last = A.Inst;
    if (const WideAccess *W = Leaders.lookup(Number)) {
      R.What.Displacement -= W->Leader.Offset;
      R.What.Bytes = W->Bytes;
      R.What.Alignment = W->Alignment;
      R.What.Iterations = W->Iterations;
      for (const WidePart &Other : W->Others)
        if (Instruction *I = Info.accesses()[Other.Number].Inst; R.Last->comesBefore(I))
          R.Last = I;
    }
    R.What.Before = A.Inst;
    R.What.Counter = counterOf(A);
    const auto Piece = Widths.Pieces.find(Number);
    const bool IsKnown = Piece != Widths.Pieces.end();
    R.WidestPiece = IsKnown ? Piece->second : widestPiece(A, /*OfShared=*/false);
    R.WidestSharedPiece = IsKnown ? Piece->second : widestPiece(A, /*OfShared=*/true);
    if (IsKnown)
      R.What.Alignment = std::max(R.What.Alignment, Align(Piece->second));
    R.Number = static_cast<unsigned>(Number);
    R.Site = Sites.Sites[Number].FunctionSite.value_or(R.Number);
    if (Widths.Loops.contains(R.Number)) {
      Request Load = R;
      Load.IsLoadOfAtomic = true;
      Found.push_back(std::move(Load));
    }
  }
  return Found;
}

Value *gmprof::withSite(IRBuilderBase &B, const RequestClone &C, Hooks &H, const Request &R,
                        uint32_t What) {
  if (C.IsKernel)
    return B.getInt32(What | (R.Site < GMPROF_SITE_OF_FUNCTION ? R.Site : GMPROF_SITE_UNKNOWN));
  return B.CreateOr(H.call(B, "function_site", {C.FirstSite, B.getInt32(R.Site)}), What);
}

void gmprof::bringLanesTogether(const Clone &C, const AccessInfo &Info, Instrumenter &I,
                                const SmallPtrSetImpl<const BasicBlock *> &WithHooks) {
  const auto Meetings = findReconvergences(
      *C.F, Info, I.FAM, [&](const BasicBlock &BB) { return WithHooks.contains(&BB); });
  for (const Reconvergence &R : Meetings) {
    IRBuilder<> AtEnd(R.From->getTerminator()), Here(&*R.At->getFirstInsertionPt());
    I.hooks().call(Here, "bring_together", {I.hooks().call(AtEnd, "active_lanes", {})});
  }
}

bool gmprof::mayDifferByLane(const Request &R) {
  const Update &U = R.What;
  return U.Predicate || U.Lanes != 32 || U.Iterations != 1 || U.Space == GMPROF_SPACE_GENERIC ||
         U.Space == GMPROF_SPACE_SHARED_CLUSTER;
}

void gmprof::emitAndMeet(Hooks &H, Instruction *Before, function_ref<void(Value *)> Emit) {
  IRBuilder<> AtBegin(Before);
  Value *Lanes = H.call(AtBegin, "active_lanes", {});
  Emit(Lanes);
  IRBuilder<> Behind(Before);
  H.call(Behind, "bring_together", {Lanes});
}

void gmprof::emitFirstSite(RequestClone &C, size_t Units, Instrumenter &I) {
  IRBuilder<> B(C.F->getContext());
  goToEntry(B, C);
  Value *At = B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), C.Counters[0], Units);
  C.FirstSite = I.hooks().call(B, "first_site", {At, B.getInt64(I.Unit)});
}

bool gmprof::finishRequests(const RequestClone &C, FunctionSites &Sites, Instrumenter &I) {
  const bool FollowsCalls = I.followsCalls(C);
  I.followCalls(C, Sites);
  I.FAM.invalidate(*C.F, PreservedAnalyses::none());
  I.hooks().inlineInto(*C.F);
  simplifyAfterInstrumentation(*C.F, I.FAM);
  I.FAM.invalidate(*C.F, PreservedAnalyses::none());
  return FollowsCalls;
}
