//===- LowerVariables.cpp - Addresses of variables ------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/engine/Intrinsics.h"
#include "cpu/engine/Lower.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;

namespace gmprof::cpu {

/// Replaces a shared variable by an offset from the base in its block's state: one addition per
/// function, in the entry block.
static void lowerShared(GlobalVariable &V, uint64_t Offset, LoweringContext &Context) {
  convertUsersOfConstantsToInstructions({&V});
  DenseMap<Function *, Value *> Addresses;
  for (Use &U : make_early_inc_range(V.uses())) {
    Function *F = cast<Instruction>(U.getUser())->getFunction();
    Value *&Address = Addresses[F];
    if (!Address) {
      IRBuilder<> B(F->getContext());
      B.SetInsertPoint(F->getEntryBlock().getFirstInsertionPt());
      Value *Base = Context.loadBlock(B, offsetof(BlockState, SharedBase), B.getInt64Ty());
      Address = B.CreateIntToPtr(B.CreateAdd(Base, B.getInt64(Offset)), V.getType());
    }
    U.set(Address);
  }
}

static const Instruction *anyUser(const Constant &C) {
  for (const User *U : C.users()) {
    if (const auto *I = dyn_cast<Instruction>(U))
      return I;
    if (const auto *Outer = dyn_cast<Constant>(U))
      if (const Instruction *I = anyUser(*Outer))
        return I;
  }
  return nullptr;
}

void lowerVariables(llvm::Module &M, const Image &Image, const SharedLayout &Shared,
                    LoweringContext &Context) {
  for (GlobalVariable &V : make_early_inc_range(M.globals())) {
    V.removeDeadConstantUsers();
    const Instruction *User = anyUser(V);
    if (!User) {
      V.replaceAllUsesWith(PoisonValue::get(V.getType()));
      V.eraseFromParent();
      continue;
    }
    std::string Name = V.getName().str();
    if (V.getAddressSpace() == NVPTXAS::ADDRESS_SPACE_SHARED) {
      auto Known = Shared.Offsets.find(Name);
      if (Known == Shared.Offsets.end()) {
        Context.unsupported(*User, "the shared variable " + Name + " in this place");
        continue;
      }
      lowerShared(V, Known->second, Context);
    } else {
      auto Known = Image.Addresses.find(Name);
      // Weak variables without a definition are at address 0; clang's threadIdx, an object without
      // contents, is one.
      if (Known == Image.Addresses.end() && V.hasExternalWeakLinkage()) {
        V.replaceAllUsesWith(Constant::getNullValue(V.getType()));
        V.eraseFromParent();
        continue;
      }
      if (Known == Image.Addresses.end()) {
        Context.unsupported(*User, "the variable " + Name + ", which is not defined");
        continue;
      }
      V.replaceAllUsesWith(ConstantExpr::getIntToPtr(
          ConstantInt::get(Type::getInt64Ty(M.getContext()), Known->second), V.getType()));
    }
    V.eraseFromParent();
  }
}

} // namespace gmprof::cpu
