//===- CloneCompiler.cpp - Makes clones of kernels on demand --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "instrument/CloneCompiler.h"

#include "instrument/Analyses.h"
#include "instrument/KernelModule.h"
#include "instrument/ProgramVariables.h"
#include "pass/Profiles.h"
#include "pass/core/Instrumenter.h"
#include "pass/core/LineDirectives.h"
#include "pass/requests/MachineWidths.h"

#include "static-analysis/AddressSpaces.h"

#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace gmprof::instrument {
namespace {

/// Adds the time until its end to a sum.
class Timer {
public:
  explicit Timer(std::chrono::nanoseconds *Sum) : Sum(Sum), Begin(Clock::now()) {}
  ~Timer() {
    if (Sum)
      *Sum += Clock::now() - Begin;
  }
  Timer(const Timer &) = delete;
  Timer &operator=(const Timer &) = delete;

private:
  using Clock = std::chrono::steady_clock;
  std::chrono::nanoseconds *Sum;
  Clock::time_point Begin;
};

} // namespace

/// Sets the pass's options to their defaults, then to what the module and the request say.
static Error setOptions(ArrayRef<std::string> OfModule, ArrayRef<std::string_view> OfRequest) {
  StringMap<cl::Option *> Known;
  for (const CloneOptionEntry &Each : cloneOptions()) {
    Each.Option->reset();
    Known[Each.Option->ArgStr] = Each.Option;
  }
  SmallVector<StringRef> Wanted(OfModule.begin(), OfModule.end());
  Wanted.append(OfRequest.begin(), OfRequest.end());
  for (StringRef Each : Wanted) {
    auto [Name, Value] = Each.ltrim('-').split('=');
    cl::Option *Option = Known.lookup(Name);
    if (!Option || !Each.starts_with("-"))
      return createStringError("unknown option '" + Each + "' of the pass");
    Option->reset(); // the last one counts
    if (Option->addOccurrence(0, Name, Value))
      return createStringError("invalid value in the option '" + Each + "' of the pass");
  }
  return Error::success();
}

static Expected<Options> optionsOf(const CloneRequest &Request, ArrayRef<std::string> OfModule) {
  for (const std::string_view Wanted : Request.Profiles)
    if (none_of(profiles(), [&](const Profile *P) { return Wanted == P->Name; })) {
      std::string Names;
      for (const Profile *P : profiles())
        Names += (Names.empty() ? "" : ", ") + std::string(P->Name);
      return createStringError("unknown profile '" + Twine(Wanted) + "'; profiles are " + Names);
    }
  if (Error E = setOptions(OfModule, Request.Options))
    return std::move(E);
  Expected<Options> O = optionsFromCommandLine();
  if (!O)
    return O;
  O->Profiles.clear();
  for (const std::string_view Wanted : Request.Profiles)
    O->Profiles.insert(Wanted);
  O->WholeProgram = true;
  O->WithHookKernels = false; // the recorder asks for them as for kernels of HooksModule
  return O;
}

namespace {

/// The machine code of a request's kernel.
class CodeOfKernel {
public:
  /// A cubin that cannot be read is none: the widths of accesses are then those of PTX, as their
  /// sites say.
  CodeOfKernel(StringRef Cubin, StringRef Kernel) {
    if (Cubin.empty())
      return;
    Expected<sass::MachineCode> Read = sass::readMachineCode(Cubin);
    if (Read)
      Module = std::move(*Read);
    else
      consumeError(Read.takeError());
    for (const sass::Function &F : Module.Functions)
      if (F.isKernel() && F.Name == Kernel)
        Found.emplace(KernelCode{Module, F});
  }
  CodeOfKernel(const CodeOfKernel &) = delete;
  CodeOfKernel &operator=(const CodeOfKernel &) = delete;

  const KernelCode *get() const { return Found ? &*Found : nullptr; }

private:
  sass::MachineCode Module;
  std::optional<KernelCode> Found;
};

} // namespace

/// Adds the clones and the descriptor, and removes the kernel.
static void instrument(KernelModule &K, const Options &O) {
  Module &M = *K.M;
  Analyses A;
  // It removes unused hooks when it is destroyed.
  Instrumenter(M, A.Functions, O, {K.Kernel}).run();
  A.Functions.clear();
  LineDirectivesPass().run(M, A.Modules);
  if (GlobalVariable *List = M.getNamedGlobal("llvm.compiler.used"))
    List->eraseFromParent();
  K.Kernel->setLinkage(GlobalValue::InternalLinkage);
  A.removeUnused(M);
}

/// Keeps the first error that LLVM or the pass reports, where the default is to exit.
static void keepError(const DiagnosticInfo *Diagnostic, void *To) {
  if (auto &First = *static_cast<std::string *>(To);
      Diagnostic->getSeverity() == DS_Error && First.empty()) {
    raw_string_ostream Stream(First);
    DiagnosticPrinterRawOStream Printer(Stream);
    Diagnostic->print(Printer);
  }
}

CloneCompiler::CloneCompiler() {
  Context.setDiagnosticHandlerCallBack(keepError, &Reported);
  Hooks::read(Context);
}

CloneCompiler::~CloneCompiler() { Hooks::forget(); }

Expected<CompiledClone> CloneCompiler::compile(const CloneRequest &Request, StringRef File,
                                               CloneTimes *Times) {
  Reported.clear();
  Expected<CompiledClone> Result = compileUnlessReported(Request, File, Times);
  if (Reported.empty())
    return Result;
  consumeError(Result.takeError());
  return createStringError(File + ": " + StringRef(Reported).split('\n').first);
}

/// Returns the bitcode of a module in LLVM's wrapper: magic, version, offset and size of the
/// bitcode, type of processor.
static std::string wrappedBitcode(const Module &M) {
  SmallString<0> Bitcode;
  raw_svector_ostream Stream(Bitcode);
  WriteBitcodeToFile(M, Stream);
  constexpr uint32_t HeaderBytes = 20;
  std::string Wrapped;
  for (const uint32_t Field : {uint32_t(0x0b17c0de), uint32_t(0), HeaderBytes,
                               static_cast<uint32_t>(Bitcode.size()), uint32_t(0)})
    Wrapped.append(reinterpret_cast<const char *>(&Field), sizeof(Field));
  return Wrapped.append(Bitcode.begin(), Bitcode.end());
}

/// Appends the bytes of a constant as it is in memory. Returns an error if it holds an address.
static Error appendBytes(const DataLayout &DL, const Constant &C, std::string &To) {
  const size_t End = To.size() + DL.getTypeAllocSize(C.getType());
  if (const auto *Data = dyn_cast<ConstantDataSequential>(&C))
    To += Data->getRawDataValues();
  else if (const auto *Number = dyn_cast<ConstantInt>(&C))
    for (unsigned Byte = 0; Byte != Number->getBitWidth() / 8; ++Byte)
      To += static_cast<char>(Number->getValue().extractBitsAsZExtValue(8, 8 * Byte));
  else if (isa<ConstantStruct, ConstantArray>(C))
    for (const Use &Each : C.operands()) {
      To.resize(alignTo(To.size(), DL.getABITypeAlign(Each->getType())), '\0');
      if (Error E = appendBytes(DL, cast<Constant>(*Each), To))
        return E;
    }
  else if (!isa<ConstantAggregateZero>(C))
    return createStringError("the descriptor holds an address");
  To.resize(End, '\0');
  return Error::success();
}

/// Moves the descriptor and each clone to where they are on their own.
static Expected<InstrumentedKernel> takeApart(KernelModule &K) {
  Analyses A;
  InstrumentedKernel Parts;
  GlobalVariable &Descriptor = *find_if(K.M->globals(), [](const GlobalVariable &V) {
    return V.getName().starts_with(GMPROF_KERNEL_DESC_PREFIX);
  });
  if (Error E = appendBytes(K.M->getDataLayout(), *Descriptor.getInitializer(), Parts.Descriptor))
    return std::move(E);
  Descriptor.eraseFromParent();
  for (const Function &Clone : *K.M) {
    if (Clone.isDeclaration() || !isKernel(Clone))
      continue;
    ValueToValueMapTy Copies;
    KernelModule Part;
    Part.M = CloneModule(*K.M, Copies, [&](const GlobalValue *V) {
      return V == &Clone || !isa<Function>(V) || !isKernel(*cast<Function>(V));
    });
    A.removeUnused(*Part.M);
    Part.Target = K.Target;
    const bool UsesVariables = Part.M->getNamedGlobal(GMPROF_VARIABLES_TABLE);
    Part.Variables = UsesVariables ? K.Variables : std::vector<std::string>();
    keepFacts(Part);
    Parts.Clones.push_back({Clone.getName().str(), wrappedBitcode(*Part.M)});
  }
  return Parts;
}

/// Returns the name of a variable in the PTX that LLVM generates.
static std::string nameInPtx(StringRef Name) {
  std::string Text;
  for (const char C : Name)
    Text += C == '.' || C == '@' ? "_$_" : std::string(1, C);
  return Text;
}

Expected<CompiledClone> CloneCompiler::compileUnlessReported(const CloneRequest &Request,
                                                             StringRef File, CloneTimes *Times) {
  Expected<KernelModule> K = [&] {
    Timer T(Times ? &Times->Read : nullptr);
    const StringRef Bytes =
        Request.Module == HooksModule ? Hooks::bitcode() : StringRef(Request.Module);
    return readKernel(Bytes, File, Request.Kernel, Request.Architecture, Context);
  }();
  if (!K)
    return K.takeError();
  Expected<Options> O = optionsOf(Request, K->Options);
  if (!O)
    return O.takeError();
  if (Request.Form == CodeForm::Instrumented && O->Profiles.empty())
    return createStringError("a kernel is instrumented for no profile");
  CompiledClone Result;
  {
    Timer T(Times ? &Times->Instrument : nullptr);
    if (!O->Profiles.empty()) {
      const CodeOfKernel Code(Request.MachineCode, K->Kernel->getName());
      O->MachineCode = Code.get();
      instrument(*K, *O);
    }
    if (!K->Variables) {
      Expected<std::vector<std::string>> Reached = reachByAddress(*K->M, programVariables(*K->M));
      if (!Reached)
        return Reached.takeError();
      K->Variables = std::move(*Reached);
    }
    std::string Why;
    raw_string_ostream Stream(Why);
    if (verifyModule(*K->M, &Stream))
      return createStringError(
          File + ": the instrumented module is invalid: " + StringRef(Why).split('\n').first);
  }
  Timer T(Times ? &Times->Generate : nullptr);
  if (Request.Form == CodeForm::Instrumented) {
    Expected<InstrumentedKernel> Parts = takeApart(*K);
    if (!Parts)
      return Parts.takeError();
    Result.Code = encode(*Parts);
    return Result;
  }
  Result.Variables = std::move(*K->Variables);
  if (Request.Form == CodeForm::Bitcode) {
    Result.Code = wrappedBitcode(*K->M);
    return Result;
  }
  for (std::string &Name : Result.Variables)
    Name = nameInPtx(Name);
  Expected<std::string> Ptx = ptx::generate(*K->M, K->Target);
  if (!Ptx)
    return Ptx.takeError();
  Result.Code = std::move(*Ptx);
  return Result;
}

} // namespace gmprof::instrument
