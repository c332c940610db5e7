//===- Bitcode.h - Lookup of a program's device bitcode ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler plugin stores device bitcode behind a fat binary or, under -fgpu-rdc, in a section
// of the object (docs/architecture.md). Neither has a symbol, so reads are bounded by the segments
// that the loader mapped.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_API_BITCODE_H
#define GMPROF_CPU_API_BITCODE_H

#include <span>
#include <string>
#include <vector>

namespace gmprof::cpu::api {

/// Returns the file that the loader mapped at the address.
std::string objectFile(const void *Address);

/// Returns a section of the file that the loader mapped at the address; empty if it has none.
std::vector<char> sectionOf(const void *Address, const char *Name);

/// Returns the bitcode records behind the fat binary that `Wrapper` points to. The spans point into
/// the program.
std::vector<std::span<const char>> bitcodeBehind(const void *Wrapper);

/// Returns the records in the bitcode section of the object that contains `Address`, read from its
/// file.
std::vector<std::vector<char>> bitcodeInSection(const void *Address);

/// Splits a sequence of records; stops at the first malformed one.
std::vector<std::span<const char>> bitcodeRecords(std::span<const char> Bytes);

} // namespace gmprof::cpu::api

#endif // GMPROF_CPU_API_BITCODE_H
