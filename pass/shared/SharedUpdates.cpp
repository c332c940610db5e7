//===- SharedUpdates.cpp - Counting words of shared memory ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/shared/SharedUpdates.h"
#include "pass/core/Hooks.h"
#include "pass/core/OtherBlocks.h"

#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;
using namespace gmprof;

namespace {

class Emitter : public UpdateEmitter {
public:
  using UpdateEmitter::UpdateEmitter;

  void emit() {
    Value *Address = sharedAddress();
    branchOn(IsShared);
    if (mayBeOfOtherBlock())
      Address = inOwnBlock(B, Address);
    if (U.AtRange != Update::NoRange)
      range(Address);
    else if (U.Tile)
      hook("count_tile", {Address, B.getInt32(U.Tile->Rows), B.getInt32(U.Tile->RowBytes),
                          tileStride(), times()});
    else if (!U.Bytes || U.Bytes > MostInWords ||
             (U.Alignment < 4 && U.Bytes > U.Alignment.value()))
      hook("count_range", {Address, U.Bytes ? B.getInt64(U.Bytes) : U.Length, times()});
    else
      words(Address);
  }

private:
  /// Bytes of a longer access are counted by a loop.
  static constexpr unsigned MostInWords = 256;

  Value *IsShared = nullptr; ///< of a generic address

  /// Returns the 32-bit shared address, which is meaningless where IsShared is false.
  Value *sharedAddress() {
    Type *Int = B.getInt32Ty();
    Value *Pointer = U.Pointer;
    if (U.Space == GMPROF_SPACE_GENERIC) {
      Pointer = genericPointer();
      IsShared = B.CreateIntrinsic(mayBeOfOtherBlock() ? Intrinsic::nvvm_isspacep_shared_cluster
                                                       : Intrinsic::nvvm_isspacep_shared,
                                   {Pointer});
    }
    const unsigned Window =
        mayBeOfOtherBlock() ? NVPTXAS::ADDRESS_SPACE_SHARED_CLUSTER : NVPTXAS::ADDRESS_SPACE_SHARED;
    if (auto *Type = dyn_cast<PointerType>(Pointer->getType()); Type && !Type->getAddressSpace())
      Pointer = B.CreateAddrSpaceCast(Pointer, B.getPtrTy(Window));
    Value *Address = Pointer->getType()->isPointerTy() ? B.CreatePtrToInt(Pointer, Int)
                                                       : B.CreateZExtOrTrunc(Pointer, Int);
    return U.Displacement ? B.CreateAdd(Address, B.getInt32(static_cast<uint32_t>(U.Displacement)))
                          : Address;
  }

  /// Counts each of the words that an access with a known size touches.
  void words(Value *Address) {
    unsigned Words = divideCeil(U.Bytes, 4u);
    bool Single = U.By == Update::EachThread && !U.Times && U.Count == 1 && !C.Blocks;
    for (unsigned Word = 0; Word != Words;) {
      Value *At = Word ? B.CreateAdd(Address, B.getInt32(4 * Word)) : Address;
      unsigned Left = Words - Word, Taken = 1;
      if (Single && Left >= 4 && U.Alignment >= 16)
        hook("count_quad", At), Taken = 4;
      else if (Single && Left >= 2 && U.Alignment >= 8)
        hook("count_pair", At), Taken = 2;
      else if (Single)
        hook("count_one", At);
      else if (U.By == Update::EachThread && !U.Times && !C.Blocks)
        hook("count_few", {At, B.getInt32(U.Count)});
      else
        hook(U.By == Update::EachThread    ? "count_times"
             : U.By == Update::ActiveLanes ? "count_active"
                                           : "count_for_others",
             {At, times()});
      Word += Taken;
    }
  }

  /// Passes the words of an access to the hook of its kind of boundary.
  void range(Value *Address) {
    Value *Words = nullptr;
    if (U.Bytes && isAligned(U.Alignment, std::min(U.Bytes, 4u)) &&
        (U.Bytes % 4 == 0 || isPowerOf2_32(U.Bytes))) {
      Words = B.getInt32(divideCeil(U.Bytes, 4u));
    } else {
      Value *Bytes = U.Bytes ? B.getInt32(U.Bytes) : B.CreateZExtOrTrunc(U.Length, B.getInt32Ty());
      Value *End = B.CreateAdd(B.CreateAnd(Address, B.getInt32(3)), Bytes);
      Words = B.CreateLShr(B.CreateAdd(End, B.getInt32(3)), 2);
    }
    hook(U.AtRange == Update::RangeBegin   ? "range_begin"
         : U.AtRange == Update::RangeStore ? "range_store"
                                           : "range_end",
         {C.Launch, B.getInt32(U.RangeVariable), Address, Words});
  }
};

} // namespace

void gmprof::emitSharedUpdate(const CountingClone &C, Hooks &H, const Update &U) {
  Emitter(C, H, U).emit();
}
