//===- AccountView.cpp - Owners of memory as a part of summary.json -------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/views/AccountView.h"
#include "analysis/CallingLibrary.h"
#include "analysis/ProgramSource.h"
#include "analysis/objects/ObjectAnalysis.h"
#include "report/model/SummaryNames.h"
#include <algorithm>
#include <array>
#include <utility>

namespace gmprof {

using analysis::AccountMoment;
using profile::None;

static const char *momentName(AccountMoment M) {
  switch (M) {
  case AccountMoment::Peak:
    return "peak";
  case AccountMoment::Failure:
    return "failure";
  case AccountMoment::End:
    return "end";
  case AccountMoment::Chosen:
    break;
  }
  return "chosen";
}

static std::string functionOf(const profile::Profile &P, uint32_t CallPath) {
  const profile::Frame *F =
      CallPath == None ? nullptr : analysis::programFrame(P.CallPaths[CallPath]);
  return F ? F->Function : "";
}

static std::optional<summary::Source> sourceOf(const profile::Profile &P, uint32_t CallPath) {
  return CallPath == None ? std::nullopt : source(analysis::programSource(P.CallPaths[CallPath]));
}

static std::string libraryOf(const profile::Profile &P, uint32_t CallPath) {
  return CallPath == None ? "" : analysis::callingLibrary(P.CallPaths[CallPath]);
}

static summary::FailedAllocation failure(const profile::Profile &P,
                                         const profile::FailedAllocation &F) {
  summary::FailedAllocation To;
  To.api = F.Api.str();
  To.bytes = F.Bytes;
  To.function = functionOf(P, F.CallPath);
  To.library = libraryOf(P, F.CallPath);
  To.source = sourceOf(P, F.CallPath);
  if (F.CallPath != None)
    for (const profile::Frame &Each : P.CallPaths[F.CallPath].Frames)
      if (!analysis::isWrapper(Each) && To.call_path.size() < MaxInline)
        if (const auto Where = source(Each.Source))
          To.call_path.push_back(*Where);
  return To;
}

const summary::MemoryAccount *accountAt(const summary::DeviceMemory &D, const std::string &Moment) {
  const auto Found = std::ranges::find(D.accounts, Moment, &summary::MemoryAccount::moment);
  return Found == D.accounts.end() ? nullptr : &*Found;
}

std::string ownerText(const std::string &Owner, const std::string &Name) {
  static constexpr std::array<std::pair<const char *, const char *>, 15> Texts = {{
      {"program", "program"},
      {"managed", "managed memory"},
      {"library", ""},
      {"tensors", "PyTorch tensors"},
      {"cached", "PyTorch, cached and free"},
      {"pool_free", "stream-ordered pools, unused"},
      {"graph_free", "graph memory, unused"},
      {"context", "CUDA context"},
      {"modules", "modules"},
      {"printf_fifo", "printf buffer (raised limit)"},
      {"malloc_heap", "malloc() heap (raised limit)"},
      {"local_memory", "local memory (raised limit)"},
      {"other_processes", "other processes"},
      {"gmprof", "GMProf"},
      {"unattributed", "unattributed"},
  }};
  const auto Found = std::ranges::find_if(Texts, [&](const auto &T) { return Owner == T.first; });
  const std::string Text = Found == Texts.end() ? Owner : Found->second;
  if (Text.empty())
    return Name;
  return Name.empty() ? Text : Text + (Name.starts_with("and ") ? " " : ": ") + Name;
}

summary::MemoryAccount accountView(const profile::Profile &P, const profile::ApiTrace &Trace,
                                   const analysis::MemoryAccount &A) {
  const auto Seconds = [&](uint64_t Ns) {
    return static_cast<double>(Ns - std::min(Ns, P.TheRun.SteadyStartNs)) / 1e9;
  };
  summary::MemoryAccount To;
  To.moment = momentName(A.Moment);
  To.seconds = Seconds(A.TimeNs);
  To.in_use_bytes = A.InUse;
  To.total_bytes = A.Total;
  To.read = A.Read;
  To.reduced_bytes = A.ReducedBytes;
  for (const analysis::MemoryRow &R : A.Rows)
    To.rows.push_back({analysis::ownerName(R.Owner), R.Name, R.Bytes, R.Objects});
  To.largest_free_block_bytes = A.LargestFreeBlock;
  for (const analysis::MemorySite &S : A.Sites)
    if (To.sites.size() < MaxAccountRows)
      To.sites.push_back(
          {source(S.Source), functionOf(P, S.CallPath), S.Library, S.Api, S.Bytes, S.Objects});
  To.sites_omitted = A.Sites.size() - To.sites.size();
  for (uint32_t Object : A.Objects) {
    if (To.objects.size() == MaxAccountRows)
      break;
    const profile::ApiObject &O = Trace.Objects[Object];
    const profile::Api Made = Trace.Apis[O.Allocation];
    To.objects.push_back({O.Name.str(), O.Parent ? "" : libraryOf(P, Made.CallPath),
                          Made.Name.str(), O.Bytes, Seconds(analysis::effectNs(Made)),
                          sourceOf(P, Made.CallPath)});
  }
  To.objects_omitted = A.Objects.size() - To.objects.size();
  if (A.Failure != None)
    To.failure = failure(P, P.FailedAllocations[A.Failure]);
  return To;
}

} // namespace gmprof
