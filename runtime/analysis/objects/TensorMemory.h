//===- TensorMemory.h - Tensors of PyTorch over time ------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PyTorch's caching allocator takes slabs from CUDA, cuts tensors from them, and keeps the slabs
// when the tensors are gone. The patterns of this header are about what it keeps; each is in the
// file of its name. What a change saves is computed by replaying the recorded tensors in
// CachingAllocator.h.
//
// The allocator has separate blocks for each stream, and for each CUDA graph. Which tensor belongs
// to which is known of snapshots (TensorPools). It is not recorded in runs, so programs with
// several streams or with graphs have no such findings there.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_OBJECTS_TENSORMEMORY_H
#define GMPROF_ANALYSIS_OBJECTS_TENSORMEMORY_H

#include "analysis/objects/ObjectPatterns.h"
#include <functional>
#include <vector>

namespace gmprof::analysis {

/// The pools of PyTorch's allocator, which only snapshots record. All objects of the trace are
/// PyTorch's: slabs, and tensors in them.
struct TensorPools {
  /// By object of the trace: the pool of its slab. Tensors of one pool share blocks, those of
  /// different streams or private pools do not.
  std::vector<uint32_t> OfObject;
  /// By pool: true if it belongs to CUDA graphs or a torch.cuda.MemPool.
  std::vector<bool> IsPrivate;
  /// Number of leading APIs that only state what existed before the first recorded event.
  uint32_t Initial = 0;
};

/// The slabs and tensors of one device.
class TensorMemory {
public:
  struct Event {
    uint32_t Api = 0;
    uint32_t Object = 0; ///< slab or tensor
    bool IsSlab = false, IsAllocation = false;
  };
  /// Bytes of all slabs from an API on.
  struct Step {
    uint32_t Api = 0;
    uint64_t Bytes = 0;
  };

  /// Returns the devices whose tensors are known well enough. Pools: null in recorded runs; must
  /// outlive the result.
  static std::vector<TensorMemory> of(const profile::ApiTrace &Trace,
                                      const TensorPools *Pools = nullptr);

  const profile::ApiTrace &trace() const { return *Trace; }
  uint32_t device() const { return Device; }
  /// Returns allocations and releases in call order.
  const std::vector<Event> &events() const { return Events; }
  uint64_t bytes(uint32_t Object) const { return Trace->Objects[Object].Bytes; }
  /// Returns the largest number of bytes of the slabs at a time.
  uint64_t peakOfSlabs() const { return PeakOfSlabs; }

  /// Returns true if the program uses expandable segments: mapped memory that grows.
  bool expandable() const { return Expandable; }
  /// Returns the pool of a slab or tensor.
  uint32_t poolOf(uint32_t Object) const { return Pools ? Pools->OfObject[Object] : 0; }
  bool isPrivate(uint32_t Object) const { return Pools && Pools->IsPrivate[poolOf(Object)]; }
  /// Returns true if the event only states what existed before the first recorded one.
  bool isInitial(const Event &E) const { return Pools && E.Api < Pools->Initial; }

  /// Returns the bytes of the slabs over time if PyTorch's allocator gets the tensors as recorded,
  /// or as the change says.
  std::vector<Step> replay(bool Expandable, const ResidencyChange &Change = {}) const;
  /// Returns the bytes of the slabs over time if the program makes only the tensors that Is
  /// accepts.
  std::vector<Step> replayOf(bool Expandable, const std::function<bool(uint32_t)> &Is) const;
  /// Returns by how much the device's peak falls if the slabs take these bytes instead.
  uint64_t saved(const std::vector<Step> &Instead) const;

private:
  const profile::ApiTrace *Trace = nullptr;
  const TensorPools *Pools = nullptr;
  uint32_t Device = 0;
  bool Expandable = false;
  std::vector<Event> Events;
  uint64_t PeakOfSlabs = 0;
};

/// Returns true if PyTorch allocated this part of a slab for a tensor.
bool isTensor(const profile::ApiTrace &Trace, const profile::ApiObject &O);

/// Returns for each slab of PyTorch the first one of its device, and for other objects themselves.
std::vector<uint32_t> poolsOfSlabs(const profile::ApiTrace &Trace);

/// Patterns have BytesSaved, but no level.
using TensorPattern = ObjectInefficiencies (*)(const TensorMemory &);

/// Finds slabs that PyTorch allocates although enough cached memory is free, if expandable segments
/// need less memory (FragmentedCache.cpp). None if the program uses them.
ObjectInefficiencies fragmentedCaches(const TensorMemory &M);

/// Finds slabs that hold no tensor during the rest of the program (OversizedCache.cpp). None with
/// expandable segments, of which tensors share the mapped parts.
ObjectInefficiencies oversizedCaches(const TensorMemory &M);

/// Finds a line whose temporary tensors make the peak (TemporaryPeak.cpp).
ObjectInefficiencies temporaryPeaks(const TensorMemory &M);

inline constexpr TensorPattern TensorPatterns[] = {fragmentedCaches, oversizedCaches,
                                                   temporaryPeaks};

/// Creates a finding about a slab or tensor; Api shows the code to change.
ObjectInefficiency tensorInefficiency(const TensorMemory &M, const char *Pattern, uint32_t Object,
                                      uint32_t Api);

/// Returns the place of a call, as in train.py:31; empty if unknown.
std::string placeOf(const profile::ApiTrace &T, uint32_t Api);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_OBJECTS_TENSORMEMORY_H
