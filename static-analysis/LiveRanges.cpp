//===- LiveRanges.cpp - Moves between memory spaces -----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Visits each function once per chain of calls that leads to it, so that its arguments are known.
// print<gm-live-ranges> writes
//
//   live ranges of <function>: <number of moves>[, calls not followed: <number>]
//     <location> begin <shared variable> <bytes> from <global variable>
//     <location> end <shared variable> <bytes> to <global variable>
//
// followed by called=<location> if the move is in a function called there, and a line "several
// ranges per block" if a word may have more than one.
//
//===----------------------------------------------------------------------===//

#include "LiveRanges.h"
#include "AccessPrinter.h"
#include "AddressSpaces.h"
#include "MemoryInstructions.h"
#include "Variables.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/raw_ostream.h"
#include <deque>

using namespace llvm;
using namespace gmprof;

namespace {

/// A call on the path to a function; null: the analysed function itself.
struct Frame {
  const CallBase *Call;
  const Frame *Caller;
  unsigned Depth;
};

/// Limits of the call depth and the number of calls; deeper calls are taken as unknown.
constexpr unsigned MaxDepth = 4;
constexpr size_t MaxFrames = 1024;

class MoveFinder {
public:
  explicit MoveFinder(LiveRanges &Result) : Result(Result), Variables(Result.Variables) {}

  void visit(Function &F, const Frame *Context);
  void finish() { Variables.finish(); }

private:
  LiveRanges &Result;
  VariableTable Variables;
  std::deque<Frame> Frames;
  DenseMap<std::pair<const CallBase *, const Frame *>, const Frame *> FrameOf;

  /// The origins of a value over all paths.
  struct Origins {
    bool Changed = false; ///< true unless the value is always unchanged data of one memory space
    std::optional<PointsTo> Memory;
    SmallVector<Instruction *, 1> Loads;
  };
  using Step = std::pair<const Value *, const Frame *>;

  const Frame *enter(const CallBase &Call, const Frame *Context);
  PointsTo memoryOf(const Value *Pointer, const Frame *Context) const;
  Origins originsOf(const Value *V, const Frame *Context);
  void follow(Step From, SmallVectorImpl<Step> &Next, Origins &Found);
  void followCall(const CallBase &Call, const Frame *Context, SmallVectorImpl<Step> &Next,
                  Origins &Found);
  static void add(Origins &Found, PointsTo Memory);
  void visitStore(StoreInst &Store, const Frame *Context);
  void visitCopy(Instruction &I, const Frame *Context);
  void record(Instruction &I, unsigned Bytes, PointsTo From, PointsTo To,
              ArrayRef<Instruction *> Reads, const Frame *Context);
};

bool isCallOfDefinition(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  return Callee && !Callee->isDeclaration() && !Callee->isInterposable() &&
         Callee->arg_size() == Call.arg_size();
}

/// Returns the frame for a call of a defined function, or null.
const Frame *MoveFinder::enter(const CallBase &Call, const Frame *Context) {
  if (!isCallOfDefinition(Call))
    return nullptr;
  if (auto Known = FrameOf.find({&Call, Context}); Known != FrameOf.end())
    return Known->second;
  const unsigned Depth = Context ? Context->Depth + 1 : 1;
  if (Depth > MaxDepth || Frames.size() == MaxFrames)
    return nullptr;
  return FrameOf[{&Call, Context}] = &Frames.emplace_back(Frame{&Call, Context, Depth});
}

PointsTo MoveFinder::memoryOf(const Value *Pointer, const Frame *Context) const {
  PointsTo Memory = pointsTo(Pointer);
  if (Memory.Base || !Context)
    return Memory;
  const auto *Parameter = dyn_cast<Argument>(getUnderlyingObject(Pointer, /*MaxLookup=*/0));
  if (!Parameter || Parameter->hasByValAttr())
    return Memory;
  const PointsTo Passed =
      memoryOf(Context->Call->getArgOperand(Parameter->getArgNo()), Context->Caller);
  if (Memory.Space == GMPROF_SPACE_GENERIC || Memory.Space == Passed.Space)
    return Passed;
  return Memory;
}

void MoveFinder::add(Origins &Found, PointsTo Memory) {
  if (Memory.Space == GMPROF_SPACE_PARAM)
    return;
  if (Memory.Space != GMPROF_SPACE_GLOBAL && Memory.Space != GMPROF_SPACE_SHARED) {
    Found.Changed = true;
  } else if (!Found.Memory) {
    Found.Memory = Memory;
  } else if (Found.Memory->Space != Memory.Space) {
    Found.Changed = true;
  } else if (Found.Memory->Base != Memory.Base) {
    Found.Memory->Base = nullptr;
  }
}

MoveFinder::Origins MoveFinder::originsOf(const Value *V, const Frame *Context) {
  Origins Found;
  SmallVector<Step, 8> Worklist{{V, Context}};
  SmallDenseSet<Step, 16> Visited;
  SmallVector<Step, 4> Next;
  while (!Worklist.empty() && !Found.Changed) {
    const Step From = Worklist.pop_back_val();
    if (!Visited.insert(From).second)
      continue;
    Next.clear();
    follow(From, Next, Found);
    append_range(Worklist, Next);
  }
  return Found;
}

void MoveFinder::follow(Step From, SmallVectorImpl<Step> &Next, Origins &Found) {
  using namespace PatternMatch;
  const auto [V, Context] = From;
  const auto Push = [&, Context = Context](const Value *Operand) {
    Next.push_back({Operand, Context});
  };
  if (isa<Constant>(V))
    return;
  if (auto *Parameter = dyn_cast<Argument>(V)) {
    if (Context)
      Next.push_back({Context->Call->getArgOperand(Parameter->getArgNo()), Context->Caller});
    else
      Found.Changed |= !isKernel(*Parameter->getParent());
    return;
  }
  if (auto *Load = dyn_cast<LoadInst>(V)) {
    Found.Loads.push_back(const_cast<LoadInst *>(Load));
    return add(Found, memoryOf(Load->getPointerOperand(), Context));
  }
  if (auto *Call = dyn_cast<CallBase>(V))
    return followCall(*Call, Context, Next, Found);
  const auto *I = dyn_cast<Instruction>(V);
  if (!I) {
    Found.Changed = true;
    return;
  }
  switch (I->getOpcode()) {
  case Instruction::PHI:
  case Instruction::InsertValue:
  case Instruction::ShuffleVector:
    for (const Value *Operand : I->operands())
      Push(Operand);
    return;
  case Instruction::Select:
    Push(I->getOperand(1));
    Push(I->getOperand(2));
    return;
  case Instruction::InsertElement:
    Push(I->getOperand(0));
    Push(I->getOperand(1));
    return;
  case Instruction::ExtractElement: {
    auto *Index = dyn_cast<ConstantInt>(I->getOperand(1));
    const Value *Element =
        Index ? findScalarElement(I->getOperand(0), Index->getLimitedValue(UINT32_MAX)) : nullptr;
    return Push(Element && Element != V ? Element : I->getOperand(0));
  }
  case Instruction::ExtractValue: {
    const Value *Member =
        FindInsertedValue(I->getOperand(0), cast<ExtractValueInst>(I)->getIndices());
    return Push(Member && Member != V ? Member : I->getOperand(0));
  }
  case Instruction::Trunc: {
    const Value *Whole = nullptr;
    const APInt *Shift = nullptr;
    if (match(I->getOperand(0), m_LShr(m_Value(Whole), m_APInt(Shift))) && Shift->urem(8) == 0)
      return Push(Whole);
    return Push(I->getOperand(0));
  }
  case Instruction::Freeze:
  case Instruction::BitCast:
  case Instruction::AddrSpaceCast:
  case Instruction::PtrToInt:
  case Instruction::IntToPtr:
  case Instruction::ZExt:
  case Instruction::SExt:
  case Instruction::FPExt:
    return Push(I->getOperand(0));
  default:
    Found.Changed = true;
  }
}

void MoveFinder::followCall(const CallBase &Call, const Frame *Context, SmallVectorImpl<Step> &Next,
                            Origins &Found) {
  switch (Call.getIntrinsicID()) {
  case Intrinsic::nvvm_ldu_global_i:
  case Intrinsic::nvvm_ldu_global_f:
  case Intrinsic::nvvm_ldu_global_p:
    return add(Found, {GMPROF_SPACE_GLOBAL, memoryOf(Call.getArgOperand(0), Context).Base});
  case Intrinsic::not_intrinsic:
    break;
  default:
    if (Call.getCalledFunction()->getName().starts_with("llvm.nvvm.shfl.sync.")) {
      Next.push_back({Call.getArgOperand(1), Context});
      return;
    }
    Found.Changed = true;
    return;
  }
  const Frame *Inside = enter(Call, Context);
  if (!Inside) {
    Found.Changed = true;
    return;
  }
  for (const BasicBlock &BB : *Call.getCalledFunction())
    if (auto *Return = dyn_cast<ReturnInst>(BB.getTerminator()); Return && Return->getReturnValue())
      Next.push_back({Return->getReturnValue(), Inside});
}

void MoveFinder::record(Instruction &I, unsigned Bytes, PointsTo From, PointsTo To,
                        ArrayRef<Instruction *> Reads, const Frame *Context) {
  Move M;
  if (From.Space == GMPROF_SPACE_GLOBAL && To.Space == GMPROF_SPACE_SHARED)
    M.What = Move::Begin;
  else if (From.Space == GMPROF_SPACE_SHARED && To.Space == GMPROF_SPACE_GLOBAL)
    M.What = Move::End;
  else
    return;
  M.Inst = &I;
  if (M.What == Move::End)
    M.Reads.assign(Reads.begin(), Reads.end());
  for (const Frame *F = Context; F; F = F->Caller)
    M.Call = F->Call;
  M.Bytes = Bytes;
  const int FromVariable = Variables.indexOf(From.Base), ToVariable = Variables.indexOf(To.Base);
  Variables.noteAccess(FromVariable, Bytes);
  Variables.noteAccess(ToVariable, Bytes);
  M.Shared = M.What == Move::Begin ? ToVariable : FromVariable;
  M.Global = M.What == Move::Begin ? FromVariable : ToVariable;
  Result.Moves.push_back(M);
}

void MoveFinder::visitStore(StoreInst &Store, const Frame *Context) {
  const PointsTo To = memoryOf(Store.getPointerOperand(), Context);
  if (To.Space != GMPROF_SPACE_GLOBAL && To.Space != GMPROF_SPACE_SHARED)
    return;
  const Origins From = originsOf(Store.getValueOperand(), Context);
  if (From.Changed || !From.Memory)
    return;
  const unsigned Bytes = Store.getDataLayout().getTypeStoreSize(Store.getValueOperand()->getType());
  record(Store, Bytes, *From.Memory, To, From.Loads, Context);
}

/// Visits an instruction that copies from memory to memory.
void MoveFinder::visitCopy(Instruction &I, const Frame *Context) {
  const Access *From = nullptr, *To = nullptr;
  const InstructionEffects Effects = memoryEffects(I);
  for (const Access &A : Effects.Accesses) {
    if (A.Kind == GMPROF_ACCESS_COPY_FROM || A.Kind == GMPROF_ACCESS_ASYNC_FROM)
      From = &A;
    else if (A.Kind == GMPROF_ACCESS_COPY_TO || A.Kind == GMPROF_ACCESS_ASYNC_TO)
      To = &A;
  }
  if (!From || !To)
    return;
  // The instruction may name the space more precisely than the pointer.
  const auto Memory = [&](const Access &A) {
    PointsTo Result = memoryOf(A.Pointer, Context);
    return A.Space == GMPROF_SPACE_GENERIC ? Result : PointsTo{A.Space, Result.Base};
  };
  record(I, To->Bytes, Memory(*From), Memory(*To), &I, Context);
}

void MoveFinder::visit(Function &F, const Frame *Context) {
  for (BasicBlock *BB : ReversePostOrderTraversal<Function *>(&F)) {
    for (Instruction &I : *BB) {
      if (auto *Store = dyn_cast<StoreInst>(&I)) {
        visitStore(*Store, Context);
      } else if (auto *Call = dyn_cast<CallBase>(&I)) {
        if (const Frame *Inside = enter(*Call, Context))
          visit(*Call->getCalledFunction(), Inside);
        else if (isCallOfDefinition(*Call))
          ++Result.CallsNotFollowed;
        else
          visitCopy(I, Context);
      }
    }
  }
}

} // namespace

LiveRanges gmprof::findLiveRanges(Function &F) {
  LiveRanges Result;
  if (F.isDeclaration())
    return Result;
  MoveFinder Finder(Result);
  Finder.visit(F, nullptr);
  Finder.finish();
  return Result;
}

namespace {

/// An instruction where a path starts or ends, and the variable it concerns.
struct Point {
  const Instruction *Inst;
  const Value *Variable; ///< null: unknown
  bool mayMeet(const Point &Other) const {
    return !Variable || !Other.Variable || Variable == Other.Variable ||
           (isDynamicSharedMemory(Variable) && isDynamicSharedMemory(Other.Variable));
  }
};

} // namespace

bool gmprof::mayHaveSeveralRanges(const LiveRanges &Ranges, Function &F,
                                  FunctionAnalysisManager &FAM) {
  const auto Base = [](ArrayRef<Variable> Variables, int Index) {
    return Index < 0 ? nullptr : Variables[Index].Base;
  };
  SmallVector<Point, 8> Begins, Ends;
  SmallPtrSet<const Instruction *, 8> BeginInsts;
  for (const Move &M : Ranges.Moves) {
    if (M.Call)
      return true;
    if (M.What == Move::Begin) {
      Begins.push_back({M.Inst, Base(Ranges.Variables, M.Shared)});
      BeginInsts.insert(M.Inst);
    } else {
      for (const Instruction *Read : M.Reads) {
        if (Read->getFunction() != &F)
          return true;
        Ends.push_back({Read, Base(Ranges.Variables, M.Shared)});
      }
    }
  }
  if (Begins.empty() && Ends.empty())
    return false;

  SmallVector<Point, 32> Accesses, Writes;
  const AccessInfo &Info = FAM.getResult<AccessAnalysis>(F);
  for (const Access &A : Info.accesses()) {
    if (areDisjoint(A.Space, GMPROF_SPACE_SHARED))
      continue;
    const Point P{A.Inst, Base(Info.variables(), A.Variable)};
    if (!BeginInsts.contains(A.Inst))
      Accesses.push_back(P);
    if (A.Writes)
      Writes.push_back(P);
  }
  for (const Instruction &I : instructions(F))
    if (auto *Call = dyn_cast<CallBase>(&I);
        Call && Call->getCalledFunction() && !Call->getCalledFunction()->isIntrinsic()) {
      Accesses.push_back({&I, nullptr});
      Writes.push_back({&I, nullptr});
    }

  // Answers yes if there are too many paths: a wrong yes costs little.
  constexpr size_t MaxPaths = 1 << 16;
  if (Begins.size() * Accesses.size() + Ends.size() * Writes.size() > MaxPaths)
    return true;
  const auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  const auto &LI = FAM.getResult<LoopAnalysis>(F);
  const auto AnyLeads = [&](ArrayRef<Point> From, ArrayRef<Point> To) {
    return any_of(From, [&](const Point &A) {
      return any_of(To, [&](const Point &B) {
        return A.mayMeet(B) && isPotentiallyReachable(A.Inst, B.Inst, nullptr, &DT, &LI) &&
               (A.Inst != B.Inst || LI.getLoopFor(A.Inst->getParent()));
      });
    });
  };
  return AnyLeads(Accesses, Begins) || AnyLeads(Ends, Writes);
}

PreservedAnalyses LiveRangePrinterPass::run(Function &F, FunctionAnalysisManager &FAM) {
  const LiveRanges Ranges = findLiveRanges(F);
  const auto Name = [&](int Variable) {
    return Variable < 0 ? StringRef("-") : StringRef(Ranges.Variables[Variable].Name);
  };
  OS << "live ranges of " << F.getName() << ": " << Ranges.Moves.size();
  if (Ranges.CallsNotFollowed)
    OS << ", calls not followed: " << Ranges.CallsNotFollowed;
  OS << '\n';
  for (const Move &M : Ranges.Moves) {
    const bool Begins = M.What == Move::Begin;
    OS << "  ";
    printLocation(OS, *M.Inst);
    OS << (Begins ? " begin " : " end ") << Name(M.Shared) << ' ';
    if (M.Bytes)
      OS << M.Bytes;
    else
      OS << '?';
    OS << (Begins ? " from " : " to ") << Name(M.Global);
    if (M.Call) {
      OS << " called=";
      printLocation(OS, *M.Call);
    }
    OS << '\n';
  }
  if (mayHaveSeveralRanges(Ranges, F, FAM))
    OS << "  several ranges per block\n";
  return PreservedAnalyses::all();
}
