//===- ReuseCandidates.h - Objects with reusable memory ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds, among many objects of similar size, the one used last before a given call and released
// after another: a k-d tree (Bentley, Multidimensional Binary Search Trees Used for Associative
// Searching, 1975) by time of last use and by size, with the range of each number in each subtree.
// Objects created one after the other differ in time, and coexisting ones in size, so that a search
// visits few of them.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_OBJECTS_REUSECANDIDATES_H
#define GMPROF_ANALYSIS_OBJECTS_REUSECANDIDATES_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace gmprof::analysis {

class ReuseCandidates {
public:
  struct Candidate {
    uint32_t Position; ///< unique position of its last use among the events of all objects
    uint64_t Bytes;
    uint32_t LastCall; ///< last call that uses it
    uint32_t Release;  ///< UINT32_MAX: never
  };
  struct Wanted {
    uint64_t LeastBytes, MostBytes;
    uint32_t FirstCall;  ///< LastCall has to be before
    uint32_t Allocation; ///< Release has to be after
  };

  explicit ReuseCandidates(std::vector<Candidate> Of);

  /// Returns the last position of a candidate that satisfies W.
  std::optional<uint32_t> last(const Wanted &W) const;

  /// Removes the candidate with this position, if present.
  void erase(uint32_t Position);

private:
  /// Ranges of the remaining candidates: of a single one or of a subtree.
  struct Ranges {
    uint64_t LeastBytes = UINT64_MAX, MostBytes = 0;
    uint32_t LeastCall = UINT32_MAX, LastRelease = 0;
    uint32_t End = 0; ///< last position plus one; 0: no candidate

    void add(const Ranges &R);
    bool mayHave(const Wanted &W) const;
  };

  // Builds the subtree First to Last - 1, whose root is in the middle.
  void build(std::vector<Candidate> &Of, size_t First, size_t Last, bool BySize);
  void erase(size_t First, size_t Last, size_t Which);
  void search(size_t First, size_t Last, const Wanted &W, uint32_t &End) const;
  void sumUp(size_t First, size_t Last);
  Ranges below(size_t First, size_t Last) const;

  std::vector<Ranges> Own, Below;                 ///< of each candidate, and of its subtree
  std::vector<std::pair<uint32_t, size_t>> Index; ///< positions with their indices in Own
};

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_OBJECTS_REUSECANDIDATES_H
