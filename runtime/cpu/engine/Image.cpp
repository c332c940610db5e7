//===- Image.cpp - Loaded device module -----------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cpu/engine/Image.h"
#include "cpu/engine/DeviceCode.h"
#include "cpu/engine/References.h"
#include "cpu/engine/ThreadHelpers.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace gmprof::cpu {

namespace {

class Loader {
public:
  explicit Loader(Image &I) : Into(I) {}

  /// Loads the module; returns the error, or an empty string.
  std::string run(std::span<const std::span<const char>> Code);

private:
  std::string link(std::span<const std::span<const char>> Code);
  void nameGlobals();
  void placeVariables();
  std::string initializeVariables();
  std::string write(const Constant &C, char *To);
  std::string writePointer(const Constant &C, char *To);
  bool usesFunctionTable(const References &R);
  void describeKernels();
  void describeParameters(const Function &F, KernelInfo &Info);
  SharedLayout layOut(const References &R, const SharedLayout *First);

  Image &Into;
  LLVMContext Context;
  std::unique_ptr<llvm::Module> M;
};

std::string Loader::run(std::span<const std::span<const char>> Code) {
  if (std::string Error = link(Code); !Error.empty())
    return Error;
  nameGlobals();
  placeVariables();
  if (std::string Error = initializeVariables(); !Error.empty())
    return Error;
  describeKernels();
  raw_string_ostream Stream(Into.Bitcode);
  WriteBitcodeToFile(*M, Stream);
  return {};
}

std::string Loader::link(std::span<const std::span<const char>> Code) {
  std::string Error;
  Context.setDiagnosticHandlerCallBack(
      [](const DiagnosticInfo *Info, void *Text) {
        if (Info->getSeverity() != DS_Error)
          return;
        raw_string_ostream Stream(*static_cast<std::string *>(Text));
        DiagnosticPrinterRawOStream Printer(Stream);
        Info->print(Printer);
      },
      &Error);
  for (std::span<const char> Part : Code) {
    auto Parsed = readDeviceCode({Part.data(), Part.size()}, Into.Name, Context);
    if (!Parsed)
      return toString(Parsed.takeError());
    if (!(*Parsed)->getTargetTriple().isNVPTX())
      return "device code is for '" + (*Parsed)->getTargetTriple().str() +
             "', not nvptx64; rebuild the program with gmprof-clang++";
    if (!M)
      M = std::move(*Parsed);
    else if (Linker::linkModules(*M, std::move(*Parsed)))
      return "device code cannot be linked: " + Error;
  }
  if (!M)
    return "there is no device code";
  return {};
}

/// Names all globals and resolves aliases. Each kernel is lowered from a fresh copy of the bitcode,
/// which finds its globals by name.
void Loader::nameGlobals() {
  for (GlobalAlias &Alias : make_early_inc_range(M->aliases())) {
    auto *Target = cast<Constant>(Alias.getAliasee()->stripPointerCasts());
    Alias.replaceAllUsesWith(Target);
    if (auto *F = dyn_cast<Function>(Target); F && F->hasLocalLinkage() && !Alias.hasLocalLinkage())
      F->setLinkage(GlobalValue::ExternalLinkage);
    Alias.eraseFromParent();
  }
  for (GlobalObject &Object : M->global_objects())
    if (!Object.hasName())
      Object.setName("__gm_unnamed");
}

static bool isOwnVariable(const GlobalVariable &V) {
  return V.getAddressSpace() != NVPTXAS::ADDRESS_SPACE_SHARED && V.hasInitializer() &&
         !V.getName().starts_with("llvm.");
}

/// Assigns addresses to variables. Constant memory is separate, so that its address range
/// identifies it. Gaps between variables keep small overruns from hitting the next one, and the
/// padding of those that kernels write is guarded.
void Loader::placeVariables() {
  constexpr uint64_t Gap = 64;
  const DataLayout &DL = M->getDataLayout();
  uint64_t Sizes[2] = {0, 0};
  auto Place = [&](const GlobalVariable &V) {
    uint64_t &Size = Sizes[V.getAddressSpace() == NVPTXAS::ADDRESS_SPACE_CONST];
    Align Alignment = std::max(DL.getPreferredAlign(&V), Align(V.isConstant() ? 1 : 256));
    uint64_t Offset = alignTo(Size, Alignment);
    Size = alignTo(Offset + DL.getTypeAllocSize(V.getValueType()) + Gap, Alignment);
    return Offset;
  };
  for (const GlobalVariable &V : M->globals())
    if (isOwnVariable(V))
      Into.Addresses[V.getName().str()] = Place(V);
  Into.Globals = Mapping(Sizes[0]);
  Into.Constants = Mapping(Sizes[1]);

  for (const GlobalVariable &V : M->globals()) {
    if (!isOwnVariable(V))
      continue;
    bool Constant = V.getAddressSpace() == NVPTXAS::ADDRESS_SPACE_CONST;
    uint64_t &Address = Into.Addresses[V.getName().str()];
    Address += uint64_t((Constant ? Into.Constants : Into.Globals).data());
    if (V.getAddressSpace() == NVPTXAS::ADDRESS_SPACE_GLOBAL || Constant)
      Into.Variables[V.getName().str()] = {reinterpret_cast<void *>(Address),
                                           DL.getTypeAllocSize(V.getValueType()), Constant};
    if (!V.isConstant())
      Into.guard(Address + DL.getTypeAllocSize(V.getValueType()));
  }
}

std::string Loader::initializeVariables() {
  for (const GlobalVariable &V : M->globals())
    if (isOwnVariable(V))
      if (std::string Error = write(*V.getInitializer(),
                                    reinterpret_cast<char *>(Into.Addresses[V.getName().str()]));
          !Error.empty())
        return "variable " + V.getName().str() + " has an initial value that the CPU device " +
               "does not support: " + Error;
  return {};
}

/// Stores the bytes of C, little-endian as on the GPU, into zeroed memory. Returns the unsupported
/// constant, or an empty string.
std::string Loader::write(const Constant &C, char *To) {
  const DataLayout &DL = M->getDataLayout();
  if (C.isNullValue() || isa<UndefValue>(C))
    return {};
  if (const auto *Data = dyn_cast<ConstantDataSequential>(&C)) {
    StringRef Bytes = Data->getRawDataValues();
    std::copy(Bytes.begin(), Bytes.end(), To);
    return {};
  }
  if (const auto *Struct = dyn_cast<ConstantStruct>(&C)) {
    const StructLayout *Layout = DL.getStructLayout(Struct->getType());
    for (unsigned I = 0; I < Struct->getNumOperands(); ++I)
      if (auto Error = write(*Struct->getOperand(I), To + Layout->getElementOffset(I));
          !Error.empty())
        return Error;
    return {};
  }
  if (isa<ConstantArray, ConstantVector>(C)) {
    uint64_t Stride = DL.getTypeAllocSize(C.getOperand(0)->getType());
    for (unsigned I = 0; I < C.getNumOperands(); ++I)
      if (auto Error = write(*cast<Constant>(C.getOperand(I)), To + I * Stride); !Error.empty())
        return Error;
    return {};
  }
  if (isa<ConstantInt, ConstantFP>(C)) {
    APInt Bits = isa<ConstantInt>(C) ? cast<ConstantInt>(C).getValue()
                                     : cast<ConstantFP>(C).getValueAPF().bitcastToAPInt();
    uint64_t Bytes = DL.getTypeStoreSize(C.getType());
    for (uint64_t I = 0; I < Bytes; ++I)
      To[I] = char(
          Bits.extractBitsAsZExtValue(std::min<uint64_t>(8, Bits.getBitWidth() - I * 8), I * 8));
    return {};
  }
  if (C.getType()->isPointerTy())
    return writePointer(C, To);
  if (const auto *E = dyn_cast<ConstantExpr>(&C);
      E && E->getOpcode() == Instruction::PtrToInt && DL.getTypeStoreSize(C.getType()) == 8)
    return writePointer(*E->getOperand(0), To);
  std::string Text;
  raw_string_ostream(Text) << C;
  return Text;
}

std::string Loader::writePointer(const Constant &C, char *To) {
  const DataLayout &DL = M->getDataLayout();
  APInt Offset(64, 0);
  const auto *Base =
      cast<Constant>(C.stripAndAccumulateConstantOffsets(DL, Offset, /*AllowNonInbounds=*/true));
  uint64_t Address = 0;
  if (const auto *F = dyn_cast<Function>(Base)) {
    if (F->isDeclaration()) { // such as __cxa_pure_virtual
      Address = uint64_t(&gm_undefined_function);
      std::copy_n(reinterpret_cast<const char *>(&Address), sizeof(Address), To);
      return {};
    }
    Into.FunctionPointers.push_back({To, F->getName().str()});
    return {};
  }
  if (const auto *V = dyn_cast<GlobalVariable>(Base); V && Into.Addresses.count(V->getName().str()))
    Address = Into.Addresses[V->getName().str()];
  else if (const auto *E = dyn_cast<ConstantExpr>(Base);
           E && E->getOpcode() == Instruction::IntToPtr && isa<ConstantInt>(E->getOperand(0)))
    Address = cast<ConstantInt>(E->getOperand(0))->getZExtValue();
  else if (!Base->isNullValue()) {
    std::string Text;
    raw_string_ostream(Text) << C;
    return Text;
  }
  Address += Offset.getZExtValue();
  std::copy_n(reinterpret_cast<const char *>(&Address), sizeof(Address), To);
  return {};
}

/// Returns whether a variable with pointers to functions is referenced, or a function is called
/// through a pointer, which may originate from one.
bool Loader::usesFunctionTable(const References &R) {
  if (Into.FunctionPointers.empty())
    return false;
  for (const Function *F : R.Functions)
    for (const Instruction &I : instructions(*F))
      if (const auto *Call = dyn_cast<CallBase>(&I); Call && Call->isIndirectCall())
        return true;
  for (const GlobalVariable *V : R.Variables) {
    auto Known = Into.Addresses.find(V->getName().str());
    if (Known == Into.Addresses.end())
      continue;
    uint64_t Bytes = M->getDataLayout().getTypeAllocSize(V->getValueType());
    for (const auto &Pointer : Into.FunctionPointers)
      if (uint64_t(Pointer.Place) - Known->second < Bytes)
        return true;
  }
  return false;
}

/// Returns the dimensions in an attribute "x,y,z", in which one that is left out is 1; nothing
/// without the attribute, or if a dimension is 0.
static std::optional<Dim3> dimensions(const Function &F, StringRef Attribute) {
  const StringRef Text = F.getFnAttribute(Attribute).getValueAsString();
  SmallVector<unsigned, 3> Parts;
  for (StringRef Part : split(Text, ','))
    if (Part.trim().getAsInteger(10, Parts.emplace_back(1)))
      Parts.back() = 1;
  Parts.resize(3, 1);
  if (Text.empty() || is_contained(Parts, 0u))
    return std::nullopt;
  return Dim3{Parts[0], Parts[1], Parts[2]};
}

void Loader::describeKernels() {
  ReferenceMap Map;
  References Table;
  for (const auto &Pointer : Into.FunctionPointers)
    Map.addReachable(*M->getFunction(Pointer.Function), Table);
  Into.FunctionTableShared = layOut(Table, nullptr);

  for (const Function &F : *M) {
    if (F.isDeclaration() || F.getCallingConv() != CallingConv::PTX_Kernel)
      continue;
    Image::Kernel &Kernel = Into.Kernels[F.getName().str()];
    Kernel.Info.Name = F.getName().str();
    describeParameters(F, Kernel.Info);
    References Reached;
    Map.addReachable(F, Reached);
    Kernel.UsesFunctionTable = usesFunctionTable(Reached);
    Kernel.Shared = layOut(Reached, Kernel.UsesFunctionTable ? &Into.FunctionTableShared : nullptr);
    Kernel.Info.StaticShared = Kernel.Shared.StaticBytes;
    if (std::optional<Dim3> Block = dimensions(F, "nvvm.maxntid"))
      Kernel.Info.MaxThreads = Block->X * Block->Y * Block->Z;
    Kernel.Info.Cluster = dimensions(F, "nvvm.cluster_dim");
  }
}

/// Lays out PTX parameter space: each parameter at its own alignment, as the fields of a struct.
void Loader::describeParameters(const Function &F, KernelInfo &Info) {
  const DataLayout &DL = M->getDataLayout();
  uint64_t Offset = 0;
  for (const Argument &A : F.args()) {
    Type *Type = A.hasByValAttr() ? A.getParamByValType() : A.getType();
    Align Alignment = DL.getABITypeAlign(Type);
    if (A.hasByValAttr())
      Alignment = std::max(Alignment, A.getParamAlign().valueOrOne());
    Offset = alignTo(Offset, Alignment);
    uint64_t Bytes = DL.getTypeAllocSize(Type);
    Info.Params.push_back({Offset, Bytes});
    Offset += Bytes;
  }
}

/// Lays out shared memory: static variables first, in the module's order, then dynamic shared
/// memory.
SharedLayout Loader::layOut(const References &R, const SharedLayout *First) {
  constexpr uint64_t DynamicAlignment = 16;
  const DataLayout &DL = M->getDataLayout();
  SharedLayout Layout;
  if (First)
    Layout = *First;
  uint64_t DynamicAlign = DynamicAlignment;
  std::vector<std::string> Dynamic;
  for (const GlobalVariable &V : M->globals()) {
    if (V.getAddressSpace() != NVPTXAS::ADDRESS_SPACE_SHARED || !R.Variables.count(&V) ||
        Layout.Offsets.count(V.getName().str()))
      continue;
    Align Alignment = std::max(V.getAlign().valueOrOne(), DL.getABITypeAlign(V.getValueType()));
    if (V.isDeclaration()) {
      Dynamic.push_back(V.getName().str());
      DynamicAlign = std::max(DynamicAlign, Alignment.value());
      continue;
    }
    uint64_t Offset = alignTo(Layout.StaticBytes, Alignment);
    Layout.Offsets[V.getName().str()] = Offset;
    Layout.StaticBytes = Offset + DL.getTypeAllocSize(V.getValueType());
  }
  Layout.DynamicOffset = alignTo(Layout.StaticBytes, DynamicAlign);
  for (std::string &Name : Dynamic)
    Layout.Offsets[std::move(Name)] = Layout.DynamicOffset;
  return Layout;
}

} // namespace

void Image::guard(uint64_t End) {
  GuardedEnds.push_back(End);
  guardPadding(End, true);
}

Image::~Image() {
  for (uint64_t End : GuardedEnds)
    guardPadding(End, false);
}

std::variant<std::unique_ptr<Image>, LoadError>
Image::load(std::span<const std::span<const char>> Code, const std::string &Name) {
  auto Result = std::make_unique<Image>();
  Result->Name = Name;
  if (std::string Error = Loader(*Result).run(Code); !Error.empty())
    return LoadError{Name + ": " + Error};
  return Result;
}

} // namespace gmprof::cpu
