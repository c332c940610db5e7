//===- ProgramVariables.cpp - A clone's access to the program's variables -===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "instrument/ProgramVariables.h"

#include "gmprof/abi.h"
#include "host/instrument/CloneProtocol.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/ReplaceConstant.h"

using namespace llvm;

namespace gmprof::instrument {

static constexpr unsigned GenericSpace = 0, GlobalSpace = 1, ConstantSpace = 4;

std::vector<GlobalVariable *> programVariables(Module &M) {
  std::vector<GlobalVariable *> Found;
  for (GlobalVariable &G : M.globals()) {
    const unsigned Space = G.getAddressSpace();
    const bool IsCopied = G.isConstant() && G.hasInitializer() && !G.isExternallyInitialized();
    if ((Space == GenericSpace || Space == GlobalSpace || Space == ConstantSpace) && !IsCopied &&
        !G.getName().starts_with("llvm.") && !G.getName().starts_with(GMPROF_SYMBOL_PREFIX))
      Found.push_back(&G);
  }
  return Found;
}

namespace {

/// Replaces the variables in the functions of a module.
class Replacement {
public:
  Replacement(Module &M, ArrayRef<GlobalVariable *> Used)
      : M(M), Used(Used), Number(ArrayType::get(Type::getInt64Ty(M.getContext()), Used.size())),
        Table(new GlobalVariable(M, Number, /*isConstant=*/false, GlobalValue::ExternalLinkage,
                                 Constant::getNullValue(Number), GMPROF_VARIABLES_TABLE, nullptr,
                                 GlobalValue::NotThreadLocal, ConstantSpace,
                                 /*isExternallyInitialized=*/true)) {
    Table->setAlignment(Align(8));
  }

  Error run() {
    for (Function &F : M)
      if (!F.isDeclaration())
        if (Error E = replaceIn(F))
          return E;
    return Error::success();
  }

private:
  Error replaceIn(Function &F) {
    Addresses.clear();
    Moved.clear();
    for (auto [Slot, G] : enumerate(Used))
      if (any_of(G->users(), [&](User *U) {
            auto *I = dyn_cast<Instruction>(U);
            return I && I->getFunction() == &F;
          })) {
        if (G->getAddressSpace() == ConstantSpace)
          if (Error E = follow(*G, F, G->getName()))
            return E;
        Addresses.emplace_back(G, loadAddress(F, *G, Slot));
      }
    if (Error E = checkMerges())
      return E;
    for (auto [G, Address] : Addresses)
      G->replaceUsesWithIf(Address, [&](Use &U) {
        auto *I = dyn_cast<Instruction>(U.getUser());
        return I && I->getFunction() == &F;
      });
    for (Instruction *I : Moved)
      move(*I);
    return Error::success();
  }

  /// Returns the variable's address, loaded at F's entry.
  Value *loadAddress(Function &F, GlobalVariable &G, unsigned Slot) {
    BasicBlock &Entry = F.getEntryBlock();
    IRBuilder<> B(&Entry, Entry.getFirstNonPHIOrDbgOrAlloca());
    const unsigned Space = G.getAddressSpace() == ConstantSpace ? GlobalSpace : G.getAddressSpace();
    LoadInst *Load =
        B.CreateAlignedLoad(PointerType::get(M.getContext(), Space),
                            B.CreateConstInBoundsGEP2_64(Number, Table, 0, Slot), Align(8));
    Load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(M.getContext(), {}));
    return Load;
  }

  /// Finds the pointers into constant memory that are made of V, and the accesses through them.
  Error follow(Value &V, Function &F, StringRef Name) {
    for (User *U : V.users()) {
      auto *I = dyn_cast<Instruction>(U);
      if (!I || I->getFunction() != &F)
        continue;
      const bool IsPointer =
          I->getType()->isPointerTy() && I->getType()->getPointerAddressSpace() == ConstantSpace;
      if (IsPointer && isa<GetElementPtrInst, PHINode, SelectInst, FreezeInst>(I)) {
        if (Moved.insert(I))
          if (Error E = follow(*I, F, Name))
            return E;
        continue;
      }
      if (isa<LoadInst, AddrSpaceCastInst, MemTransferInst>(I)) {
        Moved.insert(I);
        continue;
      }
      return createStringError(
          "the kernel uses the address of the constant variable '" + Name +
          "' in an instruction that cannot access global memory: " + I->getOpcodeName());
    }
    return Error::success();
  }

  /// Returns an error if a merged pointer is into program variables on some paths only.
  Error checkMerges() const {
    for (Instruction *I : Moved)
      if (isa<PHINode, SelectInst>(I))
        for (Value *Operand : I->operands())
          if (Operand->getType() == I->getType() && !isa<ConstantData>(Operand) &&
              !is_contained(Used, Operand) && !Moved.contains(dyn_cast<Instruction>(Operand)))
            return createStringError("the kernel selects between a constant variable and an "
                                     "address of unknown origin in constant memory");
    return Error::success();
  }

  /// Makes an instruction one of global memory.
  void move(Instruction &I) {
    if (auto *Transfer = dyn_cast<MemTransferInst>(&I)) {
      IRBuilder<> B(Transfer);
      B.CreateMemTransferInst(Transfer->getIntrinsicID(), Transfer->getRawDest(),
                              Transfer->getDestAlign(), Transfer->getRawSource(),
                              Transfer->getSourceAlign(), Transfer->getLength(),
                              Transfer->isVolatile());
      Transfer->eraseFromParent();
      return;
    }
    if (auto *Load = dyn_cast<LoadInst>(&I); Load && Load->isUnordered() && !Load->isVolatile())
      Load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(M.getContext(), {}));
    if (!I.getType()->isPointerTy() || I.getType()->getPointerAddressSpace() != ConstantSpace)
      return; // a load or a cast takes any address space
    auto *Global = PointerType::get(M.getContext(), GlobalSpace);
    for (Use &Operand : I.operands())
      if (Operand->getType() == I.getType() && isa<ConstantData>(Operand))
        Operand.set(isa<ConstantPointerNull>(Operand)
                        ? static_cast<Constant *>(ConstantPointerNull::get(Global))
                        : PoisonValue::get(Global));
    I.mutateType(Global);
  }

  Module &M;
  const ArrayRef<GlobalVariable *> Used; ///< by number in the table
  ArrayType *const Number;               ///< type of the table
  GlobalVariable *const Table;
  SmallVector<std::pair<GlobalVariable *, Value *>, 8> Addresses; ///< in one function
  SmallSetVector<Instruction *, 16> Moved;                        ///< in one function
};

} // namespace

/// Returns a variable that stays and whose initial value holds an address of G; null if there is
/// none.
static const GlobalVariable *holderOf(const Constant &C, ArrayRef<GlobalVariable *> Removed) {
  for (const User *U : C.users()) {
    if (auto *Holder = dyn_cast<GlobalVariable>(U)) {
      if (!is_contained(Removed, Holder))
        return Holder;
    } else if (auto *Inner = dyn_cast<Constant>(U)) {
      if (const GlobalVariable *Holder = holderOf(*Inner, Removed))
        return Holder;
    }
  }
  return nullptr;
}

Expected<std::vector<std::string>> reachByAddress(Module &M, ArrayRef<GlobalVariable *> Variables) {
  SmallVector<Constant *, 8> All(Variables.begin(), Variables.end());
  convertUsersOfConstantsToInstructions(All);
  std::vector<GlobalVariable *> Used;
  for (GlobalVariable *G : Variables)
    if (any_of(G->users(), [](User *U) { return isa<Instruction>(U); }))
      Used.push_back(G);
  std::vector<std::string> Names;
  for (const GlobalVariable *G : Used)
    Names.push_back(G->getName().str());
  if (!Used.empty())
    if (Error E = Replacement(M, Used).run())
      return std::move(E);
  for (GlobalVariable *G : Variables)
    if (const GlobalVariable *Holder = holderOf(*G, Variables))
      return createStringError("the constant '" + Holder->getName() +
                               "' holds the address of the variable '" + G->getName() + "'");
  for (GlobalVariable *G : Variables)
    G->setInitializer(nullptr);
  for (GlobalVariable *G : Variables) {
    G->replaceAllUsesWith(PoisonValue::get(G->getType()));
    G->eraseFromParent();
  }
  return Names;
}

} // namespace gmprof::instrument
