//===- VariableNames.cpp - Names of addresses in host code ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/host/VariableNames.h"

#include "llvm/ADT/Twine.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace gmprof {

namespace {

/// An address in a variable: Offset bytes into a T that is called Name.
struct Place {
  std::string Name;
  const DIType *Type = nullptr;
  uint64_t Offset = 0;
  StringRef Between = "."; ///< stands between the name and a member's
};

} // namespace

/// Returns the type without typedefs and qualifiers.
static const DIType *strip(const DIType *T) {
  while (auto *Derived = dyn_cast_or_null<DIDerivedType>(T)) {
    if (Derived->getTag() == dwarf::DW_TAG_pointer_type ||
        Derived->getTag() == dwarf::DW_TAG_reference_type ||
        Derived->getTag() == dwarf::DW_TAG_rvalue_reference_type)
      break;
    T = Derived->getBaseType();
  }
  return T;
}

/// Returns the struct or class that the pointer or reference points to; null for other types.
static const DICompositeType *classBehind(const DIType *T) {
  auto *Pointer = dyn_cast_or_null<DIDerivedType>(strip(T));
  auto *Class =
      Pointer ? dyn_cast_or_null<DICompositeType>(strip(Pointer->getBaseType())) : nullptr;
  return Class && Class->getTag() != dwarf::DW_TAG_array_type ? Class : nullptr;
}

/// Descends to the member of a struct or the element of an array at the place's offset. Returns
/// false if there is none.
static bool descend(Place &P) {
  auto *Whole = dyn_cast_or_null<DICompositeType>(P.Type);
  if (!Whole)
    return false;
  if (Whole->getTag() == dwarf::DW_TAG_array_type) {
    const DIType *Element = strip(Whole->getBaseType());
    const uint64_t Bytes = Element ? Element->getSizeInBits() / 8 : 0;
    if (Bytes == 0)
      return false;
    P = {P.Name + "[" + std::to_string(P.Offset / Bytes) + "]", Element, P.Offset % Bytes};
    return true;
  }
  for (const DINode *Each : Whole->getElements()) {
    auto *Member = dyn_cast<DIDerivedType>(Each);
    if (!Member || Member->isStaticMember())
      continue;
    const DIType *Type = strip(Member->getBaseType());
    const uint64_t Begin = Member->getOffsetInBits() / 8;
    if (!Type || P.Offset < Begin || P.Offset >= Begin + Type->getSizeInBits() / 8)
      continue;
    P.Type = Type;
    P.Offset -= Begin;
    if (Member->getTag() == dwarf::DW_TAG_member && !Member->getName().empty()) {
      P.Name += (P.Between + Member->getName()).str();
      P.Between = ".";
    }
    return true;
  }
  return false;
}

/// Returns true for a class of Thrust.
static bool isVector(const DIType *T) {
  auto *Class = dyn_cast_or_null<DICompositeType>(T);
  return Class && Class->getIdentifier().starts_with("_ZTSN6thrust") &&
         Class->getName().contains("_vector<");
}

static const DILocalVariable *variableOf(AllocaInst &A) {
  for (const DbgVariableRecord *Declare : findDVRDeclares(&A))
    if (const DILocalVariable *V = Declare->getVariable(); V && !V->getName().empty())
      return V;
  // clang represents declarations in this way in optimised code.
  for (const DbgVariableRecord *Assign : at::getDVRAssignmentMarkers(&A))
    if (const DILocalVariable *V = Assign->getVariable();
        V && !V->getName().empty() && !Assign->getExpression()->isFragment())
      return V;
  return nullptr;
}

/// Returns the variable, or the object that a pointer points to, in whose memory the address is.
static std::optional<Place> placeOf(Value *V, const DataLayout &DL) {
  APInt Bytes(DL.getIndexTypeSizeInBits(V->getType()), 0);
  V = V->stripAndAccumulateConstantOffsets(DL, Bytes, /*AllowNonInbounds=*/true);
  const uint64_t Offset = Bytes.getZExtValue();
  if (auto *GEP = dyn_cast<GEPOperator>(V)) {
    // An element of an array, which one is known when it runs.
    std::optional<Place> Array =
        GEP->getNumIndices() <= 2 ? placeOf(GEP->getPointerOperand(), DL) : std::nullopt;
    auto *Whole = Array ? dyn_cast_or_null<DICompositeType>(Array->Type) : nullptr;
    while (Whole && Whole->getTag() != dwarf::DW_TAG_array_type)
      Whole = descend(*Array) ? dyn_cast_or_null<DICompositeType>(Array->Type) : nullptr;
    if (!Whole || Array->Offset != 0)
      return std::nullopt;
    return Place{Array->Name + "[]", strip(Whole->getBaseType()), Offset};
  }
  if (auto *A = dyn_cast<AllocaInst>(V)) {
    const DILocalVariable *Variable = variableOf(*A);
    if (!Variable)
      return std::nullopt;
    return Place{Variable->getName().str(), strip(Variable->getType()), Offset};
  }
  if (auto *G = dyn_cast<GlobalVariable>(V)) {
    SmallVector<DIGlobalVariableExpression *, 1> Infos;
    G->getDebugInfo(Infos);
    if (Infos.empty())
      return std::nullopt;
    const DIGlobalVariable *Variable = Infos[0]->getVariable();
    return Place{Variable->getName().str(), strip(Variable->getType()), Offset};
  }
  // The object that a pointer points to.
  auto *Load = dyn_cast<LoadInst>(V);
  auto *Holder = Load ? dyn_cast<AllocaInst>(Load->getPointerOperand()) : nullptr;
  const DILocalVariable *Pointer = Holder ? variableOf(*Holder) : nullptr;
  const DICompositeType *Class = Pointer ? classBehind(Pointer->getType()) : nullptr;
  if (!Class)
    return std::nullopt;
  if (Pointer->isArtificial() && Pointer->getName() == "this")
    return Place{Class->getName().str(), Class, Offset, "::"};
  const bool IsPointer =
      cast<DIDerivedType>(strip(Pointer->getType()))->getTag() == dwarf::DW_TAG_pointer_type;
  return Place{Pointer->getName().str(), Class, Offset, IsPointer ? "->" : "."};
}

std::optional<std::string> nameOfAddress(Value *V, const DataLayout &DL) {
  std::optional<Place> P = placeOf(V, DL);
  if (!P)
    return std::nullopt;
  while (auto *Whole = dyn_cast_or_null<DICompositeType>(P->Type)) {
    // cudaMalloc3D stores a cudaPitchedPtr.
    if (P->Offset == 0 && (Whole->getName() == "cudaPitchedPtr" || isVector(Whole)))
      return P->Name;
    if (!descend(*P))
      return std::nullopt;
  }
  return P->Offset == 0 ? std::optional(P->Name) : std::nullopt;
}

std::optional<std::string> holderOfMembers(Value *V, const DICompositeType &Class,
                                           const DataLayout &DL) {
  const auto IsClass = [&](const DIType *T) {
    auto *Other = dyn_cast_or_null<DICompositeType>(T);
    return Other == &Class || (Other && !Class.getIdentifier().empty() &&
                               Other->getIdentifier() == Class.getIdentifier());
  };
  std::optional<Place> P = placeOf(V, DL);
  while (P && (P->Offset != 0 || !IsClass(P->Type)))
    if (!descend(*P))
      return std::nullopt;
  return P ? std::optional(P->Name + P->Between.str()) : std::nullopt;
}

Argument *parameterOf(Value *V) {
  auto *Load = dyn_cast<LoadInst>(V);
  auto *Holder = Load ? dyn_cast<AllocaInst>(Load->getPointerOperand()) : nullptr;
  if (!Holder)
    return dyn_cast<Argument>(V);
  Argument *Parameter = nullptr;
  for (User *U : Holder->users()) {
    auto *Store = dyn_cast<StoreInst>(U);
    if (!Store)
      continue;
    auto *Stored = dyn_cast<Argument>(Store->getValueOperand());
    if (!Stored || Parameter)
      return nullptr;
    Parameter = Stored;
  }
  return Parameter;
}

Argument *parameterAround(Value *V, const DataLayout &DL) {
  APInt Bytes(DL.getIndexTypeSizeInBits(V->getType()), 0);
  return parameterOf(V->stripAndAccumulateConstantOffsets(DL, Bytes, /*AllowNonInbounds=*/true));
}

const DICompositeType *classOf(Argument &Parameter) {
  for (User *U : Parameter.users())
    if (auto *Store = dyn_cast<StoreInst>(U))
      if (auto *Holder = dyn_cast<AllocaInst>(Store->getPointerOperand()))
        if (const DILocalVariable *Variable = variableOf(*Holder))
          return classBehind(Variable->getType());
  return nullptr;
}

} // namespace gmprof
