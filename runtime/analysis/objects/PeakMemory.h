//===- PeakMemory.h - Memory in use over time -------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DrGPUM (ASPLOS'23), Section 4, shows the objects that are alive at the highest memory peaks. This
// also computes how a change of lifetimes affects the peak: the savings of several changes do not
// simply add up.
//
// Time is the position in the sequence of API calls: an object that API i allocates and API j
// releases is in memory at times i to j - 1.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_OBJECTS_PEAKMEMORY_H
#define GMPROF_ANALYSIS_OBJECTS_PEAKMEMORY_H

#include "profile/ApiTrace.h"
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace gmprof::analysis {

/// Bytes in use at times From to To - 1.
struct Residency {
  uint32_t From = 0, To = 0;
  uint64_t Bytes = 0;
};

/// New residencies for some objects.
using ResidencyChange = std::map<uint32_t, std::vector<Residency>>;

struct MemoryPeak {
  uint32_t Time = 0;
  uint64_t Bytes = 0;
  std::vector<uint32_t> Objects; ///< objects alive at that time, largest first
};

/// Memory in use of one device, or of parts of its slabs, which do not count again for the device.
class MemoryUse {
public:
  /// IsPart: selects the parts; null: the device.
  MemoryUse(const profile::ApiTrace &Trace, uint32_t Device,
            std::function<bool(const profile::ApiObject &)> IsPart = nullptr);

  uint64_t peakBytes() const { return Peak; }

  /// Times at which memory in use changes, beginning with 0, and the bytes from then on.
  const std::vector<uint32_t> &times() const { return Times; }
  const std::vector<uint64_t> &bytes() const { return Bytes; }

  /// Returns the highest local maxima, highest first, then earliest first. A local maximum is a
  /// time after which an object is released, or the end; peaks differ in their objects.
  std::vector<MemoryPeak> peaks(unsigned Number) const;

  /// Returns the peak after the change.
  uint64_t peakAfter(const ResidencyChange &Change) const;

  /// Returns when an object is in memory; Bytes is 0 if it does not count for this device.
  Residency residency(uint32_t Object) const;

private:
  const profile::ApiTrace &Trace;
  const uint32_t Device;
  const std::function<bool(const profile::ApiObject &)> IsPart;
  uint32_t End; ///< number of APIs
  uint64_t Peak = 0;
  std::vector<uint32_t> Times;
  std::vector<uint64_t> Bytes;
  std::vector<uint64_t> Maxima; ///< maxima of BlockSize consecutive elements of Bytes
  static constexpr size_t BlockSize = 64;

  uint64_t maximum(uint32_t From, uint32_t To) const;
};

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_OBJECTS_PEAKMEMORY_H
