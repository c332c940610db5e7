//===- L2Requests.h - Requests of SMs to L2 ---------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CACHE_L2REQUESTS_H
#define GMPROF_CACHE_L2REQUESTS_H

#include "cache/Coalescing.h"
#include "cache/GrowingArray.h"
#include "cache/LineAccess.h"
#include "cache/NotedLines.h"

namespace gmprof::cache {

/// Line requested from L2.
class L2Line {
  uint64_t Word = 0;

public:
  /// Bytes stored with the line: none for reads, all written bytes for writes, and the accessed
  /// bytes for reads of tracked lines, with the level of their sample.
  enum Bytes : uint8_t { None, OfNotedRead, OfWrite = OfNotedRead + LineSample::MostLevel + 1 };

  constexpr L2Line() = default;
  /// Takes Line, the address / 128, and Sectors, a mask.
  constexpr L2Line(uint64_t Line, unsigned Sectors, unsigned Known = None)
      : Word(Line | uint64_t(Known) << 57 | uint64_t(Sectors) << 60) {}
  uint64_t line() const { return Word & ~(uint64_t(127) << 57); }
  unsigned sectors() const { return static_cast<unsigned>(Word >> 60); }
  unsigned bytes() const { return Word >> 57 & 7; }
};

/// Request of an SM to L2: its number of lines, some of which have bytes.
struct L2Request {
  uint32_t Request, Cell, OfWarp; ///< as in LineAccess
  LineAccess::Op What : 2;
  bool PastL1 : 1;
  uint16_t Lines : 13 = 0;
  uint16_t Bytes = 0;
};

/// List of requests, compact because a missing request has many lines. Aligned to a cache line,
/// because each thread appends to one SM's list.
struct alignas(64) L2Requests {
  GrowingArray<L2Request> All;
  GrowingArray<L2Line> Lines;   ///< lines of each request, in order
  GrowingArray<ByteMask> Bytes; ///< for each line that has some

  /// Adds a request of one line.
  void add(L2Request R, uint64_t Line, unsigned Sectors, const ByteMask &OfLanes) {
    R.Lines = 1;
    R.Bytes = R.What == LineAccess::Op::Write;
    All.add(R);
    Lines.add({Line, Sectors, R.Bytes ? L2Line::OfWrite : L2Line::None});
    if (R.Bytes)
      Bytes.add(OfLanes);
  }
  /// Number of lines of several requests, and of lines with stored bytes.
  struct Sizes {
    size_t Lines = 0, Bytes = 0;

    Sizes &operator+=(const Sizes &O) {
      Lines += O.Lines;
      Bytes += O.Bytes;
      return *this;
    }
  };
  Sizes sizes(size_t First, size_t Count) const {
    Sizes Sum;
    for (size_t I = First; I < First + Count; ++I) {
      Sum.Lines += All[I].Lines;
      Sum.Bytes += All[I].Bytes;
    }
    return Sum;
  }
  /// Returns how many requests have numbers below Number; these are the first ones.
  size_t below(uint64_t Number) const {
    return static_cast<size_t>(
        std::partition_point(All.begin(), All.end(),
                             [Number](const L2Request &R) { return R.Request < Number; }) -
        All.begin());
  }
  void removeFirst(size_t Count) {
    if (Count == All.size())
      return clear();
    const Sizes Of = sizes(0, Count);
    Bytes.removeFirst(Of.Bytes);
    Lines.removeFirst(Of.Lines);
    All.removeFirst(Count);
  }
  void clear() {
    All.clear();
    Lines.clear();
    Bytes.clear();
  }
};

/// Appends requests to a list, with room reserved once.
class L2RequestsWriter {
  L2Requests &To;
  L2Request *Request;
  L2Line *First, *Next; ///< lines of the current request
  size_t FirstBytes;    ///< bytes before the current request

public:
  L2RequestsWriter(L2Requests &To, size_t MostRequests, size_t MostLines)
      : To(To), Request(To.All.roomFor(MostRequests + 1)), First(To.Lines.roomFor(MostLines + 1)),
        Next(First), FirstBytes(To.Bytes.size()) {}
  L2RequestsWriter(const L2RequestsWriter &) = delete;
  L2RequestsWriter &operator=(const L2RequestsWriter &) = delete;
  ~L2RequestsWriter() {
    To.All.endAt(Request);
    To.Lines.endAt(Next);
  }

  void add(L2Line Line) { *Next++ = Line; }
  void add(L2Line Line, const ByteMask &OfLanes) {
    add(Line);
    To.Bytes.add(OfLanes);
  }
  /// Returns the position for lines that the caller writes directly, followed by a call of end().
  L2Line *begin() const { return Next; }
  void end(L2Line *After) { Next = After; }
  void addBytes(const ByteMask &OfLanes) { To.Bytes.add(OfLanes); }
  /// Ends the current request, which holds the lines added since the last call; drops it if there
  /// are none.
  [[gnu::always_inline]] void finish(uint32_t Number, uint32_t Cell, uint32_t OfWarp,
                                     LineAccess::Op What, bool PastL1) {
    const auto Lines = static_cast<uint16_t>(Next - First);
    *Request = {Number,
                Cell,
                OfWarp,
                What,
                PastL1,
                Lines,
                static_cast<uint16_t>(To.Bytes.size() - FirstBytes)};
    Request += Lines != 0;
    First = Next;
    FirstBytes = To.Bytes.size();
  }
};

} // namespace gmprof::cache

#endif // GMPROF_CACHE_L2REQUESTS_H
