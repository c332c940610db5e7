//===- LaunchRecords.cpp - Records that add to launches -------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/LaunchRecords.h"
#include "profile/LaunchModes.h"

namespace gmprof {

using log::LaunchMode;

bool LaunchRecords::forms(Payload B) {
  log::LaunchFormsRecord R;
  if (!take(B, R) || !B.empty() || R.context == 0 ||
      (R.mode != LaunchMode::Shared && R.mode != LaunchMode::Global && R.mode != LaunchMode::Heat))
    return false;
  Forms[R.launch].push_back(R);
  return true;
}

bool LaunchRecords::time(Payload B) {
  log::LaunchTimeRecord R;
  return take(B, R) && B.empty() && Times.try_emplace(R.launch, R.ns).second;
}

/// Returns true if both are modes of one profile.
static bool sameProfile(LaunchMode A, LaunchMode B) {
  return A == B || (profile::isShared(A) && profile::isShared(B)) ||
         (profile::isGlobal(A) && profile::isGlobal(B));
}

/// Adds a further context of a launch unless it has one of that profile.
bool LaunchRecords::add(uint32_t Index, const profile::Launch &L, const log::LaunchFormsRecord &R) {
  if (sameProfile(L.Mode, R.mode))
    return false;
  for (auto It = P.FurtherContexts.rbegin(); It != P.FurtherContexts.rend() && It->Launch == Index;
       ++It)
    if (It->Mode == R.mode)
      return false;
  P.FurtherContexts.push_back({Index, R.mode, R.context});
  return true;
}

uint64_t LaunchRecords::addToLaunches() {
  uint64_t Damaged = 0;
  uint32_t Index = 0;
  for (const profile::Launch &L : P.Launches) {
    if (Forms.empty() && Times.empty())
      break;
    if (auto Of = Forms.extract(L.Id))
      for (const log::LaunchFormsRecord &R : Of.mapped())
        Damaged += !add(Index, L, R);
    if (auto Of = Times.extract(L.Id)) {
      if (L.Graph)
        ++Damaged;
      else
        P.LaunchTimes.push_back({Index, Of.mapped()});
    }
    ++Index;
  }
  for (const auto &[Launch, Unknown] : Forms)
    Damaged += Unknown.size();
  return Damaged + Times.size();
}

} // namespace gmprof
