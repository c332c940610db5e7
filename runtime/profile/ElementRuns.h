//===- ElementRuns.h - Elements that a progression touches ------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds which elements are touched; ElementCounts.h counts how often. Adjacent or overlapping
// accesses form one run, which the remaining dimensions repeat.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_ELEMENTRUNS_H
#define GMPROF_PROFILE_ELEMENTRUNS_H

#include "profile/ClosedForm.h"
#include <cstdint>
#include <functional>
#include <vector>

namespace gmprof {

struct ElementRun {
  uint64_t First = 0, Count = 0;

  uint64_t end() const { return First + Count; }
  bool operator==(const ElementRun &) const = default;
};

class ElementRuns {
public:
  /// Accesses of `Bytes` bytes (not 0) each, addressed from the object's start.
  ElementRuns(const Progression &P, unsigned Bytes, unsigned ElementShift);

  /// Returns the number of runs before any of them meet.
  uint64_t runs() const;
  /// Calls Emit with runs, possibly overlapping, that together are the touched elements of Window.
  void within(ElementRun Window, const std::function<void(ElementRun)> &Emit) const;
  /// Returns the span from the first to the last touched element of Window.
  ElementRun hull(ElementRun Window) const;

private:
  struct Dimension {
    int64_t Stride, Extent;
  };
  /// Returns the distance from first to last start address in the first Inner dimensions.
  int64_t span(size_t Inner) const;
  template <typename Callable>
  void visit(int64_t Start, size_t Inner, int64_t Low, int64_t High, const Callable &Emit) const;

  int64_t Base;
  int64_t RunBytes;
  std::vector<Dimension> Dims; ///< ascending strides
  unsigned Shift;
};

} // namespace gmprof

#endif // GMPROF_PROFILE_ELEMENTRUNS_H
