//===- GlobalUpdates.cpp - Counting elements of global memory -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/global/GlobalUpdates.h"

#include "pass/core/Hooks.h"
#include "pass/global/GlobalLaunch.h"

#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;
using namespace gmprof;

namespace {

class Emitter : public UpdateEmitter {
public:
  Emitter(const GlobalClone &C, Hooks &H, const Update &U)
      : UpdateEmitter(C, H, U), Threshold(C.Threshold) {}

  void emit() {
    Value *Address = globalAddress();
    branchOn(IsGlobal);
    if (U.Stride)
      return sweep(Address);
    SmallVector<Value *, 10> Arguments = {B.getInt32(Threshold), root(), B.getInt32(U.Counter),
                                          Address};
    if (U.Tile) {
      append_range(Arguments,
                   ArrayRef<Value *>{B.getInt32(U.Tile->Rows), B.getInt32(U.Tile->RowBytes),
                                     tileStride(), times()});
      hook("global_tile", Arguments);
      return;
    }
    Arguments.push_back(U.Bytes ? B.getInt64(U.Bytes) : U.Length);
    if (isSingle())
      return hook("global_one", Arguments);
    Arguments.push_back(times());
    hook(!U.Bytes || U.By == Update::FirstThread ? "global_by_thread"
         : U.By == Update::ActiveLanes           ? "global_active"
                                                 : "global_times",
         Arguments);
  }

private:
  const unsigned Threshold;
  Value *IsGlobal = nullptr; ///< of a generic address

  /// Returns whether each thread makes one access, with its natural alignment.
  bool isSingle() const {
    return isPowerOf2_32(U.Bytes) && U.Alignment >= U.Bytes && U.By == Update::EachThread &&
           !U.Times && U.Count == 1;
  }

  Value *globalAddress() {
    Value *Pointer = U.Pointer;
    if (U.Space == GMPROF_SPACE_GENERIC) {
      Pointer = genericPointer();
      IsGlobal = B.CreateIntrinsic(Intrinsic::nvvm_isspacep_global, {Pointer});
    }
    Value *Address = Pointer->getType()->isPointerTy()
                         ? B.CreatePtrToInt(Pointer, B.getInt64Ty())
                         : B.CreateZExtOrTrunc(Pointer, B.getInt64Ty());
    return U.Displacement ? B.CreateAdd(Address, B.getInt64(static_cast<uint64_t>(U.Displacement)))
                          : Address;
  }

  /// Passes the root's fields to the hook: it is not inlined, and the launch parameter has no
  /// address that could be passed on without a copy.
  void sweep(Value *Address) {
    SmallVector<Value *, 12> Arguments = {B.getInt32(Threshold), B.getInt32(U.Counter)};
    if (U.Root)
      append_range(Arguments, launchRootFields(B, C.Launch, *U.Root, U.Counter));
    else
      Arguments.append({B.getInt64(0), B.getInt64(0), B.getInt64(0), B.getInt32(0), B.getInt32(0)});
    Arguments.append({Address, B.getInt32(U.Bytes), B.getInt64(static_cast<uint64_t>(U.Stride)),
                      U.Times, B.getInt64(U.Count)});
    hook("global_sweep", Arguments);
  }

  Value *root() {
    return U.Root ? launchRoot(B, C.Launch, *U.Root) : ConstantPointerNull::get(B.getPtrTy());
  }
};

} // namespace

void gmprof::emitGlobalUpdate(const CountingClone &C, Hooks &H, const Update &U) {
  Emitter(static_cast<const GlobalClone &>(C), H, U).emit();
}
