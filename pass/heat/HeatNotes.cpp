//===- HeatNotes.cpp - Clones that record requests ------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/heat/HeatNotes.h"

#include "pass/core/Hooks.h"
#include "pass/core/OtherBlocks.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"
#include <map>

using namespace llvm;
using namespace gmprof;

static constexpr unsigned LastPlace = GMPROF_HEAT_PLACES - 1;

/// Returns the places of a kernel's sites, as heatPlaces() in runtime/profile numbers them.
static SmallVector<unsigned, 0> places(const FunctionSites &Kernel) {
  std::map<std::pair<std::string, unsigned>, unsigned> Numbers;
  SmallVector<unsigned, 0> Places;
  for (const Site &S : Kernel.Sites) {
    const unsigned Next = Numbers.size();
    const unsigned Number = Numbers.try_emplace({S.Source.File, S.Source.Line}, Next).first->second;
    Places.push_back(std::min(Number, LastPlace));
  }
  return Places;
}

static HeatFormSite heatForm(const HeatNote &N, unsigned Site, const Access &A,
                             const SymbolicForm &Form) {
  HeatFormSite F;
  F.Site = Site;
  F.Variable = Form.Variable;
  for (auto [Number, Loop] : enumerate(Form.Loops))
    F.Loops |= (Loop ? 1u : 0u) << Number;
  // The displacement of the access is part of the form's address already.
  F.Offset = N.What.Displacement - A.Displacement;
  F.Bytes = N.What.Bytes / N.What.Iterations;
  F.PieceBytes =
      pieceBytes(N.What, A.Space == GMPROF_SPACE_SHARED ? N.WidestSharedPiece : N.WidestPiece);
  F.Form = Form.words();
  return F;
}

/// Returns whether each lane accesses one piece, in shared or global memory, and all lanes that
/// reach the block make the access. The load of an atomic stays apart from runs, whose accesses
/// have different addresses.
static bool isInOnePiece(const HeatNote &N) {
  const Update &U = N.What;
  const unsigned Widest = std::min(N.WidestPiece, N.WidestSharedPiece);
  return U.Bytes != 0 && pieceBytes(U, Widest) == U.Bytes && !U.Tile && !U.Predicate &&
         U.Lanes == 32 && U.Iterations == 1 && !N.IsLoadOfAtomic;
}

/// Finds the sweep that an access belongs to, if each of its steps is one access of the hardware.
/// Lanes check once in which memory a generic object is. N already contains the displacement.
static void findSweep(HeatNote &N, Access A, const Sweeps &Swept,
                      const ThreadInvariance &Invariance) {
  if (!N.InOnePiece)
    return;
  if (A.Space == GMPROF_SPACE_GENERIC)
    A.Space = GMPROF_SPACE_GLOBAL;
  A.Displacement = 0;
  const char *Why = "";
  N.Swept = Swept.sweep(A, Why);
  if (N.Swept && !isInt<32>(N.Swept->Stride))
    N.Swept.reset();
  if (N.Swept)
    return;
  N.Partly = Swept.partialSweep(A, Invariance);
  if (N.Partly && !isInt<32>(N.Partly->Stride))
    N.Partly.reset();
}

HeatAccesses gmprof::heatAccesses(const Clone &C, const AccessInfo &Info,
                                  const FunctionSites &Sites, ArrayRef<Request> Requests,
                                  const ClosedForms *Described, const Sweeps *Swept,
                                  const ThreadInvariance *Invariance) {
  const SmallVector<unsigned, 0> Places = places(Sites);
  HeatAccesses Result;
  for (const Request &R : Requests) {
    const Access &A = Info.accesses()[R.Number];
    HeatNote N(R);
    N.Place = C.IsKernel ? Places[R.Number] : LastPlace;
    N.InOnePiece = isInOnePiece(N);
    N.IsOfTable = isOfCompilerTable(A, Sites);
    const char *Why = "";
    if (Described && !N.IsOfTable)
      if (auto Form = Described->closedForm(A, Info.variables(), Why)) {
        Result.Forms.push_back(heatForm(N, R.Number, A, *Form));
        continue;
      }
    if (Swept)
      findSweep(N, A, *Swept, *Invariance);
    Result.Notes.push_back(std::move(N));
  }
  return Result;
}

Instruction *gmprof::lastOf(const HeatNote &N) {
  return N.Swept ? N.Swept->L->getLoopPreheader()->getTerminator() : N.Last;
}

void gmprof::expandSweeps(MutableArrayRef<HeatNote> Notes, ScalarEvolution &SE) {
  for (HeatNote &N : Notes) {
    if (!N.Swept)
      continue;
    Update &U = N.What;
    U.Before = lastOf(N);
    SCEVExpander Expander(SE, "gm");
    U.Pointer = Expander.expandCodeFor(N.Swept->Start, U.Pointer->getType(), U.Before);
    U.Times = Expander.expandCodeFor(N.Swept->tripCount(SE), nullptr, U.Before);
    U.Stride = N.Swept->Stride;
  }
}

/// Returns whether lanes check at run time in which memory an access is.
static bool isFoundOut(GmprofSpace Space) {
  return Space == GMPROF_SPACE_GENERIC || Space == GMPROF_SPACE_SHARED_CLUSTER;
}

namespace {

/// Moves the builder and keeps its location: the instruction may have none.
void moveTo(IRBuilder<> &B, Instruction *Before) {
  const DebugLoc Location = B.getCurrentDebugLocation();
  B.SetInsertPoint(Before);
  B.SetCurrentDebugLocation(Location);
}

/// A record that lanes append for one or more requests.
struct Row {
  bool IsShared;
  Value *What, *Address;
  Value *TimesAndStep = nullptr, *Stride = nullptr; ///< of a loop; else null
  Value *Made = nullptr;                            ///< the iterations that make the access
  Value *Condition = nullptr;                       ///< set if only some of the lanes append it
  Value *ByLane = nullptr;                          ///< whether the memory of the lane is shared
  bool IsShort = false;                             ///< a loop with a short, known trip count
};

/// Iterations; a block records a longer loop in full.
constexpr unsigned LongestForBlock = 256;

/// Whether the lanes' objects are in shared or global memory, by the pointers to the objects.
struct Space {
  Value *IsShared = nullptr, *IsEither = nullptr; ///< shared or global
};
using Spaces = SmallDenseMap<Value *, Space, 4>;

/// The lanes that append rows with this condition (null: all lanes), which agree on whether the
/// memory is shared.
using LanesOf = SmallDenseMap<std::pair<Value *, Value *>, Value *, 4>;

class Emitter : public AccessEmitter {
public:
  Emitter(const RequestClone &C, Hooks &H, const HeatNote &N, PassedNotes &Passed)
      : AccessEmitter(C, H, N.What), C(C), N(N), Passed(Passed) {}

  void emitGlobal() { note("heat_global", /*IsShared=*/false, branchOnGlobal(), N.WidestPiece); }

  void emitShared() {
    Value *Pointer = U.Pointer, *IsShared = nullptr;
    if (isFoundOut(U.Space)) {
      Pointer = genericPointer();
      IsShared = B.CreateIntrinsic(Intrinsic::nvvm_isspacep_shared, {Pointer});
    }
    Value *Address = sharedAddress(Pointer);
    branchOn(IsShared);
    note("heat_shared", /*IsShared=*/true, Address, N.WidestSharedPiece);
  }

  /// Returns the row of a request in one piece.
  Row rowAt(Instruction *Before, Spaces &Known) {
    moveTo(B, Before);
    const bool IsShared = U.Space == GMPROF_SPACE_SHARED;
    Row R = isFoundOut(U.Space) ? rowOfEither(Known)
            : IsShared ? row(IsShared, sharedAddress(U.Pointer), N.WidestSharedPiece)
                       : row(IsShared, addressOf(U.Pointer, B.getInt64Ty()), N.WidestPiece);
    if (N.Condition)
      R.Condition = R.Condition ? B.CreateAnd(N.Condition, R.Condition) : N.Condition;
    return R;
  }

  /// Appends these records from the active lanes (Lanes; null: not known yet). Without room for
  /// them, one function, which gets them in local memory, appends or processes them: ptxas takes
  /// long for each call.
  void emit(ArrayRef<Row> Rows, Instruction *Before, Value *Lanes = nullptr) {
    moveTo(B, Before);
    if (!Lanes)
      Lanes = H.call(B, "active_lanes", {});
    unsigned Count = 0;
    for (const Row &R : Rows)
      Count += R.TimesAndStep ? 2 : 1;
    Value *HasRoom = H.call(B, "heat_has_room", {Lanes, C.Counters[2], B.getInt32(Count)});
    Instruction *Leave = nullptr, *Pass = nullptr;
    SplitBlockAndInsertIfThenElse(HasRoom, Before, &Leave, &Pass);
    byLanesOf(Rows, Lanes, Leave, [&](const Row &R, Value *Making) {
      if (R.Condition)
        moveTo(B, SplitBlockAndInsertIfThen(R.Condition, Leave, /*Unreachable=*/false));
      leave(R, Making);
    });
    Value *Memory = rowsInMemory(Count);
    unsigned Number = 0;
    byLanesOf(Rows, Lanes, Pass,
              [&](const Row &R, Value *Making) { storeRow(R, Making, Memory, Number); });
    moveTo(B, Pass);
    SmallVector<Value *, 8> Arguments = {Lanes, C.Counters[0], C.Counters[2]};
    if (!Passed.OnlyGlobal)
      Arguments.push_back(C.Counters[1]);
    Arguments.append({Memory, B.getInt32(Count), B.getInt32(LongestForBlock)});
    H.call(B, Passed.OnlyGlobal ? "heat_leave_global_rows" : "heat_leave_rows", Arguments);
  }

private:
  const RequestClone &C;
  const HeatNote &N;
  PassedNotes &Passed;

  /// Returns the row of memory that each lane checks.
  Row rowOfEither(Spaces &Known) {
    Value *Pointer = genericPointer();
    const Space S = spaceOf(Pointer, Known);
    Row R = row(/*IsShared=*/false, addressOf(Pointer, B.getInt64Ty()), N.WidestPiece);
    R.What = B.CreateOr(
        R.What, B.CreateSelect(S.IsShared, B.getInt32(GMPROF_REQUEST_IS_SHARED), B.getInt32(0)));
    Value *Shared = B.CreateZExt(sharedAddress(Pointer), B.getInt64Ty());
    R.Address = B.CreateSelect(S.IsShared, Shared, R.Address);
    R.Condition = S.IsEither;
    R.ByLane = S.IsShared;
    return R;
  }

  /// Returns the memory of a pointer: all of an object is in one space.
  Space spaceOf(Value *Pointer, Spaces &Known) {
    Value *Object = getUnderlyingObject(Pointer, /*MaxLookup=*/0);
    if (!isa<Instruction, Argument>(Object) || Object->getType() != Pointer->getType())
      Object = Pointer;
    Space &S = Known[Object];
    if (!S.IsShared) {
      S.IsShared = B.CreateIntrinsic(Intrinsic::nvvm_isspacep_shared, {Object});
      S.IsEither =
          B.CreateOr(S.IsShared, B.CreateIntrinsic(Intrinsic::nvvm_isspacep_global, {Object}));
    }
    return S;
  }

  /// Calls Emit for each row, with the lanes that the row belongs to.
  void byLanesOf(ArrayRef<Row> Rows, Value *Lanes, Instruction *Before,
                 function_ref<void(const Row &, Value *)> Emit) {
    LanesOf Known;
    for (const Row &R : Rows) {
      moveTo(B, Before);
      Value *&Making = Known[{R.Condition, R.ByLane}];
      if (!Making)
        Making = lanesOf(R, Lanes);
      Emit(R, Making);
    }
  }

  Value *lanesOf(const Row &R, Value *Lanes) {
    if (R.ByLane)
      return H.call(B, "lanes_alike", {Lanes, R.Condition, R.ByLane});
    return R.Condition ? H.call(B, "lanes_where", {Lanes, R.Condition}) : Lanes;
  }

  void leave(const Row &R, Value *Lanes) {
    if (!R.TimesAndStep) {
      H.call(B, "heat_leave", {C.Counters[2], Lanes, R.What, R.Address});
      return;
    }
    H.call(B, "heat_leave_loop",
           {C.Counters[2], Lanes, R.What, R.Address, R.TimesAndStep, R.Stride, R.Made});
    if (!R.IsShort)
      H.call(B, "heat_share_loop",
             {C.Counters[0], C.Counters[2], Lanes, R.TimesAndStep, B.getInt32(LongestForBlock)});
  }

  /// Returns local memory for Count rows.
  Value *rowsInMemory(unsigned Count) {
    if (!Passed.Rows) {
      BasicBlock &Entry = C.F->getEntryBlock();
      IRBuilder<> AtEntry(&Entry, Entry.begin());
      Passed.Rows = AtEntry.CreateAlloca(B.getInt64Ty(), B.getInt32(0), "gm.rows");
      Passed.Rows->setAlignment(Align(sizeof(GmprofRequest)));
    }
    const uint64_t Words = Count * sizeof(GmprofRequest) / sizeof(gmprof_u64);
    if (cast<ConstantInt>(Passed.Rows->getArraySize())->getValue().ult(Words))
      Passed.Rows->setOperand(0, B.getInt32(Words));
    return Passed.Rows;
  }

  /// Stores a row, as heat_leave does, with no lanes from a lane that does not append it.
  void storeRow(const Row &R, Value *Lanes, Value *Memory, unsigned &Number) {
    Value *Mine = R.Condition ? B.CreateSelect(R.Condition, Lanes, B.getInt32(0)) : Lanes;
    Value *What = B.CreateZExt(R.What, B.getInt64Ty());
    if (R.TimesAndStep)
      What = B.CreateOr(What, B.getInt64(GMPROF_REQUEST_IS_LOOP));
    const auto Store = [&](Value *Address, Value *Low, Value *High) {
      Value *Word = B.CreateOr(B.CreateZExt(Low, B.getInt64Ty()), B.CreateShl(High, 32));
      for (Value *Each : {B.CreateZExtOrTrunc(Address, B.getInt64Ty()), Word})
        B.CreateStore(Each, B.CreateConstInBoundsGEP1_64(B.getInt64Ty(), Memory, Number++));
    };
    Store(R.Address, Mine, What);
    if (R.TimesAndStep)
      Store(R.TimesAndStep, R.Made, B.CreateZExt(R.Stride, B.getInt64Ty()));
  }

  Value *sharedAddress(Value *Pointer) {
    if (auto *Type = dyn_cast<PointerType>(Pointer->getType()); Type && !Type->getAddressSpace())
      Pointer = B.CreateAddrSpaceCast(Pointer, PointerType::get(B.getContext(), 3));
    return addressOf(Pointer, B.getInt32Ty());
  }

  /// Returns GmprofRequest::what.
  Value *what(unsigned Bytes, bool IsShared) {
    const unsigned Kind = N.IsOfTable ? GMPROF_COUNTER_KINDS : U.Counter;
    return withSite(B, C, H, N,
                    N.Place << GMPROF_REQUEST_PLACE_SHIFT | Kind << GMPROF_REQUEST_KIND_SHIFT |
                        Log2_32(Bytes) << GMPROF_REQUEST_BYTES_SHIFT |
                        (IsShared ? GMPROF_REQUEST_IS_SHARED : 0));
  }

  Row row(bool IsShared, Value *Address, unsigned Widest) {
    Row R = {IsShared, what(pieceBytes(U, Widest), IsShared), Address};
    if (U.Times) {
      Value *Step = B.getInt64(uint64_t(N.SiteStep) << GMPROF_REQUEST_LOOP_STEP_SHIFT);
      R.TimesAndStep = B.CreateOr(U.Times, Step);
      R.Stride = B.getInt32(static_cast<uint32_t>(U.Stride));
      R.Made = N.Made ? N.Made : B.getInt32(GMPROF_ALL_ITERATIONS);
      const auto *Times = dyn_cast<ConstantInt>(U.Times);
      R.IsShort = Times && Times->getValue().ule(LongestForBlock);
    }
    return R;
  }

  void note(const Twine &Hook, bool IsShared, Value *Address, unsigned Widest) {
    if (!U.Tile && U.Bytes == pieceBytes(U, Widest)) {
      emit(row(IsShared, Address, Widest), &*B.GetInsertPoint());
      return;
    }
    SmallVector<Value *, 8> Arguments = {H.call(B, "active_lanes", {}), C.Counters[0]};
    if (IsShared)
      Arguments.push_back(C.Counters[1]);
    const unsigned Bytes = U.Tile ? U.Tile->lanes(IsShared).Bytes : pieceBytes(U, Widest);
    Arguments.append({what(Bytes, IsShared), Address});
    if (U.Tile) {
      append_range(Arguments, tileArguments(U.Tile->lanes(IsShared)));
      H.call(B, Hook + "_tile", Arguments);
    } else {
      Arguments.push_back(U.Bytes ? B.getInt64(U.Bytes) : U.Length);
      H.call(B, Hook + "_range", Arguments);
    }
  }
};

} // namespace

static void emitAlone(const RequestClone &C, Hooks &H, const HeatNote &N, PassedNotes &Passed) {
  const GmprofSpace Space = N.What.Space;
  if (Space == GMPROF_SPACE_GLOBAL || Space == GMPROF_SPACE_GENERIC)
    Emitter(C, H, N, Passed).emitGlobal();
  if (Space != GMPROF_SPACE_GLOBAL)
    Emitter(C, H, N, Passed).emitShared();
}

/// Returns whether any of the records is this lane's; null if one belongs to all lanes.
static Value *anyOf(ArrayRef<HeatNote *> Notes, Instruction *Before) {
  IRBuilder<> B(Before);
  Value *Any = nullptr;
  for (const HeatNote *N : Notes) {
    if (!N->Condition && !N->Made)
      return nullptr;
    Value *IsMade = N->Made ? B.CreateIsNotNull(N->Made) : N->Condition;
    Any = Any ? B.CreateOr(Any, IsMade) : IsMade;
  }
  return Any;
}

/// Emits the notes of a group. Lanes: those that are active; null: not known yet.
static void emitTogether(const RequestClone &C, Hooks &H, const NoteGroup &Group,
                         PassedNotes &Passed, Value *Lanes) {
  SmallVector<Row, 8> Rows;
  Spaces Known;
  Instruction *Before = Group.Before;
  if (Value *Any = anyOf(Group.Notes, Before)) {
    Before = SplitBlockAndInsertIfThen(Any, Before, /*Unreachable=*/false);
    Lanes = nullptr;
  }
  for (const HeatNote *N : Group.Notes)
    Rows.push_back(Emitter(C, H, *N, Passed).rowAt(Before, Known));
  Emitter(C, H, *Group.Notes.back(), Passed).emit(Rows, Before, Lanes);
}

namespace {

class OtherBlockCounter : public AccessEmitter {
public:
  using AccessEmitter::AccessEmitter;

  void emit() {
    if (mayBeOfOtherBlock())
      H.call(B, "heat_other_block",
             {C.Counters[0], conditions(isOfOtherBlock(B, genericPointer()))});
  }
};

} // namespace

void gmprof::countOtherBlocks(const Clone &C, Hooks &H, ArrayRef<Access> Accesses) {
  for (const Access &A : Accesses) {
    Update U = Updates::of(A);
    U.Before = A.Inst;
    OtherBlockCounter(C, H, U).emit();
  }
}

void gmprof::emitHeat(const RequestClone &C, Hooks &H, ArrayRef<NoteGroup> Groups,
                      PassedNotes &Passed) {
  for (const NoteGroup &Group : Groups) {
    const auto Emit = [&](Value *Lanes) {
      if (Group.Before)
        emitTogether(C, H, Group, Passed, Lanes);
      else
        emitAlone(C, H, *Group.Notes.front(), Passed);
    };
    if (any_of(Group.Notes,
               [](const HeatNote *N) { return N->Condition || N->Made || mayDifferByLane(*N); }))
      emitAndMeet(H, Group.Before ? Group.Before : Group.Notes.front()->What.Before, Emit);
    else
      Emit(nullptr);
  }
}
