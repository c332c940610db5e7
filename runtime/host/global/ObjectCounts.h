//===- ObjectCounts.h - Accesses to the elements of objects, added up -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What launches counted per element, added up over all launches of a kernel, or of a
// context where those are wanted apart, and written to the event log when an object goes, at the
// end, and whenever so much has come together that memory would suffer. Only chunks of elements in
// which anything was counted take memory, so that it does not matter how large objects are.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_GLOBAL_OBJECTCOUNTS_H
#define GMPROF_HOST_GLOBAL_OBJECTCOUNTS_H

#include "host/record/Recorder.h"
#include "profile/CompressedCounts.h"
#include "profile/Mutex.h"
#include <compare>
#include <memory>
#include <optional>

namespace gmprof::host {

/// Key of counts that add up.
struct CountsKey {
  uint64_t Object = 0;
  uint32_t Kernel = 0;
  uint32_t Kind = 0; ///< enum GmprofCounterKind
  uint32_t ElementShift = 0;
  uint32_t Threshold = 0;
  uint32_t BlockSample = 1;
  uint64_t Context = 0; ///< whose launches these are; 0: all of the kernel's others

  auto operator<=>(const CountsKey &) const = default;
};

class ObjectCounts {
public:
  /// Makes an empty sum. Bytes: limit of the counts in memory.
  explicit ObjectCounts(Recorder &Log, size_t Bytes = size_t(512) << 20)
      : Log(Log), MostBytes(Bytes), Made(1) {}

  /// Adds counters of Bits bits each, of which the first is that of FirstElement, and
  /// which count Launches launches.
  void add(const CountsKey &Key, uint64_t FirstElement, std::span<const std::byte> Counters,
           unsigned Bits, uint64_t Launches);
  /// Adds the number of launches whose counters have all been added.
  void launches(const CountsKey &Key, uint64_t Launches);
  /// Adds the totals of a context's launches.
  void totals(const log::GlobalTotalsRecord &Counted);
  /// Returns the largest growth in a launch of a counter with threshold of the kernel; nothing if
  /// none has been read.
  std::optional<uint64_t> mostPerLaunch(uint32_t Kernel) const;

  /// Writes what is known of an object, and forgets it.
  void flush(uint64_t Object);
  void flushAll();

private:
  /// Programs have many objects of no more than that, and each can have several sums.
  static constexpr uint64_t ChunkElements = 4096;
  /// A millisecond of work, of which threads take some to begin.
  static constexpr uint64_t ManyChunks = 256;
  struct Chunk {
    NarrowSums Sums;              ///< ChunkElements; none before anything is added
    uint64_t Most = 0;            ///< no sum is larger
    std::vector<uint32_t> Capped; ///< empty or as long

    size_t bytes() const { return Sums.bytes().size() + Capped.size() * sizeof(uint32_t); }
  };
  struct Counts {
    std::map<uint64_t, Chunk> Chunks; ///< by number
    uint64_t Launches = 0;
  };
  using CountsByKey = std::map<CountsKey, Counts>;

  template <typename Counter>
  static void addTo(Chunk &C, const CountsKey &Key, size_t First, std::span<const Counter> Counters,
                    Counter Largest);
  template <typename Counter>
  uint64_t addTo(Counts &To, const CountsKey &Key, uint64_t FirstElement,
                 std::span<const std::byte> Counters) GMPROF_REQUIRES(Lock);
  void write(CountsByKey::iterator First, CountsByKey::iterator End) GMPROF_REQUIRES(Lock);
  /// Chunks that follow each other, which become a record; null are those of zeros.
  struct Run {
    const CountsKey *Key;
    uint64_t FirstChunk = 0, Launches = 0;
    std::vector<const Chunk *> Chunks = {};
  };
  static std::vector<Run> runsOf(const CountsKey &Key, const Counts &Of);
  void writeAll() GMPROF_REQUIRES(Lock);
  /// A record with what is needed to make it.
  struct MadeRecord {
    log::GlobalCountsRecord Record;
    NarrowSums Sums;
    CountsCompressor Compressor;
    std::span<const std::byte> Compressed;
  };
  static void make(MadeRecord &To, const Run &Of);

  Recorder &Log;
  const size_t MostBytes;
  mutable Mutex Lock;
  CountsByKey ByKey GMPROF_GUARDED_BY(Lock);
  std::map<uint64_t, log::GlobalTotalsRecord> TotalsByContext GMPROF_GUARDED_BY(Lock);
  /// Largest count of a launch by kernel: of launches whose counters are all added, and of those
  /// that are being added.
  std::map<uint32_t, uint64_t> MostByKernel GMPROF_GUARDED_BY(Lock), MostBeingAdded
      GMPROF_GUARDED_BY(Lock);
  size_t Bytes GMPROF_GUARDED_BY(Lock) = 0;
  std::vector<MadeRecord> Made GMPROF_GUARDED_BY(Lock); ///< one at least, with memory for the next
};

} // namespace gmprof::host

#endif // GMPROF_HOST_GLOBAL_OBJECTCOUNTS_H
