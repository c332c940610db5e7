//===- ObjectAccesses.h - Counted accesses to an object ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Returns the accesses of kernels to the elements of one object: those that closed forms describe,
// as progressions, and those that counters have counted, as runs of elements.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_ELEMENTS_OBJECTACCESSES_H
#define GMPROF_ANALYSIS_ELEMENTS_OBJECTACCESSES_H

#include "analysis/elements/CountedLaunches.h"
#include "analysis/elements/ElementSet.h"
#include "profile/CompressedCounts.h"

namespace gmprof::analysis {

/// The most progressions and runs of elements that are held in memory for an object.
inline constexpr size_t MostProgressions = size_t(1) << 20;

/// Accesses that a closed form describes, and the bytes of each.
using FormAccess = std::pair<Progression, unsigned>;

/// Decompressed counts of elements of the object.
struct CountedRun {
  uint64_t First = 0; ///< in elements of the object
  unsigned Wider = 0; ///< counted elements are 2^Wider times as large as the object's
  ElementSums Counts;

  /// Calls Emit for the runs of accessed elements, in order.
  template <typename Callable> void forEachRun(const Callable &Emit) const {
    Counts.Sums.forEachTouched([&](size_t Begin, size_t End) {
      Emit(ElementRun{First + (Begin << Wider), (End - Begin) << Wider});
    });
  }
};

/// A record of the object's counts, with a summary of its contents.
struct RecordUse {
  const profile::GlobalCounts *Of = nullptr;
  bool Damaged = false;
  uint64_t Runs = 0;           ///< number of runs of accessed elements
  std::vector<ElementRun> Few; ///< the runs, unless there are too many
};
using RecordUses = std::vector<const RecordUse *>;

class ObjectAccesses {
public:
  /// Object: index in ApiTrace::Objects. Threads: the most to use for one call.
  ObjectAccesses(const CountedLaunches &All, uint32_t Object, size_t Threads);

  const CountedLaunches &launches() const { return All; }
  const ObjectHistory &history() const { return All.history(); }
  uint32_t object() const { return Object; }
  uint64_t id() const { return Id; }
  size_t threads() const { return Threads; }
  /// Returns the logarithm of the bytes of an element, the smallest size among all kernels that
  /// access the object.
  unsigned shift() const { return Shift; }
  uint64_t elements() const { return Elements; }

  /// Returns the contexts whose launches may access the object, ascending.
  std::vector<uint32_t> contexts() const;
  bool mayAccess(const CountedContext &C) const;
  /// Returns true if launches of the context count these accesses to the object.
  bool isCounted(const profile::Site &S, const CountedContext &C) const;
  /// Returns true if launches of the context have counters for the object.
  bool counts(const CountedContext &C) const;
  /// Returns true if the records hold all counts of the context's launches.
  bool isWhole(const CountedContext &C, const RecordUses &Records) const;

  /// Calls Emit(Progression, Bytes) for the accesses by closed forms in one launch of the context.
  /// Calls setUnseen() if a form cannot be evaluated.
  template <typename Callable> void progressions(const CountedContext &C, const Callable &Emit) {
    for (const KernelForm &F : All.kernel(C).Forms) {
      if (!C.Of->ClosedForms || C.Of->Objects[F.Variable] != Id)
        continue;
      const bool Evaluated =
          forEachProgression(F.Form, formLaunch(*C.Of), [&](const Progression &From) {
            Progression Moved = From;
            Moved.Base += C.Of->Offsets[F.Variable];
            Emit(Moved, F.Bytes);
          });
      if (!Evaluated)
        setUnseen("a closed form could not be evaluated");
    }
  }

  const std::vector<RecordUse> &records() const { return Records; }
  /// Returns the records of a kernel's launches with this context number; 0: of any context.
  RecordUses records(uint32_t Kernel, uint64_t Context) const;
  /// Decompresses a record; returns nothing if it is damaged.
  std::optional<CountedRun> read(const profile::GlobalCounts &R) const;
  /// Adds the elements of all records to Set, and fills the rest of records().
  void readRecords(ElementSet &Set);

  /// Returns the elements that a copy or set accesses.
  ElementRun runOf(const profile::ApiAccess &A) const;

  /// Returns why accesses may be unobserved; empty: nothing is known to be. The last reason counts.
  const std::string &unseen() const { return Unseen; }
  void setUnseen(std::string Why) { Unseen = std::move(Why); }

private:
  unsigned smallestShift() const;
  /// Returns true if the object is accessed through the variable.
  bool isAccessedBy(const CountedContext &C, uint32_t Variable) const;

  const CountedLaunches &All;
  const uint32_t Object;
  const uint64_t Id;
  const size_t Threads;
  const unsigned Shift;
  const uint64_t Elements;
  std::vector<RecordUse> Records;
  std::string Unseen;
};

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_ELEMENTS_OBJECTACCESSES_H
