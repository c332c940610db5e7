//===- ApiTrace.h - The GPU APIs of a run and what they touch ---*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DrGPUM (ASPLOS'23), Section 5.1: the memory access trace. Its GPU APIs are
// memory allocation, release, copy and set, and kernel launch. Plain data; all
// indices are into the vectors here. ApiTraceBuilder.h makes it of a Profile. There may
// be many millions of APIs, so a list of them keeps them packed.
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

/// The stream of what the host does by itself: memory of the host comes and goes.
inline constexpr uint64_t NoStream = UINT64_MAX;

/// An access of an object by an API. Allocation and release do not access the
/// object that they are about.
struct ApiAccess {
  uint32_t Object = 0;
  bool Reads = false, Writes = false;
  /// The bytes of the object that a copy or set reads or writes, without gaps;
  /// Bytes is 0 where that is not known (launches, copies of planes).
  uint64_t Offset = 0, Bytes = 0;
};

struct Api {
  ApiKind Kind = ApiKind::Launch;
  profile::Name Name; ///< of the function or kernel
  /// 0: the default stream. Others are numbered 1, 2, … as they are first seen; one that
  /// gets the handle of another that was destroyed is another.
  uint64_t Stream = 0;
  uint32_t Device = 0;
  uint64_t TimeNs = 0;      ///< steady clock, of the call's begin
  uint64_t EndNs = 0;       ///< of its return; 0: not known
  uint32_t Thread = 0;      ///< of the host; 0: not known
  uint32_t CallPath = None; ///< in Profile::CallPaths
  uint32_t Launch = None;   ///< in Profile::Launches
  uint32_t Object = 0;      ///< that is allocated or released; else meaningless
  std::vector<ApiAccess> Accesses;
  /// What a launch accesses was not observed: Accesses are what its parameters point
  /// to, and it may access other objects as well.
  bool Inferred = false;
  /// What a launch accesses was not observed either, but is all that it can come to.
  bool FromParameters = false;
  bool WithHost = false; ///< a copy from or to memory of the host
  /// Earlier APIs that it waits for, besides those of Definition 5.1: by events,
  /// synchronisation of the host, and the rules of the default stream.
  std::vector<uint32_t> After;
};

struct ApiObject {
  uint64_t Id = 0;     ///< ObjectRecord::id; each replay of a graph allocates its object anew
  profile::Name Name;  ///< the variable; empty: unknown
  profile::Name Where; ///< file and line of its allocation, for messages; empty: unknown
  uint64_t Bytes = 0;
  log::ObjectKind Kind = log::ObjectKind::Device;
  uint32_t Device = 0;
  uint32_t Allocation = 0; ///< index of the API; meaningless for variables of modules
  std::optional<uint32_t> Release;
  std::optional<uint32_t> Parent; ///< of a part of a pool: the slab
  bool Opaque = false;            ///< an array for textures, whose memory nothing else can have
};

/// A vector of APIs that are values. Those that were asked for by reference are no
/// longer packed.
class ApiList {
  /// An API without what it has lists of.
  struct Packed {
    ApiKind Kind = ApiKind::Launch;
    bool Inferred = false, FromParameters = false, WithHost = false;
    uint32_t Name = 0; ///< in Names
    uint64_t Stream = 0, TimeNs = 0, EndNs = 0;
    uint32_t Device = 0, Thread = 0, CallPath = None, Launch = None, Object = 0;
    uint32_t AccessCount = 0, AfterCount = 0;
    uint64_t FirstAccess = 0, FirstAfter = 0;
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
  /// The last one, until the next comes.
  Api &back() { return *Last; }
  const Api &back() const { return *Last; }
  void push_back(Api A); // NOLINT(readability-identifier-naming)
  Api &emplace_back() {  // NOLINT(readability-identifier-naming)
    push_back({});
    return *Last;
  }

  /// Gives all APIs of a kind the names that NewName makes of theirs.
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
  std::vector<std::pair<ApiKind, Name>> Names; ///< as they are now
  std::map<std::pair<ApiKind, Name>, uint32_t> NameIndex;
  std::map<size_t, Api> Changed; ///< by index
  std::optional<Api> Last;
};

/// APIs are in the order of the calls.
struct ApiTrace {
  ApiList Apis;
  std::vector<ApiObject> Objects;
  std::vector<Name> Places; ///< by call path: file and line of the call, for messages

  /// The API that releases it; behind all, if none does.
  uint32_t endOf(const ApiObject &O) const {
    return O.Release.value_or(static_cast<uint32_t>(Apis.size()));
  }
};

} // namespace gmprof::profile

#endif // GMPROF_PROFILE_APITRACE_H
