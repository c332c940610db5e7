//===- CountedParts.h - Counts of an object, window by window ---*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Objects may have more elements than this machine has memory for their counts. They are
// looked at in windows, and of the records of counts only those are read at a time that have
// part in the window. Windows that follow each other are read by one CountedParts; any number of
// these can read the same records, each from where its windows begin.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_COUNTEDPARTS_H
#define GMPROF_ANALYSIS_COUNTEDPARTS_H

#include "profile/CompressedCounts.h"
#include "profile/ElementCounts.h"
#include "profile/Profile.h"
#include <algorithm>
#include <list>

namespace gmprof::analysis {

/// Elements that a record counts alike.
struct CountedAlike {
  uint64_t Sum = 0;
  bool Capped = false; ///< some counts reached the threshold
  uint64_t End = 0;    ///< the first element behind them
};

/// A record of counts of an object.
struct CountedRecord {
  const profile::GlobalCounts *Of;
  double Scale;        ///< whoever adds it says what that is
  unsigned Wider;      ///< elements are 2^Wider times as large as the object's
  uint64_t First, End; ///< elements of the object
};

/// What it counts.
struct CountedPart : CountedRecord {
  ElementSums Counts;

  /// Those that are counted as element E is, which may be none of the part's, from there on.
  CountedAlike from(uint64_t E) const;
};

/// Goes through the elements of a part, and others.
class PartRuns {
public:
  explicit PartRuns(const CountedPart &Of) : Of(&Of) {}
  double scale() const { return Of->Scale; }
  GmprofCounterKind kind() const { return Of->Of->Kind; }
  /// E does not go back.
  const CountedAlike &from(uint64_t E) {
    if (Here.End <= E)
      Here = Of->from(E);
    return Here;
  }
  /// Up to where values are sums of single elements from E on; E if they are not.
  uint64_t endOfSums(uint64_t E) const {
    return Of->Wider == 0 && Of->Counts.Capped.empty() && E >= Of->First && E < Of->End ? Of->End
                                                                                        : E;
  }
  /// Of these elements: see NarrowSums.
  template <typename Callable>
  void forEachSum(uint64_t First, uint64_t End, const Callable &Emit) const {
    Of->Counts.Sums.forEachValue(First - Of->First, End - Of->First, Emit);
  }

private:
  const CountedPart *Of;
  CountedAlike Here;
};

/// Goes through the counts of closed forms in a window.
class FormRuns {
public:
  explicit FormRuns(std::vector<CountRun> Of) : Runs(std::move(Of)) {}

  uint64_t times() const { return At < Runs.size() ? Runs[At].Times : 0; }
  /// How many elements, Most at most, are accessed as often from here on.
  uint64_t equal(uint64_t Most) const {
    return At < Runs.size() ? std::min(Most, Runs[At].Elements - Passed) : Most;
  }
  /// Elements are not more than equal() says.
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
  uint64_t Passed = 0; ///< of the run
};

/// How far elements from one on are counted alike, by all parts and forms, or by all but one.
class Alike {
public:
  /// Elements First to End - 1 at most.
  Alike(uint64_t First, uint64_t End) : First(First), ByAll(End), ByOthers(End) {}

  /// They are so by one of these only up to there.
  void end(uint64_t At, PartRuns *By = nullptr) {
    ByOthers = std::min(ByOthers, std::max(At, ByAll));
    if (At < ByAll) {
      ByAll = At;
      Varying = By;
    }
  }
  uint64_t number() const { return ByAll - First; }
  /// The part that counts many elements each by itself, so that they are better looked at by values
  /// than in their order.
  PartRuns *varying() const {
    constexpr uint64_t Few = 16, Many = 1024;
    return Varying && number() <= Few && numberByOthers() >= Many ? Varying : nullptr;
  }
  /// For how many it does; then equal ones may follow.
  uint64_t numberByOthers() const {
    constexpr uint64_t Most = 16384;
    return std::min(std::min(ByOthers, Varying->endOfSums(First)) - First, Most);
  }

private:
  uint64_t First;
  uint64_t ByAll, ByOthers;
  PartRuns *Varying = nullptr; ///< that alone ends before ByOthers
};

/// All that there are of an object.
class CountedRecords {
public:
  /// Of an object with so many elements of 2^Shift bytes.
  CountedRecords(uint64_t Elements, unsigned Shift) : Elements(Elements), Shift(Shift) {}

  /// Returns false if the object does not have these elements.
  bool add(const profile::GlobalCounts &R, double Scale = 1);
  /// Puts them in their order, when all are added.
  void sort();
  /// By their first elements.
  const std::vector<CountedRecord> &all() const { return Records; }
  /// The first of them that may end behind element First.
  size_t endingBehind(uint64_t First) const;

private:
  const uint64_t Elements;
  const unsigned Shift;
  std::vector<CountedRecord> Records;
  std::vector<uint64_t> Ends; ///< the last end of all up to each
};

class CountedParts {
public:
  /// Of sorted records, for windows from element First on.
  explicit CountedParts(const CountedRecords &Of, uint64_t First = 0)
      : Records(Of.all()), NotOpened(Of.endingBehind(First)) {}

  /// Reads what there is of elements First to End - 1, and forgets what ends before. Windows come
  /// in their order. Returns false if any record is damaged, which is left out. Many parts that
  /// count alike are one there.
  bool open(uint64_t First, uint64_t End);
  const std::vector<const CountedPart *> &opened() const { return Seen; }

private:
  void joinAlike(uint64_t First, uint64_t End);

  const std::vector<CountedRecord> &Records;
  size_t NotOpened; ///< the first record of those
  std::list<CountedPart> Open;
  std::list<CountedPart> Joined; ///< of the window
  std::vector<const CountedPart *> Seen;
};

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_COUNTEDPARTS_H
