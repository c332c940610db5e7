//===- AccessTest.cpp - Memory accesses in inline assembly ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptx/AccessStatements.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace llvm;

namespace gmprof::ptx {
namespace {

/// A function f(ptr addrspace(1) %a, i32 %v, i1 %p) with one asm statement, lifted.
struct Lifted {
  LLVMContext Context;
  std::unique_ptr<llvm::Module> M;
  std::string Failure;

  Lifted(const std::string &Result, const std::string &Asm, const std::string &Arguments,
         const std::string &Attributes = "") {
    SMDiagnostic Diagnostic;
    M = parseAssemblyString("define void @f(ptr addrspace(1) %a, i32 %v, i1 %p, ptr %to) " +
                                Attributes + " {\n%r = call " + Result + " asm sideeffect " + Asm +
                                "(" + Arguments + ")\nstore " + Result +
                                " %r, ptr %to\nret void\n}\n",
                            Diagnostic, Context);
    if (!M) {
      Failure = "the test's IR: " + Diagnostic.getMessage().str();
      return;
    }
    if (Error E = liftAccesses(*M))
      Failure = toString(std::move(E));
    if (verifyModule(*M, &errs()))
      Failure += "invalid";
  }

  /// Returns the only instruction of a kind; null if there is another number of them.
  template <typename T> T *only() const {
    T *Found = nullptr;
    for (llvm::Instruction &I : instructions(*M->getFunction("f")))
      if (auto *Each = dyn_cast<T>(&I)) {
        if (Found)
          return nullptr;
        Found = Each;
      }
    return Found;
  }
  bool hasAssembly() const {
    return any_of(instructions(*M->getFunction("f")), [](llvm::Instruction &I) {
      auto *Call = dyn_cast<CallInst>(&I);
      return Call && Call->isInlineAsm();
    });
  }
};

const char *const Load = "\"mov.u32 $0, $1; @$3 ld.global.b32 { $0 }, [ $2 + 8 ];\", \"=r,r,l,b\"";
const char *const LoadArguments = "i32 7, ptr addrspace(1) %a, i1 %p";

TEST(AccessStatements, AGuardedLoadIsALoadInABranch) {
  const Lifted L("i32", Load, LoadArguments);
  ASSERT_EQ(L.Failure, "");
  EXPECT_FALSE(L.hasAssembly());
  auto *Access = L.only<LoadInst>();
  ASSERT_TRUE(Access);
  EXPECT_TRUE(Access->getType()->isIntegerTy(32));
  EXPECT_EQ(Access->getPointerAddressSpace(), 1u);
  APInt Offset(64, 0);
  EXPECT_EQ(Access->getPointerOperand()->stripAndAccumulateConstantOffsets(
                L.M->getDataLayout(), Offset, /*AllowNonInbounds=*/true),
            L.M->getFunction("f")->getArg(0));
  EXPECT_EQ(Offset.getZExtValue(), 8u);
  // It executes if %p holds; else the result is 7.
  auto *Branch = dyn_cast<BranchInst>(Access->getParent()->getSinglePredecessor()->getTerminator());
  ASSERT_TRUE(Branch && Branch->isConditional());
  EXPECT_EQ(Branch->getCondition(), L.M->getFunction("f")->getArg(2));
  EXPECT_EQ(Branch->getSuccessor(0), Access->getParent());
  auto *Merged = L.only<PHINode>();
  ASSERT_TRUE(Merged);
  EXPECT_EQ(Merged->getIncomingValueForBlock(Access->getParent()), Access);
  auto *Otherwise = dyn_cast<ConstantInt>(Merged->getIncomingValueForBlock(Branch->getParent()));
  ASSERT_TRUE(Otherwise);
  EXPECT_EQ(Otherwise->getZExtValue(), 7u);
}

TEST(AccessStatements, ANegatedGuardBranchesTheOtherWay) {
  const Lifted L("i32", "\"mov.u32 $0, 0; @!$2 ld.global.b32 $0, [$1];\", \"=r,l,b\"",
                 "ptr addrspace(1) %a, i1 %p");
  ASSERT_EQ(L.Failure, "");
  auto *Access = L.only<LoadInst>();
  ASSERT_TRUE(Access);
  auto *Branch = cast<BranchInst>(Access->getParent()->getSinglePredecessor()->getTerminator());
  EXPECT_EQ(Branch->getSuccessor(0), Access->getParent());
  auto *Not = dyn_cast<BinaryOperator>(Branch->getCondition());
  ASSERT_TRUE(Not);
  EXPECT_EQ(Not->getOpcode(), llvm::Instruction::Xor);
  EXPECT_EQ(Not->getOperand(0), L.M->getFunction("f")->getArg(2));
}

TEST(AccessStatements, VectorsAndAtomicsAreLifted) {
  const Lifted Vector("{i32, i32}", "\"ld.global.v2.b32 {$0, $1}, [$2];\", \"=r,=r,l\"",
                      "ptr addrspace(1) %a");
  ASSERT_EQ(Vector.Failure, "");
  ASSERT_TRUE(Vector.only<LoadInst>());
  EXPECT_EQ(Vector.only<LoadInst>()->getAlign().value(), 8u);
  const Lifted Atomic("i32", "\"atom.global.gpu.relaxed.add.u32 $0, [$1], $2;\", \"=r,l,r\"",
                      "ptr addrspace(1) %a, i32 %v");
  ASSERT_EQ(Atomic.Failure, "");
  ASSERT_TRUE(Atomic.only<AtomicRMWInst>());
  EXPECT_EQ(Atomic.only<AtomicRMWInst>()->getOrdering(), AtomicOrdering::Monotonic);
  const Lifted Swap("i32", "\"atom.global.gpu.acq_rel.cas.b32 $0, [$1], $2, 1;\", \"=r,l,r\"",
                    "ptr addrspace(1) %a, i32 %v");
  ASSERT_EQ(Swap.Failure, "");
  ASSERT_TRUE(Swap.only<AtomicCmpXchgInst>());
  EXPECT_EQ(Swap.only<AtomicCmpXchgInst>()->getSuccessOrdering(), AtomicOrdering::AcquireRelease);
}

TEST(AccessStatements, OtherStatementsStay) {
  const std::pair<const char *, const char *> Cases[] = {
      {"\"lop3.b32 $0, $1, $1, $1, 0x96;\", \"=r,r\"", "i32 %v"},
      // LLVM would generate a relaxed one, and one of scope gpu.
      {"\"atom.global.gpu.acq_rel.add.u32 $0, [$1], $2;\", \"=r,l,r\"",
       "ptr addrspace(1) %a, i32 %v"},
      {"\"atom.global.sys.add.u32 $0, [$1], $2;\", \"=r,l,r\"", "ptr addrspace(1) %a, i32 %v"},
      {"\"ld.global.cg.b32 $0, [$1];\", \"=r,l\"", "ptr addrspace(1) %a"}, // bypasses L1
      {"\"add.u32 $0, $1, 1;\", \"=r,r\"", "i32 %v"},                      // no access
      {"\"ld.global.b32 $0, [$1]; lop3.b32 $0, $0, $0, $0, 0x96;\", \"=r,l\"",
       "ptr addrspace(1) %a"},
      {"\"ld.global.b32 $0, [table];\", \"=r\"", ""},
      {"\"L: ld.acquire.gpu.global.b32 $0, [$1]; bra L;\", \"=r,l\"", "ptr addrspace(1) %a"},
      {"\"not PTX\", \"=r\"", ""}};
  for (const auto &[Asm, Arguments] : Cases) {
    const Lifted L("i32", Asm, Arguments);
    EXPECT_EQ(L.Failure, "") << Asm;
    EXPECT_TRUE(L.hasAssembly()) << Asm;
    EXPECT_FALSE(L.only<LoadInst>()) << Asm;
  }
}

TEST(AccessStatements, OperandsMustFit) {
  const Lifted L("i32", "\"ld.global.b32 $0, [$1]; add.u32 $0, $0, $2;\", \"=r,l,b\"",
                 "ptr addrspace(1) %a, i1 %p");
  EXPECT_EQ(L.Failure,
            "inline assembly 'add.u32 %0, %0, %2': expected a value, found the predicate "
            "'%2'");
}

} // namespace
} // namespace gmprof::ptx
