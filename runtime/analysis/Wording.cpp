//===- Wording.cpp - Numbers in sentences ---------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/Wording.h"

namespace gmprof {

std::string grouped(uint64_t N) {
  std::string Digits = std::to_string(N);
  for (size_t I = Digits.size(); I > 3; I -= 3)
    Digits.insert(I - 3, ",");
  return Digits;
}

std::string pluralOf(const std::string &What) {
  if (What.ends_with("py")) // copy, but not array
    return What.substr(0, What.size() - 1) + "ies";
  return What + (What.ends_with('s') || What.ends_with("ch") ? "es" : "s");
}

std::string plural(uint64_t N, const std::string &What) {
  return grouped(N) + " " + (N == 1 ? What : pluralOf(What));
}

std::string extentText(std::span<const uint32_t> Extent) {
  std::string Text;
  for (uint32_t Elements : Extent)
    Text += (Text.empty() ? "" : " x ") + std::to_string(Elements);
  return Text;
}

} // namespace gmprof
