//===- AccessStatements.cpp - Memory accesses in inline assembly ----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AccessStatements.h"

#include "StatementLifter.h"

#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace gmprof::ptx {
namespace {

/// An instruction whose row declines it stays inline assembly, of its own.
class AccessLifter : public StatementLifter {
public:
  using StatementLifter::StatementLifter;
  Error lift() {
    if (StatementLifter::run())
      return Error::success();
    return createStringError("inline assembly '" + Current->Text + "': " + *Failure);
  }

private:
  void lift(const Instruction &I) override {
    if (!liftByRow(I) && !Failure)
      emitInlineAssembly(I);
  }
};

} // namespace

static bool isAccess(const Instruction &I) {
  return is_contained({"ld", "ldu", "st", "atom", "red", "cp", "ldmatrix"}, I.Opcode);
}

/// Returns whether LLVM IR can express where the data is cached.
static bool hasUsualCaching(const Instruction &I) { return !I.has("cg") || I.Opcode == "cp"; }

static bool isLifted(const InlineStatement &S) {
  const std::vector<Instruction> &All = S.Source.Instructions;
  return S.Source.Labels.empty() && any_of(All, isAccess) &&
         all_of(All, [](const Instruction &I) { return findRow(I) && hasUsualCaching(I); });
}

static Error liftAccesses(llvm::Function &F) {
  const bool Flushes =
      F.getFnAttribute("denormal-fp-math-f32").getValueAsString().starts_with("preserve-sign");
  SmallVector<CallInst *, 16> Calls;
  for (llvm::Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallInst>(&I); Call && Call->isInlineAsm())
      Calls.push_back(Call);
  SmallVector<AllocaInst *, 64> Registers;
  for (CallInst *Call : Calls) {
    auto Statement = readStatement(*Call);
    if (!Statement) { // refers to what is outside of it
      consumeError(Statement.takeError());
      continue;
    }
    if (!isLifted(**Statement))
      continue;
    AccessLifter L(**Statement, Flushes);
    if (Error E = L.lift())
      return E;
    L.takeRegisters(Registers);
  }
  promoteRegisters(F, Registers);
  return Error::success();
}

Error liftAccesses(llvm::Module &M) {
  for (llvm::Function &F : M)
    if (!F.isDeclaration())
      if (Error E = liftAccesses(F))
        return E;
  return Error::success();
}

} // namespace gmprof::ptx
