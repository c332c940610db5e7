//===- CacheBuilder.h - Records the requests that go through the caches -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// (von Buelow et al., 2022.) K__gm_cache records each request of global and of local memory, and
// each fence that empties L1.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_CACHE_CACHEBUILDER_H
#define GMPROF_PASS_CACHE_CACHEBUILDER_H

#include "pass/core/CloneBuilder.h"

namespace gmprof {

std::unique_ptr<CloneBuilder> createCacheBuilder(Instrumenter &I, const Profile &P);

} // namespace gmprof

#endif // GMPROF_PASS_CACHE_CACHEBUILDER_H
