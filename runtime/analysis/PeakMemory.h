//===- PeakMemory.h - Memory in use over time, and its peaks ----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DrGPUM (ASPLOS'23), Section 4, looks at the objects alive at the top memory
// peaks. Here is, beyond that, what a change of objects' lifetimes does to the
// peak: what is saved by several changes is not the sum of what each saves.
//
// Time is the position in the sequence of API calls: what API i allocates is there
// at the times i, i + 1 …, what API j releases is not there from j on.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_PEAKMEMORY_H
#define GMPROF_ANALYSIS_PEAKMEMORY_H

#include "profile/ApiTrace.h"
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace gmprof::analysis {

/// Bytes that are taken at the times From to To - 1.
struct Residency {
  uint32_t From = 0, To = 0;
  uint64_t Bytes = 0;
};

/// For some objects, when they would be in memory instead.
using ResidencyChange = std::map<uint32_t, std::vector<Residency>>;

struct MemoryPeak {
  uint32_t Time = 0;
  uint64_t Bytes = 0;
  std::vector<uint32_t> Objects; ///< that are alive then, the largest first
};

/// Memory of one device, or of one pool: of what is cut from its slab, which is no
/// part of the device's memory once more.
class MemoryUse {
public:
  MemoryUse(const profile::ApiTrace &Trace, uint32_t Device,
            std::optional<uint32_t> Slab = std::nullopt);

  uint64_t peakBytes() const { return Peak; }

  /// Times at which memory in use changes, beginning with 0, and the bytes from then on.
  const std::vector<uint32_t> &times() const { return Times; }
  const std::vector<uint64_t> &bytes() const { return Bytes; }

  /// The highest local maxima, the highest first; of equal ones the earliest
  /// first. A local maximum is a time after which something is released, or the
  /// end; it has no other one with the same objects.
  std::vector<MemoryPeak> peaks(unsigned Number) const;

  /// The peak that would remain.
  uint64_t peakAfter(const ResidencyChange &Change) const;

  /// When an object is in memory; Bytes is 0 if it does not count for this device.
  Residency residency(uint32_t Object) const;

private:
  const profile::ApiTrace &Trace;
  const uint32_t Device;
  const std::optional<uint32_t> Slab;
  uint32_t End; ///< number of APIs
  uint64_t Peak = 0;
  std::vector<uint32_t> Times;
  std::vector<uint64_t> Bytes;
  std::vector<uint64_t> Maxima; ///< of Bytes, of BlockSize at a time
  static constexpr size_t BlockSize = 64;

  uint64_t maximum(uint32_t From, uint32_t To) const;
};

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_PEAKMEMORY_H
