//===- AllocationPaths.cpp - Memory by call path --------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/views/AllocationPaths.h"
#include "profile/Saturating.h"
#include "report/model/CallPaths.h"
#include "report/text/TextStyle.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <nlohmann/json.hpp>

namespace gmprof {

using namespace summary;

/// Returns true for device memory, pools and other allocations; parts of pools count as part of
/// their slabs.
static bool isAllocation(const Object &O) { return O.alloc && !O.parent; }

static const MemoryPeak *peakOf(const Summary &S, const Object &O) {
  if (S.memory)
    for (const DeviceMemory &D : S.memory->devices)
      if (O.device == D.device && !D.peaks.empty())
        return &D.peaks.front();
  return nullptr;
}

/// Returns true for the kinds that count for the peak.
static bool isDeviceMemory(const Object &O) {
  return O.kind != "pinned" && O.kind != "registered" && O.kind != "host";
}

static bool isWanted(const Summary &S, const Object &O, PathsOf Of) {
  if (!isAllocation(O))
    return false;
  switch (Of) {
  case PathsOf::Allocated:
    return true;
  case PathsOf::NeverReleased:
    return !O.free && O.released.has_value();
  case PathsOf::Peak: {
    const MemoryPeak *Peak = peakOf(S, O);
    return Peak && isDeviceMemory(O) && O.alloc->seconds <= Peak->seconds &&
           (!O.free || O.free->seconds > Peak->seconds);
  }
  }
  return false;
}

/// Returns the frames, outermost first. Functions are merged regardless of the line that calls;
/// only the last frame, the allocation, has a line.
static std::vector<PathFrame> framesOf(const Summary &S, const Object &O) {
  std::vector<PathFrame> Frames;
  const std::vector<Frame> Path = summary::callPath(S, O.alloc->call_path);
  for (auto It = Path.rbegin(); It != Path.rend(); ++It) {
    PathFrame F = {It->function, It->source};
    if (F.Name.empty())
      F.Name =
          It->image.empty() ? "?" : fmt::format("{}+{:#x}", text::basename(It->image), It->address);
    if (F.Where)
      F.Where->line = 0;
    Frames.push_back(std::move(F));
  }
  if (Frames.empty())
    Frames.push_back({"call path not known", {}});
  Frames.push_back({O.name.empty() ? O.alloc->api : O.name, O.alloc->source});
  return Frames;
}

std::vector<WeightedPath> allocationPaths(const Summary &S, PathsOf Of) {
  std::vector<WeightedPath> All;
  using Key = decltype(PathFrame().key());
  std::map<std::vector<Key>, size_t> Index;
  for (const Object &O : S.objects) {
    if (!isWanted(S, O, Of))
      continue;
    std::vector<PathFrame> Frames = framesOf(S, O);
    std::vector<Key> Keys;
    for (const PathFrame &F : Frames)
      Keys.push_back(F.key());
    const auto [It, New] = Index.try_emplace(std::move(Keys), All.size());
    if (New)
      All.push_back({std::move(Frames), 0, 0});
    WeightedPath &To = All[It->second];
    To.Bytes = addSaturating(To.Bytes, O.bytes);
    ++To.Objects;
  }
  std::sort(All.begin(), All.end(), [](const WeightedPath &A, const WeightedPath &B) {
    if (A.Bytes != B.Bytes)
      return A.Bytes > B.Bytes;
    return std::lexicographical_compare(
        A.Frames.begin(), A.Frames.end(), B.Frames.begin(), B.Frames.end(),
        [](const PathFrame &X, const PathFrame &Y) { return X.key() < Y.key(); });
  });
  return All;
}

std::string speedscopeProfile(const Summary &S) {
  using Json = nlohmann::ordered_json;
  static constexpr std::pair<PathsOf, const char *> Kinds[] = {
      {PathsOf::Peak, "in use at the peak"},
      {PathsOf::Allocated, "allocated"},
      {PathsOf::NeverReleased, "never released"}};
  Json Frames = Json::array(), Profiles = Json::array();
  std::map<decltype(PathFrame().key()), size_t> Index;
  for (const auto &[Of, Name] : Kinds) {
    Json Samples = Json::array(), Weights = Json::array();
    uint64_t Total = 0;
    for (const WeightedPath &P : allocationPaths(S, Of)) {
      Json Stack = Json::array();
      for (const PathFrame &F : P.Frames) {
        const auto [It, New] = Index.try_emplace(F.key(), Frames.size());
        if (New) {
          Json Frame = {{"name", F.Name}};
          if (F.Where)
            Frame["file"] = F.Where->file;
          if (F.Where && F.Where->line)
            Frame["line"] = F.Where->line;
          Frames.push_back(std::move(Frame));
        }
        Stack.push_back(It->second);
      }
      Samples.push_back(std::move(Stack));
      Weights.push_back(P.Bytes);
      Total = addSaturating(Total, P.Bytes);
    }
    if (Total)
      Profiles.push_back({{"type", "sampled"},
                          {"name", fmt::format("bytes {}", Name)},
                          {"unit", "bytes"},
                          {"startValue", 0},
                          {"endValue", Total},
                          {"samples", std::move(Samples)},
                          {"weights", std::move(Weights)}});
  }
  const Json All = {{"$schema", "https://www.speedscope.app/file-format-schema.json"},
                    {"name", fmt::format("{}", fmt::join(S.run.command, " "))},
                    {"exporter", "GMProf " + S.tool.version},
                    {"activeProfileIndex", 0},
                    {"shared", {{"frames", std::move(Frames)}}},
                    {"profiles", std::move(Profiles)}};
  return All.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace gmprof
