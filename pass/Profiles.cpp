//===- Profiles.cpp - The profiles that the pass knows --------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pass/Profiles.h"

#include "pass/global/GlobalOptions.h"
#include "pass/shared/SharedOptions.h"

using namespace llvm;
using namespace gmprof;

static constexpr CloneKind SharedKinds[] = {
    {GMPROF_MODE_SHARED, GMPROF_SHARED_CLONE_SUFFIX,
     "counts of shared memory, without accesses that closed forms describe"},
    {GMPROF_MODE_SHARED_ALL, GMPROF_SHARED_ALL_CLONE_SUFFIX,
     "counts and live ranges of shared memory"},
    {GMPROF_MODE_SHARED_DM, GMPROF_SHARED_DM_CLONE_SUFFIX,
     "counts of shared memory, in device memory"},
};
static constexpr CloneKind GlobalKinds[] = {
    {GMPROF_MODE_GLOBAL_CLONE, GMPROF_GLOBAL_CLONE_SUFFIX,
     "counts of global memory, without accesses that closed forms describe"},
    {GMPROF_MODE_GLOBAL_ALL, GMPROF_GLOBAL_ALL_CLONE_SUFFIX, "counts of global memory"},
};
static constexpr CloneKind ObjectsKinds[] = {
    {GMPROF_MODE_OBJECTS_CLONE, GMPROF_OBJECTS_CLONE_SUFFIX, "accessed objects of global memory"},
};
static constexpr CloneKind HeatKinds[] = {
    {GMPROF_MODE_HEAT_CLONE, GMPROF_HEAT_CLONE_SUFFIX,
     "warps that access each word, without accesses that closed forms describe"},
    {GMPROF_MODE_HEAT_ALL, GMPROF_HEAT_ALL_CLONE_SUFFIX, "warps that access each word"},
};
static constexpr CloneKind CacheKinds[] = {
    {GMPROF_MODE_CACHE, GMPROF_CACHE_CLONE_SUFFIX, "requests of global and local memory"},
};

/// Returns the error of a function that returns a profile's options.
template <auto OptionsOf> static Error checkOptions(const Options &O) {
  return OptionsOf(O).takeError();
}

static constexpr Profile Profiles[] = {
    {"shared", SharedKinds, checkOptions<sharedOptions>, createSharedBuilder},
    {"global", GlobalKinds, checkOptions<globalOptions>, createGlobalBuilder},
    {"objects", ObjectsKinds, nullptr, createObjectsBuilder},
    {"heat", HeatKinds, nullptr, createHeatBuilder},
    {"cache", CacheKinds, nullptr, createCacheBuilder},
};

ArrayRef<Profile> gmprof::profiles() { return Profiles; }
