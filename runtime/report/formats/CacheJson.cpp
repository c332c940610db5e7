//===- CacheJson.cpp - Simulation results of caches as JSON ---------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/formats/CacheJson.h"
#include <nlohmann/json.hpp>

namespace gmprof {

using namespace cache;
using Json = nlohmann::ordered_json;

static Json rowJson(const CacheRow &Row) {
  const AccessCounts &C = Row.Counts;
  Json J = {{"name", Row.Name},
            {"requests", C.Requests},
            {"sectors", C.Sectors},
            {"bytes_used", C.BytesUsed},
            {"coalescing_efficiency", coalescingEfficiency(C)},
            {"l1_lookups", C.L1Lookups},
            {"l1_hits", C.L1Hits},
            {"l1_hit_rate", hitRate(C.L1Hits, C.L1Lookups)},
            {"l2_reads", C.L2Reads},
            {"coalesced", C.Coalesced},
            {"l2_writes", C.L2Writes},
            {"l2_atomics", C.L2Atomics},
            {"l2_hits", C.L2Hits},
            {"l2_hit_rate", hitRate(C.L2Hits, C.l2Lookups())},
            {"other_partition", C.OtherPartition},
            {"lost_to_fences", C.LostToFences},
            {"dram_reads", C.DramReads},
            {"dram_writes", C.DramWrites}};
  if (Row.L1Error) {
    J["l1_hit_rate_error"] = *Row.L1Error;
    J["l2_hit_rate_error"] = *Row.L2Error;
  }
  return J;
}

static Json viewJson(const CacheView &View) {
  Json J = {{"total", rowJson(View.Whole)}, {"objects", Json::array()}, {"lines", Json::array()}};
  for (const CacheRow &Row : View.Objects)
    J["objects"].push_back(rowJson(Row));
  for (const CacheRow &Row : View.Lines)
    J["lines"].push_back(rowJson(Row));
  return J;
}

static Json resultsJson(const SimulationResults &R, const std::vector<uint32_t> &Launches) {
  Json Root = {{"schema", "gmprof.cache/1"},
               {"gpu",
                {{"name", R.Gpu.Name},
                 {"device", R.Gpu.Device},
                 {"sms", R.Gpu.Sms},
                 {"unified_kb", R.Gpu.UnifiedKb},
                 {"l1_replacement", ReplacementNames[static_cast<size_t>(R.Gpu.L1.Policy)]},
                 {"l2_kb", R.Gpu.L2.Kb},
                 {"l2_ways", R.Gpu.L2.Ways},
                 {"l2_line_bytes", R.Gpu.L2.LineBytes},
                 {"l2_replacement", ReplacementNames[static_cast<size_t>(R.Gpu.L2.Policy)]}}},
               {"keeps_l2", R.Options.KeepsL2},
               {"sampled", R.Options.Sampled},
               {"complete", R.Complete},
               {"dirty_sectors", R.DirtySectors},
               {"all", viewJson(cacheView(R, Launches))},
               {"launches", Json::array()}};
  for (uint32_t L : Launches) {
    const LaunchResult &Of = R.Launches[L];
    Json J = {{"launch", L + 1},
              {"kernel", R.Kernels[Of.Launch.Kernel].Name},
              {"grid", Of.Launch.Grid},
              {"block", Of.Launch.Block},
              {"shared_kb", Of.SharedKb},
              {"l1_kb", Of.L1Kb},
              {"block_sample", Of.Launch.BlockSample},
              {"sm_sample", Of.Launch.SmSample},
              {"number", Of.Launch.Number},
              {"lost", Of.End.Lost},
              {"late", Of.End.Late},
              {"blocks_traced", Of.End.Blocks},
              {"blocks_beyond_limit", Of.End.BlocksBeyond},
              {"requests_beyond_limit", Of.End.RequestsBeyond},
              {"dram_written_meanwhile", Of.WrittenBack}};
    J.update(viewJson(cacheView(R, {L})));
    Root["launches"].push_back(std::move(J));
  }
  return Root;
}

static std::string text(const Json &J) {
  return J.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string cacheJson(const SimulationResults &R, const std::vector<uint32_t> &Launches) {
  return text(resultsJson(R, Launches));
}

std::string cacheComparisonJson(const SimulationResults &Before, const SimulationResults &After,
                                const std::vector<uint32_t> &Launches, const std::string &What) {
  return text({{"schema", "gmprof.cache-what-if/1"},
               {"what_if", What},
               {"before", resultsJson(Before, Launches)},
               {"after", resultsJson(After, Launches)}});
}

} // namespace gmprof
