//===- ModuleVariables.cpp - Variables of the program's modules -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/objects/ModuleVariables.h"
#include <map>
#include <mutex>
#include <set>

namespace gmprof::host {
namespace {

struct Registered {
  std::mutex Lock;
  std::set<std::string> Symbols;
  std::map<const void *, ShadowedVariable> ByShadow;
};

/// Never destroyed: destructors of other libraries may still register variables.
Registered &registered() {
  static auto *All = new Registered;
  return *All;
}

} // namespace

void registerModuleVariable(const void *Shadow, const char *Symbol, bool Constant) {
  std::lock_guard<std::mutex> Guard(registered().Lock);
  if (!Constant)
    registered().Symbols.insert(Symbol);
  registered().ByShadow[Shadow] = {Symbol, Constant};
}

std::vector<std::string> moduleVariables() {
  std::lock_guard<std::mutex> Guard(registered().Lock);
  return {registered().Symbols.begin(), registered().Symbols.end()};
}

std::optional<ShadowedVariable> shadowedVariable(const void *Shadow) {
  std::lock_guard<std::mutex> Guard(registered().Lock);
  auto It = registered().ByShadow.find(Shadow);
  return It == registered().ByShadow.end() ? std::nullopt : std::optional(It->second);
}

} // namespace gmprof::host
