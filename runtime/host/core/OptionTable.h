//===- OptionTable.h - The keys of options ----------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_CORE_OPTIONTABLE_H
#define GMPROF_HOST_CORE_OPTIONTABLE_H

#include "host/core/Options.h"
#include <span>
#include <string>
#include <string_view>

namespace gmprof::host {

/// Each returns what is wrong with the value, or an empty string.
using Setter = std::string (*)(std::string_view, Options &);
using Getter = std::string (*)(const Options &);

struct Option {
  std::string_view Key;
  Setter Set;
  Getter Get;
};

/// Returns all options, in the order of their documentation.
std::span<const Option> allOptions();

} // namespace gmprof::host

#endif // GMPROF_HOST_CORE_OPTIONTABLE_H
