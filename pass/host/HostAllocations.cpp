//===- HostAllocations.cpp - Names of the host's allocations --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/host/HostAllocations.h"
#include "pass/host/VariableNames.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include <optional>

using namespace llvm;
using namespace gmprof;

namespace {

constexpr StringLiteral NameFunction = "__gmprof_name_next_object";
constexpr StringLiteral ContainerFunction = "__gmprof_name_container";
constexpr StringLiteral InstanceFunction = "__gmprof_name_instance";

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

/// Returns true for a function of the C++ standard library, as one that constructs an element.
static bool isOfStandardLibrary(const Function &F) {
  const DISubprogram *P = F.getSubprogram();
  return P && P->getFilename().contains("/include/c++/");
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

namespace {

/// A call with the name of what its argument Where points to: the variable that receives the
/// address of memory, Thrust's vector, or an object of Bytes bytes.
struct NamedCall {
  CallBase *Call;
  Value *Where;
  std::string Name;
  uint64_t Bytes = 0;
};

} // namespace

/// Returns the program's calls of the function, also by an alias, as that of a constructor.
static SmallVector<CallBase *> callsOf(Function &F) {
  SmallVector<CallBase *> Calls;
  SmallVector<GlobalValue *> Names = {&F};
  for (size_t I = 0; I < Names.size(); ++I)
    for (User *U : Names[I]->users())
      if (auto *Alias = dyn_cast<GlobalAlias>(U))
        Names.push_back(Alias);
      else if (auto *Call = dyn_cast<CallBase>(U);
               Call && Call->getCalledOperand() == Names[I] && Call->arg_size() >= F.arg_size() &&
               !isOfLibrary(*Call->getFunction()) && !isOfStandardLibrary(*Call->getFunction()))
        Calls.push_back(Call);
  return Calls;
}

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
    for (CallBase *Call : callsOf(*F)) {
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

/// Returns the calls of functions that allocate memory for members of an object, directly or by
/// other calls, that pass the address of a known object. Members: the calls that have the address
/// of a member.
static SmallVector<NamedCall> namedInstances(Module &M, ArrayRef<NamedCall> Members) {
  const DataLayout &DL = M.getDataLayout();
  SmallSetVector<Argument *, 8> Objects; // parameters that point to such an object
  for (const NamedCall &C : Members)
    if (Argument *Object = parameterAround(C.Where, DL))
      Objects.insert(Object);
  SmallVector<NamedCall> Calls;
  for (size_t I = 0; I < Objects.size(); ++I) {
    Function *F = Objects[I]->getParent();
    const unsigned Index = Objects[I]->getArgNo();
    const DICompositeType *Class = classOf(*Objects[I]);
    if (!Class)
      continue;
    for (CallBase *Call : callsOf(*F)) {
      Value *Where = Call->getArgOperand(Index);
      if (Argument *Object = parameterAround(Where, DL))
        Objects.insert(Object);
      auto Name = holderOfMembers(Where, *Class, DL);
      if (Name && !StringRef(*Name).ends_with("::")) // the caller's own object has its name already
        Calls.push_back({Call, Where, std::move(*Name), Class->getSizeInBits() / 8});
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
    for (CallBase *Call : callsOf(F)) {
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

/// Inserts calls of a function of the runtime around the program's call: with these arguments
/// before it, with nulls after it.
static void surround(const NamedCall &C, Function &Callee, ArrayRef<Value *> Arguments) {
  const DebugLoc Line = C.Call->getDebugLoc();
  SmallVector<Value *> None;
  for (const Value *V : Arguments)
    None.push_back(Constant::getNullValue(V->getType()));
  callRuntime(*C.Call, Callee, Arguments, Line);
  if (auto *Invoke = dyn_cast<InvokeInst>(C.Call)) {
    BasicBlock *After = SplitEdge(Invoke->getParent(), Invoke->getNormalDest());
    callRuntime(*After->getFirstInsertionPt(), Callee, None, Line);
    callRuntime(*Invoke->getUnwindDest()->getFirstInsertionPt(), Callee, None, Line);
  } else {
    callRuntime(*C.Call->getNextNode(), Callee, None, Line);
  }
}

PreservedAnalyses HostAllocationsPass::run(Module &M, ModuleAnalysisManager &) {
  if (M.getTargetTriple().isNVPTX() || M.getFunction(NameFunction) ||
      M.getFunction(ContainerFunction))
    return PreservedAnalyses::all();
  const SmallVector<NamedCall> Allocations = namedAllocations(M);
  const SmallVector<NamedCall> Vectors = namedVectors(M);
  if (Allocations.empty() && Vectors.empty())
    return PreservedAnalyses::all();
  SmallVector<NamedCall> Members = Allocations;
  append_range(Members, Vectors);
  const SmallVector<NamedCall> Instances = namedInstances(M, Members);

  PointerType *Pointer = PointerType::getUnqual(M.getContext());
  IntegerType *Size = IntegerType::getInt64Ty(M.getContext());
  auto NameOf = [&](const NamedCall &C) { return IRBuilder<>(C.Call).CreateGlobalString(C.Name); };
  if (!Allocations.empty()) {
    Function *Callee = declare(M, NameFunction, {Pointer, Pointer});
    for (const NamedCall &C : Allocations)
      callRuntime(*C.Call, *Callee, {C.Where, NameOf(C)}, C.Call->getDebugLoc());
  }
  if (!Vectors.empty()) {
    Function *Callee = declare(M, ContainerFunction, {Pointer, Pointer});
    for (const NamedCall &C : Vectors)
      surround(C, *Callee, {C.Where, NameOf(C)});
  }
  if (!Instances.empty()) {
    Function *Callee = declare(M, InstanceFunction, {Pointer, Size, Pointer});
    for (const NamedCall &C : Instances)
      surround(C, *Callee, {C.Where, ConstantInt::get(Size, C.Bytes), NameOf(C)});
  }
  return PreservedAnalyses::none();
}
