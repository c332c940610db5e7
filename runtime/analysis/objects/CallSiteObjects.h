//===- CallSiteObjects.h - Objects by call site -----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Advice names call sites. A call site that allocates several objects changes all of them, also
// those that do not match the pattern.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_OBJECTS_CALLSITEOBJECTS_H
#define GMPROF_ANALYSIS_OBJECTS_CALLSITEOBJECTS_H

#include "analysis/objects/ObjectHistory.h"
#include <map>
#include <span>
#include <vector>

namespace gmprof::analysis {

/// Conditions of advice for a call site whose objects are needed at different places.
inline constexpr char NotUsedEarlier[] =
    "it is not used earlier, as another allocation of this call site is";
inline constexpr char NotUsedLater[] =
    "it is not used later, as another allocation of this call site is";

/// Allocated objects, by the call path of their allocation. The history must outlive it.
class CallSiteObjects {
public:
  explicit CallSiteObjects(const ObjectHistory &H);

  /// Returns the objects of an allocated object's call site, itself included; without a call path
  /// only itself.
  std::span<const uint32_t> of(uint32_t Object) const;

  /// Returns true if one call site allocates both.
  bool isSame(uint32_t Object, uint32_t Other) const {
    return Object == Other || (Paths[Object] != profile::None && Paths[Object] == Paths[Other]);
  }

  /// Returns true if the objects of the call site are needed last at different places: a release
  /// after the one is too early for the other.
  bool isNeededAfter(uint32_t Object) const { return needs(Object).Last; }
  /// Returns true if they are needed first at different places: an allocation before the one can be
  /// too late for the other.
  bool isNeededBefore(uint32_t Object) const { return needs(Object).First; }

  /// Returns the number of the call site's objects that the program frees.
  uint64_t freed(uint32_t Object) const;
  /// Returns true if these are half of its objects or more: a path skips the release of others. Of
  /// fewer, the release may be for the last object of a loop.
  bool skipsRelease(uint32_t Object) const { return 2 * freed(Object) >= of(Object).size(); }

private:
  /// Whether the first and the last needs of a call site's objects are at several places.
  struct SeveralPlaces {
    bool First = false, Last = false;
  };
  const SeveralPlaces &needs(uint32_t Object) const;

  const ObjectHistory &H;
  mutable std::map<uint32_t, SeveralPlaces> Needs; ///< by the first object of the call site
  std::vector<uint32_t> Paths;                     ///< of each object
  std::vector<uint32_t> Objects;                   ///< the allocated ones, sorted by call path
  std::vector<uint32_t> Places;                    ///< of each object: its index in Objects
};

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_OBJECTS_CALLSITEOBJECTS_H
