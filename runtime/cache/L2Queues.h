//===- L2Queues.h - Queues of requests to slices of L2 ----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// L2 consists of slices, selected by a hash of the address, which are independent of each other.
// Requests of SMs reach each slice in turn: the first request of each SM, then the second one of
// each, and so on.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_L2QUEUES_H
#define GMPROF_CACHE_L2QUEUES_H

#include "cache/Architecture.h"
#include "cache/L2Requests.h"
#include "profile/Workers.h"

namespace gmprof::cache {

/// Line of L2, of 128 or 64 bytes, and a mask of its sectors.
class SectorsOfLine {
  uint64_t Word = 0;

public:
  constexpr SectorsOfLine() = default;
  /// Takes Line, the address / line size, and Sectors, a mask.
  constexpr SectorsOfLine(uint64_t Line, unsigned Sectors) : Word(Line | uint64_t(Sectors) << 60) {}
  uint64_t line() const { return Word & ~(uint64_t(15) << 60); }
  unsigned sectors() const { return static_cast<unsigned>(Word >> 60); }
};

/// Line waiting for its slice.
struct QueuedLine {
  SectorsOfLine Of;
  uint32_t Set;            ///< set in the slice, in the line's home partition
  uint16_t CoalescerPlace; ///< from a hash of the line
  uint8_t IsAway;          ///< 1 if the home is not the SM's partition
  uint8_t Bytes;           ///< L2Line::Bytes
  /// Origin of the access, as in L2Request.
  struct Requester {
    uint32_t Request, Cell, OfWarp;
    LineAccess::Op What;
    bool PastL1;
    uint16_t Sm;
  } By;
};

/// Accesses waiting for a slice.
struct alignas(64) L2Queue {
  static constexpr size_t CoalescerPlaces = 4096;

  GrowingArray<QueuedLine> Lines;
  GrowingArray<ByteMask> Bytes; ///< for lines that have some

  void clear() {
    Lines.clear();
    Bytes.clear();
  }
};

/// One queue for each slice.
using L2Queues = std::vector<L2Queue>;

/// Requests of SMs, divided into parts of about equal size: all requests of a part precede those of
/// the next one.
class L2RequestParts {
  /// Part of an SM's requests.
  struct Part {
    size_t First, End;        ///< requests
    L2Requests::Sizes Before; ///< sizes of the preceding requests
  };
  const std::vector<L2Requests> &BySm;
  std::vector<std::vector<Part>> Parts; ///< each has one entry per SM

public:
  /// Divides the requests in BySm (in ascending order of their numbers) with numbers below Before
  /// into Count parts.
  L2RequestParts(const std::vector<L2Requests> &BySm, uint64_t Before, size_t Count,
                 Workers &Threads);

  size_t size() const { return Parts.size(); }
  /// Appends the lines of a part to the queues of their slices. Sets: per slice of a partition.
  void distribute(size_t Part, const L2Model &Model, uint32_t Sets, L2Queues &To) const;
};

/// Appends lines written by copies, which belong to no SM.
void distributeWritten(const L2Requests &Lines, const L2Model &Model, uint32_t Sets, L2Queues &To);

} // namespace gmprof::cache

#endif // GMPROF_CACHE_L2QUEUES_H
