//===- Profiles.cpp - The profiles that the pass knows --------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/Profiles.h"

using namespace llvm;
using namespace gmprof;

#define GMPROF_IF_0(each)
#define GMPROF_IF_1(each) each,
static constexpr const Profile *Profiles[] = {
#define GMPROF_PROFILE(name, Choice, Recorder, hasClones, ...)                                     \
  GMPROF_IF_##hasClones(&Choice##Profile)
#include "gmprof/profiles.def"
};

ArrayRef<const Profile *> gmprof::profiles() { return Profiles; }
