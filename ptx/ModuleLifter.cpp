//===- ModuleLifter.cpp - Translation of a module's declarations ----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleLifter.h"

#include "FunctionLifter.h"
#include "Provenance.h"

#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace gmprof::ptx {

ModuleLifter::ModuleLifter(const Module &Source, StringRef File, LLVMContext &Context,
                           LiftStatistics *Statistics)
    : Context(Context), Statistics(Statistics), Source(Source), File(File),
      Target(std::make_unique<llvm::Module>(File, Context)), Lines(Source, *Target) {
  Triple T("nvptx64-nvidia-cuda");
  Target->setTargetTriple(T);
  Target->setDataLayout(T.computeDataLayout());
}

Error ModuleLifter::error(Position At, const Twine &What) const {
  return createStringError(File + ":" + Twine(At.Line) + ":" + Twine(At.Column) + ": " + What);
}

GlobalValue *ModuleLifter::symbol(StringRef Name) const { return Symbols.lookup(Name); }

const Function *ModuleLifter::function(StringRef Name) const { return Functions.lookup(Name); }

const std::vector<std::optional<unsigned>> &ModuleLifter::addresses(const Function &F) {
  auto [Found, New] = Addresses.try_emplace(&F);
  if (New)
    Found->second = inferAddresses(F, VariableSpaces);
  return Found->second;
}

/// Returns the integer type of a variable's elements.
static IntegerType *elementType(LLVMContext &Context, const Variable &V) {
  return IntegerType::get(Context, V.Ty.totalBits());
}

llvm::Type *ModuleLifter::parameterType(const Variable &V) {
  if (!V.Array) {
    if (V.Ty.Kind == TypeKind::Float && V.Ty.Bits == 32 && V.Ty.Elements == 1)
      return llvm::Type::getFloatTy(Context);
    if (V.Ty.Kind == TypeKind::Float && V.Ty.Bits == 64)
      return llvm::Type::getDoubleTy(Context);
    return elementType(Context, V);
  }
  // An array whose elements have the parameter's alignment, which LLVM derives from the type.
  uint64_t Align = std::min<uint64_t>(V.alignment(), 16);
  while (Align > 1 && V.bytes() % Align)
    Align /= 2;
  return ArrayType::get(IntegerType::get(Context, 8 * Align), V.bytes() / Align);
}

FunctionType *ModuleLifter::functionType(const Signature &S) {
  SmallVector<llvm::Type *, 8> Params;
  for (const Variable &V : S.Params)
    Params.push_back(parameterType(V));
  llvm::Type *Result =
      S.Results.empty() ? llvm::Type::getVoidTy(Context) : parameterType(S.Results[0]);
  return FunctionType::get(Result, Params, false);
}

//===--- Variables --------------------------------------------------------===//

GlobalVariable *ModuleLifter::declare(const Variable &V) {
  llvm::Type *Ty = elementType(Context, V);
  if (V.Array)
    Ty = ArrayType::get(Ty, V.Count);
  unsigned Space = addressSpace(V.In);
  GlobalValue::LinkageTypes Link = GlobalValue::InternalLinkage;
  if (V.Link == Linkage::Visible || V.Link == Linkage::Extern)
    Link = GlobalValue::ExternalLinkage;
  else if (V.Link == Linkage::Weak)
    Link = GlobalValue::WeakAnyLinkage;
  else if (V.Link == Linkage::Common)
    Link = GlobalValue::CommonLinkage;
  bool Unsized = V.Array && !V.Count;
  Constant *Init = nullptr;
  if (Unsized)
    Link = GlobalValue::ExternalLinkage; // dynamic shared memory
  else if (V.Link != Linkage::Extern)
    Init = V.In == Space::Shared ? cast<Constant>(UndefValue::get(Ty)) : Constant::getNullValue(Ty);
  // The host may write to any variable of global and constant memory.
  bool Host = Init && V.In != Space::Shared;
  auto *G = new GlobalVariable(*Target, Ty, /*isConstant=*/false, Link, Init, V.Name, nullptr,
                               GlobalVariable::NotThreadLocal, Space, Host);
  G->setAlignment(Align(V.alignment()));
  return G;
}

/// Returns the address that an initialiser names, as a pointer.
Expected<Constant *> ModuleLifter::address(const Initialiser &I) {
  GlobalValue *G = symbol(I.Symbol);
  if (!G)
    return error(I.At, "expected a variable or function, found '" + I.Symbol + "'");
  Constant *C = G;
  if (I.Generic)
    C = ConstantExpr::getPointerBitCastOrAddrSpaceCast(C, PointerType::get(Context, GenericSpace));
  if (I.Bits)
    C = ConstantExpr::getGetElementPtr(llvm::Type::getInt8Ty(Context), C,
                                       ConstantInt::get(llvm::Type::getInt64Ty(Context), I.Bits));
  return C;
}

/// Returns whether Values[At…] are the 8 bytes of one address.
static bool isAddressByByte(ArrayRef<Initialiser> Values, size_t At) {
  if (Values.size() - At < 8)
    return false;
  for (unsigned B = 0; B < 8; ++B) {
    const Initialiser &I = Values[At + B], &First = Values[At];
    if (I.Mask != uint64_t(0xFF) << (8 * B) || I.Symbol != First.Symbol || I.Bits != First.Bits ||
        I.Generic != First.Generic || I.Element != First.Element + B)
      return false;
  }
  return true;
}

Error ModuleLifter::initialise(const Variable &V, GlobalVariable &G) {
  if (!V.Initialised)
    return Error::success();
  if (V.In == Space::Shared || V.Link == Linkage::Extern)
    return error(V.At, "expected no initialiser of '" + V.Name + "'");
  IntegerType *Element = elementType(Context, V);
  SmallVector<Constant *, 8> Fields, Run;
  auto EndRun = [&] {
    if (!Run.empty())
      Fields.push_back(ConstantArray::get(ArrayType::get(Element, Run.size()), Run));
    Run.clear();
  };
  auto ZeroUntil = [&](uint64_t Begin, uint64_t End) {
    if (Begin == End)
      return;
    EndRun();
    Fields.push_back(Constant::getNullValue(ArrayType::get(Element, End - Begin)));
  };
  uint64_t Next = 0;
  for (size_t I = 0; I < V.Values.size(); ++I) {
    const Initialiser &Value = V.Values[I];
    ZeroUntil(Next, Value.Element);
    Next = Value.Element + 1;
    if (!Value.Symbol.empty()) {
      bool ByByte = V.Ty.totalBits() == 8 && isAddressByByte(V.Values, I);
      if (!ByByte && (V.Ty.totalBits() != 64 || Value.Mask))
        return error(Value.At, "expected a 64-bit element for an address");
      Expected<Constant *> C = address(Value);
      if (!C)
        return C.takeError();
      EndRun();
      Fields.push_back(*C);
      if (ByByte) {
        I += 7;
        Next += 7;
      }
      continue;
    }
    uint64_t Bits = Value.Bits;
    if (Value.FloatWidth == 64 && V.Ty.totalBits() == 32 && V.Ty.isFloat())
      Bits = bit_cast<uint32_t>(float(bit_cast<double>(Bits)));
    Run.push_back(ConstantInt::get(Element, APInt(V.Ty.totalBits(), Bits, false, true)));
  }
  ZeroUntil(Next, V.Count);
  EndRun();
  Constant *Init = Fields.size() == 1 ? Fields[0] : ConstantStruct::getAnon(Context, Fields, true);
  if (Init->getType() != G.getValueType()) {
    GlobalVariable *Typed =
        new GlobalVariable(*Target, Init->getType(), false, G.getLinkage(), nullptr, "", &G,
                           GlobalVariable::NotThreadLocal, G.getAddressSpace(), true);
    Typed->setAlignment(G.getAlign());
    Typed->takeName(&G);
    G.replaceAllUsesWith(Typed);
    Symbols[V.Name] = Typed;
    Typed->setInitializer(Init);
    // A value that refers to the variable itself refers to the new one now.
    G.eraseFromParent();
  } else {
    G.setInitializer(Init);
  }
  return Error::success();
}

Error ModuleLifter::declareVariables() {
  for (const Variable &V : Source.Variables) {
    GlobalValue *&Known = Symbols[V.Name];
    if (Known && V.Link == Linkage::Extern)
      continue;
    if (Known && !Known->isDeclaration())
      return error(V.At, "expected a new name, found a second definition of '" + V.Name + "'");
    GlobalVariable *New = declare(V);
    if (Known) {
      if (Known->getAddressSpace() != New->getAddressSpace())
        return error(V.At, "expected '" + V.Name + "' in the state space of its declaration");
      Known->replaceAllUsesWith(New);
      New->takeName(Known);
      Known->eraseFromParent();
    }
    Known = New;
    VariableSpaces[V.Name] = New->getAddressSpace();
  }
  return Error::success();
}

//===--- Functions --------------------------------------------------------===//

/// Sets the attributes of performance directives.
void ModuleLifter::setLimits(const Function &F, llvm::Function &Target) {
  const std::pair<StringRef, StringRef> Names[] = {
      {"maxntid", "nvvm.maxntid"},
      {"reqntid", "nvvm.reqntid"},
      {"minnctapersm", "nvvm.minctasm"},
      {"maxnreg", "nvvm.maxnreg"},
      {"reqnctapercluster", "nvvm.cluster_dim"},
      {"maxclusterrank", "nvvm.maxclusterrank"},
      {"blocksareclusters", "nvvm.blocksareclusters"},
  };
  for (auto [Directive, Attribute] : Names) {
    auto Found = F.Directives.find(Directive.str());
    if (Found == F.Directives.end())
      continue;
    std::string Value;
    for (unsigned N : Found->second)
      Value += (Value.empty() ? "" : ",") + std::to_string(N);
    Target.addFnAttr(Attribute, Value);
  }
}

std::string targetFeatures(unsigned Version) {
  constexpr unsigned Versions[] = {32, 40, 41, 42, 43, 50, 60, 61, 62, 63, 64, 65, 70, 71, 72, 73,
                                   74, 75, 76, 77, 78, 80, 81, 82, 83, 84, 85, 86, 87, 88, 90};
  static_assert(std::end(Versions)[-1] == MaxLlvmPtxVersion);
  unsigned Best = Versions[0];
  for (unsigned V : Versions)
    if (V <= Version)
      Best = V;
  return "+ptx" + std::to_string(Best);
}

llvm::Function *ModuleLifter::declareFunction(const Function &F) {
  FunctionType *Ty = functionType(F.Sig);
  if (F.Entry) {
    // Parameters that are loaded into registers of addresses are pointers; arrays are by value.
    SmallVector<llvm::Type *, 8> Params(Ty->params());
    for (unsigned I = 0; I < Params.size(); ++I)
      if (F.Sig.Params[I].Array)
        Params[I] = PointerType::get(Context, GenericSpace);
    const auto &Held = addresses(F);
    for (const Instruction &I : F.Instructions) {
      if (I.Opcode != "ld" || spaceOf(I) != Space::Param || I.Operands.size() != 2 ||
          !I.Operands[0].isRegister() || I.Operands[1].K != Operand::Kind::Address)
        continue;
      const Operand &Base = I.Operands[1].Parts[0];
      std::optional<unsigned> Space = Held[I.Operands[0].Index];
      if (Base.K == Operand::Kind::Variable && Base.Index < Params.size() &&
          Params[Base.Index]->isIntegerTy(64) && Space && *Space <= GlobalSpace)
        Params[Base.Index] = PointerType::get(Context, *Space);
    }
    Ty = FunctionType::get(llvm::Type::getVoidTy(Context), Params, false);
  }
  GlobalValue::LinkageTypes Link = GlobalValue::ExternalLinkage;
  if (F.Link == Linkage::Weak)
    Link = GlobalValue::WeakAnyLinkage;
  else if (F.Link == Linkage::Internal && F.Defined && !F.Entry)
    Link = GlobalValue::InternalLinkage;
  if (!F.Defined)
    Link = GlobalValue::ExternalLinkage;
  auto *New = llvm::Function::Create(Ty, Link, F.Name, *Target);
  if (F.Entry) {
    New->setCallingConv(CallingConv::PTX_Kernel);
    for (unsigned I = 0; I < F.Sig.Params.size(); ++I) {
      const Variable &V = F.Sig.Params[I];
      if (!V.Array)
        continue;
      llvm::Type *Bytes = ArrayType::get(llvm::Type::getInt8Ty(Context), V.bytes());
      New->addParamAttr(I, Attribute::getWithByValType(Context, Bytes));
      New->addParamAttr(I, Attribute::getWithAlignment(Context, Align(V.alignment())));
      // A kernel's parameters are constant: LLVM need not copy one whose address is taken.
      New->addParamAttr(I, Attribute::get(Context, "nvvm.grid_constant"));
    }
    setLimits(F, *New);
  } else if (F.Defined) {
    New->addFnAttr(Attribute::NoInline);
  }
  if (F.NoReturn)
    New->addFnAttr(Attribute::NoReturn);
  New->addFnAttr(Attribute::Convergent);
  New->addFnAttr(Attribute::NoUnwind);
  New->addFnAttr("target-cpu", Source.Target);
  New->addFnAttr("target-features", targetFeatures(Source.Version));
  return New;
}

Error ModuleLifter::declareFunctions() {
  for (const Function &F : Source.Functions) {
    const Function *&Known = Functions[F.Name];
    if (Known && Known->Defined && F.Defined)
      return error(F.At, "expected a new name, found a second definition of '" + F.Name + "'");
    if (!Known || F.Defined)
      Known = &F;
  }
  for (const Function &F : Source.Functions) {
    if (Functions.lookup(F.Name) != &F)
      continue;
    GlobalValue *&Known = Symbols[F.Name];
    if (Known)
      return error(F.At, "expected a new name, found a variable '" + F.Name + "'");
    Known = declareFunction(F);
  }
  for (auto [Alias, Aliasee] : Source.Aliases) {
    auto *F = dyn_cast_or_null<llvm::Function>(symbol(Aliasee));
    if (!F || F->isDeclaration())
      return createStringError(File + ": expected a defined function for the alias '" + Alias +
                               "', found '" + Aliasee + "'");
    GlobalValue *&Known = Symbols[Alias];
    auto *New = GlobalAlias::create(F->getValueType(), 0, GlobalValue::ExternalLinkage, "", F,
                                    Target.get());
    if (Known) {
      Known->replaceAllUsesWith(New);
      New->takeName(Known);
      Known->eraseFromParent();
    } else {
      New->setName(Alias);
    }
    Known = New;
  }
  return Error::success();
}

Expected<std::unique_ptr<llvm::Module>> ModuleLifter::run() {
  if (Error E = declareVariables())
    return std::move(E);
  if (Error E = declareFunctions())
    return std::move(E);
  for (const Variable &V : Source.Variables)
    if (auto *G = dyn_cast<GlobalVariable>(symbol(V.Name)))
      if (V.Initialised)
        if (Error E = initialise(V, *G))
          return std::move(E);
  for (const Function &F : Source.Functions) {
    if (!F.Defined)
      continue;
    auto *Body = cast<llvm::Function>(symbol(F.Name));
    if (Error E = FunctionLifter(*this, F, *Body).run())
      return std::move(E);
    Addresses.erase(&F);
  }
  Lines.finish();
  std::string Text;
  raw_string_ostream Stream(Text);
  if (verifyModule(*Target, &Stream))
    return createStringError(
        File + ": the LLVM IR of this module is invalid: " + StringRef(Text).split('\n').first);
  return std::move(Target);
}

Expected<std::unique_ptr<llvm::Module>> lift(const Module &M, StringRef File, LLVMContext &Context,
                                             LiftStatistics *Statistics) {
  return ModuleLifter(M, File, Context, Statistics).run();
}

} // namespace gmprof::ptx
