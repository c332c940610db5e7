//===- MemoryInstructions.cpp - Memory effects of instructions ------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// There is one matrix load and store intrinsic for each of hundreds of shapes; the code parses
// their regular names instead (see IntrinsicsNVVM.td):
//   llvm.nvvm.{ld,st}matrix.sync.aligned.<shape>.<x1|x2|x4>[.trans].<type>
//   llvm.nvvm.wmma.<shape>.{load,store}.<fragment>.<layout>[.stride].<type>
//
//===----------------------------------------------------------------------===//

#include "MemoryInstructions.h"
#include "InlineAssembly.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;
using namespace gmprof;

namespace {

Access makeAccess(Instruction &I, GmprofAccessKind Kind, Value *Pointer, TypeSize Size) {
  Access A;
  A.Inst = &I;
  A.Kind = Kind;
  A.Pointer = Pointer;
  A.Bytes = Size.isScalable() ? 0 : Size.getFixedValue();
  A.Reads = readsMemory(Kind);
  A.Writes = writesMemory(Kind);
  return A;
}

Access makeAccess(Instruction &I, GmprofAccessKind Kind, Value *Pointer, Type *Ty) {
  return makeAccess(I, Kind, Pointer, I.getDataLayout().getTypeStoreSize(Ty));
}

Access makeFixedAccess(Instruction &I, GmprofAccessKind Kind, Value *Pointer, unsigned Bytes) {
  return makeAccess(I, Kind, Pointer, TypeSize::getFixed(Bytes));
}

/// Adds an access of Length bytes, unless that is 0.
void addSizedAccess(InstructionEffects &Effects, Instruction &I, GmprofAccessKind Kind,
                    Value *Pointer, Value *Length) {
  auto *Constant = dyn_cast<ConstantInt>(Length);
  if (Constant && Constant->isZero())
    return;
  uint64_t Bytes = Constant ? Constant->getLimitedValue() : 0;
  Access A = makeFixedAccess(I, Kind, Pointer, isUInt<32>(Bytes) ? Bytes : 0);
  if (!A.Bytes)
    A.Length = Length;
  Effects.Accesses.push_back(A);
}

/// Adds both sides of a bulk copy.
void addBulkCopy(InstructionEffects &Effects, IntrinsicInst &I, Value *To, Value *From,
                 Value *Length) {
  addSizedAccess(Effects, I, GMPROF_ACCESS_ASYNC_FROM, From, Length);
  addSizedAccess(Effects, I, GMPROF_ACCESS_ASYNC_TO, To, Length);
  for (Access &A : Effects.Accesses)
    A.IsBulk = true;
}

/// Adds the accesses of ldmatrix or stmatrix: each of the lanes 0 to Lanes-1 has the address of a
/// row of 16 bytes.
void addMatrixRows(InstructionEffects &Effects, IntrinsicInst &I, StringRef Name, bool IsLoad) {
  unsigned RowsOfMatrix = Name.starts_with("m16n16") ? 16 : 8;
  unsigned Matrices = Name.contains(".x4") ? 4 : Name.contains(".x2") ? 2 : 1;
  Access A = makeFixedAccess(I, GMPROF_ACCESS_MATRIX, I.getArgOperand(0), 16);
  A.Reads = IsLoad;
  A.Writes = !IsLoad;
  A.Lanes = RowsOfMatrix * Matrices;
  Effects.Accesses.push_back(A);
}

/// Adds the accesses of wmma.load or wmma.store. Name is the part after "llvm.nvvm.wmma.".
void addTile(InstructionEffects &Effects, IntrinsicInst &I, StringRef Name) {
  SmallVector<StringRef, 8> Parts;
  Name.split(Parts, '.');
  // m16n16k16 load a row [stride] f16 p0
  const bool HasStride = Parts.size() > 4 && Parts[4] == "stride";
  const size_t TypeAt = HasStride ? 5 : 4;
  std::optional<WarpTile> Tile;
  if (Parts.size() > TypeAt)
    Tile = tileOfFragment(Parts[0], Parts[2], Parts[3] == "row", Parts[TypeAt]);
  if (!Tile) {
    Effects.Opaque = UnknownTile;
    return;
  }
  if (HasStride && Tile->StrideUnit == 0) {
    Effects.Opaque = TileOfBits;
    return;
  }
  if (HasStride)
    Tile->Stride = I.getArgOperand(I.arg_size() - 1);
  Access A = makeFixedAccess(I, GMPROF_ACCESS_MATRIX, I.getArgOperand(0), Tile->RowBytes);
  A.Reads = Parts[1] == "load";
  A.Writes = !A.Reads;
  A.Tile = Tile;
  Effects.Accesses.push_back(A);
}

/// Returns the bytes of a non-bulk cp.async intrinsic, or 0.
unsigned asyncCopyBytes(Intrinsic::ID ID) {
  switch (ID) {
  case Intrinsic::nvvm_cp_async_ca_shared_global_4:
  case Intrinsic::nvvm_cp_async_ca_shared_global_4_s:
    return 4;
  case Intrinsic::nvvm_cp_async_ca_shared_global_8:
  case Intrinsic::nvvm_cp_async_ca_shared_global_8_s:
    return 8;
  case Intrinsic::nvvm_cp_async_ca_shared_global_16:
  case Intrinsic::nvvm_cp_async_ca_shared_global_16_s:
  case Intrinsic::nvvm_cp_async_cg_shared_global_16:
  case Intrinsic::nvvm_cp_async_cg_shared_global_16_s:
    return 16;
  default:
    return 0;
  }
}

void addAsyncCopy(InstructionEffects &Effects, IntrinsicInst &I, unsigned Bytes) {
  Value *To = I.getArgOperand(0), *From = I.getArgOperand(1);
  Effects.Accesses.push_back(makeFixedAccess(I, GMPROF_ACCESS_ASYNC_TO, To, Bytes));
  // A copy with a source size fills the rest of the destination with zeros.
  if (I.arg_size() == 3)
    addSizedAccess(Effects, I, GMPROF_ACCESS_ASYNC_FROM, From, I.getArgOperand(2));
  else
    Effects.Accesses.push_back(makeFixedAccess(I, GMPROF_ACCESS_ASYNC_FROM, From, Bytes));
}

/// Returns true for intrinsics with a pointer operand that access no memory, or whose memory effect
/// only concerns the optimizer.
bool accessesNothing(const IntrinsicInst &I) {
  if (I.isAssumeLikeIntrinsic() || I.isLifetimeStartOrEnd())
    return true;
  StringRef Name = I.getCalledFunction()->getName();
  if (!Name.consume_front("llvm.nvvm."))
    return false;
  static constexpr StringLiteral Prefixes[] = {"prefetch",
                                               "applypriority",
                                               "discard",
                                               "isspacep",
                                               "mapa",
                                               "txq.",
                                               "suq.",
                                               "fence.",
                                               "membar.",
                                               "istypep",
                                               "internal.addrspace.wrap",
                                               "getctarank",
                                               "move.",
                                               "cp.async.bulk.prefetch",
                                               "cp.async.bulk.tensor.prefetch",
                                               "barrier",
                                               "bar.",
                                               "texsurf.handle",
                                               "cp.async.commit",
                                               "cp.async.wait",
                                               "cp.async.bulk.commit",
                                               "cp.async.bulk.wait",
                                               "shfl.",
                                               "vote.",
                                               "match.",
                                               "redux.",
                                               "activemask",
                                               "elect.",
                                               "exit",
                                               "nanosleep",
                                               "griddepcontrol.",
                                               "setmaxnreg.",
                                               "pm.event.",
                                               "read.ptx.",
                                               "mbarrier.pending.count",
                                               "compiler."};
  return any_of(Prefixes, [&](StringRef Prefix) { return Name.starts_with(Prefix); });
}

/// Returns the access of a texture or surface instruction, which takes a handle, not an address.
std::optional<TextureAccess> textureAccess(IntrinsicInst &I) {
  StringRef Name = I.getCalledFunction()->getName();
  if (!Name.consume_front("llvm.nvvm."))
    return std::nullopt;
  const bool Writes = Name.starts_with("sust.");
  if (!Writes && !Name.starts_with("tex.") && !Name.starts_with("tld4.") &&
      !Name.starts_with("suld."))
    return std::nullopt;
  TextureAccess T;
  T.Inst = &I;
  T.Handle = I.arg_size() != 0 ? I.getArgOperand(0) : nullptr;
  T.Writes = Writes;
  return T;
}

InstructionEffects intrinsicEffects(IntrinsicInst &I) {
  InstructionEffects Effects;
  Intrinsic::ID ID = I.getIntrinsicID();
  if (auto *Set = dyn_cast<MemSetInst>(&I)) {
    addSizedAccess(Effects, I, GMPROF_ACCESS_COPY_TO, Set->getRawDest(), Set->getLength());
    return Effects;
  }
  if (auto *Copy = dyn_cast<MemTransferInst>(&I)) {
    addSizedAccess(Effects, I, GMPROF_ACCESS_COPY_FROM, Copy->getRawSource(), Copy->getLength());
    addSizedAccess(Effects, I, GMPROF_ACCESS_COPY_TO, Copy->getRawDest(), Copy->getLength());
    return Effects;
  }
  if (std::optional<TextureAccess> Texture = textureAccess(I)) {
    Effects.Textures.push_back(*Texture);
    return Effects;
  }
  if (I.doesNotAccessMemory() || accessesNothing(I))
    return Effects;
  if (unsigned Bytes = asyncCopyBytes(ID)) {
    addAsyncCopy(Effects, I, Bytes);
    return Effects;
  }
  switch (ID) {
  case Intrinsic::trap:
  case Intrinsic::debugtrap:
  case Intrinsic::ubsantrap:
  case Intrinsic::prefetch:
  case Intrinsic::stacksave:
  case Intrinsic::stackrestore:
  case Intrinsic::vastart:
  case Intrinsic::vaend:
  case Intrinsic::vacopy:
    return Effects;
  case Intrinsic::nvvm_ldu_global_i:
  case Intrinsic::nvvm_ldu_global_f:
  case Intrinsic::nvvm_ldu_global_p:
    Effects.Accesses.push_back(makeAccess(I, GMPROF_ACCESS_LOAD, I.getArgOperand(0), I.getType()));
    Effects.Accesses.back().Space = GMPROF_SPACE_GLOBAL;
    return Effects;
  case Intrinsic::nvvm_cp_async_bulk_global_to_shared_cta:
  case Intrinsic::nvvm_cp_async_bulk_shared_cta_to_cluster:
    addBulkCopy(Effects, I, I.getArgOperand(0), I.getArgOperand(2), I.getArgOperand(3));
    return Effects;
  case Intrinsic::nvvm_cp_async_bulk_global_to_shared_cluster:
    // Operands: to, barrier, from, bytes, mask, policy, has mask, has policy.
    if (cast<ConstantInt>(I.getArgOperand(6))->isOne())
      Effects.Opaque = BulkCopyToSeveral;
    else
      addBulkCopy(Effects, I, I.getArgOperand(0), I.getArgOperand(2), I.getArgOperand(3));
    return Effects;
  case Intrinsic::nvvm_cp_async_bulk_shared_cta_to_global:
    addBulkCopy(Effects, I, I.getArgOperand(0), I.getArgOperand(1), I.getArgOperand(2));
    return Effects;
  case Intrinsic::nvvm_cp_async_bulk_shared_cta_to_global_bytemask:
    Effects.Opaque = BulkCopyOfSome;
    return Effects;
  case Intrinsic::nvvm_st_bulk:
  case Intrinsic::nvvm_st_bulk_shared_cta:
    addSizedAccess(Effects, I, GMPROF_ACCESS_COPY_TO, I.getArgOperand(0), I.getArgOperand(1));
    Effects.Accesses.back().Space = GMPROF_SPACE_SHARED;
    return Effects;
  case Intrinsic::masked_load:
  case Intrinsic::masked_store:
  case Intrinsic::masked_gather:
  case Intrinsic::masked_scatter:
  case Intrinsic::masked_expandload:
  case Intrinsic::masked_compressstore:
    Effects.Opaque = "masked vector access";
    return Effects;
  default:
    break;
  }

  StringRef Name = I.getCalledFunction()->getName();
  if (Name.consume_front("llvm.nvvm.")) {
    if (Name.starts_with("atomic.")) {
      Effects.Accesses.push_back(
          makeAccess(I, GMPROF_ACCESS_ATOMIC, I.getArgOperand(0), I.getType()));
      Effects.Accesses.back().Reduction = I.use_empty() && StringSwitch<bool>(Name)
                                                               .StartsWith("atomic.add.", true)
                                                               .StartsWith("atomic.and.", true)
                                                               .StartsWith("atomic.or.", true)
                                                               .StartsWith("atomic.xor.", true)
                                                               .StartsWith("atomic.max.", true)
                                                               .StartsWith("atomic.min.", true)
                                                               .Default(false);
      return Effects;
    }
    if (Name.consume_front("ldmatrix.sync.aligned.")) {
      addMatrixRows(Effects, I, Name, /*IsLoad=*/true);
      return Effects;
    }
    if (Name.consume_front("stmatrix.sync.aligned.")) {
      addMatrixRows(Effects, I, Name, /*IsLoad=*/false);
      return Effects;
    }
    if (Name.consume_front("wmma.")) {
      addTile(Effects, I, Name);
      return Effects;
    }
    if (Name.starts_with("mbarrier.") || Name.starts_with("cp.async.mbarrier.")) {
      Effects.Accesses.push_back(makeFixedAccess(I, GMPROF_ACCESS_BARRIER, I.getArgOperand(0), 8));
      return Effects;
    }
    if (Name.starts_with("cp.async.bulk.tensor")) {
      Effects.Opaque = TensorCopy;
      return Effects;
    }
  }
  bool HasPointer = any_of(I.args(), [](Value *V) { return V->getType()->isPointerTy(); });
  if (HasPointer)
    Effects.Opaque = "intrinsic that accesses memory in an unknown way";
  return Effects;
}

/// Returns true for declared functions of CUDA's device library that return and do not modify
/// shared or global data that the program can see.
bool isHarmlessLibraryFunction(StringRef Name) {
  return StringSwitch<bool>(Name)
      .Cases({"vprintf", "malloc", "free", "__nvvm_reflect", "cudaGraphSetConditional"}, true)
      .StartsWith("__nv_", true)
      .Default(false);
}

/// Returns whether operations of the kind have the same outcome in each order and grouping.
/// Floating-point operations count as such: their rounding differs from run to run anyway.
bool accumulates(AtomicRMWInst::BinOp Operation) {
  switch (Operation) {
  case AtomicRMWInst::Add:
  case AtomicRMWInst::Sub:
  case AtomicRMWInst::And:
  case AtomicRMWInst::Or:
  case AtomicRMWInst::Xor:
  case AtomicRMWInst::Max:
  case AtomicRMWInst::Min:
  case AtomicRMWInst::UMax:
  case AtomicRMWInst::UMin:
  case AtomicRMWInst::FAdd:
  case AtomicRMWInst::FSub:
  case AtomicRMWInst::FMax:
  case AtomicRMWInst::FMin:
    return true;
  default:
    return false;
  }
}

bool endsKernel(StringRef Name) {
  return StringSwitch<bool>(Name)
      .Cases({"__assertfail", "__assert_fail", "abort", "__trap"}, true)
      .Default(false);
}

const Function *calledDefinition(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  return Callee && !Callee->isDeclaration() && !Callee->isInterposable() ? Callee : nullptr;
}

} // namespace

bool gmprof::isHarmlessLibraryCall(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  return Callee && Callee->isDeclaration() &&
         (isHarmlessLibraryFunction(Callee->getName()) || endsKernel(Callee->getName()));
}

InstructionEffects gmprof::memoryEffects(Instruction &I) {
  InstructionEffects Effects;
  if (auto *Load = dyn_cast<LoadInst>(&I)) {
    Effects.Accesses.push_back(
        makeAccess(I, GMPROF_ACCESS_LOAD, Load->getPointerOperand(), Load->getType()));
  } else if (auto *Store = dyn_cast<StoreInst>(&I)) {
    Effects.Accesses.push_back(makeAccess(I, GMPROF_ACCESS_STORE, Store->getPointerOperand(),
                                          Store->getValueOperand()->getType()));
  } else if (auto *RMW = dyn_cast<AtomicRMWInst>(&I)) {
    Effects.Accesses.push_back(
        makeAccess(I, GMPROF_ACCESS_ATOMIC, RMW->getPointerOperand(), RMW->getType()));
    Effects.Accesses.back().Reduction = RMW->use_empty() && accumulates(RMW->getOperation());
  } else if (auto *CmpXchg = dyn_cast<AtomicCmpXchgInst>(&I)) {
    Effects.Accesses.push_back(makeAccess(I, GMPROF_ACCESS_ATOMIC, CmpXchg->getPointerOperand(),
                                          CmpXchg->getCompareOperand()->getType()));
  } else if (auto *Intrinsic = dyn_cast<IntrinsicInst>(&I)) {
    return intrinsicEffects(*Intrinsic);
  } else if (auto *Call = dyn_cast<CallBase>(&I)) {
    if (Call->isInlineAsm())
      return inlineAssemblyEffects(*Call);
    const Function *Callee = Call->getCalledFunction();
    if (!Callee)
      Effects.Opaque = "indirect call";
    else if (Callee->isDeclaration() && !isHarmlessLibraryCall(*Call) &&
             !Call->doesNotAccessMemory())
      Effects.Opaque = "call of a function that is not in this module";
    else if (Callee->isInterposable() && !Callee->isDeclaration())
      Effects.Opaque = "call of a function that another definition may replace";
  } else if (isa<VAArgInst>(&I)) {
    Effects.Opaque = "variable argument";
  }
  return Effects;
}

Leaves ThreadExits::mayLeave(const CallBase &Call) {
  SmallPtrSet<const Function *, 8> Visited;
  return visit(Call, Visited);
}

Leaves ThreadExits::visit(const CallBase &Call, SmallPtrSetImpl<const Function *> &Visited) {
  if (Call.isInlineAsm())
    return inlineAssemblyLeaves(Call);
  switch (Call.getIntrinsicID()) {
  case Intrinsic::not_intrinsic:
    break;
  case Intrinsic::nvvm_exit:
    return Leaves::Thread;
  case Intrinsic::trap:
  case Intrinsic::ubsantrap:
    return Leaves::Kernel;
  default:
    return Leaves::No;
  }
  if (Call.hasFnAttr(Attribute::WillReturn))
    return Leaves::No;
  const Function *Callee = calledDefinition(Call);
  if (!Callee) {
    Callee = Call.getCalledFunction();
    if (Callee && endsKernel(Callee->getName()))
      return Leaves::Kernel;
    return Callee && isHarmlessLibraryFunction(Callee->getName()) ? Leaves::No : Leaves::Thread;
  }
  if (auto Found = Known.find(Callee); Found != Known.end())
    return Found->second;
  bool IsRoot = Visited.empty();
  if (!Visited.insert(Callee).second)
    return Leaves::No; // the visit in progress adds its findings
  Leaves Result = Leaves::No;
  for (const Instruction &I : instructions(*Callee))
    if (auto *Inner = dyn_cast<CallBase>(&I))
      Result = std::max(Result, visit(*Inner, Visited));
  // In a recursion, only the root's answer is complete.
  if (IsRoot)
    Known[Callee] = Result;
  return Result;
}
