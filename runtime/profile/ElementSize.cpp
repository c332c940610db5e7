//===- ElementSize.cpp - Element size for counts --------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/ElementSize.h"
#include <algorithm>
#include <bit>

namespace gmprof {

unsigned elementShift(const profile::Descriptor &Desc, uint32_t Variable) {
  constexpr unsigned Word = 2;
  const unsigned Least = Desc.GlobalLevel == GMPROF_LEVEL_SA_NA_SM_TH ? Word : 0;
  if (Variable == profile::None)
    return Word;
  unsigned Common = Desc.Variables[Variable].ElementBytes;
  for (const profile::Site &S : Desc.Sites)
    if (S.Variable == Variable && S.GlobalRule != GMPROF_RULE_NOT_COUNTED)
      Common |= S.Bytes;
  // The lowest set bit is the largest power of two that divides all sizes.
  const unsigned Shift =
      Common == 0 ? Word : std::min<unsigned>(std::countr_zero(Common), profile::MaxElementShift);
  return std::max(Shift, Least);
}

} // namespace gmprof
