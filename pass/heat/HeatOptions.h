//===- HeatOptions.h - Options of the profile of heat -----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_HEAT_HEATOPTIONS_H
#define GMPROF_PASS_HEAT_HEATOPTIONS_H

#include "pass/core/Options.h"

namespace gmprof {

struct HeatOptions {
  /// K__gm_heat does not record accesses that a closed form describes.
  bool ClosedForms = true;
  /// Accesses of a loop with a constant stride are recorded before the loop.
  bool Loops = true;
};

/// Returns the options of the command line.
HeatOptions heatOptions(const Options &O);

} // namespace gmprof

#endif // GMPROF_PASS_HEAT_HEATOPTIONS_H
