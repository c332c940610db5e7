//===- TextSharedMemory.cpp - Shared arrays in the report -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/text/TextPrinter.h"
#include <algorithm>
#include <cmath>
#include <set>

namespace gmprof::text {

using namespace summary;

std::string Printer::neverTouched(const ObjectUse &U) const {
  const NeverTouched &N = U.never_touched;
  if (N.elements == 0)
    return N.padding_elements ? fmt::format("padding ({})", grouped(N.padding_elements)) : "-";
  double Share = 100.0 * static_cast<double>(N.elements) /
                 static_cast<double>(std::max<uint64_t>(U.count_elements, 1));
  // Nearly all is not all, and hardly any is not none.
  bool Extreme = (Share > 99 && N.elements < U.count_elements) || Share < 0.95;
  return fmt::format("{} ({:.{}f} %)", grouped(N.elements), Share, Extreme ? 1 : 0);
}

void Printer::arrays(const Kernel &K) {
  Table T({0, 1, 8});
  // A threshold that nothing comes near is no news.
  bool Near = K.threshold && *K.threshold <= 65535;
  for (const ObjectUse &U : K.objects)
    Near |= U.threshold && U.threshold->reached != 0;
  std::string Reached = Near ? atLeast() + grouped(uint64_t(K.threshold.value_or(0))) : "";
  T.add({"array", "type", "bytes", "elements", "min", "mean", "max", Reached, "never touched"});
  for (const ObjectUse &U : K.objects) {
    const Object &O = object(U.object);
    T.add({O.name, O.type.empty() ? "-" : O.type, grouped(O.bytes),
           grouped(U.count_elements) + (U.counts_of == "words" ? " words" : ""),
           number(U.per_block.min), number(U.per_block.mean), number(U.per_block.max),
           Near && U.threshold ? grouped(U.threshold->reached) : "", neverTouched(U)});
  }
  Text += T.text("  ");
}

void Printer::histogram(const std::string &Title, const std::vector<Bucket> &Buckets) {
  if (Buckets.empty())
    return;
  uint64_t Largest = 1;
  for (const Bucket &B : Buckets)
    Largest = std::max(Largest, B.elements);
  line("    {}", styled(Dim, Title));
  std::vector<std::string> Labels;
  size_t LabelWidth = 0, CountWidth = 0;
  for (const Bucket &B : Buckets) {
    std::string Label;
    if (B.at_threshold || !B.to)
      Label = atLeast() + grouped(B.from);
    else if (*B.to == 0)
      Label = "0";
    else if (*B.to <= 1)
      Label = "<1";
    else if (*B.to - B.from <= 1)
      Label = grouped(B.from);
    else
      Label = grouped(B.from) + "-" + grouped(*B.to - 1);
    LabelWidth = std::max(LabelWidth, displayWidth(Label));
    CountWidth = std::max(CountWidth, grouped(B.elements).size());
    Labels.push_back(std::move(Label));
  }
  const size_t BarWidth = std::min<size_t>(50, Options.Width / 2);
  // Omits the row of elements never accessed if there are none.
  size_t First = Buckets[0].elements == 0 ? 1 : 0;
  for (size_t I = First; I < Labels.size(); ++I) {
    uint64_t Elements = Buckets[I].elements;
    auto Length = static_cast<size_t>(
        std::ceil(static_cast<double>(Elements) * static_cast<double>(BarWidth) /
                  static_cast<double>(Largest)));
    std::string Bar;
    for (size_t J = 0; J < Length; ++J)
      Bar += Options.Utf8 ? "\u2588" : "#";
    line("    {:>{}}  {:>{}}{}{}", Labels[I], LabelWidth, grouped(Elements), CountWidth,
         Bar.empty() ? "" : "  ", Bar);
  }
}

/// Accesses to data between two moves; without several ranges in a block, those of
/// the block are.
void Printer::liveRanges(const LiveRanges &R) {
  std::vector<std::string> Moves;
  const auto Add = [&](const char *What, const std::vector<Move> &From) {
    std::set<std::string> Lines;
    for (const Move &M : From)
      if (M.source)
        Lines.insert(shortPosition(M.source));
    if (!Lines.empty())
      Moves.push_back(fmt::format("{} at {}", What, fmt::join(Lines, ", ")));
  };
  Add("begin", R.begins);
  Add("end", R.ends);
  if (!R.accesses_per_range) {
    if (!Moves.empty() && !R.counted)
      paragraph("    live ranges: ",
                fmt::format("{}; {}", R.not_counted_reason, fmt::join(Moves, "; ")));
    return;
  }
  const PerRange &A = *R.accesses_per_range;
  std::string Often = A.min == A.max
                          ? plural(A.max, "access") + " each"
                          : fmt::format("{} to {} accesses, {} on average", grouped(A.min),
                                        grouped(A.max), number({A.mean, false}));
  if (R.at_threshold)
    Often += fmt::format("; {} more reached the threshold", grouped(R.at_threshold));
  Moves.insert(Moves.begin(), Often);
  paragraph("    live ranges: ",
            fmt::format("{} of words, {}", grouped(R.ranges), fmt::join(Moves, "; ")));
}

void Printer::array(const Kernel &K, const ObjectUse &U) {
  const Object &O = object(U.object);
  Text += '\n';
  std::string Total = number(U.accesses) + (U.accesses.value == 1 ? " access" : " accesses");
  if (U.blocks_counted < U.blocks_launched)
    Total += fmt::format(" in the blocks counted, about {} in all{}", number(U.accesses_estimated),
                         relativeError(U.standard_error, U.accesses_estimated));
  line("  {}{}", styled(Bold, O.name),
       (O.source ? "  " + shortPosition(O.source) : "") + "  " + Total);
  histogram(U.counts_of + " by accesses per block:", U.per_block.histogram);
  if (U.live_ranges)
    liveRanges(*U.live_ranges);
  if (!U.never_touched.description.empty())
    line("    never touched: {}", U.never_touched.description);
  if (U.never_touched.padding_elements)
    line("    {}",
         styled(Dim, fmt::format("{} at the end of rows only pad (to keep rows on different banks)",
                                 plural(U.never_touched.padding_elements,
                                        U.counts_of == "words" ? "word" : "element"))));
  if (U.uncounted_bytes)
    line("    the last {} could not be counted", plural(U.uncounted_bytes, "byte"));
  if (!U.uncounted_reason.empty())
    paragraph("    ", "counts are lower bounds: " + U.uncounted_reason);
  sites(U.sites);
}

void Printer::sharedMemory(const Kernel &K) {
  line("  accesses per element and block, over {}{}:",
       K.objects.empty() ? "no blocks" : plural(K.objects[0].blocks_counted, "block"),
       K.blocks_alike.value_or(false) ? " (all alike: the first was counted for all)" : "");
  arrays(K);
  for (const ObjectUse &U : K.objects)
    array(K, U);
  if (!K.other_sites.empty()) {
    line("\n  {}", styled(Bold, "through pointers, to variables that are not known"));
    sites(K.other_sites);
  }
  if (K.accesses_unattributed)
    line("\n  {} to shared memory of no known variable", plural(K.accesses_unattributed, "access"));
  if (K.counts_exact && !*K.counts_exact)
    paragraph("  ",
              fmt::format("{}Counted without atomics: lanes that access one element at the same "
                          "time may count once.{}",
                          Dim, Plain));
}

} // namespace gmprof::text
