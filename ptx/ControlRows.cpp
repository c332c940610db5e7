//===- ControlRows.cpp - Branches, calls and returns ----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionLifter.h"

using namespace llvm;

namespace gmprof::ptx {
namespace {

bool branch(FunctionLifter &L, const Instruction &I) {
  L.markLoop(L.B.CreateBr(L.block(I.Operands[0])), I.Operands[0]);
  return true;
}

/// brx.idx %r, targets: an index outside the table is undefined behaviour in PTX.
bool indexedBranch(FunctionLifter &L, const Instruction &I) {
  const std::vector<Operand> &Targets = *L.label(I.Operands[1]).Targets;
  Value *Index = L.read(I.Operands[0], L.B.getInt32Ty());
  llvm::Function *F = L.B.GetInsertBlock()->getParent();
  BasicBlock *Outside = BasicBlock::Create(L.B.getContext(), "", F);
  SwitchInst *Switch = L.B.CreateSwitch(Index, Outside, Targets.size());
  for (size_t N = 0; N < Targets.size(); ++N)
    Switch->addCase(L.B.getInt32(N), L.block(Targets[N]));
  L.B.SetInsertPoint(Outside);
  L.B.CreateUnreachable();
  return true;
}

bool functionReturn(FunctionLifter &L, const Instruction &) {
  L.emitReturn();
  return true;
}

/// A kernel's exit is a return; a function's ends the thread, which inline assembly does.
bool threadExit(FunctionLifter &L, const Instruction &) {
  if (!L.isEntry())
    return false;
  L.emitReturn();
  return true;
}

bool trap(FunctionLifter &L, const Instruction &) {
  L.intrinsic(Intrinsic::trap, {});
  return true;
}

/// call (result), function, (arguments), prototype: each argument is a .param variable.
bool call(FunctionLifter &L, const Instruction &I) {
  ArrayRef<Operand> Rest = I.Operands;
  ArrayRef<Operand> Results, Arguments;
  if (Rest.front().K == Operand::Kind::List) {
    Results = Rest.front().Parts;
    Rest = Rest.drop_front();
  }
  const Operand &Called = Rest.front();
  Rest = Rest.drop_front();
  if (!Rest.empty() && Rest.front().K == Operand::Kind::List)
    Arguments = Rest.front().Parts;
  llvm::Function *F = L.callee(Called);
  const Signature *S = F ? L.signature(Called) : L.signature(Rest.back());
  FunctionType *Ty = L.functionType(*S);
  Value *Callee = F ? F : L.read(Called, PointerType::get(L.B.getContext(), 0));
  SmallVector<Value *, 8> Values;
  for (size_t N = 0; N < Arguments.size(); ++N)
    Values.push_back(L.B.CreateLoad(Ty->getParamType(N), L.variable(Arguments[N])));
  CallInst *Call = L.B.CreateCall(Ty, Callee, Values);
  Call->setConvergent();
  Call->addFnAttr(Attribute::NoUnwind);
  if (!Results.empty())
    L.B.CreateStore(Call, L.variable(Results[0]));
  return true;
}

constexpr Row Rows[] = {
    {"bra", "[uni]", "l", branch},      {"brx", "idx [uni]", "vl", indexedBranch},
    {"call", "[uni]", "**?*?*?", call}, {"ret", "[uni]", "", functionReturn},
    {"exit", "", "", threadExit},       {"trap", "", "", trap},
};

} // namespace

ArrayRef<Row> controlRows() { return Rows; }

} // namespace gmprof::ptx
