//===- CountedParts.h - Reads an object's counts by windows -----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An object's counts may exceed memory. They are read in windows of elements, and only the records
// that overlap the window are open at a time. A CountedParts reads consecutive windows; any number
// of them can read the same records, each from its own start.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_GLOBAL_COUNTEDPARTS_H
#define GMPROF_ANALYSIS_GLOBAL_COUNTEDPARTS_H

#include "profile/CompressedCounts.h"
#include "profile/ElementCounts.h"
#include "profile/Profile.h"
#include <algorithm>
#include <list>

namespace gmprof::analysis {

/// The count of a run of elements.
struct CountedAlike {
  uint64_t Sum = 0;
  bool Capped = false; ///< true if some counts reached the threshold
  uint64_t End = 0;    ///< first element after the run
};

/// A record of counts of an object.
struct CountedRecord {
  const profile::GlobalCounts *Of;
  double Scale;        ///< factor for the counts, defined by the caller of CountedRecords::add
  unsigned Wider;      ///< elements are 2^Wider times as large as the object's
  uint64_t First, End; ///< in elements of the object
};

/// A record with its decompressed counts.
struct CountedPart : CountedRecord {
  ElementSums Counts;

  /// Returns the run from E on that has E's count; E may lie outside of the part.
  CountedAlike from(uint64_t E) const;
};

/// Iterates over the runs of a part, including the gaps around it.
class PartRuns {
public:
  explicit PartRuns(const CountedPart &Of) : Of(&Of) {}
  double scale() const { return Of->Scale; }
  GmprofCounterKind kind() const { return Of->Of->Kind; }
  /// Returns the run from E on. E must not decrease between calls.
  const CountedAlike &from(uint64_t E) {
    if (Here.End <= E)
      Here = Of->from(E);
    return Here;
  }
  /// Returns the end of the single-element sums that contain E; E if there are none.
  uint64_t endOfSums(uint64_t E) const {
    return Of->Wider == 0 && Of->Counts.Capped.empty() && E >= Of->First && E < Of->End ? Of->End
                                                                                        : E;
  }
  /// Calls Emit for the values of these elements; see NarrowSums::forEachValue.
  template <typename Callable>
  void forEachSum(uint64_t First, uint64_t End, const Callable &Emit) const {
    Of->Counts.Sums.forEachValue(First - Of->First, End - Of->First, Emit);
  }

private:
  const CountedPart *Of;
  CountedAlike Here;
};

/// Iterates over the counts that closed forms yield for a window.
class FormRuns {
public:
  explicit FormRuns(std::vector<CountRun> Of) : Runs(std::move(Of)) {}

  uint64_t times() const { return At < Runs.size() ? Runs[At].Times : 0; }
  /// Returns the number of elements, at most Most, that have the current count.
  uint64_t equal(uint64_t Most) const {
    return At < Runs.size() ? std::min(Most, Runs[At].Elements - Passed) : Most;
  }
  /// Advances by Elements, which must not exceed equal().
  void pass(uint64_t Elements) {
    Passed += Elements;
    if (At < Runs.size() && Passed == Runs[At].Elements) {
      ++At;
      Passed = 0;
    }
  }

private:
  std::vector<CountRun> Runs;
  size_t At = 0;
  uint64_t Passed = 0; ///< elements of the current run
};

/// Finds the length of the run that all parts and forms count equally, and of the run that all
/// parts but one do.
class Alike {
public:
  /// Elements First to End - 1 at most.
  Alike(uint64_t First, uint64_t End) : First(First), ByAll(End), ByOthers(End) {}

  /// Ends the run of a part, or of the forms if By is null, at element At.
  void end(uint64_t At, PartRuns *By = nullptr) {
    ByOthers = std::min(ByOthers, std::max(At, ByAll));
    if (At < ByAll) {
      ByAll = At;
      Varying = By;
    }
  }
  uint64_t number() const { return ByAll - First; }
  /// Returns the only part that varies often while all others are constant for long; such elements
  /// are better processed by value than in order. Returns null if there is no such part.
  PartRuns *varying() const {
    constexpr uint64_t Few = 16, Many = 1024;
    return Varying && number() <= Few && numberByOthers() >= Many ? Varying : nullptr;
  }
  /// Returns the number of elements to process by value.
  uint64_t numberByOthers() const {
    constexpr uint64_t Most = 16384;
    return std::min(std::min(ByOthers, Varying->endOfSums(First)) - First, Most);
  }

private:
  uint64_t First;
  uint64_t ByAll, ByOthers;
  PartRuns *Varying = nullptr; ///< the only part that ends before ByOthers
};

/// All records of counts of one object.
class CountedRecords {
public:
  /// Prepares records of an object with this many elements of 2^Shift bytes.
  CountedRecords(uint64_t Elements, unsigned Shift) : Elements(Elements), Shift(Shift) {}

  /// Adds a record. Returns false if the object does not have its elements.
  bool add(const profile::GlobalCounts &R, double Scale = 1);
  /// Sorts the records; call after the last add().
  void sort();
  /// Records by first element.
  const std::vector<CountedRecord> &all() const { return Records; }
  /// Returns the index of the first record that may end behind element First.
  size_t endingBehind(uint64_t First) const;

private:
  const uint64_t Elements;
  const unsigned Shift;
  std::vector<CountedRecord> Records;
  std::vector<uint64_t> Ends; ///< largest end among the records up to each
};

class CountedParts {
public:
  /// Records must be sorted; windows start at element First.
  explicit CountedParts(const CountedRecords &Of, uint64_t First = 0)
      : Records(Of.all()), NotOpened(Of.endingBehind(First)) {}

  /// Opens the records of elements First to End - 1, and closes those that end before. Windows must
  /// be opened in order. Returns false if a record is damaged; it is ignored. Many parts of equal
  /// kind and scale are merged into one.
  bool open(uint64_t First, uint64_t End);
  const std::vector<const CountedPart *> &opened() const { return Seen; }

private:
  void joinAlike(uint64_t First, uint64_t End);

  const std::vector<CountedRecord> &Records;
  size_t NotOpened; ///< index of the first record that has not been opened
  std::list<CountedPart> Open;
  std::list<CountedPart> Joined; ///< for the current window
  std::vector<const CountedPart *> Seen;
};

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_GLOBAL_COUNTEDPARTS_H
