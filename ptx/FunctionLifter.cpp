//===- FunctionLifter.cpp - Translation of a function's body --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionLifter.h"

#include "Provenance.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace gmprof::ptx {

FunctionLifter::FunctionLifter(ModuleLifter &M, const Function &Source, llvm::Function &Target)
    : B(M.Context), M(M), Source(Source), Target(Target), Addresses(M.addresses(Source)),
      Slots(Source.Registers.size()), Variables(Source.Variables.size()),
      Blocks(Source.Labels.size()), Loops(Source.Labels.size()), Placed(Source.Labels.size()) {}

//===--- Types and values -------------------------------------------------===//

llvm::Type *FunctionLifter::irType(const Type &Ty) {
  llvm::Type *Element = nullptr;
  if (Ty.Kind == TypeKind::Float)
    Element = Ty.Bits == 16 ? B.getHalfTy() : Ty.Bits == 32 ? B.getFloatTy() : B.getDoubleTy();
  else if (Ty.Kind == TypeKind::BFloat)
    Element = B.getBFloatTy();
  else
    Element = intType(Ty.Bits);
  return Ty.Elements == 1 ? Element : FixedVectorType::get(Element, Ty.Elements);
}

Value *FunctionLifter::convert(Value *V, llvm::Type *To, bool Signed) {
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

AllocaInst *FunctionLifter::allocate(llvm::Type *Ty, const Twine &Name, uint64_t Alignment) {
  IRBuilder<> AtEntry(Entry);
  AllocaInst *A = AtEntry.CreateAlloca(Ty, nullptr, Name);
  if (Alignment)
    A->setAlignment(Align(Alignment));
  return A;
}

AllocaInst *FunctionLifter::slot(unsigned Register) {
  AllocaInst *&Slot = Slots[Register];
  if (!Slot) {
    const Type &Ty = Source.Registers[Register];
    llvm::Type *Held = intType(Ty.totalBits());
    if (Addresses[Register])
      Held = PointerType::get(M.Context, *Addresses[Register]);
    else if (Ty.isFloat() && Ty.Elements == 1 && Ty.Bits >= 32)
      Held = irType(Ty);
    Slot = allocate(Held, "r" + Twine(Register));
    IRBuilder<>(Entry).CreateStore(Constant::getNullValue(Held), Slot);
  }
  return Slot;
}

AllocaInst *FunctionLifter::carry() {
  if (!Carry) {
    Carry = allocate(B.getInt1Ty(), "carry");
    IRBuilder<>(Entry).CreateStore(B.getFalse(), Carry);
  }
  return Carry;
}

std::optional<unsigned> FunctionLifter::addressSpaceOf(const Operand &O) const {
  if (O.isBraced())
    return addressSpaceOf(O.Parts[0]);
  switch (O.K) {
  case Operand::Kind::Register:
    return Addresses[O.Index];
  case Operand::Kind::Variable:
    return Variables[O.Index]->getType()->getPointerAddressSpace();
  case Operand::Kind::Symbol:
    return M.symbol(O.Name)->getType()->getPointerAddressSpace();
  default:
    return std::nullopt;
  }
}

/// Returns the address of a variable or function, plus the operand's offset.
Value *FunctionLifter::symbolAddress(const Operand &O) {
  Value *V = O.K == Operand::Kind::Variable ? Variables[O.Index] : M.symbol(O.Name);
  return O.Bits ? B.CreatePtrAdd(V, B.getInt64(O.Bits)) : V;
}

Value *FunctionLifter::readNumber(const Operand &O, llvm::Type *Ty) {
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
  return convert(ConstantInt::get(M.Context, APInt(Bits, O.Bits, false, true)), Ty);
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

Value *FunctionLifter::readSpecial(const Operand &O, llvm::Type *Ty) {
  const Intrinsic::ID Id = fixedRegister(O.Name);
  if (Id != Intrinsic::not_intrinsic)
    return convert(intrinsic(Id, {}), Ty);
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
  return convert(Call, Ty);
}

Value *FunctionLifter::read(const Operand &O, llvm::Type *Ty) {
  if (O.isBraced())
    return read(O.Parts[0], Ty);
  Value *V = nullptr;
  switch (O.K) {
  case Operand::Kind::Register:
    V = B.CreateLoad(slot(O.Index)->getAllocatedType(), slot(O.Index));
    break;
  case Operand::Kind::Variable:
  case Operand::Kind::Symbol:
    V = symbolAddress(O);
    break;
  case Operand::Kind::Special:
    return readSpecial(O, Ty);
  case Operand::Kind::Integer:
  case Operand::Kind::Float:
    return readNumber(O, Ty);
  default:
    Unexpected = Current->At;
    return PoisonValue::get(Ty);
  }
  if (O.Negated)
    V = B.CreateNot(convert(V, B.getInt1Ty()));
  return convert(V, Ty);
}

void FunctionLifter::write(const Operand &O, Value *V, bool Signed) {
  if (O.isBraced())
    return write(O.Parts[0], V, Signed);
  if (O.K == Operand::Kind::Sink)
    return;
  if (!O.isRegister()) {
    Unexpected = Current->At;
    return;
  }
  AllocaInst *S = slot(O.Index);
  B.CreateStore(convert(V, S->getAllocatedType(), Signed), S);
}

Value *FunctionLifter::address(const Operand &O, Space In) {
  const Operand &Base = O.Parts[0];
  unsigned Wanted = addressSpace(In);
  llvm::Type *Pointer = PointerType::get(M.Context, addressSpaceOf(Base).value_or(Wanted));
  Value *V = convert(read(Base, Pointer), PointerType::get(M.Context, Wanted));
  return O.Bits ? B.CreatePtrAdd(V, B.getInt64(O.Bits)) : V;
}

Value *FunctionLifter::intrinsic(Intrinsic::ID Id, ArrayRef<Value *> Arguments,
                                 ArrayRef<llvm::Type *> Overloads) {
  return B.CreateIntrinsic(Id, Overloads, Arguments);
}

llvm::Function *FunctionLifter::callee(const Operand &O) const {
  return O.K == Operand::Kind::Symbol ? dyn_cast_or_null<llvm::Function>(M.symbol(O.Name))
                                      : nullptr;
}

const Signature *FunctionLifter::signature(const Operand &O) const {
  if (O.K == Operand::Kind::Label && Source.Labels[O.Index].Prototype)
    return &*Source.Labels[O.Index].Prototype;
  const Function *F = O.K == Operand::Kind::Symbol ? M.function(O.Name) : nullptr;
  return F ? &F->Sig : nullptr;
}

void FunctionLifter::emitReturn() {
  if (Source.Entry || Source.Sig.Results.empty()) {
    B.CreateRetVoid();
    return;
  }
  B.CreateRet(B.CreateLoad(Target.getReturnType(), Variables[0]));
}

void FunctionLifter::markLoop(BranchInst *Branch, const Operand &L) {
  if (!Source.Labels[L.Index].NoUnroll || !Placed[L.Index])
    return;
  MDNode *&Loop = Loops[L.Index];
  if (!Loop) {
    Metadata *Disable =
        MDNode::get(M.Context, MDString::get(M.Context, "llvm.loop.unroll.disable"));
    Loop = MDNode::getDistinct(M.Context, {nullptr, Disable});
    Loop->replaceOperandWith(0, Loop);
  }
  Branch->setMetadata(LLVMContext::MD_loop, Loop);
}

//===--- The body ---------------------------------------------------------===//

Error FunctionLifter::check(const Operand &O, Position At) const {
  if (O.K == Operand::Kind::Symbol && !M.symbol(O.Name))
    return M.error(At, "expected a variable, a function or a label, found '" + O.Name + "'");
  for (const Operand &Part : O.Parts)
    if (Error E = check(Part, At))
      return E;
  return Error::success();
}

/// Returns an error if an instruction names what does not exist or has no form in LLVM IR.
Error FunctionLifter::check() {
  for (const Instruction &I : Source.Instructions) {
    for (const Operand &O : I.Operands)
      if (Error E = check(O, I.At))
        return E;
    bool Modelled = findRow(I);
    if (!Modelled && (I.Opcode == "bra" || I.Opcode == "brx" || I.Opcode == "call" ||
                      (I.Opcode == "ld" && spaceOf(I) == Space::Param) ||
                      (I.Opcode == "st" && spaceOf(I) == Space::Param)))
      return M.error(I.At, "unsupported form of '" + I.name() + "'");
    if (I.Opcode == "bra" && !label(I.Operands[0]).isCode())
      return M.error(I.At, "expected the label of an instruction");
    if (I.Opcode == "brx") {
      const Label &Table = label(I.Operands[1]);
      if (!Table.Targets)
        return M.error(I.At, "expected the label of .branchtargets");
      for (const Operand &O : *Table.Targets)
        if (O.K != Operand::Kind::Label || !label(O).isCode())
          return M.error(I.At, "expected labels of instructions in .branchtargets");
    }
    if (I.Opcode == "call") {
      const Operand &First = I.Operands[0];
      bool Results = First.K == Operand::Kind::List;
      const Operand *Called = Results && I.Operands.size() > 1 ? &I.Operands[1] : &First;
      const Signature *S = signature(*Called);
      if (!S)
        S = signature(I.Operands.back());
      if (!S || (!callee(*Called) && !Called->isRegister()))
        return M.error(I.At, "expected a declared function or a .callprototype");
      const Operand *Arguments = nullptr;
      for (const Operand &O : ArrayRef(I.Operands).drop_front(Results ? 1 : 0))
        if (O.K == Operand::Kind::List)
          Arguments = &O;
      size_t Count = Arguments ? Arguments->Parts.size() : 0;
      if (Count != S->Params.size() || (Results ? First.Parts.size() : 0) != S->Results.size())
        return M.error(I.At, "expected " + Twine(S->Params.size()) + " arguments and " +
                                 Twine(S->Results.size()) + " results, as declared");
      for (const Operand *List : {Results ? &First : nullptr, Arguments})
        if (List)
          for (const Operand &O : List->Parts)
            if (O.K != Operand::Kind::Variable)
              return M.error(I.At, "expected .param variables as arguments and results");
    }
  }
  return Error::success();
}

/// Makes parameters and local variables. Those of a kernel are read-only.
void FunctionLifter::makeVariables() {
  size_t Results = Source.Sig.Results.size(), Params = Source.Sig.Params.size();
  for (size_t I = 0; I < Source.Variables.size(); ++I) {
    const Variable &V = Source.Variables[I];
    bool IsParam = I >= Results && I < Results + Params;
    llvm::Argument *A = IsParam ? Target.getArg(I - Results) : nullptr;
    // Compilers number parameters: that is no name of the source.
    if (A && V.Name != (Source.Name + "_param_" + Twine(A->getArgNo())).str())
      A->setName(V.Name);
    if (A && Source.Entry && V.Array) {
      Variables[I] = A;
    } else if (I >= Results + Params && V.In != Space::Param && V.In != Space::Local) {
      Variables[I] = M.declare(V);
    } else {
      llvm::Type *Ty = A ? A->getType() : ArrayType::get(B.getInt8Ty(), V.bytes());
      Variables[I] = allocate(Ty, V.Name, std::max<uint64_t>(V.alignment(), 1));
      if (A)
        IRBuilder<>(Entry).CreateStore(A, Variables[I]);
    }
  }
}

void FunctionLifter::makeRegisters() {
  unsigned All = 0, Flushing = 0;
  for (const Instruction &I : Source.Instructions) {
    if (I.Opcode == "wgmma" && I.has("mma_async") && !I.Operands.empty())
      for (const Operand &O : I.Operands[0].Parts)
        if (O.isRegister() && !is_contained(Accumulators, O.Index))
          Accumulators.push_back(O.Index);
    bool Arithmetic = StringSwitch<bool>(I.Opcode)
                          .Cases({"add", "sub", "mul", "fma", "mad", "div", "min", "max"}, true)
                          .Cases({"setp", "abs", "neg", "rcp"}, true)
                          .Default(false);
    if (Arithmetic && I.has("f32") && !I.has("approx")) {
      ++All;
      Flushing += I.has("ftz");
    }
  }
  Flushes = 2 * Flushing > All;
  if (Flushes)
    Target.addFnAttr("denormal-fp-math-f32", "preserve-sign,preserve-sign");
}

void FunctionLifter::makeBlocks() {
  for (size_t I = 0; I < Source.Labels.size(); ++I)
    if (Source.Labels[I].isCode())
      Blocks[I] = BasicBlock::Create(M.Context, Source.Labels[I].Name, &Target);
}

Error FunctionLifter::run() {
  for (const Variable &V : Source.Variables)
    if (V.Initialised)
      return M.error(V.At, "expected no initialiser in a function");
  M.lines().begin(Source, Target);
  Entry = BasicBlock::Create(M.Context, "entry", &Target);
  BasicBlock *Begin = BasicBlock::Create(M.Context, "begin", &Target);
  makeVariables();
  makeRegisters();
  makeBlocks();
  if (Error E = check())
    return E;
  B.SetInsertPoint(Begin);
  for (const Statement &S : Source.Body) {
    if (S.IsLabel) {
      BasicBlock *Next = Blocks[S.Index];
      if (!B.GetInsertBlock()->getTerminator())
        B.CreateBr(Next);
      Next->moveAfter(B.GetInsertBlock());
      B.SetInsertPoint(Next);
      Placed[S.Index] = true;
      continue;
    }
    if (B.GetInsertBlock()->getTerminator()) // unreachable
      B.SetInsertPoint(BasicBlock::Create(M.Context, "", &Target));
    lift(Source.Instructions[S.Index]);
    if (Unexpected)
      return M.error(*Unexpected, "unexpected kind of operand");
  }
  if (!B.GetInsertBlock()->getTerminator())
    emitReturn();
  IRBuilder<>(Entry).CreateBr(Begin);
  EliminateUnreachableBlocks(Target);
  return Error::success();
}

void FunctionLifter::count(const Instruction &I, bool Modelled) {
  if (M.Statistics)
    ++(Modelled ? M.Statistics->Modelled : M.Statistics->InlineAssembly)[I.name()];
}

void FunctionLifter::lift(const Instruction &I) {
  Current = &I;
  B.SetCurrentDebugLocation(M.lines().location(Source, I.Line));
  const Row *R = findRow(I);
  bool Modelled = R && (I.Guard ? liftGuarded(I, R->Emit) : R->Emit(*this, I));
  count(I, Modelled);
  if (!Modelled)
    emitInlineAssembly(I);
}

/// Emits a guarded instruction as a branch around it.
bool FunctionLifter::liftGuarded(const Instruction &I, Rule Emit) {
  BasicBlock *Before = B.GetInsertBlock();
  Value *Guard = read(*I.Guard, B.getInt1Ty());
  BasicBlock *Next = BasicBlock::Create(M.Context, "", &Target);
  if (I.Opcode == "bra") {
    markLoop(B.CreateCondBr(Guard, block(I.Operands[0]), Next), I.Operands[0]);
    Next->moveAfter(Before);
    B.SetInsertPoint(Next);
    return true;
  }
  BasicBlock *Then = BasicBlock::Create(M.Context, "", &Target, Next);
  Then->moveAfter(Before);
  Next->moveAfter(Then);
  B.SetInsertPoint(Then);
  if (!Emit(*this, I)) {
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
