//===- CounterMemory.h - Device memory for counters of objects --*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counters of large objects are large. They never take more than a share of what was
// free when the first were needed, and never the last that is free. Blocks are kept
// for later launches, because freeing waits for the device; where the program itself
// finds no memory, those that are not in use go back. Not synchronised.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_LAUNCH_COUNTERMEMORY_H
#define GMPROF_HOST_LAUNCH_COUNTERMEMORY_H

#include "host/core/Device.h"
#include "host/core/Options.h"

namespace gmprof::host {

class CounterMemory {
public:
  CounterMemory(Device &D, MemoryShare Share) : D(D), Share(Share) {}

  /// Returns the bytes that allocate(Bytes) takes.
  static size_t blockBytes(size_t Bytes);
  /// Allocates zeroed memory (see Device::waitForZero); returns nothing if there is none.
  std::optional<SlabPool::Block> allocate(size_t Bytes);
  /// Releases memory, which must be zero.
  void release(SlabPool::Block B);
  /// Returns the bytes that may be in use at a time.
  size_t budget();
  /// Returns the bytes that may be allocated now.
  size_t available();
  /// Gives up what is not in use. Returns whether there was any.
  bool giveBack();
  /// Returns the peak of the bytes in use.
  size_t peak() const { return Peak; }

private:
  bool freeOne();

  Device &D;
  const MemoryShare Share;
  std::optional<size_t> Budget;
  size_t Reserve = 0; ///< stays free
  size_t Used = 0, Reserved = 0, Peak = 0;
  std::multimap<size_t, uint64_t> Free; ///< addresses by size
};

} // namespace gmprof::host

#endif // GMPROF_HOST_LAUNCH_COUNTERMEMORY_H
