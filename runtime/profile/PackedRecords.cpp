//===- PackedRecords.cpp - Delta-encoded records of calls -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/PackedRecords.h"
#include <cstring>

namespace gmprof {

using log::RecordKind;

static bool isOfCall(RecordKind Kind) {
  switch (Kind) {
  case RecordKind::Launch:
  case RecordKind::GraphLaunch:
  case RecordKind::Object:
  case RecordKind::Release:
  case RecordKind::AccessSet:
  case RecordKind::LaunchAccesses:
  case RecordKind::Copy:
  case RecordKind::Order:
  case RecordKind::ObjectName:
  case RecordKind::Region:
  case RecordKind::GraphNode:
  case RecordKind::ApiCall:
  case RecordKind::GpuTime:
  case RecordKind::HostUse:
  case RecordKind::Content:
  case RecordKind::Migration:
  case RecordKind::LaunchForms:
  case RecordKind::LaunchTime:
    return true;
  default:
    return false;
  }
}

bool PackedRecords::packs(RecordKind Kind, uint64_t Bytes) {
  return Bytes <= MostWords * sizeof(uint64_t) && isOfCall(Kind);
}

uint8_t PackedRecords::pack(RecordKind Kind, std::initializer_list<Part> Parts,
                            std::array<std::byte, MostBytes> &To, size_t &Size) {
  Record &Before = Last[static_cast<size_t>(Kind)];
  Record New;
  auto *Payload = reinterpret_cast<std::byte *>(New.Words.data());
  for (Part P : Parts) {
    if (!P.empty())
      std::memcpy(Payload + New.Bytes, P.data(), P.size());
    New.Bytes += P.size();
  }
  auto First = static_cast<uint8_t>(PackedMark | static_cast<uint8_t>(Kind));
  std::byte *At = To.data() + 1;
  if (New.Bytes == Before.Bytes)
    First |= SameSize;
  else
    At = writeLeb128(At, New.Bytes);
  uint64_t Mask = 0;
  for (size_t W = 0; W < MostWords; ++W)
    Mask |= static_cast<uint64_t>(New.Words[W] != Before.Words[W]) << W;
  At = writeLeb128(At, Mask);
  for (; Mask != 0; Mask &= Mask - 1) {
    const auto W = static_cast<size_t>(__builtin_ctzll(Mask));
    At = writeLeb128(At, zigzag(New.Words[W] - Before.Words[W]));
  }
  Before = New;
  Size = static_cast<size_t>(At - To.data());
  return First;
}

std::optional<PackedRecords::Unpacked> PackedRecords::unpack(Part &From) {
  const auto First = static_cast<uint8_t>(From[0]);
  const auto Kind = static_cast<RecordKind>(First & KindMask);
  Record &Of = Last[First & KindMask];
  Record New = Of;
  Part Rest = From.subspan(1);
  uint64_t Mask = 0, Difference = 0;
  if ((First & SameSize) == 0 && !takeLeb128(Rest, New.Bytes))
    return std::nullopt;
  if (!packs(Kind, New.Bytes) || !takeLeb128(Rest, Mask) || Mask >> MostWords != 0)
    return std::nullopt;
  for (; Mask != 0; Mask &= Mask - 1) {
    if (!takeLeb128(Rest, Difference))
      return std::nullopt;
    New.Words[static_cast<size_t>(__builtin_ctzll(Mask))] += unzigzag(Difference);
  }
  Of = New;
  From = Rest;
  return Unpacked{Kind, std::as_bytes(std::span(Of.Words)).first(Of.Bytes)};
}

} // namespace gmprof
