//===- Updates.h - Additions to counters, planned and emitted ---*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rules plan updates while the analyses of the clone are valid; all are emitted
// together afterwards. Updates of the same words at the same point become one.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_RULES_UPDATES_H
#define GMPROF_PASS_RULES_UPDATES_H

#include "pass/rules/CountingClone.h"
#include "static-analysis/Accesses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/IRBuilder.h"

namespace gmprof {

/// Returns the counter of an access, for profiles that count kinds of accesses separately.
inline GmprofCounterKind counterOf(const Access &A) {
  return isAtomic(A.Kind) ? GMPROF_COUNTER_ATOMICS
         : A.Writes       ? GMPROF_COUNTER_WRITES
                          : GMPROF_COUNTER_READS;
}

/// An access and its recorded properties.
struct Update {
  llvm::Instruction *Before = nullptr; ///< where
  llvm::DebugLoc Location;             ///< of the access
  llvm::Value *Pointer = nullptr;
  int64_t Displacement = 0;
  GmprofSpace Space = GMPROF_SPACE_SHARED; ///< or the cluster's, or global, or generic
  unsigned Bytes = 0;                      ///< 0: Length
  llvm::Value *Length = nullptr;
  bool IsBulk = false;
  llvm::Align Alignment;
  /// Global memory only: the counter, and the root to search first.
  GmprofCounterKind Counter = GMPROF_COUNTER_READS;
  std::optional<unsigned> Root;
  /// If not 0, each thread makes a sweep of Times accesses, the first one at Pointer.
  int64_t Stride = 0;
  llvm::Value *Predicate = nullptr;
  bool PredicateInverted = false;
  unsigned Lanes = 32;
  /// Iterations of its loop that one access of Bytes stands for. It is made in the iteration whose
  /// address is a multiple of Bytes.
  unsigned Iterations = 1;
  std::optional<WarpTile> Tile;

  /// The number of accesses: Count, multiplied by Times (of any integer type) if it is not null.
  llvm::Value *Times = nullptr;
  unsigned Count = 1;
  enum By {
    EachThread,
    EachThreadAtomically, ///< all have the same address
    FirstThread,          ///< for all threads of the block
    ActiveLanes,          ///< all have the same address: one counts for those here
  } By = EachThread;

  /// A boundary of live ranges (RangeRule.h).
  enum Range { NoRange, RangeBegin, RangeStore, RangeEnd } AtRange = NoRange;
  unsigned RangeVariable = GMPROF_NONE; ///< number in Clone::RangeVariables
};

/// Returns whether an update must not be moved across I: threads may wait for others in it, or end.
bool endsStretch(const llvm::Instruction &I);

/// Emits one update.
using EmitUpdate = void (*)(const CountingClone &C, Hooks &H, const Update &U);

class Updates {
public:
  /// Returns the update for one execution of an access, by each thread.
  static Update of(const Access &A);

  /// Adds an update right after the access. It may be moved to the end of the block, or to where
  /// threads may wait for others, so that it does not separate the program's own accesses.
  void addAfter(const Access &A, Update U);
  llvm::Instruction *placeAfter(const Access &A) const;
  /// Keeps updates where the accesses are.
  void keepInPlace() { InPlace = true; }
  void add(const Update &U);

  bool empty() const { return Planned.empty() && Tiles.empty(); }
  void emit(const CountingClone &C, Hooks &H, EmitUpdate Emit) const;

private:
  using Key = std::tuple<llvm::Instruction *, llvm::Value *, int64_t, unsigned, llvm::Value *,
                         llvm::Value *, llvm::Value *, int64_t, int>;
  llvm::MapVector<Key, Update> Planned;
  bool InPlace = false;
  llvm::SmallVector<Update, 0> Tiles;
};

/// Emits the code that records an access, at the access's place.
class AccessEmitter {
public:
  AccessEmitter(const Clone &C, Hooks &H, const Update &U);

protected:
  const Clone &C;
  Hooks &H;
  const Update &U;
  llvm::IRBuilder<> B;

  llvm::Value *genericPointer();
  /// Returns whether the memory may belong to another block of the cluster.
  bool mayBeOfOtherBlock() const;
  /// Returns the address of the update's memory as a number. Pointer is a pointer or a number.
  llvm::Value *addressOf(llvm::Value *Pointer, llvm::Type *Int);
  /// Branches on whether the memory is global, and returns the address.
  llvm::Value *branchOnGlobal();
  /// Returns IsInSpace, if it is not null, and the access's own conditions; null: there are none.
  llvm::Value *conditions(llvm::Value *IsInSpace);
  /// Branches on these conditions and on Also, which may be null: the builder is where they hold.
  void branchOn(llvm::Value *IsInSpace, llvm::Value *Also = nullptr);
  llvm::Value *tileStride(); ///< bytes
  /// Returns the arguments of hooks that split a tile into requests (runtime/device/Pieces.h).
  llvm::SmallVector<llvm::Value *, 8> tileArguments(const TileLanes &By);
};

/// Emits an addition to counters.
class UpdateEmitter : public AccessEmitter {
public:
  UpdateEmitter(const CountingClone &C, Hooks &H, const Update &U) : AccessEmitter(C, H, U), C(C) {}

protected:
  const CountingClone &C;

  /// Calls a counting hook with the clone's counters and these arguments.
  void hook(const llvm::Twine &Name, llvm::ArrayRef<llvm::Value *> Arguments);
  /// Branches on all conditions of the update: the builder is where they hold.
  void branchOn(llvm::Value *IsInSpace);
  llvm::Value *times();
};

} // namespace gmprof

#endif // GMPROF_PASS_RULES_UPDATES_H
