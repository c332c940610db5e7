//===- Jit.cpp - Compiler for lowered IR ----------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The process has one LLJIT. Each unit is a JITDylib that sees the helpers and the functions that
// the code generator itself calls (memcpy, fmaf, …): lowering ensures that a unit references
// nothing else.
//
// Bitcode is already optimised, so by default the code generator runs without optimisation.
// GMPROF_CPU_OPT=1..3 asks for more.
//
//===----------------------------------------------------------------------===//

#include "cpu/engine/Jit.h"
#include "cpu/engine/Intrinsics.h"
#include "cpu/engine/ThreadHelpers.h"

#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <bit>
#include <cstdlib>

using namespace llvm;

/// Arithmetic of the compiler's runtime library, which does not export it dynamically.
extern "C" {
__int128 __divti3(__int128, __int128);
__int128 __modti3(__int128, __int128);
unsigned __int128 __udivti3(unsigned __int128, unsigned __int128);
unsigned __int128 __umodti3(unsigned __int128, unsigned __int128);
_Float16 __truncdfhf2(double);
}

namespace gmprof::cpu {

namespace {

[[noreturn]] void die(Error E) {
  report_fatal_error(Twine("GMProf's CPU device cannot set up LLVM's JIT: ") +
                     toString(std::move(E)));
}

template <class T> T orDie(Expected<T> Value) {
  if (!Value)
    die(Value.takeError());
  return std::move(*Value);
}

unsigned optLevel() {
  static const unsigned Level = [] {
    const char *Text = getenv("GMPROF_CPU_OPT");
    return unsigned(std::clamp(Text ? strtol(Text, nullptr, 10) : 0, 0l, 3l));
  }();
  return Level;
}

class Jit {
public:
  static Jit &get() {
    static auto *TheJit = new Jit; // code may run until the process ends
    return *TheJit;
  }

  void optimize(llvm::Module &M) {
    if (optLevel() == 0)
      return;
    std::unique_ptr<TargetMachine> Machine = orDie(Builder.createTargetMachine());
    PassBuilder Passes(Machine.get());
    LoopAnalysisManager Loops;
    FunctionAnalysisManager Functions;
    CGSCCAnalysisManager Sccs;
    ModuleAnalysisManager Modules;
    Passes.registerModuleAnalyses(Modules);
    Passes.registerCGSCCAnalyses(Sccs);
    Passes.registerFunctionAnalyses(Functions);
    Passes.registerLoopAnalyses(Loops);
    Passes.crossRegisterProxies(Loops, Functions, Sccs, Modules);
    OptimizationLevel Level = optLevel() == 1   ? OptimizationLevel::O1
                              : optLevel() == 2 ? OptimizationLevel::O2
                                                : OptimizationLevel::O3;
    Passes.buildPerModuleDefaultPipeline(Level).run(M, Modules);
  }

  orc::JITTargetMachineBuilder Builder;
  std::unique_ptr<orc::LLJIT> Lljit;

private:
  Jit() : Builder(makeBuilder()) {
    Lljit = orDie(orc::LLJITBuilder()
                      .setJITTargetMachineBuilder(Builder)
                      .setCompileFunctionCreator(makeCompiler)
                      .setLinkProcessSymbolsByDefault(false)
                      .setPlatformSetUp(orc::setUpInactivePlatform)
                      .create());
    defineHelpers();
  }

  /// Creates a compiler with a TargetMachine per compilation, because kernels of several modules
  /// (of translation units and devices) are compiled concurrently.
  static Expected<std::unique_ptr<orc::IRCompileLayer::IRCompiler>>
  makeCompiler(orc::JITTargetMachineBuilder Builder) {
    return std::make_unique<orc::ConcurrentIRCompiler>(std::move(Builder));
  }

  static orc::JITTargetMachineBuilder makeBuilder() {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    InitializeNativeTargetAsmParser();
    auto Builder = orDie(orc::JITTargetMachineBuilder::detectHost());
    // Their conversions to bfloat16 read subnormal numbers as zero, which a GPU does not.
    Builder.addFeatures({"-avx512bf16", "-avxneconvert"});
    constexpr CodeGenOptLevel Levels[] = {CodeGenOptLevel::None, CodeGenOptLevel::Less,
                                          CodeGenOptLevel::Default, CodeGenOptLevel::Aggressive};
    Builder.setCodeGenOptLevel(Levels[optLevel()]);
    Builder.setRelocationModel(Reloc::PIC_);
    Builder.setCodeModel(CodeModel::Small);
    // Unreachable code raises SIGILL.
    Builder.getOptions().TrapUnreachable = true;
    return Builder;
  }

  void define(orc::SymbolMap &Symbols, const char *Name, const void *Address) {
    Symbols[Lljit->mangleAndIntern(Name)] = {orc::ExecutorAddr::fromPtr(Address),
                                             JITSymbolFlags::Exported | JITSymbolFlags::Callable};
  }

  void defineHelpers() {
    orc::SymbolMap Symbols;
    for (std::span<const Helper> Table : {threadHelpers(), computeHelpers()})
      for (const Helper &H : Table)
        define(Symbols, H.Name, H.Address);
    const Helper Library[] = {
        {"__divti3", reinterpret_cast<const void *>(&__divti3)},
        {"__modti3", reinterpret_cast<const void *>(&__modti3)},
        {"__udivti3", reinterpret_cast<const void *>(&__udivti3)},
        {"__umodti3", reinterpret_cast<const void *>(&__umodti3)},
        {"__truncdfhf2", reinterpret_cast<const void *>(&__truncdfhf2)},
    };
    for (const Helper &H : Library)
      define(Symbols, H.Name, H.Address);
    orc::JITDylib &Main = Lljit->getMainJITDylib();
    if (Error E = Main.define(orc::absoluteSymbols(std::move(Symbols))))
      die(std::move(E));
    Main.addGenerator(orDie(orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
        Lljit->getDataLayout().getGlobalPrefix())));
  }
};

} // namespace

const Triple &hostTriple() { return Jit::get().Lljit->getTargetTriple(); }
const DataLayout &hostLayout() { return Jit::get().Lljit->getDataLayout(); }

std::unique_ptr<MemoryBuffer> compileToObject(llvm::Module &M) {
  Jit &J = Jit::get();
  J.optimize(M);
  std::unique_ptr<TargetMachine> Machine = orDie(J.Builder.createTargetMachine());
  auto Object = orc::SimpleCompiler(*Machine)(M);
  if (Object)
    return std::move(*Object);
  consumeError(Object.takeError());
  return nullptr;
}

std::unique_ptr<CodeUnit> CodeUnit::compile(LoweredUnit &Unit, const std::string &Name) {
  static std::atomic<unsigned> Number{0};
  Jit &J = Jit::get();
  J.optimize(*Unit.M);
  std::unique_ptr<CodeUnit> Code(new CodeUnit);
  orc::ExecutionSession &Session = J.Lljit->getExecutionSession();
  orc::JITDylib &Dylib = Session.createBareJITDylib(Name + "#" + std::to_string(++Number));
  Code->Dylib = &Dylib;
  Dylib.addToLinkOrder(J.Lljit->getMainJITDylib());
  orc::ThreadSafeModule M(std::move(Unit.M), std::move(Unit.Context));
  if (Error E = J.Lljit->addIRModule(Dylib, std::move(M))) {
    Unit.Error = toString(std::move(E));
    return nullptr;
  }
  return Code;
}

CodeUnit::~CodeUnit() {
  orc::ExecutionSession &Session = Jit::get().Lljit->getExecutionSession();
  consumeError(Session.removeJITDylib(*static_cast<orc::JITDylib *>(Dylib)));
}

uint64_t CodeUnit::address(const std::string &Symbol, std::string &Error) {
  auto Found = Jit::get().Lljit->lookup(*static_cast<orc::JITDylib *>(Dylib), Symbol);
  if (Found)
    return Found->getValue();
  Error = toString(Found.takeError());
  return 0;
}

} // namespace gmprof::cpu
