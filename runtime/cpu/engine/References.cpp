//===- References.cpp - Globals that a function references ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/engine/References.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace gmprof::cpu {

SetVector<GlobalValue *> directReferences(const Function &F) {
  SetVector<GlobalValue *> Found;
  SmallPtrSet<const Constant *, 16> Seen;
  SmallVector<Constant *, 16> Work;
  for (const Instruction &I : instructions(F))
    for (Value *Operand : I.operands())
      if (auto *C = dyn_cast<Constant>(Operand))
        Work.push_back(C);
  while (!Work.empty()) {
    Constant *C = Work.pop_back_val();
    if (!Seen.insert(C).second)
      continue;
    if (auto *Global = dyn_cast<GlobalValue>(C))
      Found.insert(Global);
    else
      for (Value *Operand : C->operands())
        if (auto *Inner = dyn_cast<Constant>(Operand))
          Work.push_back(Inner);
  }
  return Found;
}

void ReferenceMap::addReachable(const Function &F, References &To) {
  SmallVector<const Function *, 16> Work{&F};
  while (!Work.empty()) {
    const Function *Current = Work.pop_back_val();
    if (!To.Functions.insert(Current))
      continue;
    auto [Known, New] = Direct.try_emplace(Current);
    if (New)
      Known->second = directReferences(*Current);
    for (GlobalValue *Global : Known->second) {
      if (auto *Callee = dyn_cast<Function>(Global))
        Work.push_back(Callee);
      else if (auto *Variable = dyn_cast<GlobalVariable>(Global))
        To.Variables.insert(Variable);
    }
  }
}

} // namespace gmprof::cpu
