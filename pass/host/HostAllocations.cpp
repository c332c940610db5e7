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
constexpr StringLiteral OwnerFunction = "__gmprof_name_owner";

/// An address in a variable: Offset bytes into a T that is called Name.
struct Place {
  std::string Name;
  const DIType *Type = nullptr;
  uint64_t Offset = 0;
};

/// The demangled name of a function.
struct FunctionName {
  std::string Base, Context; ///< Context: class or namespace, empty for a global function
  bool IsCtorOrDtor = false;
};

} // namespace

/// Returns the function's name, or nothing if it is not mangled.
static std::optional<FunctionName> demangled(const Function &F) {
  const std::string Name = F.getName().str(); // which the demangler refers to
  ItaniumPartialDemangler Mangled;
  if (Mangled.partialDemangle(Name.c_str()) || !Mangled.isFunction())
    return std::nullopt;
  size_t Size = 0;
  char *Base = Mangled.getFunctionBaseName(nullptr, &Size);
  char *Context = Mangled.getFunctionDeclContextName(nullptr, &Size);
  FunctionName Found = {Base ? Base : "", Context ? Context : "", Mangled.isCtorOrDtor()};
  std::free(Base);
  std::free(Context);
  return Found;
}

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
  const std::optional<FunctionName> Name = demangled(F);
  return Name && Names.contains(Name->Base) && Name->Context.empty();
}

/// Returns true for a function of CUDA's C++ libraries, whose variables users do not know.
static bool isOfLibrary(const Function &F) {
  static constexpr StringLiteral Prefixes[] = {"_ZN6thrust", "_ZNK6thrust", "_ZN3cub", "_ZNK3cub"};
  const DISubprogram *P = F.getSubprogram();
  const StringRef File = P ? P->getFilename() : "";
  return any_of(Prefixes, [&](StringRef Prefix) { return F.getName().starts_with(Prefix); }) ||
         File.contains("/include/cccl/") || File.contains("/include/thrust/") ||
         File.contains("/include/cub/");
}

/// Returns true for a member function of a Thrust vector, the first argument, that allocates memory
/// for the elements.
static bool allocatesElements(const Function &F) {
  static const StringSet<> Members = {
      "resize", "assign", "reserve", "operator=", "insert", "push_back", "append", "shrink_to_fit"};
  if (!isOfLibrary(F) || F.arg_empty())
    return false;
  const std::optional<FunctionName> Name = demangled(F);
  return Name && StringRef(Name->Context).contains("vector") &&
         !StringRef(Name->Base).starts_with("~") &&
         (Name->IsCtorOrDtor || Members.contains(Name->Base));
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

/// Returns true for a class of Thrust.
static bool isVector(const DIType *T) {
  auto *Class = dyn_cast_or_null<DICompositeType>(T);
  return Class && Class->getIdentifier().starts_with("_ZTSN6thrust") &&
         Class->getName().contains("_vector<");
}

/// Returns the name of the pointer or of Thrust's vector at the place.
static std::optional<std::string> nameAt(Place P) {
  while (auto *Whole = dyn_cast_or_null<DICompositeType>(P.Type)) {
    // cudaMalloc3D stores a cudaPitchedPtr.
    if (P.Offset == 0 && (Whole->getName() == "cudaPitchedPtr" || isVector(Whole)))
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
    return nameAt({Variable->getName().str(), strip(Variable->getType()), Offset});
  }
  if (auto *G = dyn_cast<GlobalVariable>(V)) {
    SmallVector<DIGlobalVariableExpression *, 1> Infos;
    G->getDebugInfo(Infos);
    if (Infos.empty())
      return std::nullopt;
    const DIGlobalVariable *Variable = Infos[0]->getVariable();
    return nameAt({Variable->getName().str(), strip(Variable->getType()), Offset});
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
  return nameAt(P);
}

/// Returns the parameter of its function that the value is, in code whose variables are in memory.
static const Argument *parameterOf(const Value *V) {
  auto *Load = dyn_cast<LoadInst>(V);
  auto *Holder = Load ? dyn_cast<AllocaInst>(Load->getPointerOperand()) : nullptr;
  if (!Holder)
    return dyn_cast<Argument>(V);
  const Argument *Parameter = nullptr;
  for (const User *U : Holder->users()) {
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

namespace {

/// A call that allocates memory, with the name of the variable that receives it.
struct NamedCall {
  CallBase *Call;
  Value *Where;
  std::string Name;
};

} // namespace

/// Returns the calls of allocating functions, and of the program's wrappers of them, that pass the
/// address of a known variable.
static SmallVector<NamedCall> namedAllocations(Module &M) {
  SmallVector<std::pair<Function *, unsigned>> Receivers;
  SmallPtrSet<Function *, 8> Seen;
  for (Function &F : M)
    if (allocates(F) && Seen.insert(&F).second)
      Receivers.emplace_back(&F, 0);
  SmallVector<NamedCall> Calls;
  for (size_t I = 0; I < Receivers.size(); ++I) {
    const auto [F, Index] = Receivers[I];
    for (User *U : F->users()) {
      auto *Call = dyn_cast<CallBase>(U);
      if (!Call || Call->getCalledFunction() != F || Call->arg_size() <= Index ||
          isOfLibrary(*Call->getFunction()))
        continue;
      Value *Where = Call->getArgOperand(Index);
      if (auto Name = nameOfAddress(Where, M.getDataLayout()))
        Calls.push_back({Call, Where, std::move(*Name)});
      else if (const Argument *Parameter = parameterOf(Where);
               Parameter && Seen.insert(Call->getFunction()).second)
        Receivers.emplace_back(Call->getFunction(), Parameter->getArgNo());
    }
  }
  return Calls;
}

/// Returns the program's calls of members of Thrust's vectors that allocate their elements.
static SmallVector<NamedCall> namedVectors(Module &M) {
  SmallVector<NamedCall> Calls;
  for (Function &F : M) {
    if (!allocatesElements(F))
      continue;
    for (User *U : F.users()) {
      auto *Call = dyn_cast<CallBase>(U);
      if (!Call || Call->getCalledFunction() != &F || Call->arg_size() == 0 ||
          isOfLibrary(*Call->getFunction()))
        continue;
      Value *Vector = Call->getArgOperand(0);
      if (auto Name = nameOfAddress(Vector, M.getDataLayout()))
        Calls.push_back({Call, Vector, std::move(*Name)});
    }
  }
  return Calls;
}

/// Inserts a call of the runtime's function, which is null where the runtime is not loaded.
static void callRuntime(Instruction &Before, Function &Callee, ArrayRef<Value *> Arguments,
                        const DebugLoc &Line) {
  IRBuilder<> B(&Before);
  Value *Loaded = B.CreateICmpNE(&Callee, ConstantPointerNull::get(Callee.getType()));
  B.SetInsertPoint(SplitBlockAndInsertIfThen(Loaded, &Before, /*Unreachable=*/false));
  B.SetCurrentDebugLocation(Line);
  B.CreateCall(&Callee, Arguments);
}

static Function *declare(Module &M, StringRef Name, ArrayRef<Type *> Parameters) {
  FunctionType *Type = FunctionType::get(Type::getVoidTy(M.getContext()), Parameters, false);
  Function *F = Function::Create(Type, GlobalValue::ExternalWeakLinkage, Name, M);
  F->setDoesNotThrow();
  return F;
}

PreservedAnalyses HostAllocationsPass::run(Module &M, ModuleAnalysisManager &) {
  if (M.getTargetTriple().isNVPTX() || M.getFunction(NameFunction) || M.getFunction(OwnerFunction))
    return PreservedAnalyses::all();
  const SmallVector<NamedCall> Allocations = namedAllocations(M);
  const SmallVector<NamedCall> Vectors = namedVectors(M);
  if (Allocations.empty() && Vectors.empty())
    return PreservedAnalyses::all();

  PointerType *Pointer = PointerType::getUnqual(M.getContext());
  auto NameOf = [&](const NamedCall &C) { return IRBuilder<>(C.Call).CreateGlobalString(C.Name); };
  if (!Allocations.empty()) {
    Function *Callee = declare(M, NameFunction, {Pointer, Pointer});
    for (const NamedCall &C : Allocations)
      callRuntime(*C.Call, *Callee, {C.Where, NameOf(C)}, C.Call->getDebugLoc());
  }
  if (!Vectors.empty()) {
    Function *Callee = declare(M, OwnerFunction, {Pointer});
    Value *None = ConstantPointerNull::get(Pointer);
    for (const NamedCall &C : Vectors) {
      const DebugLoc Line = C.Call->getDebugLoc();
      callRuntime(*C.Call, *Callee, {NameOf(C)}, Line);
      if (auto *Invoke = dyn_cast<InvokeInst>(C.Call)) {
        BasicBlock *After = SplitEdge(Invoke->getParent(), Invoke->getNormalDest());
        callRuntime(*After->getFirstInsertionPt(), *Callee, {None}, Line);
        callRuntime(*Invoke->getUnwindDest()->getFirstInsertionPt(), *Callee, {None}, Line);
      } else {
        callRuntime(*C.Call->getNextNode(), *Callee, {None}, Line);
      }
    }
  }
  return PreservedAnalyses::none();
}
