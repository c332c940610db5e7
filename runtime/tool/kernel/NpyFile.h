//===- NpyFile.h - Arrays in files of NumPy ---------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The format is described in numpy.lib.format: "\x93NUMPY", major and minor version, the length of
// the header (u16 in version 1, u32 in version 2), the header, which is a Python dictionary with
// descr, fortran_order and shape, and the elements.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TOOL_KERNEL_NPYFILE_H
#define GMPROF_TOOL_KERNEL_NPYFILE_H

#include "profile/Result.h"
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gmprof::kernel {

struct NpyArray {
  std::string Header;          ///< all bytes before the elements
  std::string Type;            ///< "<f4"
  std::vector<uint64_t> Shape; ///< empty: a scalar
  std::string Elements;        ///< in C order
};

/// Decodes a file of version 1.0 or 2.0 with numbers or booleans, little-endian, in C order. An
/// error says what is not supported, and how to save the array.
Result<NpyArray> decodeNpy(std::string_view Bytes);

/// Reads a file. Errors begin with its name.
Result<NpyArray> readNpy(const std::string &File);

/// Writes an array. Returns the error, or an empty string.
std::string writeNpy(const std::string &File, const NpyArray &Array);

} // namespace gmprof::kernel

#endif // GMPROF_TOOL_KERNEL_NPYFILE_H
