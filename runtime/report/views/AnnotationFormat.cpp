//===- AnnotationFormat.cpp - What text and page show alike ---------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/text/TextStyle.h"
#include "report/views/Annotation.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace gmprof {

/// Formats a number in at most five characters: 131k, 4.19M.
static std::string brief(double X) {
  static constexpr const char *Units[] = {"", "k", "M", "G", "T", "P", "E"};
  size_t Unit = 0;
  if (X < 10000)
    return text::grouped(X).size() > 5 ? fmt::format("{:.0f}", X) : text::grouped(X);
  for (; X >= 999.5 && Unit + 1 < std::size(Units); ++Unit)
    X /= 1000;
  return fmt::format("{:.3g}{}", X, Units[Unit]);
}

static std::string amount(double X, bool Brief) { return Brief ? brief(X) : text::grouped(X); }

static std::string count(uint64_t N, bool Brief) {
  return N == 0 ? "" : Brief ? brief(static_cast<double>(N)) : text::grouped(N);
}

static std::string tally(const Tally &T, bool Brief) {
  if (!T.Known)
    return {};
  return (T.AtLeast ? ">=" : "") + amount(T.Value, Brief) + (T.Together ? "*" : "");
}

static std::string ratio(uint64_t A, uint64_t B) {
  return B == 0 ? "" : fmt::format("{:.2f}", static_cast<double>(A) / static_cast<double>(B));
}

static std::string percent(uint64_t Part, uint64_t Of) {
  return Of == 0
             ? ""
             : fmt::format("{:.0f} %", 100.0 * static_cast<double>(Part) / static_cast<double>(Of));
}

static std::string seconds(double X) { return X == 0 ? "" : fmt::format("{:.6f}", X); }

const std::vector<FigureColumn> &figureColumns() {
  using Of = const LineFigures &;
  static const std::vector<FigureColumn> Columns = {
      {"device memory", "reads", "by threads, of elements", 0,
       [](Of L, bool Brief) { return tally(L.Reads, Brief); }},
      {"device memory", "writes", "by threads, of elements", 0,
       [](Of L, bool Brief) { return tally(L.Writes, Brief); }},
      {"device memory", "atomics", "by threads, of elements", 0,
       [](Of L, bool Brief) { return tally(L.Atomics, Brief); }},
      {"device memory", "requests", "an access by a warp, each time that it is executed", 3,
       [](Of L, bool Brief) { return count(L.Requests, Brief); }},
      {"device memory", "sect/req", "sectors of 32 bytes per request", 0,
       [](Of L, bool) { return ratio(L.Sectors, L.Requests); }},
      {"device memory", "used", "of the bytes in these sectors", 0,
       [](Of L, bool) { return percent(L.BytesUsed, L.Sectors * 32); }},
      {"caches", "L1 hits", "of the sectors looked up in L1", 0,
       [](Of L, bool) { return percent(L.L1Hits, L.L1Lookups); }},
      {"caches", "L2 hits", "of the sectors that L1 asks for in L2", 0,
       [](Of L, bool) { return percent(L.L2Hits, L.L2Lookups); }},
      {"caches", "DRAM bytes", "between L2 and DRAM", 0,
       [](Of L, bool Brief) { return count(L.DramBytes, Brief); }},
      {"shared memory", "accesses", "by threads, of elements", 0,
       [](Of L, bool Brief) { return tally(L.SharedAccesses, Brief); }},
      {"shared memory", "reads", "by threads", 0,
       [](Of L, bool Brief) { return tally(L.SharedReads, Brief); }},
      {"shared memory", "writes", "by threads", 0,
       [](Of L, bool Brief) { return tally(L.SharedWrites, Brief); }},
      {"shared memory", "atomics", "by threads", 0,
       [](Of L, bool Brief) { return tally(L.SharedAtomics, Brief); }},
      {"shared memory", "requests", "an access by a warp, each time that it is executed", 3,
       [](Of L, bool Brief) { return count(L.SharedRequests, Brief); }},
      {"shared memory", "wave/req", "wavefronts, passes over the 32 banks, per request", 0,
       [](Of L, bool) { return ratio(L.Wavefronts, L.SharedRequests); }},
      {"shared memory", "conflicts", "wavefronts in excess, because of bank conflicts", 2,
       [](Of L, bool) {
         return percent(L.Wavefronts - std::min(L.Wavefronts, L.IdealWavefronts), L.Wavefronts);
       }},
      {"GPU APIs", "calls", "of APIs that can wait", 0,
       [](Of L, bool Brief) { return count(L.Calls, Brief); }},
      {"GPU APIs", "waits", "calls that had to wait", 0,
       [](Of L, bool Brief) { return count(L.Waits, Brief); }},
      {"GPU APIs", "seconds", "that these waited", 0,
       [](Of L, bool) { return seconds(L.WaitSeconds); }},
      {"GPU APIs", "could save", "seconds", 0, [](Of L, bool) { return seconds(L.CouldSave); }},
      {"made", "objects", "allocated here", 5,
       [](Of L, bool Brief) { return count(L.Objects, Brief); }},
      {"made", "bytes", "of these", 4,
       [](Of L, bool Brief) { return count(L.ObjectBytes, Brief); }},
  };
  return Columns;
}

bool AnnotatedLine::hasFigures() const {
  return std::any_of(figureColumns().begin(), figureColumns().end(),
                     [&](const FigureColumn &C) { return !C.Text(Figures, false).empty(); });
}

std::string sourceNote(SourceText::State State) {
  switch (State) {
  case SourceText::State::Read:
    return "";
  case SourceText::State::Changed:
    return "changed after the run: its lines need not be those that ran";
  case SourceText::State::Missing:
    return "cannot be read here: only the lines' numbers are known";
  case SourceText::State::TooLarge:
    return "is too large: only the lines' numbers are known";
  }
  return "";
}

std::vector<unsigned> shownLines(const AnnotatedFile &File, unsigned Length,
                                 const AnnotationOptions &How) {
  std::set<unsigned> Shown;
  if (How.WholeFiles)
    for (unsigned N = 1; N <= Length; ++N)
      Shown.insert(N);
  for (const auto &[Number, Line] : File.Lines) {
    const unsigned First = Number - std::min(Number - 1, How.Context);
    const unsigned Last = Number + std::min(Length - std::min(Number, Length), How.Context);
    for (unsigned N = std::min(First, Length + 1); N <= Last && N <= Length; ++N)
      Shown.insert(N);
    Shown.insert(Number);
  }
  return {Shown.begin(), Shown.end()};
}

} // namespace gmprof
