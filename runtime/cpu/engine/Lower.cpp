//===- Lower.cpp - Lowering of NVPTX bitcode to x86-64 IR -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/engine/Lower.h"
#include "cpu/engine/Intrinsics.h"
#include "cpu/engine/Races.h"
#include "cpu/engine/References.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/AttributeMask.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace gmprof::cpu {

//===----------------------------------------------------------------------===//
// LoweringContext
//===----------------------------------------------------------------------===//

Value *LoweringContext::threadState(IRBuilderBase &B) {
  return B.GetInsertBlock()->getParent()->getArg(0);
}

static Value *loadAt(IRBuilderBase &B, Value *Base, size_t Offset, Type *Type) {
  return B.CreateLoad(Type, B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Base, Offset));
}

Value *LoweringContext::loadThread(IRBuilderBase &B, size_t Offset, Type *Type) {
  return loadAt(B, threadState(B), Offset, Type);
}

Value *LoweringContext::loadBlock(IRBuilderBase &B, size_t Offset, Type *Type) {
  Value *Block = loadThread(B, offsetof(ThreadState, Block), B.getPtrTy());
  return loadAt(B, Block, Offset, Type);
}

CallInst *LoweringContext::callHelper(IRBuilderBase &B, StringRef Name, Type *Result,
                                      ArrayRef<Value *> Args) {
  SmallVector<Value *, 8> Passed;
  SmallVector<Type *, 8> Types;
  for (Value *Arg : Args) {
    if (Arg->getType()->isPointerTy() && Arg->getType()->getPointerAddressSpace() != 0)
      Arg = B.CreateAddrSpaceCast(Arg, B.getPtrTy());
    Passed.push_back(Arg);
    Types.push_back(Arg->getType());
  }
  FunctionCallee Callee =
      TheModule.getOrInsertFunction(Name, FunctionType::get(Result, Types, false));
  return B.CreateCall(Callee, Passed);
}

Value *LoweringContext::scratch(IRBuilderBase &B, unsigned Bytes) {
  // An iterator, because a block under construction may be empty.
  BasicBlock &First = B.GetInsertBlock()->getParent()->getEntryBlock();
  IRBuilder<> Entry(&First, First.getFirstInsertionPt());
  AllocaInst *Memory = Entry.CreateAlloca(ArrayType::get(B.getInt8Ty(), Bytes));
  Memory->setAlignment(Align(16));
  return Memory;
}

void LoweringContext::unsupported(const Instruction &At, const Twine &Construct) {
  if (!Error.empty())
    return;
  std::string Where;
  if (const DebugLoc &Loc = At.getDebugLoc())
    Where = " (" + Loc->getFilename().str() + ":" + std::to_string(Loc.getLine()) + ")";
  else if (At.getFunction()->getName() != Kernel)
    Where = " (in " + At.getFunction()->getName().str() + ")";
  Error = "kernel " + Kernel + " uses " + Construct.str() + Where +
          ", which the CPU device does not support; run it on a GPU";
}

//===----------------------------------------------------------------------===//
// Extraction
//===----------------------------------------------------------------------===//

namespace {

class Unit {
public:
  Unit(const Image &I, const std::string &Kernel, uint32_t FirstSite, LoweredUnit &Result)
      : From(I), Kernel(Kernel), FirstSite(FirstSite), Result(Result) {}
  void run(const Triple &Target, const DataLayout &Layout, DebugInfo Debug);

private:
  void fail(std::string Message) {
    if (Result.Error.empty())
      Result.Error = std::move(Message);
  }
  bool extract();
  void retarget(const Triple &Target, const DataLayout &Layout);
  void lowerIntrinsics(LoweringContext &Context);
  void checkDeclarations(LoweringContext &Context);
  void estimateStack();

  const Image &From;
  const std::string &Kernel;
  const uint32_t FirstSite;
  LoweredUnit &Result;
  std::vector<Function *> Roots;
};

/// Reads the roots and their callees, and drops the rest.
bool Unit::extract() {
  auto Parsed = getLazyBitcodeModule(MemoryBufferRef(From.Bitcode, From.Name), *Result.Context);
  if (!Parsed) {
    fail(toString(Parsed.takeError()));
    return false;
  }
  Result.M = std::move(*Parsed);
  llvm::Module &M = *Result.M;
  if (Kernel.empty())
    for (const Image::FunctionPointer &Pointer : From.FunctionPointers)
      Roots.push_back(M.getFunction(Pointer.Function));
  else
    Roots.push_back(M.getFunction(Kernel));

  SetVector<Function *> Reached(Roots.begin(), Roots.end());
  for (size_t I = 0; I < Reached.size(); ++I) {
    if (Error E = Reached[I]->materialize()) {
      fail(toString(std::move(E)));
      return false;
    }
    for (GlobalValue *Global : directReferences(*Reached[I]))
      if (auto *F = dyn_cast<Function>(Global))
        Reached.insert(F);
  }

  for (GlobalVariable &V : make_early_inc_range(M.globals())) {
    V.setInitializer(nullptr);
    if (!V.hasExternalWeakLinkage())
      V.setLinkage(GlobalValue::ExternalLinkage);
    V.setComdat(nullptr);
    if (V.getName().starts_with("llvm."))
      V.eraseFromParent();
  }
  for (GlobalAlias &Alias : make_early_inc_range(M.aliases()))
    Alias.eraseFromParent();
  for (Function &F : make_early_inc_range(M)) {
    F.removeDeadConstantUsers();
    if (Reached.count(&F))
      continue;
    F.replaceAllUsesWith(PoisonValue::get(F.getType()));
    F.eraseFromParent();
  }
  if (Error E = M.materializeAll()) {
    fail(toString(std::move(E)));
    return false;
  }
  return true;
}

/// Removes attributes of the GPU's target from functions and makes all functions internal.
void Unit::retarget(const Triple &Target, const DataLayout &Layout) {
  llvm::Module &M = *Result.M;
  M.setTargetTriple(Target);
  M.setDataLayout(Layout);
  for (Function &F : M) {
    AttributeMask Drop;
    for (const char *Name : {"target-cpu", "target-features", "frame-pointer", "tune-cpu"})
      Drop.addAttribute(Name);
    F.removeFnAttrs(Drop);
    F.setComdat(nullptr);
    if (F.isDeclaration())
      continue;
    F.setCallingConv(CallingConv::C);
    F.addFnAttr(Attribute::NoUnwind);
    // Frames larger than a page must not skip a stack's guard page.
    F.addFnAttr("probe-stack", "inline-asm");
    F.setVisibility(GlobalValue::DefaultVisibility);
    F.setLinkage(GlobalValue::InternalLinkage);
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallBase>(&I))
        Call->setCallingConv(CallingConv::C);
  }
}

void Unit::lowerIntrinsics(LoweringContext &Context) {
  for (Function &F : *Result.M) {
    if (F.isDeclaration())
      continue;
    SmallVector<CallInst *, 32> Calls;
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallInst>(&I);
          Call && Call->getCalledFunction() &&
          Call->getCalledFunction()->getName().starts_with("llvm.nvvm."))
        Calls.push_back(Call);
    for (CallInst *Call : Calls)
      if (!lowerThreadIntrinsic(*Call, Context) && !lowerComputeIntrinsic(*Call, Context))
        Context.unsupported(*Call, "the intrinsic " + Call->getCalledFunction()->getName());
  }
}

/// Reports all declarations that the JIT cannot resolve.
void Unit::checkDeclarations(LoweringContext &Context) {
  for (Function &F : make_early_inc_range(*Result.M)) {
    if (!F.isDeclaration())
      continue;
    if (F.use_empty()) {
      F.eraseFromParent();
      continue;
    }
    if (F.getName().starts_with("gm_") ||
        (F.isIntrinsic() && !F.getName().starts_with("llvm.nvvm.")))
      continue;
    for (User *U : F.users())
      if (auto *I = dyn_cast<Instruction>(U))
        Context.unsupported(*I, "the function " + F.getName() + ", which is not defined");
    if (Context.error().empty())
      fail("the function " + F.getName().str() + " is not defined");
  }
}

/// Estimates the stack size: all local variables, plus spills in proportion to the number of
/// values. Recursion gets a fixed size.
void Unit::estimateStack() {
  constexpr size_t Minimum = 64 << 10, Recursive = 256 << 10, Maximum = 8 << 20;
  const DataLayout &DL = Result.M->getDataLayout();
  size_t Sum = 0;
  bool Recursion = false;
  for (Function &F : *Result.M) {
    for (Instruction &I : instructions(F)) {
      Sum += I.getType()->isVoidTy() ? 0 : 8;
      if (auto *Alloca = dyn_cast<AllocaInst>(&I))
        Sum += Alloca->getAllocationSize(DL).value_or(TypeSize::getFixed(1 << 14));
      if (auto *Call = dyn_cast<CallInst>(&I))
        Recursion |= Call->isIndirectCall() ||
                     (Call->getCalledFunction() && !Call->getCalledFunction()->isDeclaration() &&
                      !Call->getCalledFunction()->doesNotRecurse());
    }
  }
  size_t Needed = std::max(Recursion ? Recursive : Minimum, 2 * Sum + (32 << 10));
  Result.StackBytes = alignTo(std::min(Needed, Maximum), 64 << 10);
}

void Unit::run(const Triple &Target, const DataLayout &Layout, DebugInfo Debug) {
  if (!extract())
    return;
  llvm::Module &M = *Result.M;
  retarget(Target, Layout);
  addThreadParameter(M);
  LoweringContext Context(M, Kernel.empty() ? "(any)" : Kernel);

  for (Function &F : M)
    if (!F.isDeclaration())
      lowerInlineAsm(F, Context);
  if (!Context.error().empty())
    return fail(Context.error());

  // Memory of clones belongs to GMProf itself.
  Result.Watched = looksForRaces() && Kernel.find("__gm_") == std::string::npos;
  const std::vector<WatchedAccess> Accesses =
      Result.Watched ? accessesToWatch(M) : std::vector<WatchedAccess>();
  Result.NeedsFibers = numberSites(M, FirstSite, Result.Sites, Context);
  watchAccesses(Accesses, FirstSite, Result.Sites, Context);
  const SharedLayout &Shared =
      Kernel.empty() ? From.FunctionTableShared : From.Kernels.at(Kernel).Shared;
  for (Function &F : M)
    if (!F.isDeclaration())
      checkBounds(F, From, Shared, Context);
  lowerIntrinsics(Context);
  lowerSystemCalls(M, Context);
  if (!Kernel.empty()) {
    makeEntry(*M.getFunction(Kernel), From.Kernels.at(Kernel).Info, Context);
  } else {
    for (const Image::FunctionPointer &Pointer : From.FunctionPointers)
      M.getFunction(Pointer.Function)->setLinkage(GlobalValue::ExternalLinkage);
  }
  for (Function &F : M)
    if (!F.isDeclaration())
      wrapSharedAddresses(F);
  lowerVariables(M, From, Shared, Context);
  for (Function &F : M) {
    if (F.isDeclaration())
      continue;
    lowerArithmetic(F);
    lowerAccesses(F, Context);
    expandChecks(F, Context);
  }
  checkDeclarations(Context);
  if (!Context.error().empty())
    return fail(Context.error());
  if (Debug == DebugInfo::None)
    StripDebugInfo(M);
  else
    stripNonLineTableDebugInfo(M);
  estimateStack();
  std::string Broken;
  raw_string_ostream Stream(Broken);
  if (verifyModule(M, &Stream))
    fail("kernel " + Kernel +
         " was lowered to broken code, which is a defect of GMProf: " + Broken);
}

} // namespace

LoweredUnit lower(const Image &Image, const std::string &Kernel, uint32_t FirstSite,
                  const Triple &Target, const DataLayout &Layout, DebugInfo Debug) {
  LoweredUnit Result;
  Result.Context = std::make_unique<LLVMContext>();
  Unit(Image, Kernel, FirstSite, Result).run(Target, Layout, Debug);
  return Result;
}

} // namespace gmprof::cpu
