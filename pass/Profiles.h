//===- Profiles.h - The profiles that the pass knows ------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_PROFILES_H
#define GMPROF_PASS_PROFILES_H

#include "pass/core/CloneBuilder.h"

namespace gmprof {

/// Returns all profiles, in the order in which kernels are cloned for them.
llvm::ArrayRef<Profile> profiles();

/// Makes the builder of a profile. Defined in the profile's folder, if the profile has clones.
#define GMPROF_PROFILE(name, Choice, ...)                                                          \
  std::unique_ptr<CloneBuilder> create##Choice##Builder(Instrumenter &I, const Profile &P);
#include "gmprof/profiles.def"

} // namespace gmprof

#endif // GMPROF_PASS_PROFILES_H
