//===- KernelModule.cpp - One kernel of a module, as LLVM IR --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "instrument/KernelModule.h"

#include "instrument/Analyses.h"
#include "instrument/PtxUnits.h"
#include "pass/core/Options.h"
#include "ptx/AccessStatements.h"
#include "ptx/Lift.h"
#include "static-analysis/AddressSpaces.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace gmprof::instrument {

/// The oldest PTX that hooks are written in, that of CUDA 12.0; and that of modules that state no
/// version, as Triton's LLVM IR, which has tensormap.replace.
static constexpr unsigned MinPtxVersion = 80, DefaultPtxVersion = 83;

namespace {

/// An architecture's name, split: sm_90a is 90 and "a".
struct ArchitectureName {
  unsigned Number = 0;
  StringRef Suffix; ///< a: this architecture only; f: its family
};

} // namespace

static std::optional<ArchitectureName> parseArchitecture(StringRef Name) {
  ArchitectureName A;
  if (!Name.consume_front("sm_") || Name.consumeInteger(10, A.Number))
    return std::nullopt;
  A.Suffix = Name;
  return A;
}

/// Returns the oldest PTX version of an architecture, or the one of the hooks if that is newer.
static unsigned minVersion(unsigned Architecture) {
  if (Architecture < 100)
    return MinPtxVersion;
  if (Architecture <= 101)
    return 86;
  return Architecture == 120 ? 87 : Architecture <= 121 ? 88 : 90;
}

/// Returns the architecture to generate code for: the device's, unless the module states one that
/// other architectures lack instructions of, or a newer one.
static Expected<std::string> chooseArchitecture(StringRef Module, StringRef Device) {
  for (StringRef Name : {Module, Device})
    if (!Name.empty() && (!parseArchitecture(Name) || !ptx::isKnownArchitecture(Name)))
      return createStringError("LLVM does not know the target '" + Name + "'");
  if (Module.empty() && Device.empty())
    return createStringError("the module states no architecture: pass --arch");
  if (Module.empty() || Device.empty())
    return (Module.empty() ? Device : Module).str();
  const ArchitectureName OfModule = *parseArchitecture(Module), Of = *parseArchitecture(Device);
  const bool KeepsModules = !OfModule.Suffix.empty() || OfModule.Number >= Of.Number;
  return (KeepsModules ? Module : Device).str();
}

template <typename List> static std::string join(const List &Names) {
  constexpr size_t MaxNames = 8;
  std::string Text;
  for (auto [Number, Name] : enumerate(Names)) {
    if (Number == MaxNames)
      return Text + ", …";
    Text += (Number ? ", " : "") + Name.str();
  }
  return Text;
}

static Expected<std::string> chooseKernel(ArrayRef<StringRef> Defined, StringRef Wanted,
                                          StringRef File) {
  if (Defined.empty())
    return createStringError(File + ": the module has no kernel");
  if (!Wanted.empty() && !is_contained(Defined, Wanted))
    return createStringError(File + ": the module has no kernel '" + Wanted +
                             "'; its kernels are: " + join(Defined));
  if (Wanted.empty() && Defined.size() != 1)
    return createStringError(File + ": the module has several kernels; pass --kernel with one of " +
                             join(Defined));
  return (Wanted.empty() ? Defined.front() : Wanted).str();
}

static bool isPtx(StringRef Bytes) {
  for (;;) {
    Bytes = Bytes.ltrim();
    if (Bytes.starts_with("//"))
      Bytes = Bytes.drop_until([](char C) { return C == '\n'; });
    else if (Bytes.starts_with("/*"))
      Bytes = Bytes.substr(std::min(Bytes.find("*/", 2), Bytes.size() - 2) + 2);
    else
      return Bytes.starts_with(".version");
  }
}

static Expected<KernelModule> readPtx(StringRef Bytes, StringRef File, StringRef Wanted,
                                      StringRef Architecture, LLVMContext &Context) {
  PtxUnits Units(Bytes, File);
  Expected<std::vector<StringRef>> Defined = Units.kernels(Wanted);
  if (!Defined)
    return Defined.takeError();
  Expected<std::string> Kernel = chooseKernel(*Defined, Wanted, File);
  if (!Kernel)
    return Kernel.takeError();
  if (Error E = Units.select(*Kernel))
    return std::move(E);
  Expected<std::string> Chosen = chooseArchitecture(Units.architecture(), Architecture);
  if (!Chosen)
    return Chosen.takeError();
  Expected<std::unique_ptr<Module>> M = Units.lift(Context);
  if (!M)
    return M.takeError();
  ptx::simplify(**M);
  KernelModule Result;
  Result.M = std::move(*M);
  Result.Kernel = Result.M->getFunction(*Kernel);
  Result.Target.Architecture = *Chosen;
  Result.Target.Version = Units.version();
  return Result;
}

static Expected<std::unique_ptr<Module>> parseIr(StringRef Bytes, StringRef File,
                                                 LLVMContext &Context) {
  if (identify_magic(Bytes) == file_magic::bitcode)
    return parseBitcodeFile({Bytes, File}, Context);
  SMDiagnostic Diagnostic;
  // The parser needs a null character at the end.
  const std::unique_ptr<MemoryBuffer> Text = MemoryBuffer::getMemBufferCopy(Bytes, File);
  std::unique_ptr<Module> M = parseAssembly(*Text, Diagnostic, Context);
  if (!M)
    return createStringError(File + ":" + Twine(Diagnostic.getLineNo()) + ":" +
                             Twine(Diagnostic.getColumnNo() + 1) +
                             ": expected PTX, LLVM IR or bitcode: " + Diagnostic.getMessage());
  return M;
}

/// Returns the PTX version that a function's features ask for.
static unsigned versionOf(const Function &F) {
  unsigned Version = DefaultPtxVersion;
  SmallVector<StringRef, 4> Features;
  F.getFnAttribute("target-features").getValueAsString().split(Features, ',');
  for (StringRef Feature : Features)
    if (Feature.consume_front("+ptx") && Feature.getAsInteger(10, Version))
      Version = DefaultPtxVersion;
  return Version;
}

/// Returns the target that gives a kernel's clones the floating-point results of the kernel: clang
/// fuses multiplications and additions wherever its IR allows one of them, except at -O0.
static ptx::CodegenTarget targetOf(const Function &Kernel, StringRef Architecture) {
  ptx::CodegenTarget Target;
  Target.Architecture = Architecture.str();
  Target.Version = versionOf(Kernel);
  Target.MovesCode = true;
  if (Kernel.hasOptNone())
    Target.Level = CodeGenOptLevel::None;
  for (const Function &F : *Kernel.getParent())
    for (const Instruction &I : instructions(F))
      if (isa<FPMathOperator>(I) && I.hasAllowContract())
        Target.Fusion = FPOpFusion::Fast;
  return Target;
}

/// Metadata of keepFacts.
static constexpr const char *TargetNode = "gmprof.target", *VariablesNode = "gmprof.variables";

void keepFacts(KernelModule &K) {
  LLVMContext &Context = K.M->getContext();
  const auto Number = [&](auto Value) {
    return ConstantAsMetadata::get(
        ConstantInt::get(Type::getInt32Ty(Context), static_cast<uint32_t>(Value)));
  };
  const ptx::CodegenTarget &T = K.Target;
  K.M->getOrInsertNamedMetadata(TargetNode)
      ->addOperand(MDTuple::get(Context, {MDString::get(Context, T.Architecture), Number(T.Version),
                                          Number(T.Level), Number(T.Fusion), Number(T.MovesCode)}));
  SmallVector<Metadata *, 8> Names;
  for (const std::string &Name : *K.Variables)
    Names.push_back(MDString::get(Context, Name));
  K.M->getOrInsertNamedMetadata(VariablesNode)->addOperand(MDTuple::get(Context, Names));
}

/// Returns the operands of metadata of keepFacts; nothing if the module has none.
static ArrayRef<MDOperand> keptFacts(const Module &M, const char *Name) {
  const NamedMDNode *Node = M.getNamedMetadata(Name);
  return Node && Node->getNumOperands() == 1 ? Node->getOperand(0)->operands()
                                             : ArrayRef<MDOperand>();
}

static std::optional<ptx::CodegenTarget> keptTarget(const Module &M) {
  const ArrayRef<MDOperand> Fields = keptFacts(M, TargetNode);
  if (Fields.size() != 5)
    return std::nullopt;
  const auto *Architecture = dyn_cast<MDString>(Fields[0]);
  const auto Number = [&](unsigned Field) {
    const auto *Value = mdconst::dyn_extract<ConstantInt>(Fields[Field]);
    return Value ? Value->getLimitedValue() : ~uint64_t(0);
  };
  const uint64_t Version = Number(1), Level = Number(2), Fusion = Number(3), Reduces = Number(4);
  if (!Architecture || !isUInt<16>(Version) ||
      Level > static_cast<uint64_t>(CodeGenOptLevel::Aggressive) || Fusion > FPOpFusion::Strict ||
      Reduces > 1)
    return std::nullopt;
  return ptx::CodegenTarget{Architecture->getString().str(), static_cast<unsigned>(Version),
                            static_cast<CodeGenOptLevel>(Level),
                            static_cast<FPOpFusion::FPOpFusionMode>(Fusion), Reduces == 1};
}

static std::optional<std::vector<std::string>> keptVariables(const Module &M) {
  if (!M.getNamedMetadata(VariablesNode))
    return std::nullopt;
  std::vector<std::string> Names;
  for (const MDOperand &Each : keptFacts(M, VariablesNode))
    if (const auto *Name = dyn_cast<MDString>(Each))
      Names.push_back(Name->getString().str());
  return Names;
}

static bool isShortPointer(const DataLayout &DL, const Type *Ty) {
  return Ty->isPointerTy() && DL.getPointerTypeSizeInBits(const_cast<Type *>(Ty)) == 32;
}

/// Passes a 32-bit pointer to or from inline assembly as an integer of its size.
static void passShortPointersAsIntegers(CallInst &Call, const DataLayout &DL) {
  IRBuilder<> B(&Call);
  SmallVector<Value *, 8> Arguments;
  SmallVector<Type *, 8> Types;
  AttributeList Attributes = Call.getAttributes();
  for (auto [Number, A] : enumerate(Call.args())) {
    const bool IsShort = isShortPointer(DL, A->getType());
    Arguments.push_back(IsShort ? B.CreatePtrToInt(A, B.getInt32Ty()) : A.get());
    Types.push_back(Arguments.back()->getType());
    if (IsShort)
      Attributes = Attributes.removeParamAttributes(B.getContext(), Number);
  }
  const bool ReturnsPointer = isShortPointer(DL, Call.getType());
  auto *Ty = FunctionType::get(ReturnsPointer ? B.getInt32Ty() : Call.getType(), Types, false);
  const auto &Old = *cast<InlineAsm>(Call.getCalledOperand());
  CallInst *New = B.CreateCall(InlineAsm::get(Ty, Old.getAsmString(), Old.getConstraintString(),
                                              Old.hasSideEffects(), Old.isAlignStack(),
                                              Old.getDialect(), Old.canThrow()),
                               Arguments);
  New->setAttributes(Attributes);
  New->copyMetadata(Call);
  Call.replaceAllUsesWith(ReturnsPointer ? B.CreateIntToPtr(New, Call.getType()) : New);
  Call.eraseFromParent();
}

/// Gives pointers of all memory spaces 64 bits, as hooks have them; Triton's modules have 32-bit
/// pointers to shared and constant memory.
static Error lengthenPointers(Module &M, StringRef File) {
  const DataLayout DL = M.getDataLayout();
  for (Function &F : M)
    for (Instruction &I : make_early_inc_range(instructions(F))) {
      const auto *Store = dyn_cast<StoreInst>(&I);
      if (isShortPointer(DL, Store ? Store->getValueOperand()->getType() : I.getType()) &&
          isa<LoadInst, StoreInst>(I))
        return createStringError(File + ": the module keeps 32-bit pointers in memory");
      if (auto *Call = dyn_cast<CallInst>(&I); Call && Call->isInlineAsm())
        if (isShortPointer(DL, Call->getType()) ||
            any_of(Call->args(), [&](Value *A) { return isShortPointer(DL, A->getType()); }))
          passShortPointersAsIntegers(*Call, DL);
    }
  M.setDataLayout(M.getTargetTriple().computeDataLayout());
  return Error::success();
}

static Expected<KernelModule> readIr(StringRef Bytes, StringRef File, StringRef Wanted,
                                     StringRef Architecture, LLVMContext &Context) {
  Expected<std::unique_ptr<Module>> Parsed = parseIr(Bytes, File, Context);
  if (!Parsed)
    return Parsed.takeError();
  Module &M = **Parsed;
  std::string Why;
  raw_string_ostream Stream(Why);
  if (verifyModule(M, &Stream))
    return createStringError(File +
                             ": the LLVM IR is invalid: " + StringRef(Why).split('\n').first);
  const Triple Nvptx("nvptx64-nvidia-cuda");
  if (M.getTargetTriple().empty()) // as Triton's
    M.setTargetTriple(Nvptx);
  if (M.getTargetTriple().getArch() != Nvptx.getArch())
    return createStringError(File + ": the module is for " + M.getTargetTriple().str() +
                             ", not for nvptx64");
  if (M.getModuleFlag("gmprof"))
    return createStringError(File + ": the module is instrumented already");
  if (Error E = ptx::liftAccesses(M))
    return createStringError(File + ": " + toString(std::move(E)));
  if (Error E = lengthenPointers(M, File))
    return std::move(E);
  SmallVector<StringRef, 8> Defined;
  for (const Function &F : M)
    if (!F.isDeclaration() && isKernel(F))
      Defined.push_back(F.getName());
  Expected<std::string> Kernel = chooseKernel(Defined, Wanted, File);
  if (!Kernel)
    return Kernel.takeError();
  KernelModule Result;
  Result.Kernel = M.getFunction(*Kernel);
  const std::optional<ptx::CodegenTarget> Kept = keptTarget(M);
  Expected<std::string> Chosen =
      chooseArchitecture(Kept ? StringRef(Kept->Architecture)
                              : Result.Kernel->getFnAttribute("target-cpu").getValueAsString(),
                         Kept ? StringRef() : Architecture);
  if (!Chosen)
    return Chosen.takeError();
  Result.Target = Kept ? *Kept : targetOf(*Result.Kernel, *Chosen);
  Result.Variables = keptVariables(M);
  Result.Options = recordedOptions(M);
  Result.M = std::move(*Parsed);
  return Result;
}

/// Leaves the kernel as the only function that others can call, and removes what it does not need.
static void keepOnly(Function &Kernel) {
  Module &M = *Kernel.getParent();
  for (StringRef Name : {"llvm.used", "llvm.compiler.used"})
    if (GlobalVariable *List = M.getNamedGlobal(Name))
      List->eraseFromParent();
  for (GlobalAlias &A : make_early_inc_range(M.aliases())) {
    A.replaceAllUsesWith(A.getAliasee());
    A.eraseFromParent();
  }
  for (Function &F : M)
    if (!F.isDeclaration()) {
      F.setComdat(nullptr);
      F.setLinkage(&F == &Kernel ? GlobalValue::ExternalLinkage : GlobalValue::InternalLinkage);
    }
  Analyses().removeUnused(M);
}

/// Returns an error if the kernel calls a function that the driver cannot provide in a module of
/// its own.
static Error checkCalls(const KernelModule &K, bool IsPtx) {
  for (const Function &F : *K.M) {
    if (!F.isDeclaration() || F.isIntrinsic() || F.use_empty() || isProvidedByDriver(F.getName()))
      continue;
    if (F.getName().starts_with("cuda") || F.getName().starts_with("__cuda"))
      return createStringError("the kernel calls '" + F.getName() +
                               "' of CUDA's device runtime, which clones lack");
    if (!IsPtx)
      return createStringError("the kernel calls '" + F.getName() +
                               "', which its module does not define");
    const std::string Number = std::to_string(parseArchitecture(K.Target.Architecture)->Number);
    return createStringError("the kernel calls '" + F.getName() +
                             "', which no PTX of its module defines (nvcc embeds PTX with -gencode "
                             "arch=compute_" +
                             Number + ",code=[sm_" + Number + ",compute_" + Number + "])");
  }
  return Error::success();
}

Expected<KernelModule> readKernel(StringRef Bytes, StringRef File, StringRef Kernel,
                                  StringRef Architecture, LLVMContext &Context) {
  // The text of a fat binary ends in a null character.
  const StringRef Text = Bytes.rtrim('\0');
  Expected<KernelModule> Result = isPtx(Text) ? readPtx(Text, File, Kernel, Architecture, Context)
                                              : readIr(Bytes, File, Kernel, Architecture, Context);
  if (!Result)
    return Result;
  keepOnly(*Result->Kernel);
  if (Error E = checkCalls(*Result, isPtx(Text)))
    return std::move(E);
  ptx::CodegenTarget &Target = Result->Target;
  Target.Version =
      std::max(Target.Version, minVersion(parseArchitecture(Target.Architecture)->Number));
  for (Function &F : *Result->M)
    if (!F.isIntrinsic()) {
      F.addFnAttr("target-cpu", Target.Architecture);
      F.addFnAttr("target-features", ptx::targetFeatures(Target.Version));
    }
  return Result;
}

} // namespace gmprof::instrument
