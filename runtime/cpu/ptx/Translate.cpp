//===- Translate.cpp - Translation of one asm statement -------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers are integers of their width, whatever their type: each instruction's type defines the
// interpretation. A statement without branches is translated directly into SSA form, with phis
// after guarded instructions; one with branches uses stack slots, which are promoted afterwards.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "ptx/Parser.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

#include <atomic>

using namespace llvm;

namespace gmprof::cpu {

bool lowerInlineAsm(CallInst &Call, LoweringContext &Context) {
  ptx::Emitter(Call, Context).run();
  return true;
}

} // namespace gmprof::cpu

namespace gmprof::cpu::ptx {

static const StringMap<Rule> &rules() {
  static const StringMap<Rule> Map = [] {
    StringMap<Rule> M;
    for (auto Table :
         {integerInstructions(), floatInstructions(), dataInstructions(), memoryInstructions(),
          controlInstructions(), matrixInstructions(), videoInstructions(), textureInstructions()})
      for (const RuleEntry &Entry : Table) {
        [[maybe_unused]] bool New = M.try_emplace(Entry.Opcode, Entry.Emit).second;
        assert(New && "two rules for one opcode");
      }
    return M;
  }();
  return Map;
}

Emitter::Emitter(CallInst &Call, LoweringContext &Context)
    : B(&Call), Context(Context), Call(Call) {}

/// Returns an instruction in one line, as messages show it.
static std::string oneLine(StringRef Text) {
  SmallVector<StringRef, 8> Words;
  SplitString(Text, Words, " \t\r\n\f\v");
  return join(Words, " ");
}

bool Emitter::fail(const Twine &Why) {
  if (Failed)
    return false;
  Failed = true;
  std::string Construct = "inline PTX";
  if (Current)
    Construct += " '" + oneLine(Current->Text) + "'";
  if (!Why.isTriviallyEmpty() && !Why.str().empty())
    Construct += " (" + Why.str() + ")";
  Context.unsupported(Call, Construct);
  return false;
}

//===----------------------------------------------------------------------===//
// The statement
//===----------------------------------------------------------------------===//

bool Emitter::run() {
  if (!bindArguments())
    return false;
  static std::atomic<unsigned> UniqueId;
  std::vector<Type> Operands;
  for (const Slot &S : Slots)
    Operands.push_back(S.Bits == 1 ? predType() : bitsType(S.Bits));
  const StringRef Template = cast<InlineAsm>(Call.getCalledOperand())->getAsmString();
  auto Expanded = gmprof::ptx::expandTemplate(Template, Constants, UniqueId++, "asm");
  if (!Expanded)
    return fail(toString(Expanded.takeError()));
  Text = std::move(*Expanded);
  auto Parsed = gmprof::ptx::parseStatements(Text, Operands, "asm");
  if (!Parsed)
    return fail(toString(Parsed.takeError()));
  Source = std::move(*Parsed);
  return translate();
}

bool Emitter::translate() {
  Branches = !Source.Labels.empty();
  if (Branches || any_of(Source.Instructions, [](const auto &I) { return I.Guard.has_value(); }))
    splitAtCall();
  createSlots();
  for (const gmprof::ptx::Statement &S : Source.Body) {
    if (Failed)
      break;
    if (S.IsLabel)
      enter(S.Index);
    else
      emitGuarded(Source.Instructions[S.Index]);
  }
  Current = nullptr;
  finishBlocks();
  if (!Failed)
    replaceCall();
  promoteSlots();
  return !Failed;
}

/// Creates a slot for each operand of the asm statement, with the inputs' values.
bool Emitter::bindArguments() {
  const auto &Asm = *cast<InlineAsm>(Call.getCalledOperand());
  auto BitsOf = [&](llvm::Type *T) -> unsigned {
    return T->isPointerTy() ? 64 : T->getPrimitiveSizeInBits().getFixedValue();
  };
  llvm::Type *ResultType = Call.getType();
  unsigned NextResult = 0, NextArg = 0;
  for (const InlineAsm::ConstraintInfo &C : Asm.ParseConstraints()) {
    if (C.Type == InlineAsm::isClobber)
      continue;
    if (C.isIndirect || C.Type == InlineAsm::isLabel)
      return fail("memory and label operands");
    Slot S;
    std::optional<int64_t> Constant;
    if (C.Type == InlineAsm::isOutput) {
      auto *Struct = dyn_cast<StructType>(ResultType);
      S.Bits = BitsOf(Struct ? Struct->getElementType(NextResult) : ResultType);
      if (S.Bits == 0)
        return fail("an operand of an aggregate type");
      ++NextResult;
      S.Value = B.getIntN(S.Bits, 0);
      Outputs.push_back(Slots.size());
    } else {
      Value *V = Call.getArgOperand(NextArg++);
      S.Bits = BitsOf(V->getType());
      if (S.Bits == 0)
        return fail("an operand of an aggregate type");
      if (auto *I = dyn_cast<ConstantInt>(V); I && S.Bits <= 64)
        Constant = I->getSExtValue();
      S.Value = V->getType()->isPointerTy() ? B.CreatePtrToInt(V, B.getInt64Ty())
                                            : B.CreateBitCast(V, B.getIntNTy(S.Bits));
      const std::string &Code = C.Codes.empty() ? std::string() : C.Codes[0];
      unsigned Tied;
      if (!StringRef(Code).getAsInteger(10, Tied) && Tied < Slots.size()) {
        Slots[Tied].Value = fitBits(S.Value, Slots[Tied].Bits, false);
        Constant.reset();
      } else if (Code != "n" && Code != "i")
        Constant.reset();
    }
    Slots.push_back(S);
    Constants.push_back(Constant);
  }
  return true;
}

void Emitter::createSlots() {
  for (const Type &Ty : drop_begin(Source.Registers, Slots.size()))
    Slots.push_back({Ty.totalBits(), B.getIntN(Ty.totalBits(), 0), nullptr});
  Slots.push_back({1, B.getFalse(), nullptr}); // carry
  if (!Branches)
    return;
  // An iterator: the block is empty if the call was its first instruction.
  BasicBlock &First = Call.getFunction()->getEntryBlock();
  IRBuilder<> Entry(&First, First.getFirstInsertionPt());
  for (Slot &S : Slots) {
    S.Memory = Entry.CreateAlloca(B.getIntNTy(S.Bits));
    B.CreateStore(S.Value, S.Memory);
  }
}

void Emitter::splitAtCall() {
  BasicBlock *Head = Call.getParent();
  Tail = Head->splitBasicBlock(&Call, "asm.end");
  Head->getTerminator()->eraseFromParent();
  B.SetInsertPoint(Head);
  for (size_t I = 0; I != Source.Labels.size(); ++I)
    LabelBlocks.push_back(BasicBlock::Create(B.getContext(), "asm.label", Head->getParent(), Tail));
}

void Emitter::enter(unsigned Label) {
  B.CreateBr(LabelBlocks[Label]);
  B.SetInsertPoint(LabelBlocks[Label]);
}

void Emitter::branch(unsigned Label) {
  B.CreateBr(LabelBlocks[Label]);
  B.SetInsertPoint(
      BasicBlock::Create(B.getContext(), "asm.next", B.GetInsertBlock()->getParent(), Tail));
}

bool Emitter::emitGuarded(const Instruction &I) {
  Current = &I;
  if (!I.Guard)
    return emit(I);
  Value *Guard = readPredicate(*I.Guard);
  if (Failed)
    return false;
  Function *F = B.GetInsertBlock()->getParent();
  BasicBlock *Then = BasicBlock::Create(B.getContext(), "asm.then", F, Tail);
  BasicBlock *Next = BasicBlock::Create(B.getContext(), "asm.next", F, Tail);
  BasicBlock *From = B.GetInsertBlock();
  B.CreateCondBr(Guard, Then, Next);
  B.SetInsertPoint(Then);
  std::vector<Slot> Before = Slots;
  bool Ok = emit(I);
  BasicBlock *To = B.GetInsertBlock();
  B.CreateBr(Next);
  B.SetInsertPoint(Next);
  if (Branches)
    return Ok;
  for (size_t S = 0; S != Slots.size(); ++S) {
    if (Slots[S].Value == Before[S].Value)
      continue;
    PHINode *Phi = B.CreatePHI(B.getIntNTy(Slots[S].Bits), 2);
    Phi->addIncoming(Before[S].Value, From);
    Phi->addIncoming(Slots[S].Value, To);
    Slots[S].Value = Phi;
  }
  return Ok;
}

bool Emitter::emit(const Instruction &I) {
  auto It = rules().find(I.Opcode);
  if (It == rules().end())
    return fail("");
  Mods = Modifiers(SmallVector<StringRef, 8>(I.Modifiers.begin(), I.Modifiers.end()));
  if (!It->second(*this))
    return fail("its operands or modifiers");
  if (!Mods.empty())
    return fail("its modifier ." + Mods.first());
  return !Failed;
}

/// Terminates the last block, and label blocks left empty by a failure.
void Emitter::finishBlocks() {
  if (!Tail)
    return;
  B.CreateBr(Tail);
  for (BasicBlock *Block : LabelBlocks)
    if (!Block->getTerminator())
      new UnreachableInst(B.getContext(), Block);
  B.SetInsertPoint(&Call);
}

void Emitter::replaceCall() {
  if (!Outputs.empty()) {
    llvm::Type *T = Call.getType();
    auto *Struct = dyn_cast<StructType>(T);
    Value *Result = PoisonValue::get(T);
    for (size_t I = 0; I != Outputs.size(); ++I) {
      llvm::Type *Element = Struct ? Struct->getElementType(I) : T;
      Value *V = get(Slots[Outputs[I]]);
      V = Element->isPointerTy() ? B.CreateIntToPtr(V, Element) : B.CreateBitCast(V, Element);
      Result = Struct ? B.CreateInsertValue(Result, V, I) : V;
    }
    Call.replaceAllUsesWith(Result);
  }
  Call.eraseFromParent();
}

void Emitter::promoteSlots() {
  SmallVector<AllocaInst *, 16> Memory;
  for (const Slot &S : Slots)
    if (S.Memory)
      Memory.push_back(S.Memory);
  if (Memory.empty())
    return;
  DominatorTree Tree(*Memory.front()->getFunction());
  PromoteMemToReg(Memory, Tree);
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

Value *Emitter::get(const Slot &S) {
  return S.Memory ? B.CreateLoad(B.getIntNTy(S.Bits), S.Memory) : S.Value;
}

void Emitter::set(Slot &S, Value *V) {
  if (S.Memory)
    B.CreateStore(V, S.Memory);
  else
    S.Value = V;
}

Emitter::Slot *Emitter::slotOf(const Operand &O) {
  return O.isRegister() ? &Slots[O.Index] : nullptr;
}

Value *Emitter::carry() { return get(Slots.back()); }
void Emitter::setCarry(Value *V) { set(Slots.back(), V); }

bool Emitter::expectOperands(unsigned Min, unsigned Max) {
  if (operandCount() >= Min && operandCount() <= Max)
    return true;
  return fail("unexpected number of operands");
}

std::optional<Type> Emitter::takeType() {
  std::optional<Type> Ty = typeNamed(Mods.first());
  if (Ty)
    Mods.next();
  else
    fail("a type is expected" + (Mods.empty() ? "" : " at ." + Mods.first().str()));
  return Ty;
}

std::optional<Type> Emitter::takeInteger() {
  std::optional<Type> Ty = takeType();
  if (Ty && (!Ty->isInteger() || Ty->Elements != 1 || Ty->Bits < 8)) {
    fail("its type");
    return std::nullopt;
  }
  return Ty;
}

std::optional<Type> Emitter::takeLastType() {
  std::optional<Type> Ty;
  if (!Mods.empty())
    Ty = typeNamed(Mods.rest().back());
  if (Ty)
    Mods.take(Mods.rest().back());
  else
    fail("a type is expected at its end");
  return Ty;
}

llvm::Type *Emitter::irType(const Type &Ty) {
  llvm::Type *Element = B.getIntNTy(Ty.Bits);
  if (Ty.Kind == TypeKind::Float)
    Element = Ty.Bits == 16 ? B.getHalfTy() : Ty.Bits == 32 ? B.getFloatTy() : B.getDoubleTy();
  else if (Ty.Kind == TypeKind::BFloat)
    Element = B.getBFloatTy();
  else if (Ty.Kind == TypeKind::Narrow)
    return B.getIntNTy(Ty.totalBits());
  if (Ty.Elements == 1)
    return Element;
  return FixedVectorType::get(Element, Ty.Elements);
}

/// Extends or truncates the integer V to Bits bits.
Value *Emitter::fitBits(Value *V, unsigned Bits, bool Signed) {
  llvm::Type *T = B.getIntNTy(Bits);
  return Signed ? B.CreateSExtOrTrunc(V, T) : B.CreateZExtOrTrunc(V, T);
}

std::optional<int64_t> Emitter::constant(const Operand &O) {
  if (O.K == Operand::Kind::Integer)
    return O.Bits;
  return std::nullopt;
}

/// Returns the part of a register named by a selector: b0 … b3, h0, h1.
Value *Emitter::select(Value *V, const Operand &O, const Type &Ty) {
  StringRef S = O.Selector;
  unsigned Width = S.starts_with("b") ? 8 : S.starts_with("h") ? 16 : 0, Index;
  if (!Width || S.drop_front().getAsInteger(10, Index) || (Index + 1) * Width > 32 ||
      !V->getType()->isIntegerTy(32)) {
    fail("its selector ." + S);
    return V;
  }
  V = B.CreateTrunc(B.CreateLShr(V, Index * Width), B.getIntNTy(Width));
  return fitBits(V, Ty.totalBits(), Ty.isSigned());
}

Value *Emitter::read(const Operand &O, const Type &Ty) {
  llvm::Type *T = irType(Ty);
  unsigned Bits = Ty.totalBits();
  if (Ty.Kind == TypeKind::Predicate)
    return readPredicate(O);
  if (O.Negated) {
    fail("'!' before something that is not a predicate");
    return PoisonValue::get(T);
  }
  if (auto Number = constant(O)) {
    if (Ty.isFloat() && O.K == Operand::Kind::Integer) {
      fail("an integer where a floating-point number is expected");
      return PoisonValue::get(T);
    }
    return B.CreateBitCast(ConstantInt::get(B.getContext(), APInt(64, *Number).sextOrTrunc(Bits)),
                           T);
  }
  if (O.K == Operand::Kind::Float) {
    uint64_t Number = O.Bits;
    if (O.FloatWidth == 64 && Bits == 32)
      Number = bit_cast<uint32_t>(static_cast<float>(bit_cast<double>(Number)));
    else if (O.FloatWidth == 32 && Bits == 64)
      Number = bit_cast<uint64_t>(static_cast<double>(bit_cast<float>(uint32_t(Number))));
    else if (O.FloatWidth != Bits)
      fail("a floating-point number of another size");
    return B.CreateBitCast(ConstantInt::get(B.getContext(), APInt(Bits, Number, false, true)), T);
  }
  if (O.K == Operand::Kind::Special) {
    Value *V = specialRegister(O.Name);
    return V ? B.CreateBitCast(fitBits(V, Bits, false), T) : PoisonValue::get(T);
  }
  Slot *S = slotOf(O);
  if (!S || S->Bits == 1) {
    fail(S ? "a predicate where a value is expected" : "an operand of an unexpected kind");
    return PoisonValue::get(T);
  }
  Value *V = get(*S);
  V = O.Selector.empty() ? fitBits(V, Bits, Ty.isSigned()) : select(V, O, Ty);
  return Failed ? PoisonValue::get(T) : B.CreateBitCast(V, T);
}

Value *Emitter::readPredicate(const Operand &O) {
  Value *V;
  if (auto Number = constant(O))
    V = B.getInt1(*Number != 0);
  else {
    Slot *S = slotOf(O);
    if (!S || S->Bits != 1) {
      fail("a predicate is expected");
      return B.getFalse();
    }
    V = get(*S);
  }
  return O.Negated ? B.CreateNot(V) : V;
}

Value *Emitter::readAddress(const Operand &O) {
  llvm::Type *Pointer = B.getPtrTy();
  if (O.K != Operand::Kind::Address) {
    fail("an address is expected");
    return PoisonValue::get(Pointer);
  }
  Value *Address = read(O.Parts[0], unsignedType(64));
  return B.CreateIntToPtr(B.CreateAdd(Address, B.getInt64(O.Bits)), Pointer);
}

void Emitter::write(const Operand &O, Value *V, const Type &Ty) {
  if (O.K == Operand::Kind::Sink || Failed || !V)
    return;
  if (V->getType() != irType(Ty)) {
    fail("its type");
    return;
  }
  Slot *S = slotOf(O);
  if (!S || !O.Selector.empty() || O.Negated ||
      (S->Bits == 1) != (Ty.Kind == TypeKind::Predicate)) {
    fail("a register of the instruction's type is expected as its result");
    return;
  }
  Value *Bits = B.CreateBitCast(V, B.getIntNTy(Ty.totalBits()));
  set(*S, fitBits(Bits, S->Bits, Ty.isSigned()));
}

//===----------------------------------------------------------------------===//
// Intrinsics
//===----------------------------------------------------------------------===//

Value *Emitter::intrinsic(const Twine &Name, ArrayRef<Value *> Args, llvm::Type *Result) {
  std::string Full = ("llvm.nvvm." + Name).str();
  Intrinsic::ID ID = Intrinsic::lookupIntrinsicID(Full);
  if (ID == Intrinsic::not_intrinsic) {
    fail("its combination of modifiers");
    return nullptr;
  }
  if (Intrinsic::isOverloaded(ID)) {
    if (!Result)
      Result = Args[0]->getType();
    FunctionType *Wanted = FunctionType::get(
        Result, to_vector(map_range(Args, [](Value *V) { return V->getType(); })), false);
    SmallVector<llvm::Type *, 2> Overloads;
    if (!Intrinsic::getIntrinsicSignature(ID, Wanted, Overloads)) {
      fail("its combination of types");
      return nullptr;
    }
    return B.CreateIntrinsic(ID, Overloads, Args);
  }
  FunctionType *T = Intrinsic::getType(B.getContext(), ID);
  if (T->getNumParams() != Args.size()) {
    fail("its combination of modifiers");
    return nullptr;
  }
  SmallVector<Value *, 8> Cast(Args);
  for (size_t I = 0; I != Cast.size(); ++I) {
    llvm::Type *Param = T->getParamType(I);
    if (Param->isPointerTy() && Cast[I]->getType()->isPointerTy())
      Cast[I] = B.CreatePointerBitCastOrAddrSpaceCast(Cast[I], Param);
    if (Cast[I]->getType() != Param) {
      fail("its combination of types");
      return nullptr;
    }
  }
  return B.CreateIntrinsic(ID, ArrayRef<llvm::Type *>(), Cast);
}

Value *Emitter::specialRegister(StringRef Name) {
  Name.consume_front("%");
  if (Name == "clock_hi" || Name == "globaltimer_hi") {
    Value *Whole = specialRegister(Name == "clock_hi" ? "clock64" : "globaltimer");
    return B.CreateTrunc(B.CreateLShr(Whole, 32), B.getInt32Ty());
  }
  if (Name == "reserved_smem_offset_1")
    return B.CreateTrunc(Context.loadBlock(B, offsetof(BlockState, ReservedShared), B.getInt64Ty()),
                         B.getInt32Ty());
  std::string Dotted = Name.str();
  std::replace(Dotted.begin(), Dotted.end(), '_', '.');
  for (const std::string &Candidate :
       {"read.ptx.sreg." + Name.str(), "read.ptx.sreg." + Dotted, Name.str()})
    if (Intrinsic::ID ID = Intrinsic::lookupIntrinsicID("llvm.nvvm." + Candidate))
      if (Intrinsic::getType(B.getContext(), ID)->getNumParams() == 0)
        return B.CreateIntrinsic(ID, ArrayRef<llvm::Type *>(), {});
  fail("its special register %" + Name);
  return nullptr;
}

} // namespace gmprof::cpu::ptx
