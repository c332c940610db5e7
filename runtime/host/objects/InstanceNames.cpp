//===- InstanceNames.cpp - Names of members by their object ---------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/objects/InstanceNames.h"
#include <algorithm>
#include <functional>
#include <span>
#include <string_view>

namespace gmprof::host {

void InstanceNames::enter(const Instance &I) {
  if (Number < Most)
    Entered[Number] = I;
  ++Number;
}

void InstanceNames::leave() { Number -= Number != 0; }

/// Returns "x.y" of "Class::x.y", "p->x.y" and "r.x.y".
static std::string_view withoutHolder(std::string_view Name) {
  if (const size_t Scope = Name.rfind("::"); Scope != std::string_view::npos)
    return Name.substr(Scope + 2);
  const size_t Arrow = Name.find("->"), Dot = Name.find('.');
  if (std::min(Arrow, Dot) == std::string_view::npos)
    return Name;
  return Name.substr(Arrow < Dot ? Arrow + 2 : Dot + 1);
}

std::string InstanceNames::nameOf(const void *Member, const char *Name) const {
  std::string Full;
  const auto Append = [&](std::string_view Part) {
    Full += Full.empty() ? Part : withoutHolder(Part);
  };
  const std::less<> Before;
  for (const Instance &I : std::span(Entered).first(std::min(Number, Most)))
    if (!Before(Member, I.Where) &&
        Before(Member, static_cast<const void *>(static_cast<const char *>(I.Where) + I.Bytes)))
      Append(I.Name);
  Append(Name);
  return Full;
}

} // namespace gmprof::host
