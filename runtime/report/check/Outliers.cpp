//===- Outliers.cpp - Values far from the others --------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/check/Outliers.h"
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace gmprof {

static double medianOf(std::vector<double> Values) {
  const size_t Middle = Values.size() / 2;
  std::nth_element(Values.begin(), Values.begin() + static_cast<std::ptrdiff_t>(Middle),
                   Values.end());
  const double Upper = Values[Middle];
  if (Values.size() % 2)
    return Upper;
  return (*std::max_element(Values.begin(), Values.begin() + static_cast<std::ptrdiff_t>(Middle)) +
          Upper) /
         2;
}

std::vector<uint32_t> outliersOf(const std::vector<double> &Values) {
  std::vector<uint32_t> Found;
  if (Values.size() < 4)
    return Found;
  const double Median = medianOf(Values);
  std::vector<double> Distances;
  for (double V : Values)
    Distances.push_back(std::fabs(V - Median));
  // The median absolute deviation divided by 0.6745 estimates the standard deviation. It is 0 if
  // more than half of the values are equal; then 1.2533 times the mean deviation is used.
  double Usual = medianOf(Distances) / 0.6745;
  if (Usual == 0)
    Usual = 1.253314 * std::accumulate(Distances.begin(), Distances.end(), 0.0) /
            static_cast<double>(Distances.size());
  for (size_t I = 0; I < Values.size(); ++I)
    if (Distances[I] > 3.5 * Usual && Distances[I] > 0.01 * std::fabs(Median))
      Found.push_back(static_cast<uint32_t>(I));
  return Found;
}

} // namespace gmprof
