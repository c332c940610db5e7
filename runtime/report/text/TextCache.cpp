//===- TextCache.cpp - Simulated caches in the report ---------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/text/CacheText.h"
#include "report/text/TextPrinter.h"
#include <algorithm>

namespace gmprof::text {

using namespace summary;

static std::string percent(double Part) { return fmt::format("{:.1f} %", 100 * Part); }

/// Returns a rate; "-" where nothing was looked up.
static std::string rate(const std::optional<double> &Rate, const std::optional<double> &Error,
                        bool Utf8) {
  if (!Rate)
    return "-";
  return Error ? fmt::format("{} {} {:.1f}", percent(*Rate), Utf8 ? "\u00b1" : "+-", 100 * *Error)
               : percent(*Rate);
}

static double share(uint64_t Part, uint64_t Of) {
  return Of == 0 ? 0 : static_cast<double>(Part) / static_cast<double>(Of);
}

void Printer::cacheFigures(std::vector<Figure> &To) const {
  if (!S.cache || S.cache->total.requests == 0)
    return;
  const CacheTraffic &All = S.cache->total;
  To.emplace_back(
      "Global memory",
      fmt::format("hit rate {} in L1, {} in L2; traffic {} between L1 and L2, {} between L2 and "
                  "DRAM{}",
                  rate(All.l1_hit_rate, All.l1_hit_rate_error, Options.Utf8),
                  rate(All.l2_hit_rate, All.l2_hit_rate_error, Options.Utf8),
                  bytesText(static_cast<double>(All.l2_bytes)),
                  bytesText(static_cast<double>(All.dram_bytes)),
                  S.cache->sampled > 1 ? fmt::format("; 1 of {} lines simulated", S.cache->sampled)
                                       : ""));
  if (S.cache->limited_launches != 0)
    To.emplace_back("Traced", limitedTrace(S.cache->blocks_traced, S.cache->blocks_beyond_limit,
                                           S.cache->requests_beyond_limit));
  constexpr size_t Named = 3;
  std::vector<std::string> Objects;
  for (const CacheObject &O : S.cache->objects)
    if (Objects.size() < Named)
      Objects.push_back(fmt::format("{}: hit rate {} in L1, {} in L2, {} of the traffic", O.name,
                                    rate(O.traffic.l1_hit_rate, {}, false),
                                    rate(O.traffic.l2_hit_rate, {}, false),
                                    percent(O.traffic.traffic_share)));
  const size_t Count = S.cache->objects.size() + S.cache->objects_omitted;
  if (Count > Objects.size())
    Objects.push_back(fmt::format("{} more", Count - Objects.size()));
  To.emplace_back("By allocation", fmt::format("{}", fmt::join(Objects, "; ")));
}

std::string Printer::cacheLineName(const CacheLine &L) const {
  return (L.source ? position(*L.source) : std::string("?")) + ": " + L.access;
}

/// Rows that have a name and traffic.
void Printer::cacheTable(const std::string &Title,
                         const std::vector<std::pair<std::string, const CacheTraffic *>> &Rows,
                         uint64_t Omitted) {
  Table T({0});
  const bool AnyFences = S.cache->total.lost_to_fences != 0;
  std::vector<std::string> Head = {Title,        "traffic", "requests", "sectors",
                                   "bytes used", "L1 hits", "to L2",    "again"};
  if (AnyFences)
    Head.push_back("fences");
  Head.insert(Head.end(), {"L2 hits", "bytes L2", "bytes DRAM"});
  T.add(Head);
  const size_t Shown = shown(Rows.size());
  for (size_t I = 0; I < Shown; ++I) {
    const CacheTraffic &C = *Rows[I].second;
    const uint64_t ToL2 = C.l2_reads + C.l2_writes + C.l2_atomics;
    const uint64_t Lacked = C.l1_lookups - std::min(C.l1_hits, C.l1_lookups);
    const auto OfLacked = [&](uint64_t Part) {
      return Lacked ? percent(share(Part, Lacked)) : "-";
    };
    std::vector<std::string> Row = {Rows[I].first,
                                    percent(C.traffic_share),
                                    grouped(C.requests),
                                    grouped(C.sectors),
                                    percent(C.coalescing_efficiency),
                                    rate(C.l1_hit_rate, C.l1_hit_rate_error, Options.Utf8),
                                    grouped(ToL2),
                                    OfLacked(C.fetched_again)};
    if (AnyFences)
      Row.push_back(OfLacked(C.lost_to_fences));
    Row.insert(Row.end(), {rate(C.l2_hit_rate, C.l2_hit_rate_error, Options.Utf8),
                           grouped(C.l2_bytes), grouped(C.dram_bytes)});
    T.add(Row);
  }
  Text += T.text("  ");
  if (const uint64_t Left = Rows.size() - Shown)
    line("  {} more with less traffic: --top 0 shows them", grouped(Left));
  if (Omitted != 0)
    line("  {} more with less traffic: cache_accesses.csv has them", grouped(Omitted));
}

/// Objects, lines, and the objects of each kernel.
void Printer::cache() {
  if (!S.cache)
    return;
  const Cache &C = *S.cache;
  Text += '\n';
  line("{}", styled(Bold, "Caches"));
  paragraph("  ",
            fmt::format("{} ({}), simulated: {} with {} of L1 and shared memory ({}), {} "
                        "of L2 ({} ways, {}){}. To L2: sectors; again: of those that L1 lacks, "
                        "fetched before by the same multiprocessor in the launch{}.",
                        C.gpu.name, C.gpu.architecture, plural(C.gpu.sms, "SM"),
                        bytesText(1024.0 * static_cast<double>(C.gpu.unified_kb)),
                        C.gpu.l1_replacement, bytesText(1024.0 * static_cast<double>(C.gpu.l2_kb)),
                        C.gpu.l2_ways, C.gpu.l2_replacement,
                        C.sampled > 1 ? fmt::format("; 1 of {} lines, of which the hits and "
                                                    "sectors to L2 are",
                                                    C.sampled)
                                      : "",
                        C.total.lost_to_fences != 0 ? "; fences: lost to these" : ""));
  if (C.limited_launches != 0)
    paragraph("  ", fmt::format("{} had more requests than may be in the trace (--launch-requests, "
                                "--run-requests): {}.",
                                plural(C.limited_launches, "launch"),
                                limitedTrace(C.blocks_traced, C.blocks_beyond_limit,
                                             C.requests_beyond_limit)));
  std::vector<std::pair<std::string, const CacheTraffic *>> Rows;
  auto Objects = [&](const std::vector<CacheObject> &From) {
    Rows.clear();
    for (const CacheObject &O : From)
      Rows.emplace_back(O.name, &O.traffic);
  };
  Objects(C.objects);
  Rows.emplace_back("all", &C.total);
  Text += '\n';
  cacheTable("object", Rows, C.objects_omitted);
  Rows.clear();
  for (const CacheLine &L : C.lines)
    Rows.emplace_back(cacheLineName(L), &L.traffic);
  Text += '\n';
  cacheTable("line", Rows, C.lines_omitted);
  if (C.kernels.size() < 2)
    return;
  for (size_t I = 0; I < shown(C.kernels.size()); ++I) {
    const CacheKernel &K = C.kernels[I];
    Objects(K.objects);
    Rows.emplace_back("all", &K.traffic);
    Text += '\n';
    line("  {}, {}", styled(Bold, shortName(K.name)), plural(K.launches, "launch"));
    cacheTable("object", Rows, K.objects_omitted);
  }
}

} // namespace gmprof::text
