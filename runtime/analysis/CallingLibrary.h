//===- CallingLibrary.h - Code of libraries -------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_CALLINGLIBRARY_H
#define GMPROF_ANALYSIS_CALLINGLIBRARY_H

#include "profile/Profile.h"

namespace gmprof::analysis {

inline constexpr char PyTorch[] = "PyTorch", TorchCompile[] = "torch.compile";

/// Returns the name of the library that makes the call, such as cuBLAS: that of the innermost frame
/// which is in one of the known libraries. Empty: the program itself, or another library.
std::string callingLibrary(const profile::CallPath &Path);

/// Returns the library for which PyTorch allocates a tensor as workspace on this path; else empty.
std::string workspaceLibrary(const profile::CallPath &Path);

/// Returns true if torch.compile makes the call while it compiles, or times kernels to choose one.
bool isOfCompiler(const profile::CallPath &Path);

/// Returns true if PyTorch's backward pass makes the call, without a line of the program.
bool isOfBackwardPass(const profile::CallPath &Path);

/// Returns true if an operator of PyTorch or its backward pass makes the call. Such a release drops
/// a reference that the program does not hold.
bool isWithinPyTorch(const profile::CallPath &Path);

/// Returns the library of a file by its name (libcublasLt.so.13: cuBLAS); empty if unknown.
std::string libraryOfFile(const std::string &Path);

/// Returns true for a kernel of Thrust, CUB, PyTorch, cuDNN, cuBLAS or NCCL, whose code is not the
/// program's.
bool isLibraryKernel(const std::string &Demangled);

/// Returns true for a pattern that concerns how a kernel is written, rather than how the program
/// lays out the data that it passes to it.
bool concernsKernelCode(const std::string &Pattern);

} // namespace gmprof::analysis

#endif // GMPROF_ANALYSIS_CALLINGLIBRARY_H
