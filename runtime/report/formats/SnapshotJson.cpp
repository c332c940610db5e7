//===- SnapshotJson.cpp - Snapshots of PyTorch's memory as JSON -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/formats/SnapshotJson.h"
#include "report/model/SummaryJson.h"
#include <nlohmann/json.hpp>

namespace gmprof {

using Json = nlohmann::ordered_json;

static Json bytesJson(const SnapshotPool &P) {
  return {{"segments", P.Segments},
          {"reserved_bytes", P.ReservedBytes},
          {"allocated_bytes", P.AllocatedBytes},
          {"awaiting_bytes", P.AwaitingBytes},
          {"requested_bytes", P.RequestedBytes},
          {"releasable_bytes", P.ReleasableBytes},
          {"fragmented_bytes", P.FragmentedBytes},
          {"largest_free_bytes", P.LargestFreeBytes}};
}

static Json poolJson(const SnapshotPool &P) {
  Json J = {{"private_pool", P.isPrivate() ? Json(P.Id) : Json()},
            {"stream", P.Stream},
            {"blocks", P.Large ? "large" : "small"}};
  J.update(bytesJson(P));
  return J;
}

static Json comparisonJson(const SnapshotComparison &C) {
  const auto Bytes = [](const std::optional<uint64_t> &Of) { return Of ? Json(*Of) : Json(); };
  Json J = {{"owners", Json::array()},
            {"snapshot_bytes", C.SnapshotBytes},
            {"run_bytes", C.RunBytes},
            {"run_bytes_are", C.InUse ? "in_use" : "recorded"},
            {"run_pytorch_bytes", C.PyTorchBytes},
            {"run_other_bytes", C.OutsideBytes}};
  for (const ComparedOwner &O : C.Owners)
    J["owners"].push_back({{"owner", O.Owner},
                           {"name", O.Name},
                           {"snapshot_bytes", Bytes(O.SnapshotBytes)},
                           {"run_bytes", Bytes(O.RunBytes)}});
  return J;
}

std::string snapshotJson(const SnapshotView &Of) {
  // Accounts, findings and objects are as in summary.json.
  summary::Summary Shown = Of.Summary;
  for (summary::DeviceMemory &D : Shown.memory->devices)
    std::erase_if(D.accounts,
                  [&](const summary::MemoryAccount &A) { return A.moment != Of.Moment; });
  std::erase_if(Shown.memory->devices,
                [](const summary::DeviceMemory &D) { return D.accounts.empty(); });
  const Json Summary = Json::parse(toJson(Shown));
  Json J = {{"schema", "gmprof.snapshot/1"},
            {"tool", {{"name", "gmprof"}, {"version", GMPROF_VERSION}}},
            {"file", Of.File},
            {"events", Of.Events},
            {"contradicting_events", Of.Unmatched},
            {"seconds", Of.Seconds},
            {"moment", Of.Moment},
            {"devices", Json::array()},
            {"objects", Summary.at("objects")},
            {"findings", Summary.at("findings")}};
  for (size_t I = 0; I < Of.Devices.size(); ++I) {
    const SnapshotDevice &D = Of.Devices[I];
    Json &To = J["devices"].emplace_back();
    To = {{"device", D.Device},
          {"account", Summary.at("memory").at("devices").at(I).at("accounts").at(0)},
          {"pools", Json::array()},
          {"all_pools", bytesJson(D.AllPools)},
          {"run", D.Run ? comparisonJson(*D.Run) : Json()}};
    for (const SnapshotPool &P : D.Pools)
      To["pools"].push_back(poolJson(P));
  }
  return J.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace gmprof
