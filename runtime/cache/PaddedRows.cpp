//===- PaddedRows.cpp - Addresses of a padded object ----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cache/PaddedRows.h"
#include <algorithm>

namespace gmprof::cache {

void PaddedRows::allocate(TraceObject &Object) {
  // Overlapped objects no longer exist.
  std::erase_if(Objects, [&](const auto &Entry) {
    return Entry.first < Object.Address + Object.Bytes && Object.Address < Entry.second.End;
  });
  if (Object.Name != Pad.Object)
    return;
  Found = true;
  const uint64_t Count = (Object.Bytes + Pad.RowBytes - 1) / Pad.RowBytes;
  const uint64_t To = Next + Object.Address % PageBytes;
  Objects[Object.Address] = {Object.Address + Object.Bytes, To};
  Object.Address = To;
  Object.Bytes = Count * (Pad.RowBytes + Pad.PadBytes);
  Next = (To + Object.Bytes + 2 * PageBytes) / PageBytes * PageBytes;
}

std::string PaddedRows::apply(Request &R, uint64_t &Changed) const {
  if (isLocal(R.Kind) || Objects.empty())
    return "";
  bool Any = false;
  std::array<uint64_t, WarpLanes> Addresses = {};
  for (uint32_t Left = R.Mask; Left != 0; Left &= Left - 1) {
    const auto Lane = static_cast<unsigned>(std::countr_zero(Left));
    const uint64_t Address = R.address(Lane);
    Addresses[Lane] = Address;
    auto After = Objects.upper_bound(Address);
    if (After == Objects.begin() || Address >= std::prev(After)->second.End)
      continue;
    if (R.Operator == CacheOperator::Bulk)
      return "bulk copies access it, which take what lies side by side";
    const auto &[First, Object] = *std::prev(After);
    const uint64_t Offset = Address - First, InRow = Offset % Pad.RowBytes;
    if (InRow + R.Size > Pad.RowBytes)
      return "it accesses " + std::to_string(R.Size) + " bytes across two rows of " +
             std::to_string(Pad.RowBytes) + ", so that these are not its rows";
    Addresses[Lane] = Object.To + Offset / Pad.RowBytes * (Pad.RowBytes + Pad.PadBytes) + InRow;
    if (Address % R.Size == 0 && Addresses[Lane] % R.Size != 0)
      return "with " + std::to_string(Pad.PadBytes) + " bytes after each row accesses of " +
             std::to_string(R.Size) + " bytes would not be aligned";
    Any = true;
  }
  if (Any) {
    R.Affine = false;
    R.Addresses = Addresses;
    findStride(R);
    ++Changed;
  }
  return "";
}

void PaddedRows::apply(TraceWritten &W) const {
  auto After = Objects.upper_bound(W.Address);
  if (After == Objects.begin() || W.Address >= std::prev(After)->second.End)
    return;
  const auto &[First, Object] = *std::prev(After);
  const uint64_t Begin = (W.Address - First) / Pad.RowBytes;
  const uint64_t End = (std::min(W.Address + W.Bytes, Object.End) - 1 - First) / Pad.RowBytes + 1;
  W.Address = Object.To + Begin * (Pad.RowBytes + Pad.PadBytes);
  W.Bytes = (End - Begin) * (Pad.RowBytes + Pad.PadBytes);
}

} // namespace gmprof::cache
