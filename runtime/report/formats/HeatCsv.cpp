//===- HeatCsv.cpp - Heat maps as comma-separated values ------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/formats/HeatCsv.h"
#include <fmt/format.h>
#include <string>

namespace gmprof {

/// Calls Each for accessed rows, in sectors for shared memory too.
static void forEachRun(const HeatLaunch &Launch, HeatView View, HeatOf Of,
                       const std::function<void(const HeatRow &)> &Each) {
  View.LineBytes = GMPROF_HEAT_SECTOR_BYTES;
  forEachHeatRow(Launch, View, Of, [&](const HeatRow &Row) {
    if (Row.Line != 0)
      Each(Row);
  });
}

uint64_t heatSectors(const std::vector<HeatLaunch> &Launches, HeatOf Of) {
  uint64_t Sectors = 0;
  for (const HeatLaunch &Launch : Launches)
    for (const HeatView &View : Launch.Views)
      forEachRun(Launch, View, Of, [&](const HeatRow &Row) { Sectors += Row.Lines; });
  return Sectors;
}

static std::string quoted(const std::string &Text) {
  std::string Quoted = "\"";
  for (char C : Text)
    Quoted += C == '"' ? std::string("\"\"") : std::string(1, C);
  return Quoted + "\"";
}

/// Returns a letter per word: T thread, W warp, S several warps.
static std::string sharers(const HeatView &View, const HeatRow &Row) {
  std::string Letters;
  for (unsigned W = 0; View.shared() && W < profile::WordsPerSector; ++W)
    Letters += "-TWS"[static_cast<size_t>(Row.Sharers[W])];
  return Letters;
}

/// Returns the columns after the tag.
static std::string columns(const HeatView &View, const HeatRow &Row, bool Expand,
                           const std::string &Names) {
  std::string Cells;
  for (unsigned W = 0; W < profile::WordsPerSector; ++W)
    Cells += fmt::format("{},", Row.Words[W]);
  Cells += fmt::format("{},", Row.Line);
  if (!Expand)
    Cells += fmt::format("{},{},", Row.Lines, Row.Accesses);
  return Cells + Names + sharers(View, Row);
}

bool writeHeatCsv(const std::vector<HeatLaunch> &Launches, HeatOf Of, bool Expand, std::FILE *To) {
  fmt::memory_buffer Lines;
  bool Good = true;
  auto Flush = [&] {
    Good = Good && std::fwrite(Lines.data(), 1, Lines.size(), To) == Lines.size();
    Lines.clear();
  };
  fmt::format_to(std::back_inserter(Lines),
                 "tag,word0,word1,word2,word3,word4,word5,word6,word7,sector,{}"
                 "launch,kernel,space,object,sharers\n",
                 Expand ? "" : "sectors,accesses,");
  for (const HeatLaunch &Launch : Launches)
    for (const HeatView &View : Launch.Views) {
      const std::string Names =
          fmt::format("{},{},{},{},", Launch.First.Id, quoted(Launch.Kernel->Demangled),
                      View.shared() ? "shared" : "global", quoted(View.Name));
      forEachRun(Launch, View, Of, [&](const HeatRow &Row) {
        const std::string Columns = columns(View, Row, Expand, Names);
        const uint64_t Tag = View.Address / GMPROF_HEAT_SECTOR_BYTES + Row.First;
        for (uint64_t I = 0; Good && I < (Expand ? Row.Lines : 1); ++I) {
          fmt::format_to(std::back_inserter(Lines), "{},{}\n", Tag + I, Columns);
          if (Lines.size() > 1 << 16)
            Flush();
        }
      });
    }
  Flush();
  return Good;
}

} // namespace gmprof
