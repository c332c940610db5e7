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

/// Formats 1234567 as 1,234,567.
std::string grouped(uint64_t N);

/// Returns 2 blocks, 2 copies, 2 accesses, 2 launches.
std::string plural(uint64_t N, const std::string &What);
/// Returns only the plural of the word.
std::string pluralOf(const std::string &What);

/// Formats the elements per dimension: 64 x 32.
std::string extentText(std::span<const uint32_t> Extent);

} // namespace gmprof

#endif // GMPROF_ANALYSIS_WORDING_H
