//===- SnapshotView.cpp - A snapshot as a summary -------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/views/SnapshotView.h"
#include "analysis/objects/MemoryAccount.h"
#include "analysis/objects/ObjectAnalysis.h"
#include "report/model/Findings.h"
#include "report/model/SummaryNames.h"
#include "report/views/AccountView.h"
#include <algorithm>
#include <map>
#include <utility>

namespace gmprof {

using profile::ApiObject;

static summary::Object objectOf(const ApiObject &O, uint32_t Id) {
  summary::Object To;
  To.id = Id;
  To.name = O.Name.str();
  To.kind = objectKindName(O.Kind);
  To.bytes = O.Bytes;
  To.device = O.Device;
  To.released = O.Release.has_value();
  return To;
}

static void addFindings(summary::Summary &To, analysis::SnapshotAnalysis &From) {
  std::map<uint64_t, const ApiObject *> Objects;
  for (const analysis::Finding &F : From.Findings)
    Objects[F.ObjectId] = nullptr;
  for (const ApiObject &O : From.Trace.Objects)
    if (const auto It = Objects.find(O.Id); It != Objects.end())
      It->second = &O;
  std::map<uint64_t, uint32_t> Ids;
  for (const auto &[Id, O] : Objects) {
    Ids[Id] = static_cast<uint32_t>(To.objects.size());
    To.objects.push_back(objectOf(*O, Ids[Id]));
  }
  for (analysis::Finding &F : From.Findings) {
    const summary::Object &About = To.objects[Ids.at(F.ObjectId)];
    summary::Finding &New = To.findings.emplace_back(finding(std::move(F)));
    New.object = {About.id, About.name, About.kind};
  }
  rank(To.findings);
}

summary::Summary snapshotSummary(const MemorySnapshot &Of, std::optional<uint64_t> AtNs) {
  summary::Summary To;
  analysis::SnapshotAnalysis A =
      analysis::analyzeSnapshot(Of.P, Of.ReplayPools, Of.PrivateReplay, Of.Initial);
  To.memory.emplace().objects = Of.P.Objects.size();
  for (const uint32_t Device : Of.Devices) {
    To.devices.emplace_back().id = Device;
    const analysis::MemoryAccounts Accounts(Of.P, A.Trace, Device);
    summary::DeviceMemory &D = To.memory->devices.emplace_back();
    D.device = Device;
    D.peak_bytes = analysis::MemoryUse(A.Trace, Device).peakBytes();
    D.failed_allocations = Accounts.failures();
    if (AtNs)
      D.accounts = {accountView(Of.P, A.Trace, Accounts.at(*AtNs))};
    else
      for (const analysis::MemoryAccount &Each : Accounts.all())
        D.accounts.push_back(accountView(Of.P, A.Trace, Each));
  }
  addFindings(To, A);
  return To;
}

static bool isOfPyTorch(const summary::MemoryRow &R) {
  return R.owner == "tensors" || R.owner == "cached" ||
         (R.owner == "library" && R.name == "PyTorch");
}

static std::optional<uint64_t> bytesOf(const summary::MemoryAccount &A,
                                       const summary::MemoryRow &Like) {
  for (const summary::MemoryRow &R : A.rows)
    if (R.owner == Like.owner && R.name == Like.name)
      return R.bytes;
  return std::nullopt;
}

static SnapshotComparison compare(const summary::MemoryAccount &Snapshot,
                                  const summary::MemoryAccount &Run) {
  SnapshotComparison C;
  for (const summary::MemoryRow &R : Snapshot.rows) {
    C.SnapshotBytes += R.bytes;
    C.Owners.push_back({R.owner, R.name, R.bytes, bytesOf(Run, R)});
  }
  for (const summary::MemoryRow &R : Run.rows) {
    C.RunBytes += R.bytes;
    C.PyTorchBytes += isOfPyTorch(R) ? R.bytes : 0;
    if (!bytesOf(Snapshot, R))
      C.Owners.push_back({R.owner, R.name, std::nullopt, R.bytes});
  }
  C.InUse = Run.in_use_bytes.has_value();
  C.RunBytes = Run.in_use_bytes.value_or(C.RunBytes);
  C.OutsideBytes = C.RunBytes - std::min(C.RunBytes, C.PyTorchBytes);
  return C;
}

static SnapshotDevice viewOf(uint32_t Device, const summary::MemoryAccount &Account,
                             const std::vector<SnapshotPool> &Pools) {
  SnapshotDevice To;
  To.Device = Device;
  To.Account = Account;
  SnapshotPool &Sum = To.AllPools;
  for (const SnapshotPool &P : Pools) {
    if (P.Device != Device)
      continue;
    To.Pools.push_back(P);
    Sum.Segments += P.Segments;
    Sum.ReservedBytes += P.ReservedBytes;
    Sum.AllocatedBytes += P.AllocatedBytes;
    Sum.AwaitingBytes += P.AwaitingBytes;
    Sum.RequestedBytes += P.RequestedBytes;
    Sum.ReleasableBytes += P.ReleasableBytes;
    Sum.FragmentedBytes += P.FragmentedBytes;
    Sum.LargestFreeBytes = std::max(Sum.LargestFreeBytes, P.LargestFreeBytes);
  }
  return To;
}

SnapshotView snapshotView(const MemorySnapshot &Of, std::string File, summary::Summary S,
                          std::string Moment, const summary::Summary *Run) {
  SnapshotView To;
  To.File = std::move(File);
  To.DevicesSeen = Of.Devices.size();
  To.Events = Of.Events;
  To.Unmatched = Of.Unmatched;
  To.Seconds = static_cast<double>(Of.P.TheRun.SteadyEndNs) / 1e9;
  To.Moment = std::move(Moment);
  To.Summary = std::move(S);
  for (const summary::DeviceMemory &D : To.Summary.memory->devices) {
    const summary::MemoryAccount *A = accountAt(D, To.Moment);
    if (!A)
      continue;
    SnapshotDevice &New = To.Devices.emplace_back(viewOf(D.device, *A, Of.Pools));
    if (!Run || !Run->memory)
      continue;
    for (const summary::DeviceMemory &Same : Run->memory->devices)
      if (const auto *Then = accountAt(Same, To.Moment); Then && Same.device == D.device)
        New.Run = compare(*A, *Then);
  }
  return To;
}

} // namespace gmprof
