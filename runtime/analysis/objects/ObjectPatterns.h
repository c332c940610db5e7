//===- ObjectPatterns.h - Object-level memory inefficiencies ----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The seven object-level patterns of DrGPUM (ASPLOS'23), Section 3.1, each in the file of its name.
// Distances are differences of topological timestamps (DependencyGraph.h): an API executes between
// two others if its timestamp is between theirs.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_OBJECTS_OBJECTPATTERNS_H
#define GMPROF_ANALYSIS_OBJECTS_OBJECTPATTERNS_H

#include "analysis/Finding.h"
#include "analysis/objects/ObjectHistory.h"
#include "analysis/objects/PeakMemory.h"
#include <map>
#include <tuple>

namespace gmprof::analysis {

/// The defaults are the paper's.
struct ObjectPatternOptions {
  /// Redundant allocation: maximum difference of sizes, as a share of the larger one.
  double SizeDifference = 0.1;
  /// Temporary idleness: minimum number of APIs executed between two that access the object.
  unsigned IdleApis = 2;
  /// Overallocation: minimum share of accessed elements; and the fragmentation from which the other
  /// elements cannot be saved.
  double AccessedShare = 0.8, Fragmentation = 0.8;
  /// Non-uniform access frequency: maximum coefficient of variation that is uniform.
  double FrequencyVariation = 0.2;
  /// The program is a Python program: an object is released when its last reference goes, and those
  /// that are left at the end never.
  bool IsPython = false;
  /// An allocation failed: the program may have ended before it used what it allocated last.
  bool AllocationFailed = false;
};

/// A pattern that an object matches.
struct ObjectInefficiency {
  /// Pattern, evidence, message and suggestion; ObjectInefficiencies.h adds the savings.
  Finding Found;
  uint32_t Object = 0;
  uint32_t Api = 0; ///< API whose call path shows the code to change
  /// For a redundant allocation: the object whose memory can be reused.
  std::optional<uint32_t> Reuses;
  /// Further objects with the same pattern and call site; for redundant allocations, OtherReuses
  /// has the objects that they can reuse.
  std::vector<uint32_t> Others, OtherReuses;
  bool Sampled = false;   ///< true if based on a sample of launches or blocks
  bool TakesTime = false; ///< true if the fix copies the data away and back
  /// True if a launch accesses the object, or not, depending on data.
  bool DependsOnData = false;
  bool FromParameters = false; ///< true if based on kernel parameters instead of observed accesses
  /// Residencies after the fix; empty if they do not change.
  ResidencyChange Instead;
};

/// Inefficiencies of a trace. Merges inefficiencies of one pattern and call site when they are
/// added: a program may create millions of such objects, but has few call sites.
class ObjectInefficiencies {
public:
  /// Merges nothing, as there is no trace.
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
  /// Equal keys are merged: pattern, kind, call paths of the allocation and of the change, name,
  /// kernel, and, without a call path, size.
  using Key = std::tuple<std::string, std::string, profile::Name, uint32_t, uint32_t, profile::Name,
                         uint32_t, uint32_t, std::optional<uint32_t>, uint64_t>;
  Key keyOf(const ObjectInefficiency &I) const;

  const profile::ApiTrace *Trace = nullptr;
  std::vector<ObjectInefficiency> All;
  std::map<Key, size_t> Index;
};

/// Finds early allocations: Definition 3.1 (EarlyAllocation.cpp).
ObjectInefficiencies earlyAllocations(const ObjectHistory &H,
                                      const ObjectPatternOptions &Options = {});

/// Finds late deallocations: Definition 3.2 (LateDeallocation.cpp).
ObjectInefficiencies lateDeallocations(const ObjectHistory &H,
                                       const ObjectPatternOptions &Options = {});

/// Finds redundant allocations: Definition 3.3, with the one-pass algorithm of Figure 3
/// (RedundantAllocation.cpp).
ObjectInefficiencies redundantAllocations(const ObjectHistory &H,
                                          const ObjectPatternOptions &Options = {});

/// Finds unused allocations: Definition 3.4 (UnusedAllocation.cpp).
ObjectInefficiencies unusedAllocations(const ObjectHistory &H,
                                       const ObjectPatternOptions &Options = {});

/// Finds memory leaks: Definition 3.5 (MemoryLeak.cpp).
ObjectInefficiencies memoryLeaks(const ObjectHistory &H, const ObjectPatternOptions &Options = {});

/// Finds temporary idleness: Definition 3.6 (TemporaryIdleness.cpp).
ObjectInefficiencies temporaryIdleness(const ObjectHistory &H,
                                       const ObjectPatternOptions &Options = {});

/// Finds dead writes: Definition 3.7 (DeadWrite.cpp).
ObjectInefficiencies deadWrites(const ObjectHistory &H, const ObjectPatternOptions &Options = {});

/// Finds all objects that match a pattern.
using ObjectPattern = ObjectInefficiencies (*)(const ObjectHistory &, const ObjectPatternOptions &);

inline constexpr ObjectPattern ObjectPatterns[] = {
    earlyAllocations, lateDeallocations, redundantAllocations, unusedAllocations,
    memoryLeaks,      temporaryIdleness, deadWrites,
};

/// Returns the residencies if each object used the memory of its entry in Reuses.
ResidencyChange sharedMemory(const profile::ApiTrace &Trace,
                             const std::map<uint32_t, uint32_t> &Reuses);

/// Returns ", and move cudaMemcpy there, provided that …", or nothing if no copies or sets move;
/// counts them in the finding's evidence. All of them are copies to the object and sets, or copies
/// to the host.
std::string andMove(const ObjectHistory &H, ObjectInefficiency &I,
                    const std::vector<uint32_t> &Moved, const std::string &Where);

/// Returns " in its stream" for an object of a stream-ordered pool whose allocation or release From
/// moves to an API of another stream, which does not order it; else nothing.
std::string inItsStream(const profile::ApiTrace &T, const profile::ApiObject &O, uint32_t From,
                        uint32_t To);

/// Creates a finding about an object, with the fields that all patterns have.
ObjectInefficiency objectInefficiency(const ObjectHistory &H, const char *Pattern, uint32_t Object);

/// Returns the object's name; without one "the object of a.cu:12 (64 bytes)", or "an object of 64
/// bytes".
std::string describeObject(const profile::ApiObject &O);

/// Returns "Free it after saxpy.", or how to do that in Python.
std::string freeing(const ObjectPatternOptions &Options, const std::string &When);

/// Returns "2 GPU APIs".
std::string describeApis(uint32_t Number);

/// Returns "saxpy", "cudaMemcpy".
std::string nameOf(const profile::Api &A);
/// Returns the name abbreviated for messages: "reduce<512, 1, …>".
std::string describeApi(const profile::Api &A);

/// The place of a call and its function. Copies of unrolled loops and callers of a wrapper share
/// it.
using CallSite = std::pair<std::string, std::string>;
CallSite callSite(const profile::ApiTrace &T, const profile::Api &A);

/// Returns a kernel in backquotes or the name of a call, with its source location if known: `fill`
/// (objects.cu:21).
std::string apiWithPlace(const profile::ApiTrace &T, uint32_t Api);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_OBJECTS_OBJECTPATTERNS_H
