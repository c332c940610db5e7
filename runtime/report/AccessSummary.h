//===- AccessSummary.h - Which objects kernels access -----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The access sets of launches (host/launch/KernelAccesses.h), added up for each kernel.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_ACCESSSUMMARY_H
#define GMPROF_REPORT_ACCESSSUMMARY_H

#include "profile/Profile.h"
#include "report/Summary.h"
#include <functional>

namespace gmprof {

/// Adds to each kernel of P, which Kernels are, the objects that its launches access, the
/// most accessed first. IndexOf: of an object's id.
void addObjectAccesses(const profile::Profile &P, std::vector<summary::Kernel> &Kernels,
                       const std::function<uint32_t(uint64_t)> &IndexOf);

} // namespace gmprof

#endif // GMPROF_REPORT_ACCESSSUMMARY_H
