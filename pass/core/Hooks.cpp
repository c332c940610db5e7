//===- Hooks.cpp - The device functions that clones call ------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/core/Hooks.h"

#include "gmprof/abi.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace gmprof;

#define DEBUG_TYPE "gm-instrument"

STATISTIC(HooksCalled, "Calls of hooks that are not inlined: the function is large");

/// Maximum number of instructions that hooks add to one function. Otherwise ptxas needs minutes for
/// templates such as those of CUB.
static constexpr size_t FunctionBudget = 6000;
/// A call is no shorter.
static constexpr size_t AlwaysInlined = 16;

// The bitcode is part of the plugin.
asm(".section .rodata\n"
    ".balign 16\n"
    "gmprof_hooks_begin:\n"
    ".incbin \"" GMPROF_HOOKS_BITCODE "\"\n"
    "gmprof_hooks_end:\n"
    ".previous\n");
extern "C" {
extern const char gmprof_hooks_begin[] __attribute__((visibility("hidden")));
extern const char gmprof_hooks_end[] __attribute__((visibility("hidden")));
}

StringRef Hooks::bitcode() {
  return {gmprof_hooks_begin, static_cast<size_t>(gmprof_hooks_end - gmprof_hooks_begin)};
}

static std::unique_ptr<Module> parseHooks(LLVMContext &Context) {
  return cantFail(parseBitcodeFile(MemoryBufferRef(Hooks::bitcode(), "GMProf hooks"), Context));
}

/// Returns the module that Hooks::read has parsed; null if there is none.
static std::unique_ptr<Module> &hooksInAdvance() {
  static std::unique_ptr<Module> Read;
  return Read;
}

void Hooks::read(LLVMContext &Context) { hooksInAdvance() = parseHooks(Context); }

void Hooks::forget() { hooksInAdvance() = nullptr; }

/// Returns a module of the hooks in a context.
static std::unique_ptr<Module> hooksIn(LLVMContext &Context) {
  std::unique_ptr<Module> &Read = hooksInAdvance();
  return Read && &Read->getContext() == &Context ? std::move(Read) : parseHooks(Context);
}

Hooks::Hooks(Module &M, size_t ModuleBudget, size_t Clones)
    : M(M), Budget(std::min(FunctionBudget, ModuleBudget / std::max<size_t>(Clones, 1))) {
  std::unique_ptr<Module> Source = hooksIn(M.getContext());
  Source->setTargetTriple(M.getTargetTriple());
  Source->setDataLayout(M.getDataLayout());
  // Removes everything that describes the hooks' own compilation: flags, compiler names, and the
  // list that kept the hooks alive must not reach the program's module.
  for (NamedMDNode &Node : make_early_inc_range(Source->named_metadata()))
    Node.eraseFromParent();
  if (GlobalVariable *Used = Source->getNamedGlobal("llvm.compiler.used"))
    Used->eraseFromParent();
  SmallVector<std::string, 0> Names;
  for (Function &F : *Source) {
    if (F.isDeclaration())
      continue;
    for (const char *Attribute : {"target-cpu", "target-features", "frame-pointer"})
      F.removeFnAttr(Attribute);
    Names.push_back(F.getName().str());
  }
  if (Linker::linkModules(M, std::move(Source)))
    reportFatalUsageError("GMProf: cannot link the device hooks: the module has symbols of "
                          "another version of GMProf");
  for (const std::string &Name : Names) {
    Function *F = M.getFunction(Name);
    if (F->getCallingConv() == CallingConv::PTX_Kernel) {
      F->setLinkage(GlobalValue::WeakODRLinkage); // one for all translation units
      Kernels.push_back(F);
      continue;
    }
    F->setLinkage(GlobalValue::InternalLinkage);
    (F->hasFnAttribute(Attribute::NoInline) ? Helpers : Functions).push_back(F);
  }
}

Hooks::~Hooks() {
  for (Function *Kernel : Kernels)
    if (KeepKernels)
      appendToCompilerUsed(M, {Kernel});
    else
      Kernel->eraseFromParent();
  const auto EraseUnused = [](auto &Some) {
    const size_t Before = Some.size();
    erase_if(Some, [](Function *F) {
      const bool Unused = F->use_empty();
      if (Unused)
        F->eraseFromParent();
      return Unused;
    });
    return Some.size() != Before;
  };
  bool Erased = true;
  while (Erased) { // they call each other
    Erased = EraseUnused(Functions);
    Erased |= EraseUnused(Helpers);
  }
  // Declarations of intrinsics that only hooks used.
  for (Function &F : make_early_inc_range(M))
    if (F.isIntrinsic() && F.use_empty())
      F.eraseFromParent();
}

CallInst *Hooks::call(IRBuilderBase &B, const Twine &Name, ArrayRef<Value *> Args) {
  Function *F = M.getFunction((Twine(GMPROF_SYMBOL_PREFIX) + Name).str());
  assert(F && F->arg_size() == Args.size() && "no such hook");
  SmallVector<Value *, 8> Cast;
  for (auto [Arg, Parameter] : zip(Args, F->args()))
    Cast.push_back(Arg->getType()->isIntegerTy() ? B.CreateZExtOrTrunc(Arg, Parameter.getType())
                                                 : Arg);
  CallInst *Call = B.CreateCall(F, Cast);
  if (F->isConvergent())
    Call->setConvergent();
  return Call;
}

// Inlines calls in the innermost loops first, the shortest hooks first among these.
void Hooks::inlineInto(Function &F) {
  SmallPtrSet<Function *, 0> Set(Functions.begin(), Functions.end());
  const DominatorTree DT(F);
  const LoopInfo LI(DT);
  struct HookCall {
    CallInst *Call;
    unsigned Depth;
    size_t Size, Number;
  };
  SmallVector<HookCall, 64> Calls;
  for (Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallInst>(&I); Call && Set.contains(Call->getCalledFunction()))
      Calls.push_back({Call, LI.getLoopDepth(I.getParent()),
                       Call->getCalledFunction()->getInstructionCount(), Calls.size()});
  sort(Calls, [](const HookCall &A, const HookCall &B) {
    return A.Depth != B.Depth ? A.Depth > B.Depth
                              : std::tie(A.Size, A.Number) < std::tie(B.Size, B.Number);
  });
  size_t Left = Budget;
  for (const HookCall &C : Calls) {
    if (C.Size > AlwaysInlined && C.Size > Left) {
      ++HooksCalled;
      continue;
    }
    Left -= std::min(C.Size, Left);
    InlineFunctionInfo Info;
    [[maybe_unused]] InlineResult Result = InlineFunction(*C.Call, Info);
    assert(Result.isSuccess() && "hooks can be inlined");
  }
}
