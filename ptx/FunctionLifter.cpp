//===- FunctionLifter.cpp - Translation of a function's body --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionLifter.h"

#include "Provenance.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace gmprof::ptx {

FunctionLifter::FunctionLifter(ModuleLifter &M, const Function &Source, llvm::Function &Target)
    : InstructionLifter(M.Context, Source, Target, M.addresses(Source)), M(M),
      Variables(Source.Variables.size()) {}

Value *FunctionLifter::symbol(const Operand &O) const {
  return O.K == Operand::Kind::Variable ? Variables[O.Index] : M.symbol(O.Name);
}

/// Returns the function that a call names; null if it names none.
llvm::Function *FunctionLifter::callee(const Operand &O) const {
  return O.K == Operand::Kind::Symbol ? dyn_cast_or_null<llvm::Function>(M.symbol(O.Name))
                                      : nullptr;
}

/// Returns the signature of a function or prototype; null if there is none.
const Signature *FunctionLifter::signature(const Operand &O) const {
  if (O.K == Operand::Kind::Label && Source.Labels[O.Index].Prototype)
    return &*Source.Labels[O.Index].Prototype;
  const Function *F = O.K == Operand::Kind::Symbol ? M.function(O.Name) : nullptr;
  return F ? &F->Sig : nullptr;
}

/// call (result), function, (arguments), prototype: each argument is a .param variable.
bool FunctionLifter::emitCall(const Instruction &I) {
  ArrayRef<Operand> Rest = I.Operands;
  ArrayRef<Operand> Results, Arguments;
  if (Rest.front().K == Operand::Kind::List) {
    Results = Rest.front().Parts;
    Rest = Rest.drop_front();
  }
  const Operand &Called = Rest.front();
  Rest = Rest.drop_front();
  if (!Rest.empty() && Rest.front().K == Operand::Kind::List)
    Arguments = Rest.front().Parts;
  llvm::Function *F = callee(Called);
  const Signature *S = F ? signature(Called) : signature(Rest.back());
  FunctionType *Ty = M.functionType(*S);
  Value *Callee = F ? F : read(Called, PointerType::get(B.getContext(), 0));
  SmallVector<Value *, 8> Values;
  for (size_t N = 0; N < Arguments.size(); ++N)
    Values.push_back(B.CreateLoad(Ty->getParamType(N), Variables[Arguments[N].Index]));
  CallInst *Call = B.CreateCall(Ty, Callee, Values);
  Call->setConvergent();
  Call->addFnAttr(Attribute::NoUnwind);
  if (!Results.empty())
    B.CreateStore(Call, Variables[Results[0].Index]);
  return true;
}

bool FunctionLifter::emitReturn() {
  if (Source.Entry || Source.Sig.Results.empty()) {
    B.CreateRetVoid();
    return true;
  }
  B.CreateRet(B.CreateLoad(Target.getReturnType(), Variables[0]));
  return true;
}

//===--- Checks -----------------------------------------------------------===//

Error FunctionLifter::check(const Operand &O, Position At) const {
  if (O.K == Operand::Kind::Symbol && !M.symbol(O.Name))
    return M.error(At, "expected a variable, a function or a label, found '" + O.Name + "'");
  for (const Operand &Part : O.Parts)
    if (Error E = check(Part, At))
      return E;
  return Error::success();
}

Error FunctionLifter::checkCall(const Instruction &I) const {
  const Operand &First = I.Operands[0];
  bool Results = First.K == Operand::Kind::List;
  const Operand *Called = Results && I.Operands.size() > 1 ? &I.Operands[1] : &First;
  const Signature *S = signature(*Called);
  if (!S)
    S = signature(I.Operands.back());
  if (!S || (!callee(*Called) && !Called->isRegister()))
    return M.error(I.At, "expected a declared function or a .callprototype");
  const Operand *Arguments = nullptr;
  for (const Operand &O : ArrayRef(I.Operands).drop_front(Results ? 1 : 0))
    if (O.K == Operand::Kind::List)
      Arguments = &O;
  size_t Count = Arguments ? Arguments->Parts.size() : 0;
  if (Count != S->Params.size() || (Results ? First.Parts.size() : 0) != S->Results.size())
    return M.error(I.At, "expected " + Twine(S->Params.size()) + " arguments and " +
                             Twine(S->Results.size()) + " results, as declared");
  for (const Operand *List : {Results ? &First : nullptr, Arguments})
    if (List)
      for (const Operand &O : List->Parts)
        if (O.K != Operand::Kind::Variable)
          return M.error(I.At, "expected .param variables as arguments and results");
  return Error::success();
}

/// Returns an error if an instruction names what does not exist or has no form in LLVM IR.
Error FunctionLifter::check() {
  for (const Instruction &I : Source.Instructions) {
    for (const Operand &O : I.Operands)
      if (Error E = check(O, I.At))
        return E;
    bool Modelled = findRow(I);
    if (!Modelled && (I.Opcode == "bra" || I.Opcode == "brx" || I.Opcode == "call" ||
                      (I.Opcode == "ld" && spaceOf(I) == Space::Param) ||
                      (I.Opcode == "st" && spaceOf(I) == Space::Param)))
      return M.error(I.At, "unsupported form of '" + I.name() + "'");
    if (I.Opcode == "bra" && !label(I.Operands[0]).isCode())
      return M.error(I.At, "expected the label of an instruction");
    if (I.Opcode == "brx") {
      const Label &Table = label(I.Operands[1]);
      if (!Table.Targets)
        return M.error(I.At, "expected the label of .branchtargets");
      for (const Operand &O : *Table.Targets)
        if (O.K != Operand::Kind::Label || !label(O).isCode())
          return M.error(I.At, "expected labels of instructions in .branchtargets");
    }
    if (I.Opcode == "call")
      if (Error E = checkCall(I))
        return E;
  }
  return Error::success();
}

//===--- The body ---------------------------------------------------------===//

/// Makes parameters and local variables. Those of a kernel are read-only.
void FunctionLifter::makeVariables() {
  size_t Results = Source.Sig.Results.size(), Params = Source.Sig.Params.size();
  for (size_t I = 0; I < Source.Variables.size(); ++I) {
    const Variable &V = Source.Variables[I];
    bool IsParam = I >= Results && I < Results + Params;
    llvm::Argument *A = IsParam ? Target.getArg(I - Results) : nullptr;
    // Compilers number parameters: that is no name of the source.
    if (A && V.Name != (Source.Name + "_param_" + Twine(A->getArgNo())).str())
      A->setName(V.Name);
    if (A && Source.Entry && V.Array) {
      Variables[I] = A;
    } else if (I >= Results + Params && V.In != Space::Param && V.In != Space::Local) {
      Variables[I] = M.declare(V);
    } else {
      llvm::Type *Ty = A ? A->getType() : ArrayType::get(B.getInt8Ty(), V.bytes());
      Variables[I] = allocate(Ty, V.Name, std::max<uint64_t>(V.alignment(), 1));
      if (A)
        IRBuilder<>(&Target.getEntryBlock()).CreateStore(A, Variables[I]);
    }
  }
}

void FunctionLifter::makeRegisters() {
  unsigned All = 0, Flushing = 0;
  for (const Instruction &I : Source.Instructions) {
    if (I.Opcode == "wgmma" && I.has("mma_async") && !I.Operands.empty())
      for (const Operand &O : I.Operands[0].Parts)
        if (O.isRegister() && !is_contained(Accumulators, O.Index))
          Accumulators.push_back(O.Index);
    bool Arithmetic = StringSwitch<bool>(I.Opcode)
                          .Cases({"add", "sub", "mul", "fma", "mad", "div", "min", "max"}, true)
                          .Cases({"setp", "abs", "neg", "rcp"}, true)
                          .Default(false);
    if (Arithmetic && I.has("f32") && !I.has("approx")) {
      ++All;
      Flushing += I.has("ftz");
    }
  }
  Flushes = 2 * Flushing > All;
  if (Flushes)
    Target.addFnAttr("denormal-fp-math-f32", "preserve-sign,preserve-sign");
}

Error FunctionLifter::run() {
  for (const Variable &V : Source.Variables)
    if (V.Initialised)
      return M.error(V.At, "expected no initialiser in a function");
  M.lines().begin(Source, Target);
  BasicBlock *Entry = BasicBlock::Create(M.Context, "entry", &Target);
  BasicBlock *Begin = BasicBlock::Create(M.Context, "begin", &Target);
  makeVariables();
  makeRegisters();
  makeBlocks();
  if (Error E = check())
    return E;
  B.SetInsertPoint(Begin);
  liftBody();
  if (Failure)
    return M.error(Current->At, *Failure);
  if (!B.GetInsertBlock()->getTerminator())
    emitReturn();
  IRBuilder<>(Entry).CreateBr(Begin);
  EliminateUnreachableBlocks(Target);
  return Error::success();
}

void FunctionLifter::count(const Instruction &I, bool Modelled) {
  if (M.Statistics)
    ++(Modelled ? M.Statistics->Modelled : M.Statistics->InlineAssembly)[I.name()];
}

void FunctionLifter::lift(const Instruction &I) {
  B.SetCurrentDebugLocation(M.lines().location(Source, I.Line));
  const bool Modelled = liftByRow(I);
  count(I, Modelled);
  if (!Modelled)
    emitInlineAssembly(I);
}

void FunctionLifter::mark(llvm::Instruction &I) {
  Metadata *Line = ConstantAsMetadata::get(B.getInt32(Current->At.Line));
  I.setMetadata(LineKind, MDNode::get(B.getContext(), Line));
}

} // namespace gmprof::ptx
