//===- StatementLifter.cpp - Translation of inline assembly ---------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StatementLifter.h"

#include "Parser.h"
#include "Provenance.h"

#include "llvm/IR/Dominators.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

#include <atomic>

using namespace llvm;

namespace gmprof::ptx {

/// Returns the type of the register that holds a value; nothing if none can.
static std::optional<Type> registerType(llvm::Type *Ty, const DataLayout &DL) {
  if (!Ty->isSingleValueType())
    return std::nullopt;
  const uint64_t Bits = DL.getTypeSizeInBits(Ty).getKnownMinValue();
  if (!Bits || Bits > 128)
    return std::nullopt;
  if (Ty->isIntegerTy(1))
    return Type{TypeKind::Predicate, 1, 1};
  const bool Float = Ty->isFloatTy() || Ty->isDoubleTy();
  return Type{Float ? TypeKind::Float : TypeKind::Bits, 1, uint16_t(Bits)};
}

Expected<std::unique_ptr<InlineStatement>> readStatement(CallInst &Call) {
  static std::atomic<unsigned> UniqueId;
  const auto &Asm = *cast<InlineAsm>(Call.getCalledOperand());
  const DataLayout &DL = Call.getDataLayout();
  auto S = std::make_unique<InlineStatement>();
  S->Call = &Call;
  std::vector<Type> Types;
  std::vector<std::optional<int64_t>> Constants;
  std::vector<std::pair<unsigned, Value *>> Tied;
  auto *Struct = dyn_cast<StructType>(Call.getType());
  unsigned NextArgument = 0;
  for (const InlineAsm::ConstraintInfo &C : Asm.ParseConstraints()) {
    if (C.Type == InlineAsm::isClobber)
      continue;
    if (C.isIndirect || C.Type == InlineAsm::isLabel)
      return createStringError("memory and label operands");
    const bool Result = C.Type == InlineAsm::isOutput;
    Value *V = Result ? nullptr : Call.getArgOperand(NextArgument++);
    llvm::Type *Ty = V        ? V->getType()
                     : Struct ? Struct->getElementType(S->Results.size())
                              : Call.getType();
    std::optional<Type> Held = registerType(Ty, DL);
    if (!Held)
      return createStringError("an operand of an aggregate type");
    const StringRef Code = C.Codes.empty() ? StringRef() : StringRef(C.Codes[0]);
    std::optional<int64_t> Number;
    if (auto *Int = dyn_cast_or_null<ConstantInt>(V); Int && (Code == "n" || Code == "i"))
      Number = Int->getBitWidth() > 1 ? Int->getSExtValue() : Int->getZExtValue();
    unsigned To = 0;
    if (V && !Code.getAsInteger(10, To) && To < Types.size())
      Tied.push_back({To, V});
    if (Result)
      S->Results.push_back(Types.size());
    Types.push_back(*Held);
    S->Values.push_back(V);
    Constants.push_back(Number);
  }
  for (auto [To, V] : Tied)
    S->Values[To] = V;
  Expected<std::string> Text = expandTemplate(Asm.getAsmString(), Constants, UniqueId++, "asm");
  if (!Text)
    return Text.takeError();
  S->Text = std::move(*Text);
  Expected<Function> Source = parseStatements(S->Text, Types, "asm");
  if (!Source)
    return Source.takeError();
  S->Source = std::move(*Source);
  S->Addresses = inferAddresses(S->Source, {});
  for (size_t I = 0; I < S->Values.size(); ++I)
    if (S->Values[I] && S->Values[I]->getType()->isPointerTy())
      S->Addresses[I] = S->Values[I]->getType()->getPointerAddressSpace();
  return S;
}

StatementLifter::StatementLifter(const InlineStatement &S, bool Flushes)
    : InstructionLifter(S.Call->getContext(), S.Source, *S.Call->getFunction(), S.Addresses), S(S) {
  this->Flushes = Flushes;
  Straight = Source.Labels.empty() &&
             none_of(Source.Instructions, [](const Instruction &I) { return I.Guard.has_value(); });
}

bool StatementLifter::run() {
  B.SetInsertPoint(S.Call);
  BasicBlock *Head = S.Call->getParent();
  BasicBlock *Tail = nullptr;
  if (!Straight) {
    Tail = Head->splitBasicBlock(S.Call);
    Head->getTerminator()->eraseFromParent();
    B.SetInsertPoint(Head);
    B.SetCurrentDebugLocation(S.Call->getDebugLoc());
  }
  initialise();
  makeBlocks();
  liftBody();
  if (Tail)
    finish(*Tail);
  if (!Failure)
    replaceCall();
  return !Failure;
}

/// Gives registers their values at the beginning: also if the statement is in a loop.
void StatementLifter::initialise() {
  for (unsigned R = 0; R < Source.Registers.size(); ++R) {
    llvm::Type *Held = slot(R)->getAllocatedType();
    Value *V = R < S.Values.size() ? S.Values[R] : nullptr;
    B.CreateStore(V ? convert(V, Held) : Constant::getNullValue(Held), slot(R));
  }
}

/// Leads what does not branch to the statement's end, and ends blocks that a failure left open.
void StatementLifter::finish(BasicBlock &Tail) {
  if (!B.GetInsertBlock()->getTerminator())
    B.CreateBr(&Tail);
  for (BasicBlock *Block : Blocks)
    if (Block && !Block->getTerminator())
      new UnreachableInst(B.getContext(), Block);
  B.SetInsertPoint(S.Call);
}

void StatementLifter::replaceCall() {
  llvm::Type *Ty = S.Call->getType();
  if (!Ty->isVoidTy()) {
    auto *Struct = dyn_cast<StructType>(Ty);
    Value *Result = PoisonValue::get(Ty);
    for (unsigned I = 0; I < S.Results.size(); ++I) {
      AllocaInst *From = slot(S.Results[I]);
      Value *V = convert(B.CreateLoad(From->getAllocatedType(), From),
                         Struct ? Struct->getElementType(I) : Ty);
      Result = Struct ? B.CreateInsertValue(Result, V, I) : V;
    }
    S.Call->replaceAllUsesWith(Result);
  }
  S.Call->eraseFromParent();
}

void StatementLifter::takeRegisters(SmallVectorImpl<AllocaInst *> &Out) const {
  append_range(Out, Slots);
  if (Carry)
    Out.push_back(Carry);
}

void promoteRegisters(llvm::Function &F, ArrayRef<AllocaInst *> Variables) {
  if (Variables.empty())
    return;
  DominatorTree Tree(F);
  PromoteMemToReg(Variables, Tree);
}

} // namespace gmprof::ptx
