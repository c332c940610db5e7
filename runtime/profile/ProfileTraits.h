//===- ProfileTraits.h - Properties of the profiles -------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code that serves all profiles asks for these, and names no profile.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_PROFILETRAITS_H
#define GMPROF_PROFILE_PROFILETRAITS_H

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace gmprof::profile {

/// The accesses of kernels that a profile measures. A kernel without them is no gap in its
/// coverage.
enum class Measured : uint8_t {
  None, ///< it records objects or calls
  Memory,
  CachedMemory,
  GlobalMemory,
  SharedMemory,
};

/// A row of gmprof/profiles.def.
struct ProfileTraits {
  std::string_view Name, Recorder;
  bool Objects; ///< it records which objects kernels access
  bool Calls;   ///< it records CUDA calls
  Measured Accesses;
  std::string_view Includes; ///< names of other profiles, separated by spaces

  /// Returns true if it makes the checks of a profile.
  constexpr bool makesChecksOf(std::string_view Profile) const {
    if (Profile == Name)
      return true;
    for (std::string_view Rest = Includes; !Rest.empty();) {
      const size_t End = std::min(Rest.find(' '), Rest.size());
      if (Rest.substr(0, End) == Profile)
        return true;
      Rest.remove_prefix(std::min(End + 1, Rest.size()));
    }
    return false;
  }
};

inline constexpr ProfileTraits AllProfiles[] = {
#define GMPROF_PROFILE(name, Choice, Recorder, hasClones, objects, parts, calls, Accesses,         \
                       includes, ...)                                                              \
  {#name, #Recorder, objects, calls, Measured::Accesses, includes},
#include "gmprof/profiles.def"
};

/// Returns the properties of a profile; null if it is unknown.
constexpr const ProfileTraits *traitsOf(std::string_view Profile) {
  for (const ProfileTraits &Each : AllProfiles)
    if (Each.Name == Profile)
      return &Each;
  return nullptr;
}

constexpr bool measures(std::string_view Profile, Measured Accesses) {
  const ProfileTraits *Traits = traitsOf(Profile);
  return Traits && Traits->Accesses == Accesses;
}

constexpr bool recordsCalls(std::string_view Profile) {
  const ProfileTraits *Traits = traitsOf(Profile);
  return Traits && Traits->Calls;
}

/// Returns true for a profile that records allocations and no accesses to their elements.
constexpr bool recordsAllocations(std::string_view Profile) {
  return measures(Profile, Measured::None) && !recordsCalls(Profile);
}

/// The profile of logs and summaries that name none.
inline constexpr char UnnamedProfile[] = "shared";

} // namespace gmprof::profile

#endif // GMPROF_PROFILE_PROFILETRAITS_H
