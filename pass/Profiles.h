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

// The folder of each profile that has clones defines it.
#define GMPROF_PROFILE(name, Choice, ...) extern const Profile Choice##Profile;
#include "gmprof/profiles.def"

/// Returns the profiles that have clones, in the order in which kernels are cloned for them.
llvm::ArrayRef<const Profile *> profiles();

} // namespace gmprof

#endif // GMPROF_PASS_PROFILES_H
