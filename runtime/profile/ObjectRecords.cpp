//===- ObjectRecords.cpp - Decodes objects and call paths -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/ObjectRecords.h"
#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace gmprof {

using nlohmann::json;

/// Upper bound of plausible sizes; counting the elements of a larger object would not end.
static constexpr uint64_t MaxObjectBytes = uint64_t(1) << 48;

/// Returns None for a path whose record was lost; the record that refers to it is still valid.
uint32_t ObjectRecords::findPath(uint32_t Id) const { return PathById.find(Id); }

bool ObjectRecords::object(Payload B, uint64_t Record) {
  log::ObjectRecord R;
  if (!take(B, R) || R.id == 0 || R.kind > log::ObjectKind::Array || R.bytes > MaxObjectBytes ||
      R.address > UINT64_MAX - R.bytes || B.size() != uint64_t(R.nameBytes) + R.apiBytes ||
      ObjectById.contains(R.id))
    return false;
  ObjectById.add(R.id, static_cast<uint32_t>(P.Objects.size()));
  profile::Object &O = P.Objects.emplace_back();
  O.Id = R.id;
  O.Kind = R.kind;
  O.Name = text(B.first(R.nameBytes));
  O.Address = R.address;
  O.Bytes = R.bytes;
  O.Device = R.device;
  O.Parent = R.parent;
  std::ranges::copy(R.extent, O.Extent.begin());
  O.ElementBytes = R.elementBytes;
  O.Made = {.Api = text(B.subspan(R.nameBytes)),
            .TimeNs = R.timeNs,
            .Stream = R.stream,
            .Thread = R.thread,
            .CallPath = findPath(R.callPath),
            .BeginNs = R.beginNs,
            .EndNs = R.timeNs,
            .Record = Record};
  return true;
}

bool ObjectRecords::release(Payload B, uint64_t Record) {
  log::ReleaseRecord R;
  if (!take(B, R) || B.size() != R.apiBytes)
    return false;
  const uint32_t Index = ObjectById.find(R.object);
  if (Index == profile::None)
    return false;
  const profile::Object Known = std::as_const(P.Objects)[Index];
  if (Known.Released && Known.Kind != log::ObjectKind::Graph)
    return false;
  profile::ObjectEvent New = {.Api = text(B),
                              .TimeNs = R.timeNs,
                              .Stream = R.stream,
                              .Thread = R.thread,
                              .CallPath = findPath(R.callPath),
                              .BeginNs = R.timeNs,
                              .EndNs = R.endNs,
                              .Record = Record,
                              .InGraph = R.graph != 0};
  // If a graph's node releases the object, later releases by calls are recorded separately.
  if (Known.Released && Known.Released->InGraph) {
    if (!New.InGraph)
      P.GraphMemoryReleases.push_back({Index, New});
    return true;
  }
  if (Known.Released)
    P.GraphMemoryReleases.push_back({Index, *Known.Released});
  P.Objects.change(Index, [&](profile::Object &O) { O.Released = New; });
  return true;
}

bool ObjectRecords::name(Payload B) {
  log::ObjectNameRecord R;
  if (!take(B, R) || B.size() != R.nameBytes)
    return false;
  const uint32_t Index = ObjectById.find(R.object);
  if (Index == profile::None)
    return false;
  P.Objects.change(Index, [&](profile::Object &O) { O.Name = text(B); });
  return true;
}

bool ObjectRecords::callPath(Payload B) {
  log::CallPathRecord R;
  profile::CallPath Path;
  if (!take(B, R) || R.id == 0 || PathById.contains(R.id) ||
      !take(B, Path.Addresses, R.frameCount) || !B.empty())
    return false;
  PathById.add(R.id, static_cast<uint32_t>(P.CallPaths.size()));
  Path.ImageCount = static_cast<uint32_t>(P.Images.size());
  P.CallPaths.push_back(std::move(Path));
  return true;
}

bool ObjectRecords::pythonCode(Payload B) {
  log::PythonCodeRecord R;
  if (!take(B, R) || R.id == 0 || CodeById.contains(R.id) ||
      B.size() != uint64_t(R.fileBytes) + R.functionBytes)
    return false;
  CodeById.add(R.id, static_cast<uint32_t>(Codes.size()));
  Codes.push_back({text(B.first(R.fileBytes)), text(B.subspan(R.fileBytes)), 0});
  return true;
}

bool ObjectRecords::pythonStack(Payload B) {
  log::PythonStackRecord R;
  std::vector<log::PythonFrame> Frames;
  if (!take(B, R) || R.id == 0 || StackById.contains(R.id) || !take(B, Frames, R.frameCount) ||
      !B.empty())
    return false;
  profile::PythonStack Stack = {R.interpreter, {}};
  for (const log::PythonFrame &F : Frames) {
    const uint32_t Code = CodeById.find(F.code);
    if (Code == profile::None)
      return false;
    Stack.Frames.push_back(Codes[Code]);
    Stack.Frames.back().Line = F.line;
  }
  StackById.add(R.id, static_cast<uint32_t>(P.PythonStacks.size()));
  P.PythonStacks.push_back(std::move(Stack));
  return true;
}

/// Adds a path with native and Python functions. If one of the two was lost, the path has the
/// other.
bool ObjectRecords::pythonPath(Payload B) {
  log::PythonPathRecord R;
  if (!take(B, R) || R.id == 0 || PathById.contains(R.id) || !B.empty())
    return false;
  profile::CallPath Path;
  if (const uint32_t Native = PathById.find(R.callPath); Native != profile::None)
    Path = P.CallPaths[Native];
  Path.Python = StackById.find(R.stack);
  PathById.add(R.id, static_cast<uint32_t>(P.CallPaths.size()));
  P.CallPaths.push_back(std::move(Path));
  return true;
}

bool ObjectRecords::image(Payload B) {
  json J = json::parse(text(B), nullptr, /*allow_exceptions=*/false);
  if (!J.is_object())
    return false;
  P.Images.push_back({J.at("path").get<std::string>(), J.value("build_id", ""),
                      J.at("address").get<uint64_t>(), J.at("bytes").get<uint64_t>(),
                      J.value("offset", uint64_t(0))});
  return true;
}

} // namespace gmprof
