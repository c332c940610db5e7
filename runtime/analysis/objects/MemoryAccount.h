//===- MemoryAccount.h - Owners of a device's memory ------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Divides the memory of a device among its owners. The driver says how much is in use, at a few
// moments only (log::MemoryReadingRecord); the program's objects are known at any time. Between two
// readings, the memory in use is that of the reading, plus what the program has allocated since and
// minus what it has released.
//
// The rows of an account add up to the memory in use exactly:
//
//   known      the program's objects, by calling library; unused memory of pools; GMProf's memory;
//              other processes, if NVML tells
//   driver     what is left at the first reading is the context; growth while modules are loaded is
//              theirs; then what raised limits of printf, malloc() and the stack can have added
//   left over  is unattributed
//
// The known rows may exceed the memory in use: managed memory may be on the host, and readings of
// other processes are not simultaneous. Then rows are reduced in the order of `Reducible` in
// MemoryAccount.cpp, and `ReducedBytes` says by how much.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_OBJECTS_MEMORYACCOUNT_H
#define GMPROF_ANALYSIS_OBJECTS_MEMORYACCOUNT_H

#include "analysis/objects/PeakMemory.h"
#include "profile/Profile.h"
#include <map>
#include <string>

namespace gmprof::analysis {

enum class MemoryOwner : uint8_t {
  Program,        ///< allocations of the program itself
  Managed,        ///< its managed memory, as if all of it were on the device
  Library,        ///< allocations of a library for itself
  Tensors,        ///< PyTorch's tensors
  Cached,         ///< free blocks in PyTorch's slabs
  PoolFree,       ///< reserved by pools of stream-ordered allocations, and unused
  GraphFree,      ///< reserved for graphs, and unused
  Context,        ///< the CUDA context
  Modules,        ///< code and variables of modules
  PrintfFifo,     ///< the growth of the buffer of printf
  MallocHeap,     ///< the growth of the heap of malloc() in kernels
  LocalMemory,    ///< the growth of the stacks of resident threads
  OtherProcesses, ///< other processes on the device
  GMProf,
  Unattributed,
};

struct MemoryRow {
  MemoryOwner Owner = MemoryOwner::Program;
  std::string Name; ///< of the library or the pool; empty: none
  uint64_t Bytes = 0;
  uint64_t Objects = 0; ///< number of objects; 0 if the row has none
};

/// The live objects of one call site.
struct MemorySite {
  profile::SourcePosition Source; ///< without a file: unknown
  std::string Api;
  std::string Library; ///< that allocates; empty: the program
  uint32_t CallPath = profile::None;
  uint64_t Bytes = 0, Objects = 0;
};

enum class AccountMoment : uint8_t { Peak, Failure, End, Chosen };

struct MemoryAccount {
  uint32_t Device = 0;
  AccountMoment Moment = AccountMoment::Chosen;
  uint64_t TimeNs = 0;
  /// As the driver counts; nothing if it was never read. Then the rows are the known ones.
  std::optional<uint64_t> InUse, Total;
  bool Read = false; ///< true if InUse was read with these objects; else it is computed
  uint64_t ReducedBytes = 0;
  std::vector<MemoryRow> Rows;   ///< largest first, Unattributed last
  std::vector<MemorySite> Sites; ///< largest first
  std::vector<uint32_t> Objects; ///< indices in the trace; largest first, without slabs of PyTorch
  /// The largest free block in PyTorch's slabs, if they have any.
  std::optional<uint64_t> LargestFreeBlock;
  uint32_t Failure = profile::None; ///< index in Profile::FailedAllocations

  /// Returns the bytes of all rows with this owner.
  uint64_t bytesOf(MemoryOwner Owner) const;
};

/// Owners of a device's memory over time.
struct MemoryOverTime {
  struct Series {
    MemoryOwner Owner = MemoryOwner::Program; ///< Unattributed: all that are not the program's
    std::string Name;                         ///< as in MemoryRow
    std::vector<uint64_t> Bytes;              ///< from each time on
  };
  std::vector<uint32_t> Times; ///< APIs that change the memory, ascending
  std::vector<Series> All;     ///< the most bytes at any time first, Unattributed last
};

class MemoryAccounts {
public:
  /// Both must outlive this.
  MemoryAccounts(const profile::Profile &P, const profile::ApiTrace &Trace, uint32_t Device);

  /// Returns the account after the last call that had returned by this time.
  MemoryAccount at(uint64_t TimeNs) const;
  /// Returns the accounts at the highest peak of the program's memory, after the last failed
  /// allocation if there is any, and at the end. Empty if the program never allocated.
  std::vector<MemoryAccount> all() const;
  MemoryOverTime overTime() const;
  uint32_t device() const { return Device; }
  /// Returns true if an account counts the object by itself: not for slabs of PyTorch, and not for
  /// parts of the program's own pools.
  bool counts(uint32_t Object) const {
    return isTensor(Object) || (!IsSlab[Object] && Use.residency(Object).Bytes != 0);
  }
  /// Returns the number of failed allocations on the device.
  uint64_t failures() const;

private:
  /// A reading of the device's memory.
  struct Reading {
    const profile::MemoryReading *Of;
    uint32_t Apis; ///< number of APIs that had taken effect
  };
  /// The program's memory at one time.
  struct Live {
    std::vector<MemoryRow> Rows;
    uint64_t OwnMemory = 0;             ///< bytes outside of the next two
    uint64_t InPools = 0, InGraphs = 0; ///< stream-ordered allocations; memory of graphs
    std::vector<MemorySite> Sites;
    std::vector<uint32_t> Objects;
    std::optional<uint64_t> LargestFreeBlock;
  };

  void findSlabs();
  bool isLive(uint32_t Object, uint32_t Apis) const;
  bool isTensor(uint32_t Object) const {
    return Trace.Objects[Object].Parent && IsSlab[*Trace.Objects[Object].Parent];
  }
  /// Returns the row of an object that is no slab of PyTorch.
  std::pair<MemoryOwner, std::string> ownerOf(uint32_t Object) const;
  const std::string &libraryOf(const profile::ApiObject &O) const;
  Live liveAt(uint32_t Apis) const;
  void addSlabs(Live &To, uint32_t Apis) const;
  uint32_t apisBy(uint64_t TimeNs) const;
  /// Returns the call after which PyTorch's tensors take most while the device's memory is at its
  /// peak; the peak itself if there are no tensors.
  uint32_t fullestAt(const MemoryPeak &Peak) const;
  /// Returns the number of changes of the program's memory until then.
  size_t changesBy(uint32_t Apis) const;
  const Reading *readingFor(uint32_t Apis) const;
  MemoryAccount account(uint32_t Apis, uint64_t TimeNs, const Reading *R) const;
  /// Returns the memory in use beside the program's objects at a reading.
  uint64_t othersAt(const Reading &R) const;
  /// Adds what a reading knows besides the program's objects.
  void addKnown(MemoryAccount &To, const Live &Now, const profile::MemoryReading &R) const;
  /// Divides what is left among the parts of the driver.
  void addDriver(MemoryAccount &To, uint64_t Left, const profile::MemoryReading &R) const;

  const profile::Profile &P;
  const profile::ApiTrace &Trace;
  const uint32_t Device;
  const MemoryUse Use;
  std::vector<uint64_t> Effects;          ///< when each API takes effect
  std::vector<std::string> LibraryOfPath; ///< by call path
  std::vector<bool> IsSlab;               ///< by object: slabs of PyTorch
  std::map<uint64_t, uint64_t> Addresses; ///< of these slabs and their tensors, by Id
  std::vector<Reading> Readings;          ///< of the device
  uint64_t ContextBytes = 0;
};

/// Returns the name of an owner in summary.json: unattributed.
const char *ownerName(MemoryOwner Owner);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_OBJECTS_MEMORYACCOUNT_H
