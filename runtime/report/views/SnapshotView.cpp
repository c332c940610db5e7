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

summary::Summary snapshotView(const MemorySnapshot &Of, std::optional<uint64_t> AtNs) {
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

} // namespace gmprof
