//===- Harness.cpp - Executes one intrinsic or asm statement --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include "cpu/engine/Intrinsics.h"
#include "cpu/engine/Jit.h"
#include "ptx/Lift.h"
#include "ptx/Parser.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <cstdio>
#include <cstdlib>
#include <limits>

using namespace llvm;

namespace gmprof::cpu::test {

/// Builds void f(ThreadState *, const U128 *In, U128 *Out) around one call.
struct Builder {
  LoweredUnit Unit;
  Function *F;
  IRBuilder<> B;
  unsigned NextArg = 0;

  Builder() : F(nullptr), B((Unit.Context = std::make_unique<LLVMContext>(), *Unit.Context)) {
    begin(std::make_unique<llvm::Module>("test", *Unit.Context));
  }

  /// Adds f to a module.
  void begin(std::unique_ptr<llvm::Module> M) {
    Unit.M = std::move(M);
    Unit.M->setTargetTriple(hostTriple());
    Unit.M->setDataLayout(hostLayout());
    auto *P = PointerType::get(*Unit.Context, 0);
    F = Function::Create(FunctionType::get(B.getVoidTy(), {P, P, P}, false),
                         Function::ExternalLinkage, "f", *Unit.M);
    B.SetInsertPoint(BasicBlock::Create(*Unit.Context, "entry", F));
  }

  Value *slot(unsigned Argument, unsigned I) {
    return B.CreateConstGEP1_64(B.getInt128Ty(), F->getArg(Argument), I);
  }

  Value *argument(Type *T) {
    Value *From = slot(1, NextArg++);
    if (T->isIntegerTy(1))
      return B.CreateTrunc(B.CreateLoad(B.getInt8Ty(), From), T);
    return B.CreateLoad(T, From);
  }

  void result(Value *V, unsigned I) {
    if (V->getType()->isIntegerTy(1))
      V = B.CreateZExt(V, B.getInt8Ty());
    B.CreateStore(B.getIntN(128, 0), slot(2, I));
    B.CreateStore(V, slot(2, I));
  }

  Compiled finish(Value *V) {
    unsigned Results = 0;
    if (auto *Struct = dyn_cast<StructType>(V->getType())) {
      Results = Struct->getNumElements();
      for (unsigned I = 0; I != Results; ++I)
        result(B.CreateExtractValue(V, I), I);
    } else if (!V->getType()->isVoidTy()) {
      Results = 1;
      result(V, 0);
    }
    B.CreateRetVoid();
    return compile(Results);
  }

  Compiled compile(unsigned Results) {
    Compiled Out;
    Out.Results = Results;
    Out.Error = lower();
    if (!Out.Error.empty())
      return Out;
    std::shared_ptr<CodeUnit> Code = CodeUnit::compile(Unit, "test");
    if (Code)
      Out.Entry = reinterpret_cast<decltype(Out.Entry)>(Code->address("f", Unit.Error));
    Out.Error = Unit.Error;
    Out.Code = Code;
    return Out;
  }

  std::string lower() {
    LoweringContext Context(*Unit.M, "f");
    auto Each = [&](auto Fn) {
      SmallVector<CallInst *, 16> Calls;
      for (Instruction &I : instructions(*F))
        if (auto *Call = dyn_cast<CallInst>(&I))
          Calls.push_back(Call);
      for (CallInst *Call : Calls)
        Fn(*Call);
    };
    lowerInlineAsm(*F, Context);
    check();
    std::string Unknown;
    Each([&](CallInst &Call) {
      Function *Callee = Call.getCalledFunction();
      if (!Callee || !Callee->getName().starts_with("llvm.nvvm."))
        return;
      StringRef Name = Callee->getName();
      // A single thread has no warp and no barriers: those need the engine around them.
      bool Lowered = Name.starts_with("llvm.nvvm.read.ptx.sreg.")
                         ? lowerThreadIntrinsic(Call, Context)
                         : !isWarpWide(Name) && lowerComputeIntrinsic(Call, Context);
      if (!Lowered)
        Unknown = Name.str();
    });
    check();
    if (!Context.error().empty())
      return Context.error();
    return Unknown.empty() ? "" : "intrinsic " + Unknown;
  }

  void check() {
    if (verifyModule(*Unit.M, &errs())) {
      Unit.M->print(errs(), nullptr);
      std::abort();
    }
  }

  Type *typeFor(const std::string &Code) {
    if (Code[0] == '2')
      return FixedVectorType::get(typeFor(Code.substr(1)), 2);
    switch (Code[0]) {
    case 'f':
      return B.getFloatTy();
    case 'd':
      return B.getDoubleTy();
    case 'h':
      return B.getHalfTy();
    case 'b':
      return B.getBFloatTy();
    case 's':
      return B.getInt16Ty();
    case 'r':
      return B.getInt32Ty();
    case 'l':
      return B.getInt64Ty();
    case 'p':
      return B.getPtrTy();
    default:
      std::abort();
    }
  }
};

std::vector<U128> Compiled::all(std::initializer_list<U128> Args) const {
  if (!Entry) {
    std::fprintf(stderr, "not compiled: %s\n", Error.c_str());
    std::abort();
  }
  std::vector<U128> In(Args), Out(Results + 1);
  static TestThread Default;
  Entry(&(Thread ? Thread : &Default)->Thread, In.data(), Out.data());
  Out.resize(Results);
  return Out;
}

Compiled intrinsic(const std::string &Name, const std::vector<std::string> &Types,
                   const std::vector<int> &Immediates) {
  Builder T;
  Intrinsic::ID ID = Intrinsic::lookupIntrinsicID("llvm.nvvm." + Name);
  if (ID == Intrinsic::not_intrinsic) {
    std::fprintf(stderr, "LLVM has no intrinsic llvm.nvvm.%s\n", Name.c_str());
    std::abort();
  }
  SmallVector<Type *, 2> Overloads;
  for (const std::string &Code : Types)
    Overloads.push_back(T.typeFor(Code));
  Function *Callee = Intrinsic::getOrInsertDeclaration(T.Unit.M.get(), ID, Overloads);
  SmallVector<Value *, 4> Args;
  for (Type *P : Callee->getFunctionType()->params()) {
    size_t I = Args.size();
    bool Immediate = I < Immediates.size() && Immediates[I] >= 0;
    Args.push_back(Immediate ? ConstantInt::get(P, Immediates[I]) : T.argument(P));
  }
  return T.finish(T.B.CreateCall(Callee, Args));
}

Compiled ptx(const std::string &Text, const std::string &Constraints,
             const std::vector<int64_t> &Immediates) {
  Builder T;
  auto TypeFor = [&](char Code) -> Type * {
    switch (Code) {
    case 'b':
      return T.B.getInt1Ty();
    case 'h':
      return T.B.getInt16Ty();
    case 'q':
      return T.B.getInt128Ty();
    default:
      return T.typeFor(std::string(1, Code));
    }
  };
  SmallVector<Type *, 4> Outputs, Params;
  SmallVector<Value *, 4> Args;
  size_t NextImmediate = 0;
  for (const InlineAsm::ConstraintInfo &C : InlineAsm::ParseConstraints(Constraints)) {
    if (C.Type == InlineAsm::isClobber)
      continue;
    char Code = C.Codes[0][0];
    if (C.Type == InlineAsm::isOutput) {
      Outputs.push_back(TypeFor(Code));
      continue;
    }
    if (Code == 'n') {
      Args.push_back(T.B.getInt32(Immediates.at(NextImmediate++)));
    } else {
      Type *P = Code >= '0' && Code <= '9' ? Outputs[Code - '0'] : TypeFor(Code);
      Args.push_back(T.argument(P));
    }
    Params.push_back(Args.back()->getType());
  }
  Type *Result = Outputs.empty()       ? T.B.getVoidTy()
                 : Outputs.size() == 1 ? Outputs[0]
                                       : StructType::get(*T.Unit.Context, Outputs);
  auto *FT = FunctionType::get(Result, Params, false);
  return T.finish(T.B.CreateCall(FT, InlineAsm::get(FT, Text, Constraints, true), Args));
}

/// Returns a PTX module whose function loads operands from one array, executes Text, and stores
/// results to the other. Elements have 16 bytes.
static std::string moduleAround(const std::string &Text, StringRef Constraints, unsigned &Outputs) {
  const auto TypeOf = [](char Code) -> std::string {
    switch (Code) {
    case 'h':
      return ".b16 ";
    case 'r':
      return ".b32 ";
    case 'f':
      return ".f32 ";
    case 'd':
      return ".f64 ";
    default:
      return ".b64 ";
    }
  };
  std::string Registers, Loads, Stores;
  std::string Codes; // of operands
  unsigned Inputs = 0;
  for (const InlineAsm::ConstraintInfo &C : InlineAsm::ParseConstraints(Constraints)) {
    const char Code = C.Codes[0][0];
    const bool Tied = Code >= '0' && Code <= '9';
    Codes += Tied ? Codes[Code - '0'] : Code;
    const std::string Type = TypeOf(Codes.back());
    const std::string Name =
        "%o" + (Tied ? std::string(1, Code) : std::to_string(Codes.size() - 1));
    if (!Tied)
      Registers += ".reg " + Type + Name + ";\n";
    if (C.Type == InlineAsm::isOutput)
      Stores += "st" + Type + "[%out+" + std::to_string(16 * Outputs++) + "], " + Name + ";\n";
    else
      Loads += "ld" + Type + Name + ", [%in+" + std::to_string(16 * Inputs++) + "];\n";
  }
  std::string Body;
  for (char C : Text)
    Body += C == '$' ? std::string("%o") : std::string(1, C);
  return ".version 8.7\n.target sm_90a\n.address_size 64\n"
         ".visible .func body(.param .b64 in, .param .b64 out) {\n.reg .b64 %in, %out;\n" +
         Registers + "ld.param.b64 %in, [in];\nld.param.b64 %out, [out];\n" + Loads + Body + "\n" +
         Stores + "ret;\n}\n";
}

Compiled lifted(const std::string &Text, const std::string &Constraints) {
  Builder T;
  unsigned Results = 0;
  const std::string Source = moduleAround(Text, Constraints, Results);
  Expected<gmprof::ptx::Module> Parsed = gmprof::ptx::parse(Source, "test.ptx");
  Expected<std::unique_ptr<llvm::Module>> M =
      Parsed ? gmprof::ptx::lift(*Parsed, "test.ptx", *T.Unit.Context)
             : Expected<std::unique_ptr<llvm::Module>>(Parsed.takeError());
  if (!M) {
    Compiled Failed;
    Failed.Error = toString(M.takeError());
    return Failed;
  }
  Function *Body = (*M)->getFunction("body");
  T.begin(std::move(*M));
  Type *Int = T.B.getInt64Ty();
  CallInst *Call = T.B.CreateCall(
      Body, {T.B.CreatePtrToInt(T.F->getArg(1), Int), T.B.CreatePtrToInt(T.F->getArg(2), Int)});
  T.B.CreateRetVoid();
  InlineFunctionInfo Info;
  InlineFunction(*Call, Info);
  Body->eraseFromParent();
  return T.compile(Results);
}

std::vector<float> interestingFloats(unsigned RandomCount) {
  using L = std::numeric_limits<float>;
  std::vector<float> V = {0.0f,
                          1.0f,
                          1.5f,
                          3.0f,
                          0.1f,
                          2.5f,
                          1e10f,
                          1e-10f,
                          16777217.0f,
                          L::min(),
                          L::denorm_min(),
                          asFloat(0x007fffff),
                          asFloat(0x00000003),
                          L::max(),
                          asFloat(0x3f7fffff),
                          asFloat(0x3f800001),
                          2147483648.0f,
                          4294967296.0f,
                          L::infinity(),
                          L::quiet_NaN()};
  for (size_t I = 0, E = V.size(); I != E; ++I)
    V.push_back(-V[I]);
  Random R(1);
  for (unsigned I = 0; I != RandomCount; ++I)
    V.push_back(asFloat(R.next()));
  return V;
}

std::vector<double> interestingDoubles(unsigned RandomCount) {
  using L = std::numeric_limits<double>;
  std::vector<double> V = {0.0,
                           1.0,
                           1.5,
                           3.0,
                           0.1,
                           2.5,
                           1e300,
                           1e-300,
                           9007199254740993.0,
                           L::min(),
                           L::denorm_min(),
                           asDouble(0x000fffffffffffff),
                           asDouble(0x0000000000000003),
                           L::max(),
                           asDouble(0x3fefffffffffffff),
                           asDouble(0x3ff0000000000001),
                           2147483648.0,
                           18446744073709551616.0,
                           L::infinity(),
                           L::quiet_NaN()};
  for (size_t I = 0, E = V.size(); I != E; ++I)
    V.push_back(-V[I]);
  Random R(2);
  for (unsigned I = 0; I != RandomCount; ++I)
    V.push_back(asDouble(R.next()));
  return V;
}

} // namespace gmprof::cpu::test
