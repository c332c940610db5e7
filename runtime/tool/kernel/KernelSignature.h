//===- KernelSignature.h - Kernels of a file of device code -----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TOOL_KERNEL_KERNELSIGNATURE_H
#define GMPROF_TOOL_KERNEL_KERNELSIGNATURE_H

#include "profile/Result.h"
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace gmprof::kernel {

struct Parameter {
  enum class Kind { Pointer, Integer, Float, Structure };
  Kind Is = Kind::Integer;
  size_t Bytes = 0;
  bool Read = true; ///< the kernel uses it

  /// Returns "pointer", "i32", "f64" or "struct of 12 bytes".
  std::string type() const;
};

struct KernelSignature {
  std::string Name;
  std::vector<Parameter> Parameters;
  std::optional<std::array<unsigned, 3>> Block; ///< the only block size that it may have
  bool UsesDynamicShared = false;               ///< it or another kernel of the file does

  /// Returns how many arguments it needs at least: parameters at the end that it does not read may
  /// be left out.
  size_t leastArguments() const;
  /// Returns "scale(pointer, i32)", with parameters that may be left out in brackets.
  std::string text() const;
};

/// Returns the kernels of PTX, LLVM IR or bitcode.
Result<std::vector<KernelSignature>> kernelsOf(const std::string &Code, const std::string &File);

} // namespace gmprof::kernel

#endif // GMPROF_TOOL_KERNEL_KERNELSIGNATURE_H
