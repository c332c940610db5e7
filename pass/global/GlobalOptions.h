//===- GlobalOptions.h - Options of the profile of global memory -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_GLOBAL_GLOBALOPTIONS_H
#define GMPROF_PASS_GLOBAL_GLOBALOPTIONS_H

#include "pass/core/Options.h"

namespace gmprof {

struct GlobalOptions {
  unsigned CounterBits = 8;
  unsigned Threshold = 192; ///< that counters are exact below
};

/// Returns the options of the command line, or an error.
llvm::Expected<GlobalOptions> globalOptions(const Options &O);

} // namespace gmprof

#endif // GMPROF_PASS_GLOBAL_GLOBALOPTIONS_H
