//===- LineDirectives.cpp - Reduces debug info to lines -------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replaces each compile unit by one of the kind DebugDirectivesOnly, to which only functions refer:
// everything that is reachable only from the old unit disappears with it.
//
//===----------------------------------------------------------------------===//

#include "pass/core/LineDirectives.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;
using namespace gmprof;

static cl::opt<bool>
    LineDirectives("gm-line-directives", cl::init(false),
                   cl::desc("Device code: leave only line directives in the debug info, after "
                            "reading it (for optimised code compiled with full debug info)"));

static cl::opt<bool>
    StripOption("gm-strip-debug-info", cl::init(false),
                cl::desc("Device code: remove the debug info, after reading it and writing the "
                         "bitcode (for programs that are compiled without -g)"));

static DICompileUnit *lineDirectivesUnit(const DICompileUnit &Old) {
  return DICompileUnit::getDistinct(
      Old.getContext(), Old.getSourceLanguage(), Old.getFile(), Old.getProducer(),
      Old.isOptimized(), Old.getFlags(), Old.getRuntimeVersion(), Old.getSplitDebugFilename(),
      DICompileUnit::DebugDirectivesOnly, /*EnumTypes=*/nullptr, /*RetainedTypes=*/nullptr,
      /*GlobalVariables=*/nullptr, /*ImportedEntities=*/nullptr, /*Macros=*/nullptr, Old.getDWOId(),
      Old.getSplitDebugInlining(), Old.getDebugInfoForProfiling(), Old.getNameTableKind(),
      Old.getRangesBaseAddress(), Old.getSysRoot(), Old.getSDK());
}

static void dropVariables(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    I.dropDbgRecords();
    if (isa<DbgVariableIntrinsic, DbgLabelInst>(I))
      I.eraseFromParent();
  }
}

PreservedAnalyses LineDirectivesPass::run(Module &M, ModuleAnalysisManager &) {
  NamedMDNode *Units = M.getNamedMetadata("llvm.dbg.cu");
  if (!Units)
    return PreservedAnalyses::all();

  DebugInfoFinder Finder;
  Finder.processModule(M);
  DenseMap<const DICompileUnit *, DICompileUnit *> Replacement;
  SmallVector<DICompileUnit *, 4> New;
  for (MDNode *Node : Units->operands()) {
    auto *Old = cast<DICompileUnit>(Node);
    New.push_back(lineDirectivesUnit(*Old));
    Replacement[Old] = New.back();
  }
  Units->clearOperands();
  for (DICompileUnit *Unit : New)
    Units->addOperand(Unit);

  for (DISubprogram *SP : Finder.subprograms()) {
    if (DICompileUnit *Unit = SP->getUnit())
      SP->replaceUnit(Replacement.lookup(Unit));
    // The retained nodes describe local variables and imported entities.
    if (SP->isDistinct() && !SP->getRetainedNodes().empty())
      SP->replaceRetainedNodes(MDTuple::get(M.getContext(), {}));
  }
  for (GlobalVariable &GV : M.globals())
    GV.eraseMetadata(LLVMContext::MD_dbg);
  for (Function &F : M)
    dropVariables(F);
  return PreservedAnalyses::none();
}

void gmprof::addLineDirectives(ModulePassManager &MPM) {
  /// Host code keeps its debug info.
  struct OnDevice : PassInfoMixin<OnDevice> {
    PreservedAnalyses run(Module &M, ModuleAnalysisManager &MAM) {
      if (!M.getTargetTriple().isNVPTX())
        return PreservedAnalyses::all();
      if (!StripOption)
        return LineDirectivesPass().run(M, MAM);
      StripDebugInfo(M);
      return PreservedAnalyses::none();
    }
    static bool isRequired() { return true; }
  };
  if (LineDirectives || StripOption)
    MPM.addPass(OnDevice());
}
