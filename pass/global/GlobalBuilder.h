//===- GlobalBuilder.h - Counts accesses of global memory -------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// K__gm_global counts the accesses of each element of global memory that no closed form describes,
// and K__gm_global_all counts all, for launches in which a closed form does not hold.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_GLOBAL_GLOBALBUILDER_H
#define GMPROF_PASS_GLOBAL_GLOBALBUILDER_H

#include "pass/core/CloneBuilder.h"

namespace gmprof {

std::unique_ptr<CloneBuilder> createGlobalBuilder(Instrumenter &I, const Profile &P);

} // namespace gmprof

#endif // GMPROF_PASS_GLOBAL_GLOBALBUILDER_H
