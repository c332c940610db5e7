//===- Wording.h - Numbers in sentences -------------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ANALYSIS_WORDING_H
#define GMPROF_ANALYSIS_WORDING_H

#include <cstdint>
#include <span>
#include <string>

namespace gmprof {

/// 1234567 as 1,234,567.
std::string grouped(uint64_t N);

/// 2 blocks, 2 copies, 2 accesses, 2 launches.
std::string plural(uint64_t N, const std::string &What);
/// The word alone.
std::string pluralOf(const std::string &What);

/// Two significant digits and their unit: 512 bytes, 1.2 MiB. Whole from 10 on; exact below 1 KiB.
std::string bytesText(double Bytes);

/// Two significant digits and their unit: 25 ms, 1.5 s, 0 s.
std::string secondsText(double Seconds);

/// A ratio with one decimal if it has any: 16.6, 4; two significant digits below 0.1.
std::string ratioText(double Ratio);

/// Share, of 1, in percent: 47 %, 8.5 %.
std::string percentText(double Share);

/// A name from the program, as messages show it: `name`.
std::string quotedName(const std::string &Name);

/// A demangled name without return type and parameters: reduce<float, 256>.
std::string shortName(const std::string &Demangled);

/// 64 x 32, of the elements in each dimension.
std::string extentText(std::span<const uint32_t> Extent);

} // namespace gmprof

#endif // GMPROF_ANALYSIS_WORDING_H
