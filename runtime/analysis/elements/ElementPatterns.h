//===- ElementPatterns.h - Intra-object memory inefficiencies ---*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The three intra-object patterns of DrGPUM (ASPLOS'23), Section 3.2, each in the file of its name,
// based on the accesses to an object's elements (ElementUse.h). Findings based on a sample of
// launches or blocks say so. If accesses may be unobserved for other reasons, patterns that require
// the absence of accesses are not reported.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_ELEMENTS_ELEMENTPATTERNS_H
#define GMPROF_ANALYSIS_ELEMENTS_ELEMENTPATTERNS_H

#include "analysis/elements/ElementUse.h"
#include "analysis/objects/ObjectPatterns.h"

namespace gmprof::analysis {

/// Finds overallocations: Definition 3.8, with the guidance of Table 2 (Overallocation.cpp).
ObjectInefficiencies overallocations(const ObjectHistory &H, const std::vector<ElementUse> &Uses,
                                     const ObjectPatternOptions &Options = {});

/// Finds nonuniform access frequencies: Definition 3.9 (NonuniformAccessFrequency.cpp).
ObjectInefficiencies nonuniformAccessFrequencies(const ObjectHistory &H,
                                                 const std::vector<ElementUse> &Uses,
                                                 const ObjectPatternOptions &Options = {});

/// Finds structured accesses: Definition 3.10 (StructuredAccess.cpp).
ObjectInefficiencies structuredAccesses(const ObjectHistory &H, const std::vector<ElementUse> &Uses,
                                        const ObjectPatternOptions &Options = {});

/// Finds sets that a kernel overwrites: Definition 3.7, with kernels that write each byte
/// (OverwrittenSet.cpp).
ObjectInefficiencies overwrittenSets(const ObjectHistory &H, const std::vector<ElementUse> &Uses,
                                     const ObjectPatternOptions &Options = {});

/// Finds all objects whose elements match a pattern.
using ElementPattern = ObjectInefficiencies (*)(const ObjectHistory &,
                                                const std::vector<ElementUse> &,
                                                const ObjectPatternOptions &);

inline constexpr ElementPattern ElementPatterns[] = {overallocations, nonuniformAccessFrequencies,
                                                     structuredAccesses, overwrittenSets};

/// Returns true if all accesses of the object are known, except those left out by sampling.
bool knowsElements(const ObjectHistory &H, const ElementUse &Use);

/// States in the finding that it is based on a sample, if it is.
void restOnSample(ObjectInefficiency &I, const ElementUse &Use);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_ELEMENTS_ELEMENTPATTERNS_H
