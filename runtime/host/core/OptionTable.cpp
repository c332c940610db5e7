//===- OptionTable.cpp - The keys and values of options -------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/core/OptionTable.h"
#include "host/core/KernelRegex.h"
#include "host/objects/CallPaths.h"
#include "host/record/OutputName.h"
#include <algorithm>
#include <charconv>

namespace gmprof::host {
namespace {

std::string setCount(std::string_view Value, unsigned &To) {
  unsigned Number = 0;
  std::string Digits(Value);
  const char *End = Digits.data() + Digits.size();
  auto [Rest, Failure] = std::from_chars(Digits.data(), End, Number);
  if (Failure != std::errc() || Rest != End || Number == 0)
    return "must be a whole number from 1 to 4294967295";
  To = Number;
  return "";
}

std::string setFlag(std::string_view Value, bool &To) {
  if (Value != "0" && Value != "1")
    return "must be 0 or 1";
  To = Value == "1";
  return "";
}

template <typename T> struct Name {
  std::string_view Text;
  T Value;
};
constexpr Name<DeviceChoice> DeviceNames[] = {
    {"auto", DeviceChoice::Auto}, {"gpu", DeviceChoice::Gpu}, {"cpu", DeviceChoice::Cpu}};
constexpr struct {
  std::string_view Text;
  ProfileChoice Value;
  ProfileNeeds Needs;
} ProfileRows[] = {
#define GMPROF_PROFILE(name, choice, Recorder, hasClones, objects, parts, calls, ...)              \
  {#name, ProfileChoice::choice, {objects, parts, calls}},
#include "gmprof/profiles.def"
};
constexpr Name<SyncStage> StageNames[] = {{"single", SyncStage::Single},
                                          {"baseline", SyncStage::Baseline},
                                          {"trace", SyncStage::Trace},
                                          {"memory", SyncStage::Memory},
                                          {"use", SyncStage::Use}};
constexpr Name<CacheStage> CacheStageNames[] = {{"trace", CacheStage::Trace},
                                                {"blocks", CacheStage::Blocks}};
constexpr Name<LaunchSampling> SamplingNames[] = {{"auto", LaunchSampling::Auto},
                                                  {"every", LaunchSampling::Every},
                                                  {"first", LaunchSampling::First},
                                                  {"random", LaunchSampling::Random},
                                                  {"doubling", LaunchSampling::Doubling}};
constexpr Name<CloneOrigin> CloneNames[] = {{"demand", CloneOrigin::Demand},
                                            {"compiled", CloneOrigin::Compiled}};
constexpr Name<LiveRangeLaunches> LiveRangeNames[] = {{"first", LiveRangeLaunches::First},
                                                      {"every", LiveRangeLaunches::Every},
                                                      {"off", LiveRangeLaunches::None}};

/// Returns "a, b or c", if the last conjunction is " or ".
template <typename Row, size_t N>
std::string listOf(const Row (&Names)[N], std::string_view Conjunction) {
  std::string List;
  for (const Row &Each : Names) {
    List += List.empty() ? "" : &Each == Names + N - 1 ? Conjunction : ", ";
    List += Each.Text;
  }
  return List;
}

/// Returns an error that lists the names if the value is none of them.
template <typename T, typename Row, size_t N>
std::string setName(std::string_view Value, const Row (&Names)[N], T &To) {
  for (const Row &Each : Names)
    if (Each.Text == Value) {
      To = Each.Value;
      return "";
    }
  return "must be " + listOf(Names, " or ");
}

template <typename T, size_t N> std::string nameOf(T Value, const Name<T> (&Names)[N]) {
  for (const Name<T> &Each : Names)
    if (Each.Value == Value)
      return std::string(Each.Text);
  return "";
}

constexpr std::string_view OverviewName = "overview", OffName = "off";

/// Returns why the profiles cannot share a run; empty if they can.
std::string checkCombination(ProfileSet Profiles) {
  if (Profiles.several() && Profiles.has(ProfileChoice::Cache))
    return "cannot combine cache with another profile, since a trace slows each launch down: "
           "profile it in a run of its own";
  return "";
}

std::string setProfile(std::string_view Value, Options &O) {
  ProfileSet Profiles;
  if (Value == OverviewName)
    Profiles = OverviewProfiles;
  else if (Value != OffName)
    for (std::string_view Rest = Value;;) {
      const size_t Comma = std::min(Rest.find(','), Rest.size());
      ProfileChoice One = {};
      if (!setName(Rest.substr(0, Comma), ProfileRows, One).empty())
        return "must be overview, off, or one or more of " + listOf(ProfileRows, " and ") +
               ", separated by commas";
      Profiles.add(One);
      if (Comma == Rest.size())
        break;
      Rest.remove_prefix(Comma + 1);
    }
  std::string Why = checkCombination(Profiles);
  if (Why.empty())
    O.Profiles = Profiles;
  return Why;
}

std::vector<std::string> profileNames(ProfileSet Profiles) {
  std::vector<std::string> Names;
  for (const auto &Each : ProfileRows)
    if (Profiles.has(Each.Value))
      Names.emplace_back(Each.Text);
  return Names;
}

std::string getProfile(const Options &O) {
  if (O.Profiles == OverviewProfiles)
    return std::string(OverviewName);
  if (O.Profiles.empty())
    return std::string(OffName);
  std::string List;
  for (const std::string &Each : profileNames(O.Profiles))
    List += (List.empty() ? "" : ",") + Each;
  return List;
}

/// Reads N, NK, NM or NG; returns nothing if the text is none of them.
std::optional<uint64_t> parseBytes(std::string_view Value) {
  uint64_t Number = 0;
  auto [Unit, Failure] = std::from_chars(Value.data(), Value.data() + Value.size(), Number);
  const std::string_view Rest(Unit, Value.data() + Value.size() - Unit);
  const size_t Power = std::string_view("KMG").find(Rest) + 1;
  if (Failure != std::errc() || Rest.size() > 1 || Power == 0 ||
      (!Rest.empty() && Number >> (64 - 10 * Power) != 0))
    return std::nullopt;
  return Rest.empty() ? Number : Number << (10 * Power);
}

std::string setMemory(std::string_view Value, Options &O) {
  const char *const Why = "must be a share from 1% to 90%, or bytes (K, M, G: 512M)";
  if (Value.ends_with("%")) {
    const std::optional<uint64_t> Percent = parseBytes(Value.substr(0, Value.size() - 1));
    if (!Percent || *Percent == 0 || *Percent > 90)
      return Why;
    O.Memory = {0, static_cast<unsigned>(*Percent)};
    return "";
  }
  const std::optional<uint64_t> Bytes = parseBytes(Value);
  if (!Bytes || *Bytes == 0)
    return Why;
  O.Memory = {*Bytes, 0};
  return "";
}

template <uint64_t Options::*Member> std::string setBytes(std::string_view Value, Options &O) {
  const std::optional<uint64_t> Bytes = parseBytes(Value);
  if (!Bytes)
    return "must be bytes (K, M, G: 512M)";
  O.*Member = *Bytes;
  return "";
}

template <uint64_t Options::*Member> std::string getBytes(const Options &O) {
  return std::to_string(O.*Member);
}

/// Reads A, A:B, A:B:STEP, as Python has slices, or all.
template <BlockRange Options::*Member> std::string setBlocks(std::string_view Value, Options &O) {
  const char *const Why =
      "must be a block's number, FIRST:END or FIRST:END:STEP (0:16, ::4), or all";
  if (Value == "all") {
    O.*Member = {0, UINT64_MAX, 1};
    return "";
  }
  uint64_t Numbers[3] = {0, UINT64_MAX, 1};
  size_t Count = 0;
  for (std::string_view Rest = Value;; ++Count) {
    if (Count == 3)
      return Why;
    const size_t Colon = std::min(Rest.find(':'), Rest.size());
    const std::string Digits(Rest.substr(0, Colon));
    const char *End = Digits.data() + Digits.size();
    auto [At, Failure] = std::from_chars(Digits.data(), End, Numbers[Count]);
    if (!Digits.empty() && (Failure != std::errc() || At != End))
      return Why;
    if (Colon == Rest.size()) {
      if (Count == 0 && Colon == 0)
        return Why;
      break;
    }
    Rest.remove_prefix(Colon + 1);
  }
  if (Count == 0)
    Numbers[1] = Numbers[0] + 1;
  if (Numbers[2] == 0 || Numbers[1] <= Numbers[0])
    return Why;
  O.*Member = {Numbers[0], Numbers[1], Numbers[2]};
  return "";
}

template <BlockRange Options::*Member> std::string getBlocks(const Options &O) {
  const BlockRange &B = O.*Member;
  if (B.End == B.First + 1)
    return std::to_string(B.First);
  if (B == BlockRange{0, UINT64_MAX, 1})
    return "all";
  return std::to_string(B.First) + ":" + (B.End == UINT64_MAX ? "" : std::to_string(B.End)) + ":" +
         std::to_string(B.Step);
}

std::string getMemory(const Options &O) {
  return O.Memory.Bytes != 0 ? std::to_string(O.Memory.Bytes)
                             : std::to_string(O.Memory.Percent) + "%";
}

template <uint64_t Options::*Member> std::string setRequests(std::string_view Value, Options &O) {
  uint64_t Count = 0;
  if (Value != "all") {
    const auto [End, Failure] = std::from_chars(Value.data(), Value.data() + Value.size(), Count);
    if (Failure != std::errc() || End != Value.data() + Value.size() || Count == 0)
      return "must be all or a whole number of at least 1";
  }
  O.*Member = Count;
  return "";
}

template <uint64_t Options::*Member> std::string getRequests(const Options &O) {
  return O.*Member == 0 ? "all" : std::to_string(O.*Member);
}

std::string setPercent(std::string_view Value, unsigned Least, unsigned Most, const char *What,
                       unsigned &To) {
  unsigned Percent = 0;
  auto [Unit, Failure] = std::from_chars(Value.data(), Value.data() + Value.size(), Percent);
  if (Failure != std::errc() || std::string_view(Unit, Value.data() + Value.size() - Unit) != "%" ||
      Percent < Least || Percent > Most)
    return "must be a " + std::string(What) + " from " + std::to_string(Least) + "% to " +
           std::to_string(Most) + "%";
  To = Percent;
  return "";
}

std::string setSizeDifference(std::string_view Value, Options &O) {
  return setPercent(Value, 0, 99, "share", O.SizeDifference);
}

std::string setAccessedShare(std::string_view Value, Options &O) {
  return setPercent(Value, 1, 100, "share", O.AccessedShare);
}

std::string setFrequencyVariation(std::string_view Value, Options &O) {
  return setPercent(Value, 1, 1000, "coefficient of variation", O.FrequencyVariation);
}

std::string setLateShare(std::string_view Value, Options &O) {
  return setPercent(Value, 0, 100, "share", O.LateShare);
}

std::string setFirstLaunchSeconds(std::string_view Value, Options &O) {
  unsigned Seconds = 0;
  if (Value != "0" && !setCount(Value, Seconds).empty())
    return "must be a whole number from 0 to 4294967295";
  O.FirstLaunchSeconds = Seconds;
  return "";
}

std::string setPeaks(std::string_view Value, Options &O) {
  constexpr unsigned Most = 1000;
  unsigned Peaks = 0;
  if (!setCount(Value, Peaks).empty() || Peaks > Most)
    return "must be a whole number from 1 to " + std::to_string(Most);
  O.Peaks = Peaks;
  return "";
}

std::string setUnwind(std::string_view Value, Options &O) {
  unsigned Frames = 0;
  if (Value != "off" && (!setCount(Value, Frames).empty() || Frames > CallPaths::MaxDepth))
    return "must be off or a number of frames from 1 to " + std::to_string(CallPaths::MaxDepth);
  O.Unwind = Frames;
  return "";
}

std::string setOutput(std::string_view Value, Options &O) {
  if (Value.empty())
    return "must name a directory";
  if (std::string Why = checkOutput(Value); !Why.empty())
    return Why;
  O.Output = Value;
  return "";
}

std::string setPlan(std::string_view Value, Options &O) {
  O.Plan = Value;
  return "";
}

std::string setPlacement(std::string_view Value, Options &O) {
  O.Placement = Value;
  return "";
}

std::string setKernels(std::string_view Value, Options &O) {
  std::string Regex(Value);
  std::string Why = checkRegex(Regex);
  if (Why.empty())
    O.Kernels = std::move(Regex);
  return Why;
}

template <unsigned Options::*Member>
constexpr Setter SetCount = [](std::string_view V, Options &O) { return setCount(V, O.*Member); };
template <unsigned Options::*Member>
constexpr Getter GetCount = [](const Options &O) { return std::to_string(O.*Member); };

const Option OptionTable[] = {
    {"profile", setProfile, getProfile},
    {"output", setOutput, [](const Options &O) { return O.Output; }},
    {"kernels", setKernels, [](const Options &O) { return O.Kernels; }},
    {"block-sample", SetCount<&Options::BlockSample>, GetCount<&Options::BlockSample>},
    {"launch-sample", SetCount<&Options::LaunchSample>, GetCount<&Options::LaunchSample>},
    {"launch-sampling",
     [](std::string_view V, Options &O) { return setName(V, SamplingNames, O.Sampling); },
     [](const Options &O) { return nameOf(O.Sampling, SamplingNames); }},
    {"seed", SetCount<&Options::Seed>, GetCount<&Options::Seed>},
    {"live-ranges",
     [](std::string_view V, Options &O) { return setName(V, LiveRangeNames, O.LiveRanges); },
     [](const Options &O) { return nameOf(O.LiveRanges, LiveRangeNames); }},
    {"heat-blocks", setBlocks<&Options::HeatBlocks>, getBlocks<&Options::HeatBlocks>},
    {"cache-blocks", setBlocks<&Options::CacheBlocks>, getBlocks<&Options::CacheBlocks>},
    {"sm-sample", SetCount<&Options::SmSample>, GetCount<&Options::SmSample>},
    {"launch-requests", setRequests<&Options::LaunchRequests>,
     getRequests<&Options::LaunchRequests>},
    {"run-requests", setRequests<&Options::RunRequests>, getRequests<&Options::RunRequests>},
    {"trace-buffer", setBytes<&Options::TraceBuffer>, getBytes<&Options::TraceBuffer>},
    {"trace-memory", setBytes<&Options::TraceMemory>, getBytes<&Options::TraceMemory>},
    {"cache-stage",
     [](std::string_view V, Options &O) { return setName(V, CacheStageNames, O.CacheRun); },
     [](const Options &O) { return nameOf(O.CacheRun, CacheStageNames); }},
    {"placement", setPlacement, [](const Options &O) { return O.Placement; }},
    {"clones", [](std::string_view V, Options &O) { return setName(V, CloneNames, O.Clones); },
     [](const Options &O) { return nameOf(O.Clones, CloneNames); }},
    {"clone-seconds", SetCount<&Options::CloneSeconds>, GetCount<&Options::CloneSeconds>},
    {"first-launch-seconds", setFirstLaunchSeconds, GetCount<&Options::FirstLaunchSeconds>},
    {"memory", setMemory, getMemory},
    {"idle-apis", SetCount<&Options::IdleApis>, GetCount<&Options::IdleApis>},
    {"size-difference", setSizeDifference,
     [](const Options &O) { return std::to_string(O.SizeDifference) + "%"; }},
    {"accessed-share", setAccessedShare,
     [](const Options &O) { return std::to_string(O.AccessedShare) + "%"; }},
    {"frequency-variation", setFrequencyVariation,
     [](const Options &O) { return std::to_string(O.FrequencyVariation) + "%"; }},
    {"late-share", setLateShare,
     [](const Options &O) { return std::to_string(O.LateShare) + "%"; }},
    {"peaks", setPeaks, GetCount<&Options::Peaks>},
    {"device", [](std::string_view V, Options &O) { return setName(V, DeviceNames, O.Device); },
     [](const Options &O) { return nameOf(O.Device, DeviceNames); }},
    {"unwind", setUnwind,
     [](const Options &O) { return O.Unwind == 0 ? "off" : std::to_string(O.Unwind); }},
    {"sync-stage", [](std::string_view V, Options &O) { return setName(V, StageNames, O.Stage); },
     [](const Options &O) { return nameOf(O.Stage, StageNames); }},
    {"migrations", [](std::string_view V, Options &O) { return setFlag(V, O.Migrations); },
     [](const Options &O) { return std::string(O.Migrations ? "1" : "0"); }},
    {"what-if", setPlan, [](const Options &O) { return O.Plan; }},
    {"quiet", [](std::string_view V, Options &O) { return setFlag(V, O.Quiet); },
     [](const Options &O) { return std::string(O.Quiet ? "1" : "0"); }},
    {"log-only", [](std::string_view V, Options &O) { return setFlag(V, O.LogOnly); },
     [](const Options &O) { return std::string(O.LogOnly ? "1" : "0"); }},
};

} // namespace

std::span<const Option> allOptions() { return OptionTable; }

ProfileNeeds needsOf(ProfileSet Profiles) {
  ProfileNeeds All;
  for (const auto &Each : ProfileRows)
    if (Profiles.has(Each.Value))
      All |= Each.Needs;
  return All;
}

unsigned Options::framesToKeep() const {
  return needsOf(Profiles).Calls ? std::max(Unwind, 1u) : Unwind;
}

JsonText optionsJson(const Options &O) {
  std::vector<JsonText::Member> Members = {
      {"profile", getProfile(O)},
      {"profiles", JsonText::array(profileNames(O.Profiles))},
      {"output", O.Output},
      {"kernels", O.Kernels},
      {"block_sample", O.BlockSample},
      {"launch_sample", O.LaunchSample},
      {"launch_sampling", nameOf(O.launchSampling(), SamplingNames)},
      {"idle_apis", O.IdleApis},
      {"size_difference", O.SizeDifference / 100.0},
      {"peaks", O.Peaks},
      {"device", nameOf(O.Device, DeviceNames)}};
  if (O.Sampling == LaunchSampling::Random)
    Members.emplace_back("seed", O.Seed);
  if (O.Profiles.has(ProfileChoice::Shared))
    Members.emplace_back("live_ranges", nameOf(O.LiveRanges, LiveRangeNames));
  if (const std::optional<SyncStage> Stage = O.syncStage())
    Members.emplace_back("sync_stage", nameOf(*Stage, StageNames));
  if (O.Profiles.has(ProfileChoice::Heat))
    Members.emplace_back("heat_blocks", getBlocks<&Options::HeatBlocks>(O));
  if (O.Profiles.has(ProfileChoice::Cache)) {
    Members.emplace_back("cache_blocks", getBlocks<&Options::CacheBlocks>(O));
    Members.emplace_back("sm_sample", O.SmSample);
    Members.emplace_back("launch_requests", getRequests<&Options::LaunchRequests>(O));
    Members.emplace_back("run_requests", getRequests<&Options::RunRequests>(O));
  }
  if (O.countsGlobalMemory() || O.Profiles.has(ProfileChoice::Heat))
    Members.emplace_back("memory", getMemory(O));
  if (O.Profiles.has(ProfileChoice::Elements)) {
    Members.emplace_back("accessed_share", O.AccessedShare / 100.0);
    Members.emplace_back("frequency_variation", O.FrequencyVariation / 100.0);
  }
  return JsonText::object(Members);
}

} // namespace gmprof::host
