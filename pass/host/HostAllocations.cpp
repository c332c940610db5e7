//===- HostAllocations.cpp - Names of the host's allocations --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/host/HostAllocations.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include <optional>

using namespace llvm;
using namespace gmprof;

namespace {

constexpr StringLiteral NameFunction = "__gmprof_name_next_object";

/// An address in a variable: Offset bytes into a T that is called Name.
struct Place {
  std::string Name;
  const DIType *Type = nullptr;
  uint64_t Offset = 0;
};

} // namespace

/// Returns whether the function allocates memory and stores its address through its first argument:
/// a function of libcudart, or a template of CUDA's headers.
static bool allocates(const Function &F) {
  static const StringSet<> Names = {"cudaMalloc",
                                    "cudaMallocPitch",
                                    "cudaMalloc3D",
                                    "cudaMallocManaged",
                                    "cudaMallocHost",
                                    "cudaHostAlloc",
                                    "cudaMallocAsync",
                                    "cudaMallocAsync_ptsz",
                                    "cudaMallocFromPoolAsync",
                                    "cudaMallocFromPoolAsync_ptsz",
                                    "cudaMallocArray",
                                    "cudaMalloc3DArray",
                                    "cudaMallocMipmappedArray"};
  if (!F.getName().contains("cudaMalloc") && !F.getName().contains("cudaHostAlloc"))
    return false;
  if (Names.contains(F.getName()))
    return true;
  const std::string Name = F.getName().str(); // which the demangler refers to
  ItaniumPartialDemangler Mangled;
  if (Mangled.partialDemangle(Name.c_str()) || !Mangled.isFunction())
    return false;
  size_t Size = 0;
  char *Base = Mangled.getFunctionBaseName(nullptr, &Size);
  char *Context = Mangled.getFunctionDeclContextName(nullptr, &Size);
  const bool Known = Base && Names.contains(Base) && (!Context || !*Context);
  std::free(Base);
  std::free(Context);
  return Known;
}

/// Returns true for code of CUDA's C++ libraries, whose variables are unknown to the user.
static bool isOfLibrary(const Function &F) {
  const DISubprogram *P = F.getSubprogram();
  const StringRef File = P ? P->getFilename() : "";
  return File.contains("/include/cccl/") || File.contains("/include/thrust/") ||
         File.contains("/include/cub/");
}

/// Returns the type without typedefs and qualifiers.
static const DIType *strip(const DIType *T) {
  while (auto *Derived = dyn_cast_or_null<DIDerivedType>(T)) {
    if (Derived->getTag() == dwarf::DW_TAG_pointer_type ||
        Derived->getTag() == dwarf::DW_TAG_reference_type)
      break;
    T = Derived->getBaseType();
  }
  return T;
}

/// Returns the type that the pointer points to; null if it is no pointer.
static const DIType *pointee(const DIType *T) {
  auto *Pointer = dyn_cast_or_null<DIDerivedType>(strip(T));
  return Pointer ? strip(Pointer->getBaseType()) : nullptr;
}

/// Descends to the member of a struct or the element of an array at the place's offset. Between:
/// the text between the struct's name and the member's. Returns false if there is none.
static bool descend(Place &P, StringRef Between) {
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
    const bool Named = Member->getTag() == dwarf::DW_TAG_member && !Member->getName().empty();
    P = {Named ? (P.Name + Between + Member->getName()).str() : P.Name, Type, P.Offset - Begin};
    return true;
  }
  return false;
}

/// The pointer that is at the place, and its name.
static std::optional<std::string> nameOfPointer(Place P) {
  while (auto *Whole = dyn_cast_or_null<DICompositeType>(P.Type)) {
    // cudaMalloc3D stores a cudaPitchedPtr.
    if (Whole->getName() == "cudaPitchedPtr" && P.Offset == 0)
      return P.Name;
    if (!descend(P, "."))
      return std::nullopt;
  }
  return P.Offset == 0 ? std::optional(P.Name) : std::nullopt;
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

static std::optional<std::string> nameOfAddress(Value *V, const DataLayout &DL) {
  APInt Bytes(DL.getIndexTypeSizeInBits(V->getType()), 0);
  V = V->stripAndAccumulateConstantOffsets(DL, Bytes, /*AllowNonInbounds=*/true);
  const uint64_t Offset = Bytes.getZExtValue();
  if (auto *GEP = dyn_cast<GEPOperator>(V)) {
    // An element of an array, which one is known when it runs.
    std::optional<std::string> Array = Offset == 0 && GEP->getNumIndices() <= 2
                                           ? nameOfAddress(GEP->getPointerOperand(), DL)
                                           : std::nullopt;
    if (!Array || !StringRef(*Array).ends_with("[0]"))
      return std::nullopt;
    return Array->substr(0, Array->size() - 3) + "[]";
  }
  if (auto *A = dyn_cast<AllocaInst>(V)) {
    const DILocalVariable *Variable = variableOf(*A);
    if (!Variable)
      return std::nullopt;
    return nameOfPointer({Variable->getName().str(), strip(Variable->getType()), Offset});
  }
  if (auto *G = dyn_cast<GlobalVariable>(V)) {
    SmallVector<DIGlobalVariableExpression *, 1> Infos;
    G->getDebugInfo(Infos);
    if (Infos.empty())
      return std::nullopt;
    const DIGlobalVariable *Variable = Infos[0]->getVariable();
    return nameOfPointer({Variable->getName().str(), strip(Variable->getType()), Offset});
  }
  // A member of the object that a pointer points to.
  auto *Load = dyn_cast<LoadInst>(V);
  auto *Holder = Load ? dyn_cast<AllocaInst>(Load->getPointerOperand()) : nullptr;
  const DILocalVariable *Pointer = Holder ? variableOf(*Holder) : nullptr;
  if (!Pointer)
    return std::nullopt;
  const DIType *Type = strip(Pointer->getType());
  auto *Whole = dyn_cast_or_null<DICompositeType>(pointee(Type));
  if (!Whole || Whole->getTag() == dwarf::DW_TAG_array_type)
    return std::nullopt;
  const bool IsThis = Pointer->isArtificial() && Pointer->getName() == "this";
  const bool IsReference = cast<DIDerivedType>(Type)->getTag() == dwarf::DW_TAG_reference_type;
  Place P = {(IsThis ? Whole->getName() : Pointer->getName()).str(), Whole, Offset};
  if (!descend(P, IsThis ? "::" : IsReference ? "." : "->"))
    return std::nullopt;
  return nameOfPointer(P);
}

PreservedAnalyses HostAllocationsPass::run(Module &M, ModuleAnalysisManager &) {
  if (M.getTargetTriple().isNVPTX() || M.getFunction(NameFunction))
    return PreservedAnalyses::all();
  SmallVector<std::pair<CallBase *, std::string>> Calls;
  for (Function &F : M) {
    if (!allocates(F))
      continue;
    for (User *U : F.users()) {
      auto *Call = dyn_cast<CallBase>(U);
      if (!Call || Call->getCalledFunction() != &F || Call->arg_size() == 0 ||
          isOfLibrary(*Call->getFunction()))
        continue;
      if (auto Name = nameOfAddress(Call->getArgOperand(0), M.getDataLayout()))
        Calls.emplace_back(Call, std::move(*Name));
    }
  }
  if (Calls.empty())
    return PreservedAnalyses::all();

  LLVMContext &C = M.getContext();
  PointerType *Pointer = PointerType::getUnqual(C);
  FunctionType *Type = FunctionType::get(Type::getVoidTy(C), {Pointer, Pointer}, false);
  // Null where the runtime is not loaded.
  Function *Callee = Function::Create(Type, GlobalValue::ExternalWeakLinkage, NameFunction, M);
  Callee->setDoesNotThrow();
  for (auto &[Call, Name] : Calls) {
    IRBuilder<> B(Call);
    Value *Loaded = B.CreateICmpNE(Callee, ConstantPointerNull::get(Pointer));
    Instruction *Then = SplitBlockAndInsertIfThen(Loaded, Call, /*Unreachable=*/false);
    B.SetInsertPoint(Then);
    B.SetCurrentDebugLocation(Call->getDebugLoc());
    B.CreateCall(Callee, {Call->getArgOperand(0), B.CreateGlobalString(Name)});
  }
  return PreservedAnalyses::none();
}
