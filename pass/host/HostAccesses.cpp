//===- HostAccesses.cpp - Finds host uses of GPU results ------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/host/HostAccesses.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

#define DEBUG_TYPE "gm-host-accesses"

using namespace llvm;
using namespace gmprof;

STATISTIC(NumAccesses, "Accesses of host code that are checked");
STATISTIC(NumPrivate, "Accesses of host code left out: of variables that stay in the code");
STATISTIC(NumRepeated, "Accesses of host code left out: the block has made the same before");
STATISTIC(NumArguments, "Pointers that are given to functions compiled otherwise");

static cl::opt<bool>
    HostAccessesOption("gm-host-accesses", cl::init(false),
                       cl::desc("Have host code say when it uses what the GPU wrote on stacks"));

namespace {

constexpr StringLiteral PagesName = "__gmprof_host_pages";
constexpr StringLiteral FunctionsSection = "gmprof_host_functions";
constexpr uint64_t Pages = 4096;
constexpr unsigned PageBits = 12;

/// An access, or a pointer that a call is given.
struct Use {
  Instruction *At;
  Value *Pointer;
  Value *Bytes; ///< null: Size
  uint64_t Size;
  bool Store;
  Value *Callee = nullptr; ///< of an argument
};

class HostCode {
public:
  explicit HostCode(Module &M)
      : M(M), DL(M.getDataLayout()), C(M.getContext()), Pointer(PointerType::getUnqual(C)),
        Size(DL.getIntPtrType(C)) {}
  bool instrument();

private:
  bool staysPrivate(const Value *V);
  bool globalStays(const GlobalVariable &G);
  void collect(Function &F, SmallVectorImpl<Use> &Uses);
  void collectFrom(Instruction &I, SmallVectorImpl<Use> &Uses);
  void collectCall(CallBase &Call, SmallVectorImpl<Use> &Uses);
  uint64_t bytesBehind(Value *V) const;
  void check(const Use &U);
  void checkArgument(const Use &U);
  Function *hook(StringRef Name, ArrayRef<Type *> Parameters);
  void callIf(Value *Byte, Instruction *Before, Function *Hook, ArrayRef<Value *> Arguments);
  void addFunction(Function &F);
  void addBeginning();

  Module &M;
  const DataLayout &DL;
  LLVMContext &C;
  PointerType *const Pointer;
  IntegerType *const Size;
  GlobalVariable *Table = nullptr;
  Function *AccessHook = nullptr, *ArgumentHook = nullptr;
  DenseMap<const Value *, bool> Private;
  SmallVector<GlobalValue *> Kept;
};

} // namespace

/// Returns whether the runtime checks the function's arguments itself: it intercepts CUDA.
static bool watchesItself(const Function &F) {
  const StringRef Name = F.getName();
  return Name.starts_with("cuda") || Name.starts_with("__cuda") || Name.starts_with("__gmprof") ||
         (Name.size() > 2 && Name.starts_with("cu") && isUpper(Name[2]));
}

static bool releases(const CallBase &Call) {
  const Attribute Kind = Call.getFnAttr(Attribute::AllocKind);
  if (Kind.isValid() && (Kind.getAllocKind() & AllocFnKind::Free) != AllocFnKind::Unknown)
    return true;
  const Function *F = Call.getCalledFunction();
  return F && (F->getName() == "free" || F->getName().starts_with("_ZdlPv") ||
               F->getName().starts_with("_ZdaPv"));
}

/// Returns whether only loads and stores of this module access the variable.
bool HostCode::globalStays(const GlobalVariable &G) {
  if (G.isConstant())
    return true;
  if (!G.hasLocalLinkage())
    return false;
  SmallVector<const User *> Work(G.user_begin(), G.user_end());
  SmallDenseSet<const User *> Seen;
  while (!Work.empty()) {
    const User *U = Work.pop_back_val();
    if (!Seen.insert(U).second || isa<LoadInst>(U))
      continue;
    if (auto *Store = dyn_cast<StoreInst>(U)) {
      const Value *Stored = Store->getValueOperand();
      if (Stored->getType()->isPointerTy() && getUnderlyingObject(Stored) == &G)
        return false;
      continue;
    }
    const auto *I = dyn_cast<MemIntrinsic>(U);
    if (I)
      continue;
    if (!isa<GEPOperator>(U))
      return false;
    Work.append(U->user_begin(), U->user_end());
  }
  return true;
}

bool HostCode::staysPrivate(const Value *V) {
  const Value *Object = getUnderlyingObject(V, /*MaxLookup=*/0);
  auto [It, New] = Private.try_emplace(Object, false);
  if (!New)
    return It->second;
  bool Stays = isa<Function>(Object) || isa<ConstantPointerNull>(Object);
  if (auto *G = dyn_cast<GlobalVariable>(Object))
    Stays = globalStays(*G);
  else if (isa<AllocaInst>(Object) ||
           (isa<Argument>(Object) && cast<Argument>(Object)->hasByValAttr()))
    Stays = !PointerMayBeCaptured(Object, /*ReturnCaptures=*/true);
  return Private[Object] = Stays;
}

/// Returns the bytes of a variable from the address on; 0: unknown.
uint64_t HostCode::bytesBehind(Value *V) const {
  APInt Offset(DL.getIndexTypeSizeInBits(V->getType()), 0);
  const Value *Base = V->stripAndAccumulateConstantOffsets(DL, Offset, /*AllowNonInbounds=*/true);
  std::optional<TypeSize> Whole;
  if (auto *A = dyn_cast<AllocaInst>(Base))
    Whole = A->getAllocationSize(DL);
  else if (auto *G = dyn_cast<GlobalVariable>(Base))
    Whole = DL.getTypeAllocSize(G->getValueType());
  if (!Whole || Whole->isScalable() || Offset.uge(Whole->getFixedValue()))
    return 0;
  return Whole->getFixedValue() - Offset.getZExtValue();
}

void HostCode::collectCall(CallBase &Call, SmallVectorImpl<Use> &Uses) {
  if (auto *Memory = dyn_cast<MemIntrinsic>(&Call)) {
    if (!staysPrivate(Memory->getRawDest()))
      Uses.push_back({&Call, Memory->getRawDest(), Memory->getLength(), 0, true});
    if (auto *Transfer = dyn_cast<MemTransferInst>(&Call);
        Transfer && !staysPrivate(Transfer->getRawSource()))
      Uses.push_back({&Call, Transfer->getRawSource(), Memory->getLength(), 0, false});
    return;
  }
  if (auto *I = dyn_cast<IntrinsicInst>(&Call)) {
    const bool Store = I->getIntrinsicID() == Intrinsic::masked_store;
    if (!Store && I->getIntrinsicID() != Intrinsic::masked_load)
      return;
    Value *Where = I->getArgOperand(Store ? 1 : 0);
    Type *Accessed = Store ? I->getArgOperand(0)->getType() : I->getType();
    if (!staysPrivate(Where))
      Uses.push_back(
          {&Call, Where, nullptr, DL.getTypeStoreSize(Accessed).getKnownMinValue(), Store});
    return;
  }
  const Function *Callee = Call.getCalledFunction();
  if ((Callee && (watchesItself(*Callee) || !Callee->isDeclaration())) ||
      Call.doesNotAccessMemory() || releases(Call))
    return;
  for (unsigned I = 0; I < Call.arg_size(); ++I) {
    Value *Given = Call.getArgOperand(I);
    if (!Given->getType()->isPointerTy() || Call.doesNotAccessMemory(I) || staysPrivate(Given))
      continue;
    Uses.push_back(
        {&Call, Given, nullptr, bytesBehind(Given), !Call.onlyReadsMemory(I),
         Call.isInlineAsm() ? ConstantPointerNull::get(Pointer) : Call.getCalledOperand()});
  }
}

void HostCode::collectFrom(Instruction &I, SmallVectorImpl<Use> &Uses) {
  if (auto *Call = dyn_cast<CallBase>(&I))
    return collectCall(*Call, Uses);
  Value *Where = nullptr;
  Type *Accessed = I.getType();
  if (auto *Load = dyn_cast<LoadInst>(&I)) {
    Where = Load->getPointerOperand();
  } else if (auto *Store = dyn_cast<StoreInst>(&I)) {
    Where = Store->getPointerOperand();
    Accessed = Store->getValueOperand()->getType();
  } else if (auto *Update = dyn_cast<AtomicRMWInst>(&I)) {
    Where = Update->getPointerOperand();
  } else if (auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I)) {
    Where = Exchange->getPointerOperand();
    Accessed = Exchange->getNewValOperand()->getType();
  } else {
    return;
  }
  // Other address spaces are those of threads.
  if (Where->getType()->getPointerAddressSpace() != 0)
    return;
  if (staysPrivate(Where)) {
    ++NumPrivate;
    return;
  }
  Uses.push_back(
      {&I, Where, nullptr, DL.getTypeStoreSize(Accessed).getKnownMinValue(), !isa<LoadInst>(I)});
}

void HostCode::collect(Function &F, SmallVectorImpl<Use> &Uses) {
  for (BasicBlock &B : F) {
    // Bytes accessed since the last call, by pointer and kind. A store needs its own check: memory
    // that the GPU reads is watched for stores alone.
    DenseMap<std::pair<const Value *, unsigned>, uint64_t> Done;
    for (Instruction &I : B) {
      const size_t Before = Uses.size();
      collectFrom(I, Uses);
      if (isa<CallBase>(I) && !isa<IntrinsicInst>(I)) {
        Done.clear();
        continue;
      }
      if (Uses.size() != Before + 1 || Uses.back().Bytes)
        continue;
      const Use &U = Uses.back();
      uint64_t &Bytes = Done[{U.Pointer, unsigned(U.Store)}];
      if (Bytes >= U.Size) {
        Uses.pop_back();
        ++NumRepeated;
      } else {
        Bytes = U.Size;
      }
    }
  }
}

Function *HostCode::hook(StringRef Name, ArrayRef<Type *> Parameters) {
  auto *Type = FunctionType::get(Type::getVoidTy(C), Parameters, false);
  // Null where the runtime is not loaded, which then never sets the table.
  auto *F = Function::Create(Type, GlobalValue::ExternalWeakLinkage, Name, M);
  F->setDoesNotThrow();
  F->setCallingConv(CallingConv::PreserveMost);
  return F;
}

void HostCode::callIf(Value *Byte, Instruction *Before, Function *Hook,
                      ArrayRef<Value *> Arguments) {
  IRBuilder<> B(Before);
  B.SetCurrentDebugLocation(Before->getDebugLoc());
  Value *Watched = B.CreateICmpNE(Byte, B.getInt8(0));
  Instruction *Then = SplitBlockAndInsertIfThen(Watched, Before, /*Unreachable=*/false,
                                                MDBuilder(C).createUnlikelyBranchWeights());
  B.SetInsertPoint(Then);
  B.SetCurrentDebugLocation(Before->getDebugLoc());
  CallInst *Call = B.CreateCall(Hook, Arguments);
  Call->setCallingConv(Hook->getCallingConv());
}

void HostCode::check(const Use &U) {
  IRBuilder<> B(U.At);
  Value *Address = B.CreatePtrToInt(U.Pointer, Size);
  Value *Page = B.CreateAnd(B.CreateLShr(Address, PageBits), Pages - 1);
  // An access of many bytes checks the byte for all pages.
  Value *Entry = U.Bytes ? B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Table, Pages)
                         : B.CreateInBoundsGEP(B.getInt8Ty(), Table, Page);
  Value *Byte = B.CreateLoad(B.getInt8Ty(), Entry);
  Value *Bytes = U.Bytes ? B.CreateZExtOrTrunc(U.Bytes, Size) : ConstantInt::get(Size, U.Size);
  callIf(Byte, U.At, AccessHook, {U.Pointer, Bytes, B.getInt32(U.Store)});
  ++NumAccesses;
}

void HostCode::checkArgument(const Use &U) {
  IRBuilder<> B(U.At);
  Value *Byte =
      B.CreateLoad(B.getInt8Ty(), B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Table, Pages));
  callIf(Byte, U.At, ArgumentHook,
         {U.Pointer, ConstantInt::get(Size, U.Size), B.getInt32(U.Store), U.Callee});
  ++NumArguments;
}

/// Adds the function's address to the table, in the comdat of the function.
void HostCode::addFunction(Function &F) {
  auto *Entry = new GlobalVariable(M, Pointer, /*isConstant=*/true, GlobalValue::PrivateLinkage, &F,
                                   "__gmprof_host_function");
  Entry->setSection(FunctionsSection);
  Entry->setAlignment(DL.getPointerABIAlignment(0));
  if (Comdat *Group = F.getComdat())
    Entry->setComdat(Group);
  Entry->setMetadata(LLVMContext::MD_associated, MDNode::get(C, ValueAsMetadata::get(&F)));
  Kept.push_back(Entry);
}

/// Registers the table and the functions with the runtime, once for each executable or library.
void HostCode::addBeginning() {
  constexpr StringLiteral Name = "__gmprof_host_begin";
  auto Bound = [&](StringRef Prefix) {
    auto *G = new GlobalVariable(M, Pointer, false, GlobalValue::ExternalWeakLinkage, nullptr,
                                 Twine(Prefix) + FunctionsSection);
    G->setVisibility(GlobalValue::HiddenVisibility);
    return G;
  };
  GlobalVariable *First = Bound("__start_"), *End = Bound("__stop_");
  auto *TellType = FunctionType::get(Type::getVoidTy(C), {Pointer, Pointer, Pointer}, false);
  auto *Tell =
      Function::Create(TellType, GlobalValue::ExternalWeakLinkage, "__gmprof_host_code", M);
  auto *Begin = Function::Create(FunctionType::get(Type::getVoidTy(C), false),
                                 GlobalValue::LinkOnceODRLinkage, Name, M);
  Begin->setVisibility(GlobalValue::HiddenVisibility);
  Begin->setComdat(M.getOrInsertComdat(Name));
  auto *Entry = BasicBlock::Create(C, "", Begin), *Then = BasicBlock::Create(C, "", Begin),
       *Done = BasicBlock::Create(C, "", Begin);
  IRBuilder<> B(Entry);
  B.CreateCondBr(B.CreateICmpNE(Tell, ConstantPointerNull::get(Pointer)), Then, Done);
  B.SetInsertPoint(Then);
  B.CreateCall(Tell, {Table, First, End});
  B.CreateBr(Done);
  B.SetInsertPoint(Done);
  B.CreateRetVoid();
  constexpr int First65536 = 1;
  appendToGlobalCtors(M, Begin, First65536, Begin);
}

bool HostCode::instrument() {
  SmallVector<Function *> Functions;
  for (Function &F : M)
    if (!F.isDeclaration() && !F.hasAvailableExternallyLinkage() &&
        !F.hasFnAttribute(Attribute::Naked))
      Functions.push_back(&F);
  if (Functions.empty())
    return false;
  Table = new GlobalVariable(
      M, ArrayType::get(Type::getInt8Ty(C), Pages + 1), false, GlobalValue::LinkOnceODRLinkage,
      ConstantAggregateZero::get(ArrayType::get(Type::getInt8Ty(C), Pages + 1)), PagesName);
  Table->setVisibility(GlobalValue::HiddenVisibility);
  Table->setComdat(M.getOrInsertComdat(PagesName));
  Type *Int = Type::getInt32Ty(C);
  AccessHook = hook("__gmprof_host_access", {Pointer, Size, Int});
  ArgumentHook = hook("__gmprof_host_argument", {Pointer, Size, Int, Pointer});
  for (Function *F : Functions) {
    SmallVector<Use> Uses;
    collect(*F, Uses);
    for (const Use &U : Uses)
      U.Callee ? checkArgument(U) : check(U);
    addFunction(*F);
  }
  addBeginning();
  appendToCompilerUsed(M, Kept);
  return true;
}

PreservedAnalyses HostAccessesPass::run(Module &M, ModuleAnalysisManager &) {
  if (M.getTargetTriple().isNVPTX() || M.getNamedGlobal(PagesName))
    return PreservedAnalyses::all();
  return HostCode(M).instrument() ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

void gmprof::addHostAccesses(ModulePassManager &MPM) {
  if (HostAccessesOption)
    MPM.addPass(HostAccessesPass());
}
