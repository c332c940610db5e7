//===- Demangle.cpp - Names of kernels as their source has them -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/Demangle.h"
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <memory>

namespace gmprof {

/// With relocatable device code clang makes static kernels external, and their
/// names unique with a hash that differs from build to build.
static std::string withoutUniqueSuffix(const std::string &Name) {
  for (const char *Mark : {"__intern__", "__static__"}) {
    size_t At = Name.rfind(Mark);
    if (At == std::string::npos || At == 0)
      continue;
    size_t Hash = At + std::strlen(Mark);
    if (Hash < Name.size() &&
        Name.find_first_not_of("0123456789abcdef_", Hash) == std::string::npos)
      return Name.substr(0, At);
  }
  return Name;
}

std::string demangle(const std::string &Mangled) {
  std::string Name = withoutUniqueSuffix(Mangled);
  int Status = 0;
  std::unique_ptr<char, void (*)(void *)> Text(
      abi::__cxa_demangle(Name.c_str(), nullptr, nullptr, &Status), std::free);
  return Status == 0 && Text ? Text.get() : Name;
}

} // namespace gmprof
