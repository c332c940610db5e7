//===- CacheView.cpp - Sums of a cache simulation -------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/views/CacheView.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <regex>
#include <set>

namespace gmprof {

using namespace cache;

Result<std::vector<uint32_t>> chosenLaunches(const SimulationResults &R,
                                             const CacheChoice &Choice) {
  if (Choice.Launch > R.Launches.size())
    return Error{
        fmt::format("there is no launch {}: the trace has {}", Choice.Launch, R.Launches.size())};
  std::regex Kernel;
  try {
    Kernel.assign(Choice.Kernel);
  } catch (const std::regex_error &) {
    return Error{"'" + Choice.Kernel + "' is no regular expression"};
  }
  std::vector<uint32_t> Chosen;
  for (uint32_t L = 0; L < R.Launches.size(); ++L)
    if ((Choice.Launch == 0 || L + 1 == Choice.Launch) &&
        std::regex_search(R.Kernels[R.Launches[L].Launch.Kernel].Name, Kernel))
      Chosen.push_back(L);
  if (Chosen.empty())
    return Error{Choice.Kernel.empty()
                     ? "the trace has no launch"
                     : "no launch is of a kernel that matches '" + Choice.Kernel + "'"};
  return Chosen;
}

double hitRate(uint64_t Hits, uint64_t Lookups) {
  return Lookups ? static_cast<double>(Hits) / static_cast<double>(Lookups) : 0;
}

double coalescingEfficiency(const AccessCounts &C) {
  return C.Sectors ? static_cast<double>(C.BytesUsed) / static_cast<double>(C.Sectors * SectorBytes)
                   : 0;
}

/// Returns the standard error of a ratio of sums over random groups (Cochran, Sampling Techniques,
/// Section 6.3) if one of Sampled lines was simulated.
static double standardError(const std::array<uint64_t, SampleGroups> &Hits,
                            const std::array<uint64_t, SampleGroups> &Lookups, uint32_t Sampled) {
  double AllHits = 0, All = 0, Sum = 0;
  for (unsigned G = 0; G < SampleGroups; ++G) {
    AllHits += static_cast<double>(Hits[G]);
    All += static_cast<double>(Lookups[G]);
  }
  if (All == 0)
    return 0;
  for (unsigned G = 0; G < SampleGroups; ++G) {
    const double Off =
        static_cast<double>(Hits[G]) - AllHits / All * static_cast<double>(Lookups[G]);
    Sum += Off * Off;
  }
  return std::sqrt(Sum * SampleGroups / (SampleGroups - 1) * (1 - 1.0 / Sampled)) / All;
}

void addCell(CacheRow &To, const SimulationResults &R, size_t Cell) {
  To.Counts += R.Cells[Cell].Counts;
  if (R.Groups.empty())
    return;
  const GroupCounts &From = R.Groups[Cell];
  for (unsigned G = 0; G < SampleGroups; ++G) {
    To.Groups.L1Lookups[G] += From.L1Lookups[G];
    To.Groups.L1Hits[G] += From.L1Hits[G];
    To.Groups.L2Lookups[G] += From.L2Lookups[G];
    To.Groups.L2Hits[G] += From.L2Hits[G];
  }
}

std::string cacheObjectName(const SimulationResults &R, int32_t Object) {
  if (Object == Cell::LocalMemory)
    return "local memory";
  if (Object == Cell::Unknown)
    return "unknown";
  const TraceObject &O = R.Objects[static_cast<size_t>(Object)];
  return O.Name.empty() ? fmt::format("object {} of {} bytes", O.Id, O.Bytes) : O.Name;
}

static std::string lineName(const SimulationResults &R, const Cell &C) {
  const char *Kind = AccessKindNames[static_cast<size_t>(C.Kind)];
  if (C.Site >= R.Sites.size() || R.Sites[C.Site].File.empty())
    return fmt::format("site {}: {}", C.Site, Kind);
  const TraceSite &S = R.Sites[C.Site];
  return fmt::format("{}:{}: {}", S.File.substr(S.File.rfind('/') + 1), S.Line, Kind);
}

template <typename Key> static std::vector<CacheRow> sorted(std::map<Key, CacheRow> &From) {
  std::vector<CacheRow> Rows;
  for (auto &[K, Row] : From)
    Rows.push_back(std::move(Row));
  std::sort(Rows.begin(), Rows.end(), [](const CacheRow &A, const CacheRow &B) {
    return A.Counts.Sectors != B.Counts.Sectors ? A.Counts.Sectors > B.Counts.Sectors
                                                : A.Name < B.Name;
  });
  return Rows;
}

void findErrors(CacheRow &Row, const SimulationResults &R) {
  if (R.Groups.empty())
    return;
  const uint32_t Sampled = R.Options.Sampled;
  Row.L1Error = standardError(Row.Groups.L1Hits, Row.Groups.L1Lookups, Sampled);
  Row.L2Error = standardError(Row.Groups.L2Hits, Row.Groups.L2Lookups, Sampled);
}

CacheView cacheView(const SimulationResults &R, const std::vector<uint32_t> &Launches) {
  const std::set<uint32_t> Chosen(Launches.begin(), Launches.end());
  std::map<int32_t, CacheRow> Objects;
  std::map<std::tuple<std::string, uint32_t, AccessKind, uint32_t>, CacheRow> Lines;
  CacheView View;
  View.Whole.Name = "all";
  for (size_t I = 0; I < R.Cells.size(); ++I) {
    const Cell &C = R.Cells[I];
    if (!Chosen.contains(C.Launch))
      continue;
    CacheRow &Object = Objects[C.Object];
    Object.Name = cacheObjectName(R, C.Object);
    Object.Key = C.Object;
    addCell(Object, R, I);
    const bool Known = C.Site < R.Sites.size() && !R.Sites[C.Site].File.empty();
    CacheRow &Line = Lines[{Known ? R.Sites[C.Site].File : "", Known ? R.Sites[C.Site].Line : 0,
                            C.Kind, Known ? 0 : C.Site}];
    Line.Name = lineName(R, C);
    addCell(Line, R, I);
    addCell(View.Whole, R, I);
  }
  View.Objects = sorted(Objects);
  View.Lines = sorted(Lines);
  for (CacheRow &Row : View.Objects)
    findErrors(Row, R);
  for (CacheRow &Row : View.Lines)
    findErrors(Row, R);
  findErrors(View.Whole, R);
  return View;
}

} // namespace gmprof
