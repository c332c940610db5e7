//===- ObjectPatterns.h - Object-level memory inefficiencies ----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The seven object-level patterns of DrGPUM (ASPLOS'23), Section 3.1, each in the
// file of its name. Distances are differences of topological timestamps
// (DependencyGraph.h): an API is executed between two others if there is a
// timestamp between theirs.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_OBJECTPATTERNS_H
#define GMPROF_ANALYSIS_OBJECTPATTERNS_H

#include "analysis/Finding.h"
#include "analysis/ObjectHistory.h"
#include "analysis/PeakMemory.h"
#include <map>
#include <tuple>

namespace gmprof::analysis {

/// The defaults are the paper's.
struct ObjectPatternOptions {
  /// Redundant allocation: how much sizes may differ, as a share of the larger one.
  double SizeDifference = 0.1;
  /// Temporary idleness: APIs executed between two that access the object.
  unsigned IdleApis = 2;
  /// Overallocation: which share of the elements has to be accessed; and from which
  /// fragmentation on the others are of no use.
  double AccessedShare = 0.8, Fragmentation = 0.8;
  /// Non-uniform access frequency: the largest coefficient of variation that is uniform.
  double FrequencyVariation = 0.2;
};

/// A pattern that an object matches.
struct ObjectInefficiency {
  /// Pattern, evidence, message and suggestion; what it saves is for
  /// ObjectInefficiencies.h to say.
  Finding Found;
  uint32_t Object = 0;
  uint32_t Api = 0; ///< whose call path shows where to change the program
  /// Of a redundant allocation: the object whose memory it can have.
  std::optional<uint32_t> Reuses;
  /// More objects of which the same is true, as they come from the same call; and of
  /// redundant allocations, what each of these reuses.
  std::vector<uint32_t> Others, OtherReuses;
  bool Sampled = false;        ///< it rests on a sample of launches or blocks
  bool FromParameters = false; ///< what kernels access was told by their parameters
  /// Memory in use if it were fixed; empty where memory stays the same.
  ResidencyChange Instead;
};

/// Inefficiencies of a trace. Those of one pattern that come from the same call of the
/// program are one as soon as they are added: a program may make millions of such
/// objects, but has few such calls.
class ObjectInefficiencies {
public:
  /// Without a trace, all stay apart.
  ObjectInefficiencies() = default;
  explicit ObjectInefficiencies(const profile::ApiTrace &Trace) : Trace(&Trace) {}

  void push_back(ObjectInefficiency I); // NOLINT(readability-identifier-naming)

  size_t size() const { return All.size(); }
  bool empty() const { return All.empty(); }
  auto begin() { return All.begin(); }
  auto end() { return All.end(); }
  auto begin() const { return All.begin(); }
  auto end() const { return All.end(); }
  ObjectInefficiency &operator[](size_t I) { return All[I]; }
  const ObjectInefficiency &operator[](size_t I) const { return All[I]; }
  const ObjectInefficiency &at(size_t I) const { return All.at(I); }

private:
  /// What makes inefficiencies one: pattern and kind, where the object is allocated and
  /// where to change it, name, kernel, and, where there is no call path, size.
  using Key = std::tuple<std::string, std::string, profile::Name, uint32_t, uint32_t, profile::Name,
                         uint32_t, uint32_t, std::optional<uint32_t>, uint64_t>;
  Key keyOf(const ObjectInefficiency &I) const;

  const profile::ApiTrace *Trace = nullptr;
  std::vector<ObjectInefficiency> All;
  std::map<Key, size_t> Index;
};

/// Definition 3.1. EarlyAllocation.cpp
ObjectInefficiencies earlyAllocations(const ObjectHistory &H);

/// Definition 3.2. LateDeallocation.cpp
ObjectInefficiencies lateDeallocations(const ObjectHistory &H);

/// Definition 3.3, with the one-pass algorithm of Figure 3. RedundantAllocation.cpp
ObjectInefficiencies redundantAllocations(const ObjectHistory &H,
                                          const ObjectPatternOptions &Options = {});

/// Definition 3.4. UnusedAllocation.cpp
ObjectInefficiencies unusedAllocations(const ObjectHistory &H);

/// Definition 3.5. MemoryLeak.cpp
ObjectInefficiencies memoryLeaks(const ObjectHistory &H);

/// Definition 3.6. TemporaryIdleness.cpp
ObjectInefficiencies temporaryIdleness(const ObjectHistory &H,
                                       const ObjectPatternOptions &Options = {});

/// Definition 3.7. DeadWrite.cpp
ObjectInefficiencies deadWrites(const ObjectHistory &H);

/// Memory in use if each object had the memory of the one it is mapped to.
ResidencyChange sharedMemory(const profile::ApiTrace &Trace,
                             const std::map<uint32_t, uint32_t> &Reuses);

/// ", and move cudaMemcpy there", or nothing if no copies or sets move; counts them in the
/// finding's evidence.
std::string andMove(const ObjectHistory &H, ObjectInefficiency &I,
                    const std::vector<uint32_t> &Moved, const std::string &Where);

/// A finding about an object, with what all patterns say.
ObjectInefficiency objectInefficiency(const ObjectHistory &H, const char *Pattern, uint32_t Object);

/// The object's name; without one "the object of a.cu:12 (64 bytes)", or
/// "an object of 64 bytes".
std::string describeObject(const profile::ApiObject &O);

/// "2 GPU APIs"
std::string describeApis(uint32_t Number);

/// "saxpy", "cudaMemcpy"
std::string nameOf(const profile::Api &A);
/// The same as messages call it: "reduce<512, 1, …>".
std::string describeApi(const profile::Api &A);

/// A kernel in backquotes or the name of a call, with its place if that is known:
/// `fill` (objects.cu:21).
std::string apiWithPlace(const profile::ApiTrace &T, uint32_t Api);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_OBJECTPATTERNS_H
