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

/// Formats two significant digits and the unit: 512 bytes, 1.2 MiB. Whole from 10 on; exact below 1
/// KiB.
std::string bytesText(double Bytes);

/// Formats two significant digits and the unit: 25 ms, 1.5 s, 0 s.
std::string secondsText(double Seconds);

/// Formats a ratio with one decimal if it has any: 16.6, 4; two significant digits below 0.1.
std::string ratioText(double Ratio);

/// Formats a share of 1 in percent: 47 %, 8.5 %.
std::string percentText(double Share);

/// Quotes a name of the program for messages: `name`.
std::string quotedName(const std::string &Name);

/// Returns a demangled name without return type and parameters: reduce<float, 256>.
std::string shortName(const std::string &Demangled);

/// Returns the short name, in at most Most characters: without outer functions' parameters and the
/// namespaces of its parts, with fewer template arguments, or cut: kernel<policy_500_t, ...>.
std::string briefName(const std::string &Demangled, size_t Most = 80);

/// Returns the name that all instances of a template share: reduce.
std::string templateName(const std::string &Demangled);

/// Appends ", provided that CONDITION" to the last sentence of a suggestion, or ", and that
/// CONDITION" if the sentence states a condition already.
void addCondition(std::string &Suggestion, const std::string &Condition);

/// Formats the elements per dimension: 64 x 32.
std::string extentText(std::span<const uint32_t> Extent);

} // namespace gmprof

#endif // GMPROF_ANALYSIS_WORDING_H
