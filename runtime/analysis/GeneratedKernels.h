//===- GeneratedKernels.h - Lines of the program for generated kernels -----===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// torch.compile generates the source of kernels. Its files are in a cache, and no user edits them:
// findings of these kernels name the program's call that launches them instead.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_GENERATEDKERNELS_H
#define GMPROF_ANALYSIS_GENERATEDKERNELS_H

#include "analysis/Finding.h"

namespace gmprof::analysis {

/// Gives findings of generated kernels the source line and the call path of the program's call that
/// launches the kernel most often, and adds the generated line to the message. Without call paths,
/// and for kernels that only a backward pass launches, findings keep the generated line.
void nameCallsOfGenerated(std::vector<Finding> &Findings, const profile::Profile &P);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_GENERATEDKERNELS_H
