//===- ObjectsBuilder.h - Records which objects are accessed ----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// (DrGPUM, ASPLOS'23, Section 5.1.) The descriptor lists the kernel's touches (Touches.h).
// K__gm_objects records those that the launch does not determine, and exists only if there are any.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_OBJECTS_OBJECTSBUILDER_H
#define GMPROF_PASS_OBJECTS_OBJECTSBUILDER_H

#include "pass/core/CloneBuilder.h"

namespace gmprof {

std::unique_ptr<CloneBuilder> createObjectsBuilder(Instrumenter &I, const Profile &P);

} // namespace gmprof

#endif // GMPROF_PASS_OBJECTS_OBJECTSBUILDER_H
