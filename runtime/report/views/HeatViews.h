//===- HeatViews.h - Heat maps prepared for output --------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Data that 'gmreport heat' shows in each format: for each sampled launch, the objects in global
// memory and the arrays in shared memory that it accessed, with names, as lines of memory: sectors
// of global memory, rows of the 32 banks of shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_VIEWS_HEATVIEWS_H
#define GMPROF_REPORT_VIEWS_HEATVIEWS_H

#include "profile/Profile.h"
#include "profile/Result.h"
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace gmprof {

/// Selects heat maps.
struct HeatChoice {
  std::string Kernel;  ///< a regular expression as for keepKernels; empty: any
  std::string Object;  ///< the name of an object or array; empty: any
  uint64_t Launch = 0; ///< profile::Launch::Id; 0: any
};

/// The accesses that temperatures count.
enum class HeatOf : unsigned { All, Reads, Writes, Atomics };
inline constexpr unsigned HeatOfs = 4;
inline constexpr const char *HeatOfNames[HeatOfs] = {"all", "reads", "writes", "atomics"};

/// A source line that accesses memory.
struct HeatPlace {
  profile::SourcePosition Source;         ///< no file: functions that are not inlined, and others
  std::array<bool, HeatOfs> Has = {true}; ///< index: HeatOf
};

/// The threads that access a word of shared memory.
enum class Sharing : uint8_t { Nobody, Thread, Warp, Warps };

inline constexpr unsigned Banks = 32;
inline constexpr unsigned BankRowBytes = Banks * GMPROF_HEAT_WORD_BYTES;

/// A heat map of an object in global memory or an array in shared memory.
struct HeatView {
  std::string Name;
  std::vector<std::string> Aliases; ///< other names that select it
  std::string What;                 ///< cudaMalloc, float[32][33]; may be empty
  profile::SourcePosition Source;   ///< position of that call or declaration
  uint64_t Address = 0, Bytes = 0;
  const profile::HeatMap *Map = nullptr; ///< null: shared memory
  uint64_t Places = 0;                   ///< shared memory: mask of places that access the array
  unsigned LineBytes = GMPROF_HEAT_SECTOR_BYTES;

  bool shared() const { return !Map; }
  bool isCalled(const std::string &Wanted) const {
    return Name == Wanted || std::count(Aliases.begin(), Aliases.end(), Wanted);
  }
  unsigned lineWords() const { return LineBytes / GMPROF_HEAT_WORD_BYTES; }
  /// Returns the object's offset in its first line.
  uint64_t lead() const { return Address % LineBytes; }
  /// Returns the number of lines that contain bytes of the object.
  uint64_t lines() const { return (lead() + Bytes + LineBytes - 1) / LineBytes; }
  /// Returns the offset in the object of a line's first byte; 0 for the first line.
  uint64_t offset(uint64_t Line) const {
    return Line == 0 ? 0 : std::min(Line * LineBytes - lead(), Bytes);
  }
};

/// A sampled launch, or several that are recorded in one context.
struct HeatLaunch {
  const profile::HeatContext *Context = nullptr;
  const profile::Kernel *Kernel = nullptr;
  profile::Launch First;
  uint64_t Launches = 1;
  std::vector<HeatPlace> Places; ///< index: number of the place
  std::vector<HeatView> Views;

  /// Returns the highest possible temperature.
  unsigned hottest() const;
  /// Returns the number of blocks in the grid.
  uint64_t blocks() const;
  /// Returns, e.g., "block 0 of 16", or "4 blocks of 16 (0, 4, 8 and so on)".
  std::string sampled() const;
};

/// Returns the launches in order, each with its objects, then its arrays. Fails if there are none.
Result<std::vector<HeatLaunch>> heatViews(const profile::Profile &P, const HeatChoice &Choice);

/// Consecutive lines of memory with equal accesses of one kind.
struct HeatRow {
  uint64_t First = 0, Lines = 1;
  uint8_t Line = 0;                      ///< temperature
  std::array<uint8_t, Banks> Words = {}; ///< temperatures; the first lineWords() are used
  std::array<Sharing, Banks> Sharers = {};
  bool SeveralBlocks = false, Merged = false; ///< see profile::HeatRun
  uint64_t Accesses = 0;
  uint64_t Places = 0; ///< mask of places

  uint64_t end() const { return First + Lines; }
  /// Compares all but position and number of accesses.
  bool alike(const HeatRow &O) const {
    return Line == O.Line && Words == O.Words && Sharers == O.Sharers && Places == O.Places &&
           SeveralBlocks == O.SeveralBlocks && Merged == O.Merged;
  }
};

/// Returns true if the object has bytes of the word in one of the row's lines.
inline bool hasWord(const HeatView &View, const HeatRow &Row, unsigned Word) {
  const uint64_t Byte = Row.First * View.LineBytes + uint64_t(Word) * GMPROF_HEAT_WORD_BYTES;
  return Row.Lines > 1 ||
         (Byte + GMPROF_HEAT_WORD_BYTES > View.lead() && Byte < View.lead() + View.Bytes);
}

/// Calls Each for all rows of the object, including those without accesses.
void forEachHeatRow(const HeatLaunch &Launch, const HeatView &View, HeatOf Of,
                    const std::function<void(const HeatRow &)> &Each);
std::vector<HeatRow> heatRows(const HeatLaunch &Launch, const HeatView &View, HeatOf Of);

} // namespace gmprof

#endif // GMPROF_REPORT_VIEWS_HEATVIEWS_H
