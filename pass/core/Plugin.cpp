//===- Plugin.cpp - libGMPass.so ------------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   clang++ -fpass-plugin=libGMPass.so -x cuda …      instruments what it compiles
//   opt -load-pass-plugin=libGMPass.so -passes=gm-instrument …
//
// The pass runs at the end of the optimisation pipeline, at every level, in the device and in the
// host compilation. The passes that name the host's allocations, that keep the frames of its calls,
// and that implement __cluster_dims__ run at its start.
//
//===----------------------------------------------------------------------===//

#include "pass/core/ClusterDims.h"
#include "pass/core/Instrument.h"
#include "pass/core/LineDirectives.h"
#include "pass/host/HostAccesses.h"
#include "pass/host/HostAllocations.h"
#include "pass/host/HostCalls.h"

#include "static-analysis/Register.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Support/CommandLine.h"

using namespace llvm;

static cl::opt<bool>
    Off("gm-off", cl::init(false),
        cl::desc("Instrument nothing; only compile what clang alone does not: __cluster_dims__"));

static void registerPasses(PassBuilder &PB) {
  gmprof::registerAnalyses(PB);
  PB.registerPipelineParsingCallback(
      [](StringRef Name, ModulePassManager &MPM, ArrayRef<PassBuilder::PipelineElement>) {
        if (Name == "gm-instrument")
          MPM.addPass(gmprof::InstrumentPass());
        else if (Name == "gm-cluster-dims")
          MPM.addPass(gmprof::ClusterDimsPass());
        else if (Name == "gm-host-allocations")
          MPM.addPass(gmprof::HostAllocationsPass());
        else if (Name == "gm-host-accesses")
          MPM.addPass(gmprof::HostAccessesPass());
        else if (Name == "gm-host-calls")
          MPM.addPass(gmprof::HostCallsPass());
        else if (Name == "gm-line-directives")
          MPM.addPass(gmprof::LineDirectivesPass());
        else
          return false;
        return true;
      });
  PB.registerPipelineStartEPCallback([](ModulePassManager &MPM, OptimizationLevel) {
    MPM.addPass(gmprof::ClusterDimsPass());
    if (Off)
      return;
    MPM.addPass(gmprof::HostAllocationsPass());
    MPM.addPass(gmprof::HostCallsPass());
  });
  PB.registerOptimizerLastEPCallback(
      [](ModulePassManager &MPM, OptimizationLevel, ThinOrFullLTOPhase) {
        if (Off)
          return;
        MPM.addPass(gmprof::InstrumentPass());
        gmprof::addHostAccesses(MPM);
        gmprof::addLineDirectives(MPM);
      });
}

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "GMProf", GMPROF_VERSION, registerPasses, nullptr};
}
