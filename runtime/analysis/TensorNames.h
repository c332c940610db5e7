//===- TensorNames.h - What PyTorch's tensors are called --------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No variable of the program is a tensor's memory. It is called after the operator that made it:
// the outermost one on the call path, which is the one that the program called.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_TENSORNAMES_H
#define GMPROF_ANALYSIS_TENSORNAMES_H

#include "profile/Profile.h"

namespace gmprof::analysis {

/// Names tensors that have no name, as in "tensor of add_Tensor". The frames of call paths have to
/// be known.
void nameTensors(profile::Profile &P);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_TENSORNAMES_H
