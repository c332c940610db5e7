//===- ParameterNames.h - Names of parameters for PTX -----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compilers number the parameters of a kernel in PTX: kernel_param_0, kernel_param_1 and so on.
// Findings name parameters as the source does, so the source's names replace these numbers before
// clones are made.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_INSTRUMENT_PARAMETERNAMES_H
#define GMPROF_HOST_INSTRUMENT_PARAMETERNAMES_H

#include <map>
#include <string>
#include <vector>

namespace gmprof {

/// Names of parameters by kernel, as PTX names the kernel. An empty name leaves the number.
using ParameterNames = std::map<std::string, std::vector<std::string>, std::less<>>;

/// Returns PTX whose numbered parameters have these names. A name that the PTX has already stays
/// unused: it may be a variable's, which a kernel's parameter would hide.
std::string withParameterNames(const std::string &Ptx, const ParameterNames &Names);

/// Returns the name of a kernel in its source: that of `void ns::f<float>(float *)` is f.
std::string kernelInSource(const std::string &Mangled);

/// Returns the names of the parameters of the kernels in PTX that CUDA C++ source has, of those
/// that the source defines once and with as many parameters as the PTX.
ParameterNames parameterNamesOfSource(const std::string &Ptx, const std::string &Source);

} // namespace gmprof

#endif // GMPROF_HOST_INSTRUMENT_PARAMETERNAMES_H
