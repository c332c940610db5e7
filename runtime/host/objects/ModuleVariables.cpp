//===- ModuleVariables.cpp - Variables of the program's modules -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/objects/ModuleVariables.h"
#include "profile/Mutex.h"
#include <map>
#include <set>

namespace gmprof::host {
namespace {

struct Registered {
  Mutex Lock;
  std::set<std::string> Symbols GMPROF_GUARDED_BY(Lock);
  std::map<const void *, ShadowedVariable> ByShadow GMPROF_GUARDED_BY(Lock);
};

/// Returns the variables. They are never destroyed: destructors of other libraries may add some.
Registered &registered() {
  static auto *All = new Registered;
  return *All;
}

} // namespace

void registerModuleVariable(const void *Shadow, const char *Symbol, bool Constant) {
  LockGuard Guard(registered().Lock);
  if (!Constant)
    registered().Symbols.insert(Symbol);
  registered().ByShadow[Shadow] = {Symbol, Constant};
}

std::vector<std::string> moduleVariables() {
  LockGuard Guard(registered().Lock);
  return {registered().Symbols.begin(), registered().Symbols.end()};
}

size_t moduleVariableCount() {
  LockGuard Guard(registered().Lock);
  return registered().Symbols.size();
}

std::optional<ShadowedVariable> shadowedVariable(const void *Shadow) {
  LockGuard Guard(registered().Lock);
  auto It = registered().ByShadow.find(Shadow);
  return It == registered().ByShadow.end() ? std::nullopt : std::optional(It->second);
}

} // namespace gmprof::host
