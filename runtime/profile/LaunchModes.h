//===- LaunchModes.h - Launches in each of their profiles -------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch counts in the context of the clone that it runs, and in further contexts whose closed
// forms describe it (log::LaunchFormsRecord). Analyses of one profile iterate over both alike.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_LAUNCHMODES_H
#define GMPROF_PROFILE_LAUNCHMODES_H

#include "profile/Profile.h"
#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

namespace gmprof::profile {

/// The modes, with their names in summary.json and the profiles that launches in them count in.
inline constexpr struct {
  log::LaunchMode Mode;
  const char *Name;
  const char *Profile; ///< empty: none
} LaunchModes[] = {
#define GMPROF_LAUNCH_MODE(Mode, name, profile) {log::LaunchMode::Mode, name, profile},
#include "gmprof/profiles.def"
};

inline bool isLaunchMode(log::LaunchMode Mode) {
  return std::ranges::any_of(LaunchModes, [&](const auto &Row) { return Row.Mode == Mode; });
}

/// Returns true for the modes of the global and elements profiles.
inline bool isGlobal(log::LaunchMode Mode) {
  return Mode == log::LaunchMode::Global || Mode == log::LaunchMode::GlobalAll;
}

/// Returns true for the modes of the shared profile.
inline bool isShared(log::LaunchMode Mode) {
  return Mode == log::LaunchMode::Shared || Mode == log::LaunchMode::SharedDm;
}

/// Calls Use(L) for each launch as recorded, and then once for each of its further contexts, with
/// Launch::Mode and Launch::Context set to those of the context. Code that is interested in one
/// profile selects by the mode, which no two calls for a launch share.
template <typename F> void forEachLaunchMode(const Profile &P, F Use) {
  auto Further = P.FurtherContexts.begin();
  uint32_t Index = 0;
  for (const Launch &L : P.Launches) {
    Use(L);
    for (; Further != P.FurtherContexts.end() && Further->Launch == Index; ++Further) {
      Launch In = L;
      In.Mode = Further->Mode;
      In.Context = Further->Context;
      Use(In);
    }
    ++Index;
  }
}

/// Returns a launch with Launch::Mode and Launch::Context of the profile whose modes IsOf selects;
/// nothing if it does not count in that profile.
inline std::optional<Launch> launchIn(const Profile &P, uint32_t Index,
                                      bool (*IsOf)(log::LaunchMode)) {
  Launch L = P.Launches[Index];
  auto Further = std::ranges::lower_bound(P.FurtherContexts, Index, {}, &LaunchForms::Launch);
  for (; !IsOf(L.Mode); ++Further) {
    if (Further == P.FurtherContexts.end() || Further->Launch != Index)
      return std::nullopt;
    L.Mode = Further->Mode;
    L.Context = Further->Context;
  }
  return L;
}

/// Returns the kernels of which no launch of some block size was measured: what was measured with
/// other block sizes may not apply to it. A launch is measured if Is returns true for one of its
/// modes.
template <typename F> std::set<uint32_t> kernelsOfOtherBlockSizes(const Profile &P, F Is) {
  using Size = std::pair<uint32_t, std::array<uint32_t, 3>>;
  std::set<Size> Launched, Measured;
  forEachLaunchMode(
      P, [&](const Launch &L) { (Is(L.Mode) ? Measured : Launched).emplace(L.Kernel, L.Block); });
  std::set<uint32_t> Kernels;
  for (const Size &Each : Launched)
    if (!Measured.contains(Each))
      Kernels.insert(Each.first);
  return Kernels;
}

} // namespace gmprof::profile

#endif // GMPROF_PROFILE_LAUNCHMODES_H
