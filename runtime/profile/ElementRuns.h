//===- ElementRuns.h - Elements that a progression touches ------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which elements, not how often: for that there is ElementCounts.h. All accesses that
// lie side by side, or overlap, are one run; further dimensions repeat it.
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
  /// Accesses of Bytes bytes (not 0) each, from the start of the object on.
  ElementRuns(const Progression &P, unsigned Bytes, unsigned ElementShift);

  /// How many runs there are, if none meets another.
  uint64_t runs() const;
  /// Calls Emit with runs that together are the elements of Window that are touched.
  /// Runs may overlap.
  void within(ElementRun Window, const std::function<void(ElementRun)> &Emit) const;
  /// From the first element to the last, of Window.
  ElementRun hull(ElementRun Window) const;

private:
  struct Dimension {
    int64_t Stride, Extent;
  };
  /// Of the first Inner dimensions.
  int64_t span(size_t Inner) const;
  template <typename Callable>
  void visit(int64_t Start, size_t Inner, int64_t Low, int64_t High, const Callable &Emit) const;

  int64_t Base;
  int64_t RunBytes;
  std::vector<Dimension> Dims; ///< strides ascend
  unsigned Shift;
};

} // namespace gmprof

#endif // GMPROF_PROFILE_ELEMENTRUNS_H
