//===- AccessPrinter.cpp - Prints accesses and variables ------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// print<gm-accesses> writes for each function
//
//   accesses of <function>: <number>[, opaque: <number>]
//     <file>:<line>:<column> <kind> <space> <bytes> <variable>[+<offset>]
//         tid-invariant=<yes|no (why)> uniform=<yes|no (why)>
//         loops=[<header>@<depth> …][ (why not the next)] static=<count|no (why)>
//     fence <file>:<line>:<column>[ in clusters]
//     opaque <file>:<line>:<column>: <why>
//
// with each access on one line; `-` stands for an unknown location or variable. After the variable
// come, where they apply, in=<function of the inlined code>, displacement=, predicate=, lanes= and
// tile=<rows>x<row bytes>. print<gm-variables> writes
//
//   variables of <function>:
//     <kind> <name> type=<type> bytes=<bytes> element=<bytes> <file>:<line>
//
//===----------------------------------------------------------------------===//

#include "AccessPrinter.h"
#include "ClosedForms.h"
#include "LiveRanges.h"
#include "Register.h"
#include "RegisterPressure.h"
#include "Touches.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instruction.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace gmprof;

static StringRef nameOf(GmprofAccessKind Kind) {
  switch (Kind) {
  case GMPROF_ACCESS_LOAD:
    return "load";
  case GMPROF_ACCESS_STORE:
    return "store";
  case GMPROF_ACCESS_ATOMIC:
    return "atomic";
  case GMPROF_ACCESS_COPY_FROM:
    return "copy-from";
  case GMPROF_ACCESS_COPY_TO:
    return "copy-to";
  case GMPROF_ACCESS_ASYNC_FROM:
    return "async-from";
  case GMPROF_ACCESS_ASYNC_TO:
    return "async-to";
  case GMPROF_ACCESS_MATRIX:
    return "matrix";
  case GMPROF_ACCESS_BARRIER:
    return "barrier";
  }
  llvm_unreachable("unknown access kind");
}

static StringRef nameOf(GmprofSpace Space) {
  switch (Space) {
  case GMPROF_SPACE_GENERIC:
    return "generic";
  case GMPROF_SPACE_GLOBAL:
    return "global";
  case GMPROF_SPACE_SHARED:
    return "shared";
  case GMPROF_SPACE_CONSTANT:
    return "constant";
  case GMPROF_SPACE_LOCAL:
    return "local";
  case GMPROF_SPACE_PARAM:
    return "param";
  case GMPROF_SPACE_SHARED_CLUSTER:
    return "shared-cluster";
  }
  llvm_unreachable("unknown space");
}

static StringRef nameOf(GmprofVariableKind Kind) {
  switch (Kind) {
  case GMPROF_VARIABLE_SHARED:
    return "shared";
  case GMPROF_VARIABLE_SHARED_DYNAMIC:
    return "dynamic-shared";
  case GMPROF_VARIABLE_GLOBAL:
    return "global";
  case GMPROF_VARIABLE_CONSTANT:
    return "constant";
  case GMPROF_VARIABLE_PARAMETER:
    return "parameter";
  case GMPROF_VARIABLE_LOCAL:
    return "local";
  }
  llvm_unreachable("unknown variable kind");
}

/// Prints how lanes share the rows of a tile, as "4x8": four lanes of 8 bytes in each.
static void print(raw_ostream &OS, const TileLanes &By) {
  OS << By.Lanes << 'x' << By.Bytes;
  if (By.RowStep != 1)
    OS << " step=" << By.RowStep;
}

static void print(raw_ostream &OS, const Fact &F) {
  if (F)
    OS << "yes";
  else
    OS << "no (" << F.Why << ')';
}

/// Returns the name of the function that contains I's line, if I was inlined from it; else "".
static std::string inlinedFunction(const Instruction &I) {
  std::string Name = sourceLocation(I).Function;
  const DISubprogram *SP = I.getFunction()->getSubprogram();
  return SP && SP->getName() == Name ? std::string() : Name;
}

void gmprof::printLocation(raw_ostream &OS, const Instruction &I) {
  SourceLocation Location = sourceLocation(I);
  if (Location.Line)
    OS << Location.File << ':' << Location.Line << ':' << Location.Column;
  else
    OS << '-';
}

void gmprof::printSummary(raw_ostream &OS, const Access &A, ArrayRef<Variable> Variables) {
  printLocation(OS, *A.Inst);
  OS << ' ' << nameOf(A.Kind);
  if (A.Kind == GMPROF_ACCESS_MATRIX)
    OS << (A.Reads ? "-read" : "-write");
  OS << ' ' << nameOf(A.Space) << ' ';
  if (A.Bytes)
    OS << A.Bytes;
  else
    OS << '?';
  OS << ' ' << (A.Variable < 0 ? "-" : Variables[A.Variable].Name);
}

static void print(raw_ostream &OS, const Access &A, ArrayRef<Variable> Variables) {
  OS << "  ";
  printSummary(OS, A, Variables);
  if (A.Static)
    OS << '+' << A.Static->Offset;
  if (std::string Function = inlinedFunction(*A.Inst); !Function.empty())
    OS << " in=" << Function;
  if (A.Reduction)
    OS << " reduction";
  if (A.Displacement)
    OS << " displacement=" << A.Displacement;
  if (A.Predicate)
    OS << " predicate=" << (A.PredicateInverted ? "zero" : "nonzero");
  if (A.Lanes < 32)
    OS << " lanes=" << A.Lanes;
  if (A.Tile) {
    OS << " tile=" << A.Tile->Rows << 'x' << A.Tile->RowBytes << " by=";
    print(OS, A.Tile->InGlobal);
    if (A.Tile->InShared != A.Tile->InGlobal)
      print(OS << " shared-by=", A.Tile->InShared);
  }
  OS << " tid-invariant=";
  print(OS, A.ThreadInvariantAddress);
  OS << " uniform=";
  print(OS, A.UniformExecution);
  OS << " loops=[";
  ListSeparator Separator(" ");
  for (const Loop *L : A.InvariantLoops) {
    OS << Separator;
    L->getHeader()->printAsOperand(OS, /*PrintType=*/false);
    OS << '@' << L->getLoopDepth();
  }
  OS << ']';
  if (*A.LoopReason)
    OS << " (" << A.LoopReason << ')';
  OS << " static=";
  if (A.Static)
    OS << A.Static->Count;
  else
    OS << "no (" << A.StaticReason << ')';
  OS << '\n';
}

void AccessInfo::print(raw_ostream &OS, const Function &F) const {
  OS << "accesses of " << F.getName() << ": " << Accesses.size();
  if (!OpaqueCalls.empty())
    OS << ", opaque: " << OpaqueCalls.size();
  OS << '\n';
  for (const Access &A : Accesses)
    ::print(OS, A, Variables);
  for (const Fence &Each : Fences) {
    OS << "  fence ";
    printLocation(OS, *Each.Inst);
    OS << (Each.OnlyInClusters ? " in clusters\n" : "\n");
  }
  for (auto [I, Why] : OpaqueCalls) {
    OS << "  opaque ";
    printLocation(OS, *I);
    OS << ": " << Why << '\n';
  }
}

void AccessInfo::printVariables(raw_ostream &OS, const Function &F) const {
  OS << "variables of " << F.getName() << ":\n";
  for (const Variable &V : Variables) {
    OS << "  " << nameOf(V.Kind) << ' ' << V.Name << " type=" << (V.Type.empty() ? "-" : V.Type)
       << " bytes=" << V.Bytes << " element=" << V.ElementBytes << ' ';
    if (V.Line)
      OS << V.File << ':' << V.Line << '\n';
    else
      OS << "-\n";
  }
}

PreservedAnalyses AccessPrinterPass::run(Function &F, FunctionAnalysisManager &FAM) {
  FAM.getResult<AccessAnalysis>(F).print(OS, F);
  return PreservedAnalyses::all();
}

PreservedAnalyses VariablePrinterPass::run(Function &F, FunctionAnalysisManager &FAM) {
  FAM.getResult<AccessAnalysis>(F).printVariables(OS, F);
  return PreservedAnalyses::all();
}

void gmprof::registerAnalyses(PassBuilder &PB) {
  PB.registerAnalysisRegistrationCallback(
      [](FunctionAnalysisManager &FAM) { FAM.registerPass([] { return AccessAnalysis(); }); });
  PB.registerPipelineParsingCallback(
      [](StringRef Name, FunctionPassManager &FPM, ArrayRef<PassBuilder::PipelineElement>) {
        if (Name == "print<gm-accesses>")
          FPM.addPass(AccessPrinterPass(outs()));
        else if (Name == "print<gm-variables>")
          FPM.addPass(VariablePrinterPass(outs()));
        else if (Name == "print<gm-closed-forms>")
          FPM.addPass(ClosedFormPrinterPass(outs()));
        else if (Name == "print<gm-live-ranges>")
          FPM.addPass(LiveRangePrinterPass(outs()));
        else if (Name == "print<gm-touches>")
          FPM.addPass(TouchPrinterPass(outs()));
        else if (Name == "print<gm-register-pressure>")
          FPM.addPass(RegisterPressurePrinterPass(outs()));
        else
          return false;
        return true;
      });
}
