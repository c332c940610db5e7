//===- ControlRows.cpp - Branches, calls and returns ----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InstructionLifter.h"

using namespace llvm;

namespace gmprof::ptx {
namespace {

bool branch(InstructionLifter &L, const Instruction &I) {
  L.markLoop(L.B.CreateBr(L.block(I.Operands[0])), I.Operands[0]);
  return true;
}

/// Lifts brx.idx %r, targets: an index outside the table is undefined behaviour in PTX.
bool indexedBranch(InstructionLifter &L, const Instruction &I) {
  if (!L.label(I.Operands[1]).Targets)
    return false;
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

bool functionReturn(InstructionLifter &L, const Instruction &) { return L.emitReturn(); }

bool threadExit(InstructionLifter &L, const Instruction &) { return L.emitExit(); }

bool call(InstructionLifter &L, const Instruction &I) { return L.emitCall(I); }

bool trap(InstructionLifter &L, const Instruction &) {
  L.intrinsic(Intrinsic::trap, {});
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
