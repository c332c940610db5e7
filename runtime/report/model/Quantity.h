//===- Quantity.h - Amounts as users write them --------------- -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_MODEL_QUANTITY_H
#define GMPROF_REPORT_MODEL_QUANTITY_H

#include "profile/Result.h"
#include <string>

namespace gmprof {

/// An amount with unit: 2GiB, 1.5ms, 80%, 12.
struct Quantity {
  enum class Unit { Number, Bytes, Seconds };
  Unit Of = Unit::Number;
  double Value = 0;
};

/// Accepts B, K to T and KiB to TiB (powers of 1024), kB to TB (powers of 1000); s, ms, us, ns; %.
Result<Quantity> parseQuantity(const std::string &Text);

} // namespace gmprof

#endif // GMPROF_REPORT_MODEL_QUANTITY_H
