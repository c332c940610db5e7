//===- AccessFrequencies.cpp - How evenly elements are accessed -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/elements/AccessFrequencies.h"
#include <algorithm>
#include <cmath>

namespace gmprof::analysis {

/// Rounds down to ten binary digits, so that a lower bound stays one.
static double roundedDown(double Value) {
  int Exponent = 0;
  const double Fraction = std::frexp(Value, &Exponent);
  return std::ldexp(std::floor(std::ldexp(Fraction, 10)), Exponent - 10);
}

void AccessFrequencies::add(double Frequency, uint64_t Number, bool AtLeast) {
  if (Number == 0)
    return;
  Min = Elements == 0 ? Frequency : std::min(Min, Frequency);
  Max = std::max(Max, Frequency);
  Elements += Number;
  (AtLeast ? LowerBounds : Known)[roundedDown(Frequency)] += Number;
  if (AtLeast)
    return;
  Sum += Frequency * static_cast<double>(Number);
  Squares += Frequency * Frequency * static_cast<double>(Number);
}

void AccessFrequencies::add(const AccessFrequencies &Others) {
  if (Others.Elements == 0)
    return;
  Min = Elements == 0 ? Others.Min : std::min(Min, Others.Min);
  Max = std::max(Max, Others.Max);
  Elements += Others.Elements;
  Sum += Others.Sum;
  Squares += Others.Squares;
  for (const auto &[Frequency, Number] : Others.Known)
    Known[Frequency] += Number;
  for (const auto &[Frequency, Number] : Others.LowerBounds)
    LowerBounds[Frequency] += Number;
}

Bound AccessFrequencies::mean() const {
  double All = Sum;
  for (const auto &[Frequency, Number] : LowerBounds)
    All += Frequency * static_cast<double>(Number);
  return {Elements == 0 ? 0 : All / static_cast<double>(Elements), !LowerBounds.empty()};
}

Bound AccessFrequencies::variation() const {
  double S = Sum, Q = Squares;
  for (const auto &[Frequency, Number] : LowerBounds) {
    S += Frequency * static_cast<double>(Number);
    Q += Frequency * Frequency * static_cast<double>(Number);
  }
  // Elements at Q / S do not change the ratio Q / S.
  double Moved = 0;
  for (const auto &[Frequency, Number] : LowerBounds) {
    const auto N = static_cast<double>(Number);
    const double RestS = S - Frequency * N, RestQ = Q - Frequency * Frequency * N;
    // The tolerance covers rounding errors of long sums.
    if (RestS <= 0 || Frequency >= Q / S * (1 - 1e-9))
      break;
    S = RestS;
    Q = RestQ;
    Moved += N;
  }
  if (S <= 0)
    return {0, !LowerBounds.empty()};
  const double At = Q / S;
  S += At * Moved;
  Q += At * At * Moved;
  const double Squared = static_cast<double>(Elements) * Q / (S * S) - 1;
  // Treat the rounding error of cancelling sums as no variation.
  return {Squared > 1e-9 ? std::sqrt(Squared) : 0, !LowerBounds.empty()};
}

std::optional<double> AccessFrequencies::hottestTenth() const {
  if (!LowerBounds.empty() || Sum <= 0)
    return std::nullopt;
  uint64_t Left = (Elements + 9) / 10;
  double Accesses = 0;
  for (auto It = Known.rbegin(); It != Known.rend() && Left != 0; ++It) {
    const uint64_t Number = std::min(Left, It->second);
    Accesses += It->first * static_cast<double>(Number);
    Left -= Number;
  }
  return Accesses / Sum;
}

} // namespace gmprof::analysis
