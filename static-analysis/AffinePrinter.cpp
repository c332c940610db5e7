//===- AffinePrinter.cpp - Text of affine addresses and sweeps ------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// print<gm-affine> writes for each function
//
//   affine accesses of <function>:
//     <location> <kind> <space> <bytes> <variable> rule=<rule> <details>
//
// where the rule is the first of these that fits, the cheapest at run time:
//
//   static            count=<executions by each thread>
//   affine            address=<polynomial> [loops=[<header>: <trips> …]]
//                     anchor=<block>[ once] [if <min> <= <polynomial> <= <max> …]
//   loop-invariant    affine=no (why)
//   sweep             start=<SCEV> stride=<bytes> trips=<SCEV>[ + 1] affine=no (why)
//   thread-invariant  affine=no (why) sweep=no (why)
//   counted           affine=no (why) sweep=no (why)
//
// Polynomials are in terms of tid, ntid, ctaid and nctaid, loop0 … (iterations of
// the loops in the order printed) and param0 … (parameters of the kernel).
//
//===----------------------------------------------------------------------===//

#include "AccessPrinter.h"
#include "AffineAddresses.h"
#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instruction.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace gmprof;

static void printFactor(raw_ostream &OS, unsigned Factor) {
  static constexpr const char *Registers[] = {"tid", "ntid", "ctaid", "nctaid"};
  if (Factor >= GMPROF_FACTOR_PARAMETER)
    OS << "param" << Factor - GMPROF_FACTOR_PARAMETER;
  else if (Factor >= GMPROF_FACTOR_LOOP)
    OS << "loop" << Factor - GMPROF_FACTOR_LOOP;
  else
    OS << Registers[Factor / 3] << '.' << "xyz"[Factor % 3];
}

void Polynomial::print(raw_ostream &OS) const {
  if (Terms.empty())
    OS << '0';
  ListSeparator Plus(" + ");
  for (const auto &[Factors, Coefficient] : Terms) {
    OS << Plus;
    ListSeparator Times("*");
    if (Coefficient != 1 || Factors.empty())
      OS << Times << Coefficient;
    for (unsigned Factor : Factors) {
      OS << Times;
      printFactor(OS, Factor);
    }
  }
}

static void print(raw_ostream &OS, const AffineAddress &A) {
  OS << "affine address=";
  A.Address.print(OS);
  if (!A.Loops.empty()) {
    OS << " loops=[";
    ListSeparator Comma(", ");
    for (const AffineLoop &Loop : A.Loops) {
      OS << Comma;
      Loop.L->getHeader()->printAsOperand(OS, /*PrintType=*/false);
      OS << ": ";
      Loop.Trips.print(OS);
    }
    OS << ']';
  }
  OS << " anchor=";
  A.Anchor->printAsOperand(OS, /*PrintType=*/false);
  if (A.Once)
    OS << " once";
  for (const AffineCondition &Condition : A.Conditions) {
    OS << " if " << Condition.Min << " <= ";
    Condition.Value.print(OS);
    OS << " <= " << Condition.Max;
  }
}

static void print(raw_ostream &OS, const Sweep &S) {
  OS << "sweep start=" << *S.Start << " stride=" << S.Stride << " trips=" << *S.BackedgesTaken;
  if (S.ExecutesInLastIteration)
    OS << " + 1";
}

static void printRule(raw_ostream &OS, const Access &A, const AffineAddresses &Addresses,
                      ArrayRef<Variable> Variables) {
  OS << " rule=";
  if (A.Static) {
    OS << "static count=" << A.Static->Count;
    return;
  }
  const char *WhyNotAffine = "", *WhyNotSweep = "";
  if (std::optional<AffineAddress> Affine = Addresses.affineAddress(A, Variables, WhyNotAffine)) {
    print(OS, *Affine);
    return;
  }
  if (!A.InvariantLoops.empty())
    OS << "loop-invariant";
  else if (std::optional<Sweep> S = Addresses.sweep(A, WhyNotSweep))
    print(OS, *S);
  else
    OS << (A.ThreadInvariantAddress ? "thread-invariant" : "counted");
  OS << " affine=no (" << WhyNotAffine << ')';
  if (*WhyNotSweep)
    OS << " sweep=no (" << WhyNotSweep << ')';
}

PreservedAnalyses AffinePrinterPass::run(Function &F, FunctionAnalysisManager &FAM) {
  const AccessInfo &Info = FAM.getResult<AccessAnalysis>(F);
  OS << "affine accesses of " << F.getName() << ":\n";
  if (Info.accesses().empty())
    return PreservedAnalyses::all();
  AffineAddresses Addresses(F, FAM.getResult<LoopAnalysis>(F), FAM.getResult<CycleAnalysis>(F),
                            FAM.getResult<DominatorTreeAnalysis>(F),
                            FAM.getResult<ScalarEvolutionAnalysis>(F));
  for (const Access &A : Info.accesses()) {
    OS << "  ";
    printSummary(OS, A, Info.variables());
    printRule(OS, A, Addresses, Info.variables());
    OS << '\n';
  }
  return PreservedAnalyses::all();
}
