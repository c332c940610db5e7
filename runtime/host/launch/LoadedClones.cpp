//===- LoadedClones.cpp - Clones that serve several loads -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/launch/LoadedClones.h"
#include <algorithm>

namespace gmprof::host {

static bool isUsedBy(const LoadedClone &Clone, const Kernel &User) {
  return std::ranges::find(Clone.Users, &User) != Clone.Users.end();
}

LoadedClone *LoadedClones::take(const Id &Of, const Kernel &User,
                                const std::function<bool(const LoadedClone &)> &Fits) {
  const auto [First, Last] = All.equal_range(Of);
  for (auto It = First; It != Last; ++It) {
    LoadedClone &Each = It->second;
    if (!Fits(Each))
      continue;
    if (Each.Users.empty())
      Idle.remove(It);
    Each.Users.push_back(&User);
    return &Each;
  }
  return nullptr;
}

void LoadedClones::add(const Id &Of, LoadedClone New) { All.emplace(Of, std::move(New)); }

bool LoadedClones::isShared(const Id &Of, const Kernel &User) const {
  const auto [First, Last] = All.equal_range(Of);
  return std::any_of(First, Last, [&](const auto &Each) {
    return Each.second.Users.size() > 1 && isUsedBy(Each.second, User);
  });
}

void LoadedClones::release(const Id &Of, const Kernel &User, bool Keep) {
  const auto [First, Last] = All.equal_range(Of);
  const auto Used =
      std::find_if(First, Last, [&](const auto &Each) { return isUsedBy(Each.second, User); });
  if (Used == Last)
    return;
  std::erase(Used->second.Users, &User);
  if (!Used->second.Users.empty())
    return;
  Idle.push_back(Used);
  if (!Keep)
    Idle.splice(Idle.begin(), Idle, std::prev(Idle.end()));
  unloadIdle(Keep ? MaxIdle : Idle.size() - 1);
}

bool LoadedClones::unloadIdle(size_t Kept) {
  const bool Any = Idle.size() > Kept;
  while (Idle.size() > Kept) {
    Unload(Idle.front()->second.Module);
    All.erase(Idle.front());
    Idle.pop_front();
  }
  return Any;
}

} // namespace gmprof::host
