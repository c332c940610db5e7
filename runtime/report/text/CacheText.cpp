//===- CacheText.cpp - Simulation results of caches as text ---------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/text/CacheText.h"
#include "report/text/TextStyle.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace gmprof {

using namespace cache;
using text::grouped;
using text::styled;

static std::string percent(double Part) { return fmt::format("{:.1f} %", 100 * Part); }

/// Formats a hit rate; "-" if there were no lookups.
static std::string rate(uint64_t Hits, uint64_t Lookups, std::optional<double> Error,
                        const TextOptions &Options) {
  if (Lookups == 0)
    return "-";
  const std::string Rate = percent(hitRate(Hits, Lookups));
  return Error ? fmt::format("{} {} {:.1f}", Rate, Options.Utf8 ? "\u00b1" : "+-", 100 * *Error)
               : Rate;
}

std::string cacheGeometry(const SimulationResults &R, const std::vector<uint32_t> &Launches) {
  const auto Size = [](uint32_t Kb) { return bytesText(1024.0 * Kb); };
  std::set<uint32_t> L1;
  for (uint32_t L : Launches)
    L1.insert(R.Launches[L].L1Kb);
  std::vector<std::string> L1Sizes;
  for (uint32_t Kb : L1)
    L1Sizes.push_back(Size(Kb));
  std::string Text =
      fmt::format("{} ({}): {} with {} of L1 ({}), {} of L2 ({} ways, {})", R.Gpu.Device,
                  R.Gpu.Name, plural(R.Gpu.Sms, "SM"), fmt::join(L1Sizes, " or "),
                  ReplacementNames[static_cast<size_t>(R.Gpu.L1.Policy)], Size(R.Gpu.L2.Kb),
                  R.Gpu.L2.Ways, ReplacementNames[static_cast<size_t>(R.Gpu.L2.Policy)]);
  if (!R.Options.KeepsL2)
    Text += ", empty when a launch begins";
  if (R.Options.Sampled > 1)
    Text += fmt::format("; 1 of {} lines simulated", R.Options.Sampled);
  return Text;
}

std::string limitedTrace(uint64_t Blocks, uint64_t BlocksBeyond, uint64_t RequestsBeyond) {
  std::string Text =
      fmt::format("{} of {} in the trace", grouped(Blocks), plural(Blocks + BlocksBeyond, "block"));
  if (RequestsBeyond != 0)
    Text += fmt::format(", without the last {}", plural(RequestsBeyond, "request"));
  return Text;
}

std::string cacheGaps(const SimulationResults &R, const std::vector<uint32_t> &Launches) {
  TraceLaunchEnd Sum;
  for (uint32_t L : Launches)
    Sum += R.Launches[L].End;
  std::string Text;
  if (!R.Complete)
    Text += "the trace has no end: the program was killed, or the file is not whole\n";
  if (Sum.Lost != 0)
    Text += fmt::format("{} not in the trace\n", plural(Sum.Lost, "request"));
  if (Sum.Late != 0)
    Text += fmt::format("{} not where the SM made them\n", plural(Sum.Late, "request"));
  if (Sum.reachedLimit())
    Text += fmt::format("{}\n", limitedTrace(Sum.Blocks, Sum.BlocksBeyond, Sum.RequestsBeyond));
  return Text;
}

static std::string table(const std::string &Title, const std::vector<CacheRow> &Rows,
                         const CacheRow &Whole, const TextOptions &Options) {
  text::Table T({0});
  const bool AnyFences = Whole.Counts.LostToFences != 0;
  std::vector<std::string> Head = {Title,        "traffic", "requests", "sectors",
                                   "bytes used", "L1 hits", "to L2"};
  if (AnyFences)
    Head.push_back("lost to fences");
  Head.insert(Head.end(), {"L2 hits", "DRAM reads", "writes"});
  T.add(Head);
  const size_t Shown = Options.Top == 0 ? Rows.size() : std::min<size_t>(Rows.size(), Options.Top);
  auto Add = [&](const CacheRow &Row) {
    const AccessCounts &C = Row.Counts;
    std::vector<std::string> Cells = {Row.Name,
                                      percent(hitRate(C.Sectors, Whole.Counts.Sectors)),
                                      grouped(C.Requests),
                                      grouped(C.Sectors),
                                      percent(coalescingEfficiency(C)),
                                      rate(C.L1Hits, C.L1Lookups, Row.L1Error, Options),
                                      grouped(C.l2Lookups())};
    if (AnyFences)
      Cells.push_back(grouped(C.LostToFences));
    Cells.insert(Cells.end(), {rate(C.L2Hits, C.l2Lookups(), Row.L2Error, Options),
                               grouped(C.DramReads), grouped(C.DramWrites)});
    T.add(Cells);
  };
  for (size_t I = 0; I < Shown; ++I)
    Add(Rows[I]);
  Add(Whole);
  std::string Text = T.text("  ");
  if (Shown < Rows.size())
    Text += fmt::format("  {} more with less traffic: --top 0 shows all\n", Rows.size() - Shown);
  return Text;
}

std::string cacheText(const SimulationResults &R, const std::vector<uint32_t> &Launches,
                      const TextOptions &Options) {
  std::string Text = cacheGeometry(R, Launches) + "\n" + cacheGaps(R, Launches);
  auto Add = [&](const std::string &Title, const std::vector<uint32_t> &Of, uint64_t WrittenBack) {
    const CacheView View = cacheView(R, Of);
    Text += "\n" + styled(text::Bold, Title) + "\n";
    Text += table("object", View.Objects, View.Whole, Options) + "\n";
    Text += table("line", View.Lines, View.Whole, Options);
    if (WrittenBack != View.Whole.Counts.DramWrites)
      Text += fmt::format("  {} written to DRAM meanwhile, for whomever\n",
                          plural(WrittenBack, "sector"));
  };
  uint64_t AllWritten = 0;
  for (uint32_t L : Launches)
    AllWritten += R.Launches[L].WrittenBack;
  if (Launches.size() > 1)
    Add(fmt::format("{} together", plural(Launches.size(), "launch")), Launches, AllWritten);
  size_t Shown = 0;
  for (uint32_t L : Launches) {
    if (Options.Top != 0 && ++Shown > Options.Top) {
      Text += fmt::format("\n{} more: --top 0 shows all, --launch one\n",
                          plural(Launches.size() - Shown + 1, "launch"));
      break;
    }
    const LaunchResult &Of = R.Launches[L];
    Add(fmt::format("launch {}: {}  grid {}, block {}, {} of shared memory beside L1", L + 1,
                    R.Kernels[Of.Launch.Kernel].Name, text::dim3(Of.Launch.Grid),
                    text::dim3(Of.Launch.Block), bytesText(1024.0 * Of.SharedKb)),
        {L}, Of.WrittenBack);
  }
  if (R.DirtySectors != 0)
    Text += fmt::format("\n{} in L2 at the end, not yet in DRAM\n",
                        plural(R.DirtySectors, "changed sector"));
  if (R.Options.Sampled > 1)
    Text += fmt::format("\nrequests, sectors and bytes used are of all lines, all else of one in "
                        "{}\n",
                        R.Options.Sampled);
  return text::render(Text, Options.Color);
}

/// Formats a relative change; from 80 to 20 is "-75.0 %".
static std::string change(uint64_t Before, uint64_t After) {
  if (Before == After)
    return "";
  if (Before == 0)
    return "new";
  return fmt::format("{:+.1f} %",
                     100 * (static_cast<double>(After) / static_cast<double>(Before) - 1));
}

std::string cacheComparison(const CacheView &Before, const CacheView &After,
                            const std::string &What, const TextOptions &Options) {
  std::string Text = fmt::format("{}: predicted from the trace, not measured\n",
                                 styled(text::Bold, "what if " + What));
  auto Add = [&](const CacheRow &Old, const CacheRow &New) {
    const AccessCounts &B = Old.Counts, &A = New.Counts;
    text::Table T({0});
    T.add({Old.Name, "before", "after", "change"});
    auto Count = [&](const char *Name, uint64_t Then, uint64_t Now) {
      T.add({Name, grouped(Then), grouped(Now), change(Then, Now)});
    };
    Count("requests", B.Requests, A.Requests);
    Count("sectors", B.Sectors, A.Sectors);
    T.add({"bytes used", percent(coalescingEfficiency(B)), percent(coalescingEfficiency(A)), ""});
    T.add({"L1 hits", rate(B.L1Hits, B.L1Lookups, Old.L1Error, Options),
           rate(A.L1Hits, A.L1Lookups, New.L1Error, Options), ""});
    Count("sectors to L2", B.l2Lookups(), A.l2Lookups());
    T.add({"L2 hits", rate(B.L2Hits, B.l2Lookups(), Old.L2Error, Options),
           rate(A.L2Hits, A.l2Lookups(), New.L2Error, Options), ""});
    Count("sectors from DRAM", B.DramReads, A.DramReads);
    Count("sectors to DRAM", B.DramWrites, A.DramWrites);
    Text += "\n" + T.text("  ");
  };
  Add(Before.Whole, After.Whole);
  for (size_t I = 0; I < Before.Objects.size() && (Options.Top == 0 || I < Options.Top); ++I)
    for (const CacheRow &New : After.Objects)
      if (New.Key == Before.Objects[I].Key)
        Add(Before.Objects[I], New);
  return text::render(Text, Options.Color);
}

namespace {

/// One cache level of Figure 4.
struct Level {
  const char *Name;
  double (*Rate)(const AccessCounts &);
  uint64_t (*Traffic)(const AccessCounts &);
  bool Coalesces;
};

} // namespace

static const Level Levels[] = {
    {"L1", [](const AccessCounts &C) { return hitRate(C.L1Hits, C.L1Lookups); },
     [](const AccessCounts &C) { return C.L1Lookups; }, true},
    {"L2", [](const AccessCounts &C) { return hitRate(C.L2Hits, C.l2Lookups()); },
     [](const AccessCounts &C) { return C.l2Lookups(); }, false}};

/// Draws a bar Width columns wide, which represent 0 to 100 %.
static std::string barOf(double Rate, std::optional<double> Traffic,
                         std::optional<double> Efficiency, size_t Width, bool Utf8) {
  auto Column = [&](double Part) {
    return std::min(Width - 1, static_cast<size_t>(Part * static_cast<double>(Width)));
  };
  const auto Filled = static_cast<size_t>(std::lround(Rate * static_cast<double>(Width)));
  std::string Text;
  for (size_t I = 0; I < Width; ++I) {
    const bool IsTraffic = Traffic && Column(*Traffic) == I;
    const bool IsEfficiency = Efficiency && Column(*Efficiency) == I;
    if (IsTraffic || IsEfficiency)
      Text += IsTraffic ? styled(text::Red, IsEfficiency ? "X" : "T") : styled(text::Bold, "E");
    else if (I < Filled)
      Text += Utf8 ? "\u2588" : "#";
    else
      Text += I % (Width / 4) == 0 ? (Utf8 ? "\u00b7" : ".") : " ";
  }
  return Text;
}

std::string cacheChart(const std::vector<CacheRow> &Rows, const CacheRow &Whole,
                       const TextOptions &Options) {
  const size_t Shown = Options.Top == 0 ? Rows.size() : std::min<size_t>(Rows.size(), Options.Top);
  size_t NameWidth = text::displayWidth(Whole.Name);
  for (size_t I = 0; I < Shown; ++I)
    NameWidth = std::max(NameWidth, text::displayWidth(Rows[I].Name));
  const size_t Width =
      std::clamp<size_t>(Options.Width > NameWidth + 16 ? Options.Width - NameWidth - 16 : 0, 20,
                         80) /
      4 * 4;
  std::string Text = fmt::format("bars: hit rate;  {}: share of the transactions;  {}: coalescing "
                                 "efficiency;  X: both\n",
                                 styled(text::Red, "T"), styled(text::Bold, "E"));
  for (const Level &L : Levels) {
    const uint64_t All = L.Traffic(Whole.Counts);
    Text += fmt::format(
        "\n{}\n", styled(text::Bold, fmt::format("{}, {} transactions", L.Name, grouped(All))));
    auto Add = [&](const CacheRow &Row, bool Marks) {
      const uint64_t Own = L.Traffic(Row.Counts);
      Text += fmt::format(
          "  {}{}  {}  {:>7}\n", Row.Name,
          std::string(NameWidth - text::displayWidth(Row.Name), ' '),
          barOf(L.Rate(Row.Counts), Marks ? std::optional(hitRate(Own, All)) : std::nullopt,
                L.Coalesces ? std::optional(coalescingEfficiency(Row.Counts)) : std::nullopt, Width,
                Options.Utf8),
          Own ? percent(L.Rate(Row.Counts)) : "-");
    };
    for (size_t I = 0; I < Shown; ++I)
      Add(Rows[I], true);
    Add(Whole, false);
  }
  if (Shown < Rows.size())
    Text += fmt::format("  {} more with less traffic: --top 0 shows all\n", Rows.size() - Shown);
  return text::render(Text, Options.Color);
}

} // namespace gmprof
