//===- Quantity.cpp - Amounts as users write them -------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/model/Quantity.h"
#include <charconv>
#include <cmath>

namespace gmprof {

namespace {
struct UnitName {
  const char *Name;
  Quantity::Unit Of;
  double Factor;
};
} // namespace

static constexpr double Ki = 1024;
static constexpr auto Bytes = Quantity::Unit::Bytes, Seconds = Quantity::Unit::Seconds;
static constexpr UnitName Units[] = {
    {"", Quantity::Unit::Number, 1},
    {"%", Quantity::Unit::Number, 0.01},
    {"B", Bytes, 1},
    {"K", Bytes, Ki},
    {"M", Bytes, Ki * Ki},
    {"G", Bytes, Ki * Ki * Ki},
    {"T", Bytes, Ki * Ki * Ki * Ki},
    {"KiB", Bytes, Ki},
    {"MiB", Bytes, Ki * Ki},
    {"GiB", Bytes, Ki * Ki * Ki},
    {"TiB", Bytes, Ki * Ki * Ki * Ki},
    {"kB", Bytes, 1e3},
    {"MB", Bytes, 1e6},
    {"GB", Bytes, 1e9},
    {"TB", Bytes, 1e12},
    {"s", Seconds, 1},
    {"ms", Seconds, 1e-3},
    {"us", Seconds, 1e-6},
    {"ns", Seconds, 1e-9},
};

Result<Quantity> parseQuantity(const std::string &Text) {
  double Value = 0;
  const char *End = Text.data() + Text.size();
  const auto [Rest, Failure] = std::from_chars(Text.data(), End, Value, std::chars_format::fixed);
  std::string Unit(Rest, End);
  Unit.erase(0, Unit.find_first_not_of(' '));
  if (Failure == std::errc() && std::isfinite(Value) && Value >= 0)
    for (const UnitName &U : Units)
      if (Unit == U.Name)
        return Quantity{U.Of, Value * U.Factor};
  return Error{"'" + Text + "' is no amount: write it as 64KiB, 2GiB, 1.5ms, 80% or 12"};
}

} // namespace gmprof
