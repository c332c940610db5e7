//===- CountedParts.h - Counts of an object, window by window ---*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Objects may have more elements than this machine has memory for their counts. They are
// looked at in windows, from the first element on, and of the records of counts only those
// are read at a time that have part in the window.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_COUNTEDPARTS_H
#define GMPROF_ANALYSIS_COUNTEDPARTS_H

#include "profile/CompressedCounts.h"
#include "profile/Profile.h"
#include <algorithm>
#include <optional>

namespace gmprof::analysis {

/// A record of counts of an object.
struct CountedPart {
  const profile::GlobalCounts *Of;
  double Scale;        ///< whoever adds it says what that is
  unsigned Wider;      ///< elements are 2^Wider times as large as the object's
  uint64_t First, End; ///< elements of the object
  ElementSums Counts;  ///< while it is open

  /// Calls Do(element, its sum, whether some counts of it reached the threshold) for those from
  /// Begin to Past - 1 that it has.
  template <typename Callable>
  void forEach(uint64_t Begin, uint64_t Past, const Callable &Do) const {
    Begin = std::max(Begin, First);
    Past = std::min(Past, End);
    const bool AnyCapped = !Counts.Capped.empty();
    for (uint64_t E = Begin; E < Past; ++E) {
      const uint64_t From = (E - First) >> Wider;
      Do(E, Counts.Sums[From], AnyCapped && Counts.Capped[From] != 0);
    }
  }
};

class CountedParts {
public:
  /// Of an object with so many elements of 2^Shift bytes.
  CountedParts(uint64_t Elements, unsigned Shift) : Elements(Elements), Shift(Shift) {}

  /// Before any is opened. Returns false if the object does not have these elements.
  bool add(const profile::GlobalCounts &R, double Scale = 1);
  /// Reads what there is of elements First to End - 1, and forgets what ends before. Windows come
  /// in their order. Returns false if any record is damaged, which is left out.
  bool open(uint64_t First, uint64_t End);
  const std::vector<CountedPart *> &opened() const { return Open; }
  /// The first element, from First on, that there may be counts of. First is where the last window
  /// that was opened ends.
  std::optional<uint64_t> next(uint64_t First) const;

private:
  const uint64_t Elements;
  const unsigned Shift;
  std::vector<CountedPart> Parts;
  std::vector<CountedPart *> Open;
  bool Sorted = false;
  size_t NotOpened = 0; ///< the first of those, by their first elements
};

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_COUNTEDPARTS_H
