//===- L2Queues.h - What waits for the slices of L2 -------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// L2 is made of slices, which a hash of the address chooses among and which know nothing of each
// other. What SMs ask for comes to each slice in turn: the first request of each SM, then the
// second one of each, and so on.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_L2QUEUES_H
#define GMPROF_CACHE_L2QUEUES_H

#include "cache/Architecture.h"
#include "cache/L2Requests.h"
#include "profile/Workers.h"

namespace gmprof::cache {

/// A line of L2, of 128 or 64 bytes, and sectors of it.
class SectorsOfLine {
  uint64_t Word = 0;

public:
  constexpr SectorsOfLine() = default;
  /// Line: address / its bytes; Sectors: a bit each.
  constexpr SectorsOfLine(uint64_t Line, unsigned Sectors) : Word(Line | uint64_t(Sectors) << 60) {}
  uint64_t line() const { return Word & ~(uint64_t(15) << 60); }
  unsigned sectors() const { return static_cast<unsigned>(Word >> 60); }
};

/// A line that waits for its slice.
struct QueuedLine {
  SectorsOfLine Of;
  uint32_t Set;            ///< of the slice: where the line is at home
  uint16_t CoalescerPlace; ///< chosen by a hash of the line
  uint8_t IsAway;          ///< 1 if its home is the partition that is not the SM's
  uint8_t Bytes;           ///< L2Line::Bytes
  /// Who asks, as L2Request has it.
  struct Requester {
    uint32_t Request, Cell, OfWarp;
    LineAccess::Op What;
    bool PastL1;
    uint16_t Sm;
  } By;
};

/// What waits for a slice.
struct alignas(64) L2Queue {
  static constexpr size_t CoalescerPlaces = 4096;

  GrowingArray<QueuedLine> Lines;
  GrowingArray<ByteMask> Bytes; ///< of those that have some

  void clear() {
    Lines.clear();
    Bytes.clear();
  }
};

/// For each slice.
using L2Queues = std::vector<L2Queue>;

/// Requests of SMs, in parts of about equal size: all requests of a part come before those of the
/// next one.
class L2RequestParts {
  /// Of what an SM asks for.
  struct Part {
    size_t First, End;        ///< requests
    L2Requests::Sizes Before; ///< what requests before have
  };
  const std::vector<L2Requests> &BySm;
  std::vector<std::vector<Part>> Parts; ///< each of all SMs

public:
  /// BySm: in ascending order of the requests' numbers. Before: only those with numbers below.
  L2RequestParts(const std::vector<L2Requests> &BySm, uint64_t Before, size_t Count,
                 Workers &Threads);

  size_t size() const { return Parts.size(); }
  /// Puts the lines of a part into the queues of their slices. Sets: of a slice of a partition.
  void distribute(size_t Part, const L2Model &Model, uint32_t Sets, L2Queues &To) const;
};

/// The same of lines that copies have written, which no SM asks for.
void distributeWritten(const L2Requests &Lines, const L2Model &Model, uint32_t Sets, L2Queues &To);

} // namespace gmprof::cache

#endif // GMPROF_CACHE_L2QUEUES_H
