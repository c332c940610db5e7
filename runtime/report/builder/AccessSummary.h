//===- AccessSummary.h - Objects that kernels access ------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums the access sets of launches (host/launch/KernelAccesses.h) per kernel.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_BUILDER_ACCESSSUMMARY_H
#define GMPROF_REPORT_BUILDER_ACCESSSUMMARY_H

#include "profile/Profile.h"
#include "report/model/Summary.h"
#include <functional>
#include <optional>

namespace gmprof {

/// Adds the objects that launches access to each of Kernels, the most accessed first. IndexOf
/// returns the index of an object's id; nothing if the object is to be omitted.
void addObjectAccesses(const profile::Profile &P, std::vector<summary::Kernel> &Kernels,
                       const std::function<std::optional<uint32_t>(uint64_t)> &IndexOf);

} // namespace gmprof

#endif // GMPROF_REPORT_BUILDER_ACCESSSUMMARY_H
