//===- ArgumentSpaces.cpp - Which memory functions get pointers to --------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/core/ArgumentSpaces.h"

#include "static-analysis/AddressSpaces.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include <optional>

using namespace llvm;
using namespace gmprof;

static bool areCallsKnown(const Function &F, bool WholeProgram) {
  return !F.isDeclaration() && !isKernel(F) && (WholeProgram || F.hasLocalLinkage()) &&
         all_of(F.uses(), [&](const Use &U) {
           const auto *Call = dyn_cast<CallBase>(U.getUser());
           return Call && Call->isCallee(&U) && Call->getFunctionType() == F.getFunctionType();
         });
}

static bool isGenericPointer(const Argument &A) {
  return A.getType()->isPointerTy() && A.getType()->getPointerAddressSpace() == 0 &&
         !A.hasPassPointeeByValueCopyAttr();
}

static std::optional<unsigned> castSpace(GmprofSpace Space) {
  switch (Space) {
  case GMPROF_SPACE_GLOBAL:
    return NVPTXAS::ADDRESS_SPACE_GLOBAL;
  case GMPROF_SPACE_SHARED:
    return NVPTXAS::ADDRESS_SPACE_SHARED;
  case GMPROF_SPACE_LOCAL:
    return NVPTXAS::ADDRESS_SPACE_LOCAL;
  default:
    return std::nullopt;
  }
}

// Arguments of functions that call each other depend on each other: the state of an argument only
// changes from unknown to one space, and from that to generic.
ArgumentSpaces::ArgumentSpaces(const Module &M, bool WholeProgram) {
  SmallVector<const Function *, 8> Functions;
  for (const Function &F : M) {
    if (areCallsKnown(F, WholeProgram))
      Functions.push_back(&F);
    else
      for (const Argument &A : F.args())
        Spaces[&A] = GMPROF_SPACE_GENERIC;
  }
  bool Changed = !Functions.empty();
  while (Changed) {
    Changed = false;
    for (const Function *F : Functions)
      Changed |= addCalls(*F);
  }
}

/// Adds the arguments of F's calls. Returns whether Spaces changed.
bool ArgumentSpaces::addCalls(const Function &F) {
  bool Changed = false;
  for (const User *U : F.users())
    for (const Argument &A : F.args()) {
      if (!isGenericPointer(A))
        continue;
      bool IsKnown = true;
      const GmprofSpace Space = spaceOf(*cast<CallBase>(U)->getArgOperand(A.getArgNo()), IsKnown);
      if (!IsKnown)
        continue;
      auto [Place, IsNew] = Spaces.try_emplace(&A, Space);
      if (!IsNew && (Place->second == Space || Place->second == GMPROF_SPACE_GENERIC))
        continue;
      if (!IsNew)
        Place->second = GMPROF_SPACE_GENERIC;
      Changed = true;
    }
  return Changed;
}

/// IsKnown: false for the space of an argument that is still unknown.
GmprofSpace ArgumentSpaces::spaceOf(const Value &Pointer, bool &IsKnown) const {
  const GmprofSpace Space = pointsTo(&Pointer).Space;
  const auto *Of = dyn_cast<Argument>(getUnderlyingObject(&Pointer, /*MaxLookup=*/0));
  if (Space != GMPROF_SPACE_GENERIC || !Of || !isGenericPointer(*Of))
    return Space;
  const auto Known = Spaces.find(Of);
  IsKnown = Known != Spaces.end();
  return IsKnown ? Known->second : GMPROF_SPACE_GENERIC;
}

void ArgumentSpaces::castIn(Function &Clone, const Function &Original) const {
  IRBuilder<> B(&*Clone.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  for (const auto [Known, A] : zip_first(Original.args(), Clone.args())) {
    const auto Space = castSpace(Spaces.lookup_or(&Known, GMPROF_SPACE_GENERIC));
    if (!Space || A.use_empty())
      continue;
    Value *Typed = B.CreateAddrSpaceCast(&A, B.getPtrTy(*Space));
    Value *Back = B.CreateAddrSpaceCast(Typed, A.getType());
    A.replaceUsesWithIf(Back, [&](const Use &U) { return U.getUser() != Typed; });
  }
}
