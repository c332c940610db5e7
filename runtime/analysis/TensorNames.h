//===- TensorNames.h - Names of PyTorch tensors -----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No variable of the program names a tensor's memory. Its name is derived from the outermost
// operator on the call path, which the program called, or from the library that gets it as
// workspace.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_TENSORNAMES_H
#define GMPROF_ANALYSIS_TENSORNAMES_H

#include "profile/Profile.h"

namespace gmprof::analysis {

/// Names unnamed tensors, as in "tensor of add_Tensor". The call paths must be symbolized.
void nameTensors(profile::Profile &P);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_TENSORNAMES_H
