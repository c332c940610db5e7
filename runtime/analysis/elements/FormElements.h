//===- FormElements.h - Elements that closed forms access -------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Adds the elements that closed forms access to a set. Progressions with many runs wait until there
// are enough of them: they are cheaper to evaluate together, window by window.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_ELEMENTS_FORMELEMENTS_H
#define GMPROF_ANALYSIS_ELEMENTS_FORMELEMENTS_H

#include "analysis/elements/ObjectAccesses.h"

namespace gmprof::analysis {

class FormElements {
public:
  /// Both references must outlive the object.
  FormElements(const ObjectAccesses &Of, ElementSet &Set) : Of(Of), Set(Set) {}

  /// Adds accesses of Bytes each.
  void add(const Progression &Each, unsigned Bytes);
  /// Adds those that wait. Must be called before the set is used.
  void finish();

private:
  void addWindow(ElementSet &To, uint64_t First, uint64_t Count) const;

  const ObjectAccesses &Of;
  ElementSet &Set;
  std::vector<FormAccess> Waiting;
};

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_ELEMENTS_FORMELEMENTS_H
