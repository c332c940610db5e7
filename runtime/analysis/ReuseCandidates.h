//===- ReuseCandidates.h - Objects whose memory others can have -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which of many objects of about a size was used last, before a call, and was still there
// after another: a k-d tree (Bentley, Multidimensional Binary Search Trees Used for Associative
// Searching, 1975) by the time of the last use and by size, with the range of each number in each
// subtree. Objects that come and go one after the other differ in time, and those that are all
// there from the beginning in size, so that a search looks at few of them.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_REUSECANDIDATES_H
#define GMPROF_ANALYSIS_REUSECANDIDATES_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace gmprof::analysis {

class ReuseCandidates {
public:
  struct Candidate {
    uint32_t Position; ///< of its last use among the events of all objects; each another
    uint64_t Bytes;
    uint32_t LastCall; ///< that uses it
    uint32_t Release;  ///< UINT32_MAX: never
  };
  struct Wanted {
    uint64_t LeastBytes, MostBytes;
    uint32_t FirstCall;  ///< LastCall is before
    uint32_t Allocation; ///< Release is after
  };

  explicit ReuseCandidates(std::vector<Candidate> Of);

  /// The last position of those that are as wanted.
  std::optional<uint32_t> last(const Wanted &W) const;

  /// That of a position, if it is there.
  void erase(uint32_t Position);

private:
  /// What those have in common that are still there, of one or of a subtree.
  struct Ranges {
    uint64_t LeastBytes = UINT64_MAX, MostBytes = 0;
    uint32_t LeastCall = UINT32_MAX, LastRelease = 0;
    uint32_t End = 0; ///< the last position, plus one; 0: there is none

    void add(const Ranges &R);
    bool mayHave(const Wanted &W) const;
  };

  // The subtree of First to Last - 1 has its root in the middle.
  void build(std::vector<Candidate> &Of, size_t First, size_t Last, bool BySize);
  void erase(size_t First, size_t Last, size_t Which);
  void search(size_t First, size_t Last, const Wanted &W, uint32_t &End) const;
  void sumUp(size_t First, size_t Last);
  Ranges below(size_t First, size_t Last) const;

  std::vector<Ranges> Own, Below;                 ///< of each, and of its subtree
  std::vector<std::pair<uint32_t, size_t>> Index; ///< positions, and where they are in Own
};

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_REUSECANDIDATES_H
