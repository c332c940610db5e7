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

#ifndef GMPROF_PASS_UPDATES_H
#define GMPROF_PASS_UPDATES_H

#include "Clone.h"
#include "static-analysis/Accesses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/IRBuilder.h"

namespace gmprof {

struct Update {
  llvm::Instruction *Before = nullptr; ///< where
  llvm::DebugLoc Location;             ///< of the access
  llvm::Value *Pointer = nullptr;
  int64_t Displacement = 0;
  GmprofSpace Space = GMPROF_SPACE_SHARED; ///< or generic
  unsigned Bytes = 0;                      ///< 0: Length
  llvm::Value *Length = nullptr;
  llvm::Align Alignment;
  llvm::Value *Predicate = nullptr;
  bool PredicateInverted = false;
  unsigned Lanes = 32;
  std::optional<WarpTile> Tile;

  /// How often: Count, times Times (of any integer type) if there is one.
  llvm::Value *Times = nullptr;
  unsigned Count = 1;
  enum By {
    EachThread,
    EachThreadAtomically, ///< all have the same address
    FirstThread,          ///< for all threads of the block
    ActiveLanes,          ///< all have the same address: one counts for those here
  } By = EachThread;
};

class Updates {
public:
  /// The update for one execution of an access, by each thread.
  static Update of(const Access &A);

  /// Adds an update right after the access. It may be moved to where the block
  /// ends or other threads may be waited for, so that it is out of the way of
  /// the program's own accesses.
  void addAfter(const Access &A, Update U);
  void add(const Update &U);

  void emit(const Clone &C, Hooks &H);

private:
  using Key = std::tuple<llvm::Instruction *, llvm::Value *, int64_t, unsigned, llvm::Value *,
                         llvm::Value *, llvm::Value *, int>;
  llvm::MapVector<Key, Update> Planned;
  llvm::SmallVector<Update, 0> Tiles;
};

} // namespace gmprof

#endif // GMPROF_PASS_UPDATES_H
