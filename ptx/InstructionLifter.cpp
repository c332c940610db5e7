//===- InstructionLifter.cpp - Translation of PTX instructions ------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InstructionLifter.h"

#include "Provenance.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace gmprof::ptx {

bool InstructionLifter::fail(const Twine &Why) {
  if (!Failure)
    Failure = Why.str();
  return false;
}

//===--- Types and values -------------------------------------------------===//

llvm::Type *InstructionLifter::irType(const Type &Ty) {
  llvm::Type *Element = nullptr;
  if (Ty.Kind == TypeKind::Float)
    Element = Ty.Bits == 16 ? B.getHalfTy() : Ty.Bits == 32 ? B.getFloatTy() : B.getDoubleTy();
  else if (Ty.Kind == TypeKind::BFloat)
    Element = B.getBFloatTy();
  else if (Ty.Kind == TypeKind::Narrow)
    return intType(Ty.totalBits());
  else
    Element = intType(Ty.Bits);
  return Ty.Elements == 1 ? Element : FixedVectorType::get(Element, Ty.Elements);
}

Value *InstructionLifter::convert(Value *V, llvm::Type *To, bool Signed) {
  llvm::Type *From = V->getType();
  if (From == To)
    return V;
  if (From->isPointerTy() && To->isPointerTy()) {
    // Only generic and global addresses of one location have the same bits.
    if (From->getPointerAddressSpace() <= GlobalSpace &&
        To->getPointerAddressSpace() <= GlobalSpace)
      return B.CreateAddrSpaceCast(V, To);
    return B.CreateIntToPtr(B.CreatePtrToInt(V, B.getInt64Ty()), To);
  }
  if (From->isPointerTy()) {
    V = B.CreatePtrToInt(V, intType(To->getPrimitiveSizeInBits().getFixedValue()));
    return B.CreateBitCast(V, To);
  }
  unsigned FromBits = From->getPrimitiveSizeInBits();
  if (!From->isIntegerTy())
    V = B.CreateBitCast(V, intType(FromBits));
  if (To->isPointerTy())
    return B.CreateIntToPtr(V, To);
  unsigned ToBits = To->getPrimitiveSizeInBits();
  V = Signed && FromBits > 1 ? B.CreateSExtOrTrunc(V, intType(ToBits))
                             : B.CreateZExtOrTrunc(V, intType(ToBits));
  return B.CreateBitCast(V, To);
}

AllocaInst *InstructionLifter::allocate(llvm::Type *Ty, const Twine &Name, uint64_t Alignment) {
  BasicBlock &Entry = Target.getEntryBlock();
  auto At = Entry.getTerminator() ? Entry.getFirstInsertionPt() : Entry.end();
  AllocaInst *A = IRBuilder<>(&Entry, At).CreateAlloca(Ty, nullptr, Name);
  if (Alignment)
    A->setAlignment(Align(Alignment));
  return A;
}

AllocaInst *InstructionLifter::zeroed(llvm::Type *Ty, const Twine &Name) {
  AllocaInst *A = allocate(Ty, Name);
  IRBuilder<>(A->getParent(), std::next(A->getIterator()))
      .CreateStore(Constant::getNullValue(Ty), A);
  return A;
}

AllocaInst *InstructionLifter::slot(unsigned Register) {
  AllocaInst *&Slot = Slots[Register];
  if (!Slot) {
    const Type &Ty = Source.Registers[Register];
    llvm::Type *Held = intType(Ty.totalBits());
    if (Addresses[Register])
      Held = PointerType::get(B.getContext(), *Addresses[Register]);
    else if (Ty.isFloat() && Ty.Elements == 1 && Ty.Bits >= 32)
      Held = irType(Ty);
    Slot = zeroed(Held, "r" + Twine(Register));
  }
  return Slot;
}

AllocaInst *InstructionLifter::carry() {
  if (!Carry)
    Carry = zeroed(B.getInt1Ty(), "carry");
  return Carry;
}

std::optional<unsigned> InstructionLifter::addressSpaceOf(const Operand &O) const {
  if (O.isBraced())
    return addressSpaceOf(O.Parts[0]);
  switch (O.K) {
  case Operand::Kind::Register:
    return Addresses[O.Index];
  case Operand::Kind::Variable:
  case Operand::Kind::Symbol:
    return symbol(O)->getType()->getPointerAddressSpace();
  default:
    return std::nullopt;
  }
}

/// Returns the address of a variable or function, plus the operand's offset.
Value *InstructionLifter::symbolAddress(const Operand &O) {
  Value *V = symbol(O);
  return O.Bits ? B.CreatePtrAdd(V, B.getInt64(O.Bits)) : V;
}

Value *InstructionLifter::readNumber(const Operand &O, llvm::Type *Ty) {
  if (Ty->isIntegerTy(1))
    return B.getInt1(O.Bits != 0);
  if (Ty->isFloatingPointTy() && O.FloatWidth && O.FloatWidth != Ty->getPrimitiveSizeInBits()) {
    APFloat Value = O.FloatWidth == 64 ? APFloat(APFloat::IEEEdouble(), APInt(64, O.Bits))
                                       : APFloat(APFloat::IEEEsingle(), APInt(32, O.Bits));
    bool Inexact = false;
    Value.convert(Ty->getFltSemantics(), APFloat::rmNearestTiesToEven, &Inexact);
    return ConstantFP::get(Ty, Value);
  }
  unsigned Bits = Ty->isPointerTy() ? 64 : unsigned(Ty->getPrimitiveSizeInBits());
  return convert(ConstantInt::get(B.getContext(), APInt(Bits, O.Bits, false, true)), Ty);
}

/// Returns an operand as errors name it.
std::string InstructionLifter::describe(const Operand &O) const {
  switch (O.K) {
  case Operand::Kind::Vector:
    return "a vector";
  case Operand::Kind::Pair:
    return "a pair";
  case Operand::Kind::Address:
    return "an address";
  case Operand::Kind::List:
    return "a list";
  case Operand::Kind::Sink:
    return "'_'";
  default:
    return "'" + O.Name.str() + "'";
  }
}

/// Fails unless a register is a predicate where one is wanted, and only there.
bool InstructionLifter::holds(const Operand &O, llvm::Type *Ty) {
  const bool Predicate = isPredicate(O);
  if (Predicate == Ty->isIntegerTy(1))
    return true;
  return fail(
      (Predicate ? "expected a value, found the predicate " : "expected a predicate, found ") +
      describe(O));
}

/// Returns the intrinsic of a special register that a thread always reads the same number from.
static Intrinsic::ID fixedRegister(StringRef Name) {
  constexpr StringLiteral Fixed[] = {
      "tid",           "ntid",           "ctaid",           "nctaid",
      "laneid",        "lanemask_eq",    "lanemask_lt",     "lanemask_le",
      "lanemask_gt",   "lanemask_ge",    "clusterid",       "nclusterid",
      "cluster_ctaid", "cluster_nctaid", "cluster_ctarank", "cluster_nctarank"};
  Name = Name.drop_front(); // %
  if (!is_contained(Fixed, Name.split('.').first))
    return Intrinsic::not_intrinsic;
  std::string Full = ("llvm.nvvm.read.ptx.sreg." + Name).str();
  llvm::replace(Full, '_', '.');
  return Intrinsic::lookupIntrinsicID(Full);
}

Value *InstructionLifter::readSpecial(const Operand &O) {
  const Intrinsic::ID Id = fixedRegister(O.Name);
  if (Id != Intrinsic::not_intrinsic)
    return intrinsic(Id, {});
  bool Wide = O.Name.contains("64") || O.Name == "%globaltimer" || O.Name == "%gridid" ||
              O.Name == "%current_graph_exec";
  bool Predicate = O.Name == "%is_explicit_cluster";
  llvm::Type *Held = Predicate ? B.getInt1Ty() : Wide ? B.getInt64Ty() : B.getInt32Ty();
  std::string Text = (Twine("mov.") +
                      (Predicate ? "pred"
                       : Wide    ? "u64"
                                 : "u32") +
                      " $0, " + O.Name + ";")
                         .str();
  InlineAsm *Asm = InlineAsm::get(FunctionType::get(Held, false), Text,
                                  Predicate ? "=b"
                                  : Wide    ? "=l"
                                            : "=r",
                                  /*hasSideEffects=*/true);
  CallInst *Call = B.CreateCall(Asm);
  Call->addFnAttr(Attribute::NoUnwind);
  return Call;
}

Value *InstructionLifter::read(const Operand &O, llvm::Type *Ty) {
  if (O.isBraced())
    return read(O.Parts[0], Ty);
  Value *V = nullptr;
  switch (O.K) {
  case Operand::Kind::Register:
    if (!holds(O, Ty))
      return PoisonValue::get(Ty);
    V = B.CreateLoad(slot(O.Index)->getAllocatedType(), slot(O.Index));
    break;
  case Operand::Kind::Variable:
  case Operand::Kind::Symbol:
    V = symbolAddress(O);
    break;
  case Operand::Kind::Special:
    return convert(readSpecial(O), Ty);
  case Operand::Kind::Integer:
    if (Ty->isFPOrFPVectorTy())
      fail("expected a floating-point number, found " + describe(O));
    return readNumber(O, Ty);
  case Operand::Kind::Float:
    return readNumber(O, Ty);
  default:
    fail("expected a value, found " + describe(O));
    return PoisonValue::get(Ty);
  }
  if (O.Negated && !Ty->isIntegerTy(1))
    fail("expected a value, found '!'");
  else if (O.Negated)
    V = B.CreateNot(convert(V, B.getInt1Ty()));
  return convert(V, Ty);
}

void InstructionLifter::write(const Operand &O, Value *V, bool Signed) {
  if (O.isBraced())
    return write(O.Parts[0], V, Signed);
  if (O.K == Operand::Kind::Sink)
    return;
  if (!O.isRegister() || O.Negated || !O.Selector.empty()) {
    fail("expected a register for the result, found " + describe(O));
    return;
  }
  if (!holds(O, V->getType()))
    return;
  AllocaInst *S = slot(O.Index);
  B.CreateStore(convert(V, S->getAllocatedType(), Signed), S);
}

Value *InstructionLifter::address(const Operand &O, Space In) {
  const Operand &Base = O.Parts[0];
  unsigned Wanted = addressSpace(In);
  llvm::Type *Pointer = PointerType::get(B.getContext(), addressSpaceOf(Base).value_or(Wanted));
  Value *V = convert(read(Base, Pointer), PointerType::get(B.getContext(), Wanted));
  return O.Bits ? B.CreatePtrAdd(V, B.getInt64(O.Bits)) : V;
}

Value *InstructionLifter::intrinsic(Intrinsic::ID Id, ArrayRef<Value *> Arguments,
                                    ArrayRef<llvm::Type *> Overloads) {
  return B.CreateIntrinsic(Id, Overloads, Arguments);
}

void InstructionLifter::markLoop(BranchInst *Branch, const Operand &L) {
  if (!Source.Labels[L.Index].NoUnroll || !Placed[L.Index])
    return;
  MDNode *&Loop = Loops[L.Index];
  if (!Loop) {
    Metadata *Disable =
        MDNode::get(B.getContext(), MDString::get(B.getContext(), "llvm.loop.unroll.disable"));
    Loop = MDNode::getDistinct(B.getContext(), {nullptr, Disable});
    Loop->replaceOperandWith(0, Loop);
  }
  Branch->setMetadata(LLVMContext::MD_loop, Loop);
}

//===--- The body ---------------------------------------------------------===//

void InstructionLifter::makeBlocks() {
  for (size_t I = 0; I < Source.Labels.size(); ++I)
    if (Source.Labels[I].isCode())
      Blocks[I] = BasicBlock::Create(B.getContext(), Source.Labels[I].Name, &Target);
}

void InstructionLifter::liftBody() {
  for (const Statement &S : Source.Body) {
    if (S.IsLabel) {
      BasicBlock *Next = Blocks[S.Index];
      if (!ended())
        B.CreateBr(Next);
      Next->moveAfter(B.GetInsertBlock());
      B.SetInsertPoint(Next);
      Placed[S.Index] = true;
      continue;
    }
    if (ended()) // unreachable
      B.SetInsertPoint(BasicBlock::Create(B.getContext(), "", &Target));
    Current = &Source.Instructions[S.Index];
    lift(*Current);
    if (Failure)
      return;
  }
}

bool InstructionLifter::liftByRow(const Instruction &I) {
  const Row *R = findRow(I);
  return R && guarded(I, [&] { return R->Emit(*this, I); });
}

bool InstructionLifter::guarded(const Instruction &I, function_ref<bool()> Emit) {
  if (!I.Guard)
    return Emit();
  BasicBlock *Before = B.GetInsertBlock();
  Value *Guard = read(*I.Guard, B.getInt1Ty());
  BasicBlock *Next = BasicBlock::Create(B.getContext(), "", &Target);
  if (I.Opcode == "bra" && findRow(I)) {
    markLoop(B.CreateCondBr(Guard, block(I.Operands[0]), Next), I.Operands[0]);
    Next->moveAfter(Before);
    B.SetInsertPoint(Next);
    return true;
  }
  BasicBlock *Then = BasicBlock::Create(B.getContext(), "", &Target, Next);
  Then->moveAfter(Before);
  Next->moveAfter(Then);
  B.SetInsertPoint(Then);
  if (!Emit()) {
    Then->eraseFromParent();
    Next->eraseFromParent();
    B.SetInsertPoint(Before);
    return false;
  }
  if (!B.GetInsertBlock()->getTerminator())
    B.CreateBr(Next);
  B.SetInsertPoint(Before);
  B.CreateCondBr(Guard, Then, Next);
  B.SetInsertPoint(Next);
  return true;
}

} // namespace gmprof::ptx
