//===- PaddedRows.h - Addresses of a padded object --------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_PADDEDROWS_H
#define GMPROF_CACHE_PADDEDROWS_H

#include "cache/Request.h"
#include "cache/WhatIf.h"

namespace gmprof::cache {

/// Padding of an object's rows.
class PaddedRows {
  const Padding Pad;
  struct Moved {
    uint64_t End, To;
  };
  std::map<uint64_t, Moved> Objects; ///< by first byte
  static constexpr uint64_t PageBytes = uint64_t(2) << 20;
  /// Address of the next padded object: above those of programs, with the original offset in a
  /// page.
  uint64_t Next = uint64_t(1) << 52;

public:
  bool Found = false; ///< an object of that name exists

  explicit PaddedRows(const Padding &Pad) : Pad(Pad) {}

  void allocate(TraceObject &Object);
  /// Moves a request's addresses and counts it in Changed. Returns the reason if the padding is
  /// impossible, or an empty string.
  std::string apply(Request &R, uint64_t &Changed) const;
  void apply(TraceWritten &W) const;
};

} // namespace gmprof::cache

#endif // GMPROF_CACHE_PADDEDROWS_H
