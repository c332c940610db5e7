//===- KernelAccesses.h - Which objects a kernel accesses -------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel and object part of DrGPUM's memory access trace (ASPLOS'23, Section 5.1).
// The descriptor lists the kernel's touches (GmprofTouchDesc); before a launch it is known
// of each whether it is made, or that this depends on data. K__gm_objects then says which
// of those were made, and which objects were accessed through pointers from memory
// (Figure 5). The launch's set is
//
//   exact      all of it is known: from the launch, or from hits
//   possible   for some objects it depends on data that nobody looked at whether they are
//              accessed: these are taken as read and written
//   inferred   the kernel was not compiled with the plugin, calls code that cannot be
//              followed, or follows pointers that nobody looked at: what its parameters
//              point to, each 8 bytes of them taken as an address
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_LAUNCH_KERNELACCESSES_H
#define GMPROF_HOST_LAUNCH_KERNELACCESSES_H

#include "host/launch/KernelArguments.h"
#include "host/objects/ProgramMemory.h"
#include "profile/Mutex.h"
#include <array>
#include <map>
#include <memory>
#include <optional>

namespace gmprof::host {

/// The sets of objects that launches access, each in the log once. A program that allocates
/// for each launch has new ones all the time: only so many are kept, then they are written
/// again when they are seen again.
class AccessSets {
public:
  explicit AccessSets(Recorder &Log) : Log(Log) {}

  /// Returns the number of a set, and records the set if it is new. Accesses must be sorted by
  /// object.
  uint32_t find(std::span<const log::ObjectAccess> Accesses, log::AccessKnowledge Knowledge);
  /// Returns the accesses of a set; nothing if they are no longer kept.
  std::optional<std::vector<log::ObjectAccess>> accesses(uint32_t Set);

  static constexpr size_t MostKept = 4096, MostAccessesKept = 32768;

private:
  struct KeptSet {
    std::span<const log::ObjectAccess> Accesses; ///< in Kept
    log::AccessKnowledge Knowledge;
    bool is(std::span<const log::ObjectAccess> Others, log::AccessKnowledge Other) const;
  };

  Recorder &Log;
  Mutex Lock;
  uint32_t Forgotten GMPROF_GUARDED_BY(Lock) = 0;              ///< the first ones
  std::vector<log::ObjectAccess> Kept GMPROF_GUARDED_BY(Lock); ///< of the others; is never moved
  std::vector<KeptSet> BySet GMPROF_GUARDED_BY(Lock);
  /// Indices in BySet plus 1, at or after the place of the hash; 0: none.
  std::array<uint16_t, size_t(2) * MostKept> Places GMPROF_GUARDED_BY(Lock) = {};
};

/// Objects that launches access which agree in everything known before they run. Kinds are
/// GMPROF_TOUCH_READS and GMPROF_TOUCH_WRITES.
struct LaunchObjects {
  struct Object {
    unsigned Certain = 0, Possible = 0;
  };
  std::map<uint64_t, Object> Objects; ///< by ObjectRecord::id
  bool Inferred = false;              ///< there may be others

  /// A hit that means accesses of these kinds to an object. The other hits are those of Ranges, for
  /// pointers that kernels load from memory.
  struct Flag {
    unsigned Number, Kinds;
    uint64_t Object;
  };
  std::vector<Flag> Flags;
  std::shared_ptr<const MemoryRanges> Ranges; ///< null: nothing is searched
  unsigned FlagBytes = 0;                     ///< of hits that are not of ranges

  uint32_t Set = 0; ///< as far as it is known before; 0: the arguments cannot be read

  bool hasHits() const { return !Flags.empty() || Ranges; }
  size_t hitBytes() const { return FlagBytes + (Ranges ? 2 * Ranges->Ranges.size() : 0); }
  /// Returns the number of the set with these hits.
  uint32_t withHits(std::span<const std::byte> Hits, AccessSets &Sets) const;
};

class KernelAccesses {
public:
  /// Describes a kernel with a descriptor. ParamBytes and Symbols: see KernelArguments.
  KernelAccesses(const profile::Descriptor &Desc, std::vector<size_t> ParamBytes,
                 std::vector<uint64_t> Symbols);
  /// Describes a kernel without descriptor by the sizes of its parameters; nothing: the driver does
  /// not tell them.
  explicit KernelAccesses(const std::optional<std::vector<size_t>> &Sizes)
      : ParamBytes(Sizes.value_or(std::vector<size_t>())), ParamsKnown(Sizes) {}

  /// Returns the objects that a launch on a device accesses.
  std::shared_ptr<const LaunchObjects> find(const LaunchInput &Launch, int Device,
                                            const ProgramMemory &Memory, AccessSets &Sets);

  /// Returns whether it accesses memory through pointers that are not known.
  bool searches() const { return Searches; }

private:
  std::shared_ptr<const LaunchObjects> fromDescriptor(const LaunchInput &Launch,
                                                      std::span<const int64_t> Values, int Device,
                                                      const ProgramMemory &Memory,
                                                      AccessSets &Sets);
  void addTouch(LaunchObjects &To, const profile::Touch &T, const ClosedForm *Form,
                const LaunchInput &Launch, const FormLaunch &Shape,
                const ProgramMemory &Memory) const;
  void addParameters(LaunchObjects &To, const LaunchInput &Launch,
                     const ProgramMemory &Memory) const;
  std::shared_ptr<const LaunchObjects>
  fromParameters(const LaunchInput &Launch, const ProgramMemory &Memory, AccessSets &Sets) const;
  template <typename Visit>
  void forEachAddress(void **Args, const ProgramMemory &Memory, Visit V) const;
  template <typename Visit>
  void forEachParameter(void **Args, const ProgramMemory &Memory, Visit V) const;

  std::vector<size_t> ParamBytes;
  bool ParamsKnown = true;
  std::optional<KernelArguments> Params; ///< if the descriptor says all
  std::optional<KernelForms> Forms;      ///< Site: number of the touch
  std::vector<profile::Touch> Touches;
  unsigned FlagBytes = 0;
  bool Searches = false;

  Mutex Lock;
  uint64_t Version GMPROF_GUARDED_BY(Lock) = 0; ///< of the memory that Known is of
  std::map<std::vector<uint64_t>, std::shared_ptr<const LaunchObjects>>
      Known GMPROF_GUARDED_BY(Lock);
};

} // namespace gmprof::host

#endif // GMPROF_HOST_LAUNCH_KERNELACCESSES_H
