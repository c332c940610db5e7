//===- Fmt.cpp - {fmt}, compiled once -------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Debian provides {fmt} as a header-only library, which each file would compile again, and as a
// shared library, which a profiled program would have to load.
//
//===----------------------------------------------------------------------===//

#include <fmt/format-inl.h>

#include <locale>

// Templates that its headers declare alone, for char.
namespace fmt::detail {
template auto locale_ref::get<std::locale>() const -> std::locale;
template auto thousands_sep_impl<char>(locale_ref) -> thousands_sep_result<char>;
template auto decimal_point_impl<char>(locale_ref) -> char;
} // namespace fmt::detail
