//===- ModuleVariables.cpp - Variables of the program's modules -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/ModuleVariables.h"
#include <mutex>
#include <set>

namespace gmprof::host {
namespace {

struct Registered {
  std::mutex Lock;
  std::set<std::string> Symbols;
};

/// Not destroyed: other libraries' destructors may still register.
Registered &registered() {
  static auto *All = new Registered;
  return *All;
}

} // namespace

void registerModuleVariable(const char *Symbol) {
  std::lock_guard<std::mutex> Guard(registered().Lock);
  registered().Symbols.insert(Symbol);
}

std::vector<std::string> moduleVariables() {
  std::lock_guard<std::mutex> Guard(registered().Lock);
  return {registered().Symbols.begin(), registered().Symbols.end()};
}

} // namespace gmprof::host
