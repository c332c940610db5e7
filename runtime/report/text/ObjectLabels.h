//===- ObjectLabels.h - Names that tell objects apart -----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Several allocations can have one variable: a member of a class, an element of an array, a local
// variable in a loop. Tables name each of them in its own way.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_TEXT_OBJECTLABELS_H
#define GMPROF_REPORT_TEXT_OBJECTLABELS_H

#include "report/model/Summary.h"
#include <string>
#include <vector>

namespace gmprof {

/// Returns a label for each object of the summary, which no other object of global memory of its
/// device has: its name, the kernels' name for it, or the place of its allocation; of objects with
/// one name, also the kernels' name, as in "x (data)", or the caller's line, as in "data
/// (app.cu:7)", and at last a number.
std::vector<std::string> objectLabels(const summary::Summary &S);

/// Returns a kernel's name for an object, followed by the object's own name if they differ.
std::string labelInKernel(const std::string &Kernel, const std::string &Own);

} // namespace gmprof

#endif // GMPROF_REPORT_TEXT_OBJECTLABELS_H
