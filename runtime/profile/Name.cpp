//===- Name.cpp - Interned text -------------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/Name.h"
#include "profile/Mutex.h"
#include <unordered_set>

namespace gmprof::profile {

const std::string *Name::find(std::string_view Text) {
  static const std::string Empty;
  if (Text.empty())
    return &Empty;
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void; // NOLINT(readability-identifier-naming)
  };
  // Never destroyed: static objects that are destroyed later may hold names.
  static auto &Lock = *new Mutex;
  static auto &All = *new std::unordered_set<std::string, Hash, std::equal_to<>>;
  LockGuard Guard(Lock);
  auto It = All.find(Text);
  if (It == All.end())
    It = All.emplace(Text).first;
  return &*It; // set elements have stable addresses
}

} // namespace gmprof::profile
