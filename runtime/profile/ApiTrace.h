//===- ApiTrace.h - The GPU APIs of a run and what they touch ---*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The memory access trace of DrGPUM (ASPLOS'23, Section 5.1). Its GPU APIs are memory allocation,
// release, copy, set and kernel launch. Plain data; indices refer to the vectors of this file.
// ApiTraceBuilder.h builds the trace from a Profile. Traces can hold many millions of APIs, so
// ApiList stores them packed.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_APITRACE_H
#define GMPROF_PROFILE_APITRACE_H

#include "profile/Profile.h"
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace gmprof::profile {

enum class ApiKind : uint8_t { Allocation, Release, Copy, Set, Launch };

/// Stream of host operations: allocation and release of host memory.
inline constexpr uint64_t NoStream = UINT64_MAX;

/// An API's access to an object. Allocation and release are not accesses of their object.
struct ApiAccess {
  uint32_t Object = 0;
  bool Reads = false, Writes = false;
  /// Contiguous byte range of the object that a copy or set reads or writes. `Bytes` is 0 if the
  /// range is unknown (launches, copies of planes).
  uint64_t Offset = 0, Bytes = 0;
};

/// The bytes that a copy reads or writes in memory of the host, from the first one to the last.
struct HostRange {
  uint64_t Object = 0; ///< ObjectRecord::id of page-locked memory; 0: pageable memory
  uint64_t Begin = 0;  ///< bytes from the object's start; in pageable memory, the address
  uint64_t Bytes = 0;  ///< 0: not known
  bool Writes = false; ///< else the copy reads them

  uint64_t end() const { return Begin + Bytes; }
};

struct Api {
  ApiKind Kind = ApiKind::Launch;
  profile::Name Name; ///< name of the API function or kernel
  /// 0: the default stream. Other streams are numbered 1, 2, … in order of first use; a handle that
  /// CUDA reuses for a new stream gets a new number.
  uint64_t Stream = 0;
  uint32_t Device = 0;
  uint64_t TimeNs = 0;      ///< begin of the call, steady clock
  uint64_t EndNs = 0;       ///< return of the call, steady clock; 0: unknown
  uint32_t Thread = 0;      ///< host thread; 0: unknown
  uint32_t CallPath = None; ///< index in Profile::CallPaths
  uint32_t Launch = None;   ///< index in Profile::Launches
  uint32_t Object = 0;      ///< index of the object that is allocated or released; otherwise unused
  std::vector<ApiAccess> Accesses;
  /// True if the launch's accesses were not observed: `Accesses` holds what its parameters point
  /// to, and the launch may access other objects too.
  bool Inferred = false;
  /// True if the launch's accesses were not observed, but `Accesses` holds every object it can
  /// reach.
  bool FromParameters = false;
  bool WithHost = false; ///< a copy from or to memory of the host
  HostRange Host;        ///< of such a copy
  /// Earlier APIs that it waits for, in addition to those of Definition 5.1: through events, host
  /// synchronisation, and the rules of the default stream.
  std::vector<uint32_t> After;
};

struct ApiObject {
  uint64_t Id = 0;     ///< ObjectRecord::id; each launch of a graph allocates its objects anew
  profile::Name Name;  ///< variable's name; empty: unknown
  profile::Name Where; ///< file and line of the allocation, for messages; empty: unknown
  /// Place of the call that reached the allocating line, if other calls reach it, too; else empty.
  profile::Name Caller;
  /// Library that allocates it for itself or gets it from PyTorch as workspace, such as cuBLAS;
  /// empty: the program, or PyTorch for it.
  profile::Name Library;
  uint64_t Bytes = 0;
  log::ObjectKind Kind = log::ObjectKind::Device;
  uint32_t Device = 0;
  uint32_t Allocation = 0; ///< index of the allocating API; unused for module variables
  std::optional<uint32_t> Release;
  std::optional<uint32_t> Parent; ///< slab that holds this part of a pool
  /// PyTorch allocates or releases it by itself, in its backward pass or an operator: no line of
  /// the program can do so at another time.
  bool AllocatedWithin = false, ReleasedWithin = false;
  /// A graph uses its memory after its release, as PyTorch's graphs do with tensors of the capture.
  bool UsedAfterRelease = false;
  bool Opaque = false; ///< CUDA array: memory that only texture and surface operations can access
};

/// A packed vector of APIs, read by value. The non-const operator[] unpacks an element for good.
class ApiList {
  /// An API without its lists.
  struct Packed {
    ApiKind Kind = ApiKind::Launch;
    bool Inferred = false, FromParameters = false, WithHost = false;
    uint32_t Name = 0; ///< index in Names
    uint64_t Stream = 0, TimeNs = 0, EndNs = 0;
    uint32_t Device = 0, Thread = 0, CallPath = None, Launch = None, Object = 0;
    uint32_t AccessCount = 0, AfterCount = 0;
    uint64_t FirstAccess = 0, FirstAfter = 0;
    HostRange Host;
  };

public:
  class Iterator {
  public:
    using value_type = Api;                            // NOLINT(readability-identifier-naming)
    using difference_type = ptrdiff_t;                 // NOLINT(readability-identifier-naming)
    using reference = const Api &;                     // NOLINT(readability-identifier-naming)
    using pointer = const Api *;                       // NOLINT(readability-identifier-naming)
    using iterator_category = std::input_iterator_tag; // NOLINT(readability-identifier-naming)

    Iterator(const ApiList &Of, size_t Index);
    const Api &operator*() const { return Element; }
    const Api *operator->() const { return &Element; }
    Iterator &operator++();
    void operator++(int) { ++*this; }
    friend bool operator==(const Iterator &A, const Iterator &B) { return A.Index == B.Index; }

  private:
    void load();

    const ApiList *Of;
    size_t Index;
    CompactVector<Packed>::Iterator Next;
    CompactVector<ApiAccess>::Iterator NextAccess;
    CompactVector<uint32_t>::Iterator NextAfter;
    Api Element;
  };

  size_t size() const { return Done.size() + (Last ? 1 : 0); }
  bool empty() const { return size() == 0; }
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }
  Api operator[](size_t Index) const;
  Api &operator[](size_t Index);
  /// Returns the last API; the reference is valid until the next push_back.
  Api &back() { return *Last; }
  const Api &back() const { return *Last; }
  void push_back(Api A); // NOLINT(readability-identifier-naming)
  Api &emplace_back() {  // NOLINT(readability-identifier-naming)
    push_back({});
    return *Last;
  }

  /// Renames all APIs of a kind: `NewName` maps the old name to the new one.
  template <typename F> void rename(ApiKind Kind, F NewName) {
    for (auto &[Of, Each] : Names)
      if (Of == Kind)
        Each = NewName(Each.str());
    for (auto &[Index, Each] : Changed)
      if (Each.Kind == Kind)
        Each.Name = NewName(Each.Name.str());
    if (Last && Last->Kind == Kind)
      Last->Name = NewName(Last->Name.str());
  }

private:
  uint32_t indexOf(ApiKind Kind, Name Of);
  void unpack(const Packed &From, Api &To) const;

  CompactVector<Packed> Done;
  CompactVector<ApiAccess> Accesses;
  CompactVector<uint32_t> Afters;
  std::vector<std::pair<ApiKind, Name>> Names; ///< current names
  std::map<std::pair<ApiKind, Name>, uint32_t> NameIndex;
  std::map<size_t, Api> Changed; ///< unpacked elements, by index
  std::optional<Api> Last;
};

/// An access that a launch makes or not depending on data, and did not make in this run.
struct SkippedAccess {
  uint32_t Api = 0, Object = 0;
};

/// The GPU APIs of a run in call order, and their objects.
struct ApiTrace {
  ApiList Apis;
  std::vector<ApiObject> Objects;
  CompactVector<SkippedAccess> Skipped; ///< in call order
  std::vector<Name> Places;             ///< by call path: file and line of the call, for messages
  /// By call path: the first one with the same functions, lines and columns; empty: each its own.
  std::vector<uint32_t> SamePath;
  /// By object: of slabs, the one that stands for all of their pool. PyTorch's allocator cuts
  /// tensors from any of its slabs. Empty: each slab is a pool.
  std::vector<uint32_t> PoolOfSlab;

  /// Returns the call path that stands for all with the same functions and lines.
  uint32_t samePath(uint32_t CallPath) const {
    return CallPath < SamePath.size() ? SamePath[CallPath] : CallPath;
  }

  /// Returns the pool of a part, as the number of a slab; nothing: the object is no part of one.
  std::optional<uint32_t> poolOf(const ApiObject &O) const {
    return O.Parent && !PoolOfSlab.empty() ? PoolOfSlab[*O.Parent] : O.Parent;
  }

  /// Returns the index of the API that releases the object; Apis.size() if none does.
  uint32_t endOf(const ApiObject &O) const {
    return O.Release.value_or(static_cast<uint32_t>(Apis.size()));
  }
};

} // namespace gmprof::profile

#endif // GMPROF_PROFILE_APITRACE_H
