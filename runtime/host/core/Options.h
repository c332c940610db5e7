//===- Options.h - What a run is asked to do --------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GMPROF_OPTIONS=key=value:key=value… A colon separates two options only when a
// key and '=' follow it, so that kernels=ns::kernel needs no quoting; \: is a
// colon that never separates. The keys are those of OptionTable in Options.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_CORE_OPTIONS_H
#define GMPROF_HOST_CORE_OPTIONS_H

#include "profile/BlockRange.h"
#include "profile/JsonText.h"
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gmprof::host {

enum class DeviceChoice { Auto, Gpu, Cpu };
enum class ProfileChoice {
#define GMPROF_PROFILE(name, choice, ...) choice,
#include "gmprof/profiles.def"
};

/// The profiles that one run records; empty: profiling is off.
class ProfileSet {
public:
  constexpr ProfileSet() = default;
  constexpr ProfileSet(ProfileChoice Only) : Bits(bit(Only)) {}

  constexpr void add(ProfileChoice P) { Bits |= bit(P); }
  constexpr bool has(ProfileChoice P) const { return (Bits & bit(P)) != 0; }
  constexpr bool hasAny(ProfileSet Of) const { return (Bits & Of.Bits) != 0; }
  constexpr bool empty() const { return Bits == 0; }
  /// Returns true if the run records several profiles.
  constexpr bool several() const { return (Bits & (Bits - 1)) != 0; }
  friend constexpr ProfileSet operator|(ProfileSet A, ProfileSet B) {
    A.Bits |= B.Bits;
    return A;
  }
  constexpr bool operator==(const ProfileSet &) const = default;

private:
  static constexpr unsigned bit(ProfileChoice P) { return 1u << static_cast<unsigned>(P); }

  unsigned Bits = 0;
};

/// The records that profiles need besides the accesses of kernels.
struct ProfileNeeds {
  bool Objects = false, Parts = false, Calls = false; ///< see gmprof/profiles.def

  ProfileNeeds &operator|=(const ProfileNeeds &O) {
    Objects |= O.Objects;
    Parts |= O.Parts;
    Calls |= O.Calls;
    return *this;
  }
};
ProfileNeeds needsOf(ProfileSet Profiles);

/// Returns the name of a profile in options and results.
constexpr const char *nameOf(ProfileChoice Profile) {
  constexpr const char *Names[] = {
#define GMPROF_PROFILE(name, ...) #name,
#include "gmprof/profiles.def"
  };
  return Names[static_cast<size_t>(Profile)];
}

/// The profiles of a run for which none are named: they share a run and cost little.
inline constexpr ProfileSet OverviewProfiles = ProfileSet(ProfileChoice::Objects) |
                                               ProfileChoice::Shared | ProfileChoice::Heat |
                                               ProfileChoice::Sync;

/// Stage of --profile sync that a run records (Diogenes, SC'19, Figure 1).
enum class SyncStage {
  Single,   ///< all in one run, which disturbs its times
  Baseline, ///< what is called, and how long it takes
  Trace,    ///< what is waited for, and what the GPU does meanwhile
  Memory,   ///< what the host uses, and what is copied
  Use,      ///< when the host uses it
};
/// The run of --profile cache: --place-blocks makes two.
enum class CacheStage {
  Trace,  ///< records requests
  Blocks, ///< records where and when blocks run, before the run that traces
};
enum class LaunchSampling {
  /// Doubling if LaunchSample is 1 and heat or cache are recorded or profiles take turns; else
  /// Every
  Auto,
  Every,
  First,
  Random,
  Doubling, ///< launches 1, 2, 4, 8, … of a kernel
};
/// Profiled launches of a kernel that count live ranges.
enum class LiveRangeLaunches { First, Every, None };

/// Origin of the clones.
enum class CloneOrigin {
  Compiled, ///< of the plugin only
  Demand,   ///< those that lack them get them made at the first launch
};

/// How much of a device's memory counters may take.
struct MemoryShare {
  uint64_t Bytes = 0;
  unsigned Percent = 25; ///< of what is free at first use, if Bytes is 0

  bool operator==(const MemoryShare &) const = default;
};

struct Options {
  ProfileSet Profiles = OverviewProfiles;
  bool Quiet = false;
  /// Leave summary and closing line to the parent, `gmprof run`.
  bool LogOnly = false;
  DeviceChoice Device = DeviceChoice::Auto;
  unsigned BlockSample = 1; ///< every N-th block is counted
  /// N: every N-th launch of a kernel is profiled, the first N, or each with
  /// probability 1/N.
  unsigned LaunchSample = 1;
  LaunchSampling Sampling = LaunchSampling::Auto;
  unsigned Seed = 1; ///< of random sampling
  LiveRangeLaunches LiveRanges = LiveRangeLaunches::First;
  BlockRange HeatBlocks; ///< that are noted
  /// Options of --profile cache. Requests are recorded of CacheBlocks, on SMs whose number is a
  /// multiple of SmSample. TraceBuffer: bytes of page-locked memory (0: as many as the GPU needs).
  /// TraceMemory: bytes of host memory for requests that wait to be written.
  BlockRange CacheBlocks = {0, UINT64_MAX, 1};
  unsigned SmSample = 1;
  /// About how many requests of a launch, and of the run, are recorded at most; 0: all.
  uint64_t LaunchRequests = uint64_t(1) << 22, RunRequests = uint64_t(1) << 24;
  uint64_t TraceBuffer = 0, TraceMemory = uint64_t(1) << 30;
  CacheStage CacheRun = CacheStage::Trace;
  std::string Placement; ///< file of BlockPlacements.h, by which blocks are placed; empty: none
  CloneOrigin Clones = CloneOrigin::Demand;
  unsigned CloneSeconds = 10;      ///< allowed for making all clones (CloneTime.h)
  unsigned FirstLaunchSeconds = 2; ///< after these, clones are made while the program runs
  MemoryShare Memory;
  // Limits of findings about objects (analysis/objects/ObjectPatterns.h).
  unsigned IdleApis = 2;        ///< least CUDA operations between two uses of an idle object
  unsigned SizeDifference = 10; ///< largest difference of reusable memory, in percent
  // Limits of findings about elements (analysis/elements/ElementPatterns.h), in percent.
  unsigned AccessedShare = 80;
  unsigned FrequencyVariation = 20;
  unsigned Peaks = 2; ///< memory peaks to report
  /// Least cost of early waits that makes a further run time them, in percent of the run's time.
  unsigned LateShare = 1;
  SyncStage Stage = SyncStage::Single;
  bool Migrations = false; ///< of managed memory are asked for (ManagedMigrations.h)
  unsigned Unwind = 32;    ///< frames of a call path to keep; 0: no call paths
  std::string Output = "gmprof-%e-%p";
  std::string Plan;    ///< of WhatIf.h; empty: none
  std::string Kernels; ///< extended regular expression; empty: all

  /// Returns Sampling, or what Auto stands for.
  LaunchSampling launchSampling() const;

  /// Returns true if accesses of device memory are counted.
  bool countsGlobalMemory() const {
    return Profiles.hasAny(ProfileSet(ProfileChoice::Global) | ProfileChoice::Elements);
  }

  /// Returns the frames of a call path to keep. Calls are identified by their call sites.
  unsigned framesToKeep() const;

  /// Returns the stage of the profile sync; nothing if it is not recorded. Beside other profiles
  /// only calls are recorded.
  std::optional<SyncStage> syncStage() const;
};

/// Adds what Text says to Into. Returns one line per mistake; the option that
/// it is about keeps its value.
std::vector<std::string> parseOptions(std::string_view Text, Options &Into);

/// Returns the text from which parseOptions makes O.
std::string formatOptions(const Options &O);

/// Returns why a kernel's launch with this number (0, 1, …) is not profiled; empty if it is.
std::string outsideSample(const Options &O, std::string_view Kernel, uint64_t Launch);

/// Returns the options in effect, as a JSON object.
JsonText optionsJson(const Options &O);

} // namespace gmprof::host

#endif // GMPROF_HOST_CORE_OPTIONS_H
