//===- SharedBuilder.h - Counts accesses of shared memory -------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// (GMProf, CCGrid'12.) K__gm_shared counts the accesses of each word of shared memory that no
// closed form describes, and K__gm_shared_all counts all, and live ranges. Both have their counters
// behind the kernel's dynamic shared memory. K__gm_shared_dm has them in device memory, for
// launches without room in shared memory and for levels without counters there.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_SHARED_SHAREDBUILDER_H
#define GMPROF_PASS_SHARED_SHAREDBUILDER_H

#include "pass/core/CloneBuilder.h"

namespace gmprof {

std::unique_ptr<CloneBuilder> createSharedBuilder(Instrumenter &I, const Profile &P);

} // namespace gmprof

#endif // GMPROF_PASS_SHARED_SHAREDBUILDER_H
