//===- KernelEntry.cpp - What a clone does before its body ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/core/KernelEntry.h"

#include "pass/core/Hooks.h"
#include "pass/core/LaunchParameter.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include <cstddef>

using namespace llvm;
using namespace gmprof;

namespace {

class EntryEmitter {
public:
  EntryEmitter(const Clone &C, ArrayRef<GlobalVariable *> Layout,
               ArrayRef<GlobalVariable *> SharedVariables, Hooks &H)
      : C(C), Layout(Layout), SharedVariables(SharedVariables), H(H), B(C.F->getContext()) {
    if (DISubprogram *Subprogram = C.F->getSubprogram())
      B.SetCurrentDebugLocation(DILocation::get(C.F->getContext(), 0, 0, Subprogram));
  }

  void emit() {
    BasicBlock *Body = &C.F->getEntryBlock();
    auto *Begin = BasicBlock::Create(C.F->getContext(), "gm.begin", C.F, Body);
    auto *Entry = BasicBlock::Create(C.F->getContext(), "gm.entry", C.F, Begin);
    auto *Plain = BasicBlock::Create(C.F->getContext(), "gm.plain", C.F);
    // Allocas are static in the entry block only.
    for (Instruction &I : make_early_inc_range(*Body))
      if (auto *Alloca = dyn_cast<AllocaInst>(&I); Alloca && isa<Constant>(Alloca->getArraySize()))
        Alloca->moveBefore(*Entry, Entry->end());

    B.SetInsertPoint(Entry);
    B.CreateCondBr(isCounted(), Begin, Plain);

    B.SetInsertPoint(Begin);
    BranchInst *End = B.CreateBr(Body);
    B.SetInsertPoint(End);
    if (C.M->isGlobal()) {
      enterGlobal();
    } else if (C.M->isHeat()) {
      enterHeat();
    } else if (!C.M->isCache()) {
      writeLayout(H.call(B, "thread_writes_layout", {}),
                  launchField(B, C.Launch, LaunchField::layout));
      B.SetInsertPoint(End);
      if (C.CountsRanges)
        writeRangeBounds();
      B.SetInsertPoint(End);
      enterShared();
    }
    H.inlineInto(*C.F);

    B.SetInsertPoint(Plain);
    emitPlainBody();
  }

private:
  const Clone &C;
  ArrayRef<GlobalVariable *> Layout, SharedVariables;
  Hooks &H;
  IRBuilder<> B;

  Value *isCounted() {
    if (C.M->isHeat())
      return H.call(B, "heat_block_is_noted", C.Launch);
    if (C.M->isCache())
      return H.call(B, "trace_block_is_recorded", C.Launch);
    if (C.BlocksAlike)
      return H.call(B, "block_is_first", {});
    return H.call(B, "block_is_counted",
                  C.M->isGlobal() ? launchField(B, C.Launch, GlobalLaunchField::blockSample)
                                  : launchField(B, C.Launch, LaunchField::blockSample));
  }

  void enterHeat() {
    Value *Context =
        B.CreateIntToPtr(launchField(B, C.Launch, HeatLaunchField::context), B.getPtrTy());
    Value *Writes = H.call(B, "heat_writes_layout", C.Launch);
    Value *At =
        B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Context, offsetof(GmprofHeatContext, layout));
    writeLayout(Writes, B.CreateLoad(B.getInt64Ty(), At));
  }

  void enterGlobal() {
    Value *Totals = launchField(B, C.Launch, GlobalLaunchField::totals);
    H.call(B, "enter_global", B.CreateIntToPtr(Totals, B.getPtrTy()));
  }

  void enterShared() {
    if (C.M->inSharedMemory())
      H.call(B, "enter_shared", {C.Launch, counterBase(B, C)});
    else
      H.call(
          B, "enter_device",
          {C.Launch, C.BlocksAlike ? H.call(B, "blocks_of_grid", {}) : cast<Value>(B.getInt64(1))});
  }

  /// Address: of struct GmprofSharedLayout.
  void writeLayout(Value *Writes, Value *Address) {
    B.SetInsertPoint(SplitBlockAndInsertIfThen(Writes, B.GetInsertPoint(), false));
    Type *Int = B.getInt32Ty();
    auto Write = [&](size_t Offset, Value *V) {
      Value *At = B.CreateAdd(Address, B.getInt64(Offset));
      B.CreateStore(V, B.CreateIntToPtr(At, B.getPtrTy(/*AddrSpace=*/1)));
    };
    Write(offsetof(GmprofSharedLayout, firstAddress), firstWord(B, C, SharedVariables));
    Write(offsetof(GmprofSharedLayout, dynamicAddress),
          B.CreatePtrToInt(dynamicSharedMemory(*C.F->getParent()), Int));
    for (auto [Index, Variable] : enumerate(Layout))
      Write(offsetof(GmprofSharedLayout, variables) + 4 * Index,
            Variable ? B.CreatePtrToInt(Variable, Int) : B.getInt32(GMPROF_NONE));
  }

  /// The first and the last word, plus one, of the variables whose live ranges are
  /// counted (runtime/device/Ranges.h).
  void writeRangeBounds() {
    Value *Counted = B.CreateIsNotNull(launchField(B, C.Launch, LaunchField::rangeCount));
    Value *Writes = B.CreateAnd(H.call(B, "thread_is_first", {}), Counted);
    B.SetInsertPoint(SplitBlockAndInsertIfThen(Writes, B.GetInsertPoint(), false));
    Type *Int = B.getInt32Ty();
    Value *First = firstWord(B, C, SharedVariables);
    Value *At = B.CreateAdd(counterBase(B, C), launchField(B, C.Launch, LaunchField::counterBytes));
    auto Write = [&](Value *Address) {
      Value *Word = B.CreateLShr(B.CreateSub(Address, First), 2);
      B.CreateStore(Word, B.CreateIntToPtr(At, B.getPtrTy(/*AddrSpace=*/3)));
      At = B.CreateAdd(At, B.getInt32(4));
    };
    const DataLayout &Layout = C.F->getDataLayout();
    for (GlobalVariable *Variable : C.RangeVariables) {
      Value *Begin = B.CreatePtrToInt(Variable, Int);
      Value *Bytes = isDynamicSharedMemory(Variable)
                         ? launchField(B, C.Launch, LaunchField::dynamicBytes)
                         : B.getInt32(Layout.getTypeAllocSize(Variable->getValueType()));
      Write(Begin);
      Write(B.CreateAdd(B.CreateAdd(Begin, Bytes), B.getInt32(3)));
    }
  }

  void emitPlainBody() {
    Function *Plain = clonePlainBody(*const_cast<Function *>(C.Original));
    SmallVector<Value *, 8> Arguments;
    for (Argument &A : drop_end(C.F->args()))
      Arguments.push_back(&A);
    CallInst *Call = B.CreateCall(Plain, Arguments);
    B.CreateRetVoid();
    InlineFunctionInfo Info;
    if (InlineResult Result = InlineFunction(*Call, Info); !Result.isSuccess())
      reportFatalInternalError(Twine("GMProf: cannot inline the body of ") + C.Original->getName() +
                               ": " + Result.getFailureReason());
    Plain->eraseFromParent();
  }
};

} // namespace

void gmprof::emitKernelEntry(const Clone &C, ArrayRef<GlobalVariable *> Layout,
                             ArrayRef<GlobalVariable *> SharedVariables, Hooks &H) {
  EntryEmitter(C, Layout, SharedVariables, H).emit();
}
