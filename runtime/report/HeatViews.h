//===- HeatViews.h - Heat maps to be shown ----------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What 'gmreport heat' shows, whatever the format: of each launch that was noted the objects of
// global memory and the arrays of shared memory that it accessed, with their names, and lines of
// memory: sectors of global memory, rows of the 32 banks of shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_HEATVIEWS_H
#define GMPROF_REPORT_HEATVIEWS_H

#include "profile/Profile.h"
#include "profile/Result.h"
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace gmprof {

/// Which heat maps are wanted.
struct HeatChoice {
  std::string Kernel;  ///< a regular expression as for keepKernels; empty: any
  std::string Object;  ///< the name of an object or array; empty: any
  uint64_t Launch = 0; ///< profile::Launch::Id; 0: any
};

/// The accesses that temperatures are of.
enum class HeatOf : unsigned { All, Reads, Writes, Atomics };
inline constexpr unsigned HeatOfs = 4;
inline constexpr const char *HeatOfNames[HeatOfs] = {"all", "reads", "writes", "atomics"};

/// A line of the program that accesses memory.
struct HeatPlace {
  profile::SourcePosition Source;         ///< no file: functions that are not inlined, and others
  std::array<bool, HeatOfs> Has = {true}; ///< accesses of that kind
};

/// Who accesses a word of shared memory.
enum class Sharing : uint8_t { Nobody, Thread, Warp, Warps };

inline constexpr unsigned Banks = 32;
inline constexpr unsigned BankRowBytes = Banks * GMPROF_HEAT_WORD_BYTES;

/// A heat map, of an object of global memory or an array of shared memory.
struct HeatView {
  std::string Name;
  std::vector<std::string> Aliases; ///< that it can be asked for by as well
  std::string What;                 ///< cudaMalloc, float[32][33]; may be empty
  profile::SourcePosition Source;   ///< of that call or declaration
  uint64_t Address = 0, Bytes = 0;
  const profile::HeatMap *Map = nullptr; ///< null: shared memory
  uint64_t Places = 0;                   ///< of shared memory, mask: lines that access the array
  unsigned LineBytes = GMPROF_HEAT_SECTOR_BYTES;

  bool shared() const { return !Map; }
  bool isCalled(const std::string &Wanted) const {
    return Name == Wanted || std::count(Aliases.begin(), Aliases.end(), Wanted);
  }
  unsigned lineWords() const { return LineBytes / GMPROF_HEAT_WORD_BYTES; }
  /// Of the object within its first line.
  uint64_t lead() const { return Address % LineBytes; }
  /// That the object has bytes of.
  uint64_t lines() const { return (lead() + Bytes + LineBytes - 1) / LineBytes; }
  /// Offset of a line's first byte in the object, or of the first that is the object's.
  uint64_t offset(uint64_t Line) const {
    return Line == 0 ? 0 : std::min(Line * LineBytes - lead(), Bytes);
  }
};

/// A launch that was noted, or several that one context notes.
struct HeatLaunch {
  const profile::HeatContext *Context = nullptr;
  const profile::Kernel *Kernel = nullptr;
  profile::Launch First;
  uint64_t Launches = 1;
  std::vector<HeatPlace> Places; ///< by their numbers
  std::vector<HeatView> Views;

  /// The highest temperature that there can be.
  unsigned hottest() const;
  /// Of the grid.
  uint64_t blocks() const;
  /// block 0 of 16, or 4 blocks of 16 (0, 4, 8 and so on)
  std::string noted() const;
};

/// The launches in their order; of each the objects, then the arrays. It is an error if there is
/// none.
Result<std::vector<HeatLaunch>> heatViews(const profile::Profile &P, const HeatChoice &Choice);

/// Consecutive lines of memory that are alike, as to one kind of accesses.
struct HeatRow {
  uint64_t First = 0, Lines = 1;
  uint8_t Line = 0;                      ///< temperature
  std::array<uint8_t, Banks> Words = {}; ///< temperatures; the first lineWords() are used
  std::array<Sharing, Banks> Sharers = {};
  bool SeveralBlocks = false, Merged = false; ///< see profile::HeatRun
  uint64_t Accesses = 0;
  uint64_t Places = 0; ///< mask

  uint64_t end() const { return First + Lines; }
  /// But for where, and how many accesses.
  bool alike(const HeatRow &O) const {
    return Line == O.Line && Words == O.Words && Sharers == O.Sharers && Places == O.Places &&
           SeveralBlocks == O.SeveralBlocks && Merged == O.Merged;
  }
};

/// Whether the object has bytes of the word in one of the lines.
inline bool hasWord(const HeatView &View, const HeatRow &Row, unsigned Word) {
  const uint64_t Byte = Row.First * View.LineBytes + uint64_t(Word) * GMPROF_HEAT_WORD_BYTES;
  return Row.Lines > 1 ||
         (Byte + GMPROF_HEAT_WORD_BYTES > View.lead() && Byte < View.lead() + View.Bytes);
}

/// From the object's begin to its end, also where it is not accessed.
void forEachHeatRow(const HeatLaunch &Launch, const HeatView &View, HeatOf Of,
                    const std::function<void(const HeatRow &)> &Each);
std::vector<HeatRow> heatRows(const HeatLaunch &Launch, const HeatView &View, HeatOf Of);

} // namespace gmprof

#endif // GMPROF_REPORT_HEATVIEWS_H
