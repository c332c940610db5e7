//===- ClosedFormPrinter.cpp - Prints closed forms and sweeps -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// print<gm-closed-forms> writes for each function
//
//   closed forms of <function>:
//     <location> <kind> <space> <bytes> <variable> rule=<rule> <details>
//
// where the rule is the first applicable one, ordered by run-time cost:
//
//   static            count=<executions by each thread>
//   closed-form       address=<polynomial> [loops=[<header> …]] [derived=[…]]
//                     [where <polynomial> >= 0[ or <loop> = 0], …]
//                     [if <min> <= <polynomial> <= <max> after <number> …]
//   loop-invariant    closed=no (why)
//   sweep             start=<SCEV> stride=<bytes> trips=<SCEV>[ + 1] closed=no (why)
//   thread-invariant  closed=no (why) sweep=no (why)
//   counted           closed=no (why) sweep=no (why)
//
// Polynomials have the unknowns tid, ntid, ctaid, nctaid, loop0 … (iterations of the loops in the
// order printed), param0 … (kernel parameters) and derived0 … (in the order printed). A condition
// assumes that number of leading constraints.
//
//===----------------------------------------------------------------------===//

#include "AccessPrinter.h"
#include "ClosedForms.h"
#include "Sweeps.h"
#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instruction.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace gmprof;

void SymbolicForm::print(raw_ostream &OS) const {
  OS << "closed-form address=";
  Address.print(OS);
  ListSeparator Comma(", "), DerivedComma(", "), ConstraintComma(", ");
  if (!Loops.empty()) {
    OS << " loops=[";
    for (const Loop *L : Loops) {
      OS << Comma;
      if (L)
        L->getHeader()->printAsOperand(OS, /*PrintType=*/false);
      else
        OS << "one";
    }
    OS << ']';
  }
  for (const DerivedUnknown &D : Derived) {
    OS << (&D == &Derived.front() ? " derived=[" : "") << DerivedComma << '(';
    D.A.print(OS);
    if (D.Operation == GMPROF_DERIVED_QUOTIENT) {
      OS << ") / (";
      D.B.print(OS);
      OS << ')';
    } else {
      OS << " >= 0)";
    }
    OS << (&D == &Derived.back() ? "]" : "");
  }
  for (const SymbolicConstraint &C : Constraints) {
    OS << (&C == &Constraints.front() ? " where " : "") << ConstraintComma;
    C.NonNegative.print(OS);
    OS << " >= 0";
    if (C.Loop >= 0)
      OS << " or loop" << C.Loop << " = 0";
  }
  for (const SymbolicCondition &C : Conditions) {
    OS << " if " << C.Min << " <= ";
    C.Value.print(OS);
    OS << " <= " << C.Max << " after " << C.Constraints;
  }
}

static void print(raw_ostream &OS, const Sweep &S) {
  OS << "sweep start=" << *S.Start << " stride=" << S.Stride << " trips=" << *S.BackedgesTaken;
  if (S.ExecutesInLastIteration)
    OS << " + 1";
}

static void printRule(raw_ostream &OS, const Access &A, const ClosedForms &Forms,
                      const Sweeps &Sweeps, ArrayRef<Variable> Variables) {
  OS << " rule=";
  if (A.Static) {
    OS << "static count=" << A.Static->Count;
    return;
  }
  const char *WhyNotClosed = "", *WhyNotSweep = "";
  if (std::optional<SymbolicForm> Form = Forms.closedForm(A, Variables, WhyNotClosed)) {
    Form->print(OS);
    return;
  }
  if (!A.InvariantLoops.empty())
    OS << "loop-invariant";
  else if (std::optional<Sweep> S = Sweeps.sweep(A, WhyNotSweep))
    print(OS, *S);
  else
    OS << (A.ThreadInvariantAddress ? "thread-invariant" : "counted");
  OS << " closed=no (" << WhyNotClosed << ')';
  if (*WhyNotSweep)
    OS << " sweep=no (" << WhyNotSweep << ')';
}

PreservedAnalyses ClosedFormPrinterPass::run(Function &F, FunctionAnalysisManager &FAM) {
  const AccessInfo &Info = FAM.getResult<AccessAnalysis>(F);
  OS << "closed forms of " << F.getName() << ":\n";
  if (Info.accesses().empty())
    return PreservedAnalyses::all();
  const auto &LI = FAM.getResult<LoopAnalysis>(F);
  const auto &CI = FAM.getResult<CycleAnalysis>(F);
  const auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  const ClosedForms Forms(F, LI, CI, DT, SE);
  const Sweeps Sweeps(F, LI, CI, DT, SE);
  for (const Access &A : Info.accesses()) {
    OS << "  ";
    printSummary(OS, A, Info.variables());
    printRule(OS, A, Forms, Sweeps, Info.variables());
    OS << '\n';
  }
  return PreservedAnalyses::all();
}
