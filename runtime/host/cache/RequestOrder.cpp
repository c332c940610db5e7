//===- RequestOrder.cpp - In which order an SM issued requests ------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/cache/RequestOrder.h"
#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <tuple>

namespace gmprof::host {

void appendRecords(std::span<const std::byte> Chunk, PlacedRecords &To) {
  const auto *Head = reinterpret_cast<const GmprofTraceChunk *>(Chunk.data());
  uint64_t Clock = Head->clock;
  RecordingWarp By = {Head->block, Head->warp, Head->slot};
  for (size_t At = sizeof(*Head); At + sizeof(GmprofTraceRecord) <= Chunk.size();) {
    const auto *Record = reinterpret_cast<const GmprofTraceRecord *>(Chunk.data() + At);
    if (Record->lanes == 0)
      return;
    if (const std::optional<GmprofTraceWriter> Writer = writerIn(*Record)) {
      Clock = Writer->clock;
      By = warpOf(*Writer);
    } else {
      // Records have the lower half.
      Clock += Record->clock - static_cast<uint32_t>(Clock);
      To.push_back({Clock, By, Record});
    }
    At += recordBytes(*Record);
  }
}

/// Bits by which keys are distributed at a time. A radix sort: with std::sort, writing requests
/// takes 15 to 72 % longer (gmprof-writer-bench).
static constexpr unsigned DigitBits = 11;
/// Number of records below which a radix sort does not pay off.
static constexpr size_t FewRecords = 256;

/// Sorts records; equal ones keep their order.
template <typename Key> static void sortBy(PlacedRecords &Records, Key KeyOf) {
  std::vector<std::pair<decltype(KeyOf(Records[0])), size_t>> Order;
  Order.reserve(Records.size());
  for (const PlacedRecord &R : Records)
    Order.emplace_back(KeyOf(R), Order.size());
  std::sort(Order.begin(), Order.end());
  const std::vector<PlacedRecord> Before(Records.begin(), Records.end());
  std::ranges::transform(Order, Records.begin(),
                         [&](const auto &Each) { return Before[Each.second]; });
}

/// Sorts keys by DigitBits of them, from the bit Shift on.
static void distribute(std::span<const uint64_t> From, unsigned Shift, std::span<uint64_t> To) {
  std::array<uint32_t, size_t(1) << DigitBits> Places = {};
  const auto DigitOf = [&](uint64_t Key) { return Key >> Shift & (Places.size() - 1); };
  for (const uint64_t Key : From)
    ++Places[DigitOf(Key)];
  std::exclusive_scan(Places.begin(), Places.end(), Places.begin(), uint32_t(0));
  for (const uint64_t Key : From)
    To[Places[DigitOf(Key)]++] = Key;
}

/// Keys are clocks from the first one on, and below them the records' numbers.
void orderByClock(PlacedRecords &Records, OrderMemory &Memory) {
  if (Records.empty())
    return;
  const auto [Least, Most] = std::ranges::minmax_element(Records, {}, &PlacedRecord::Clock);
  const uint64_t First = Least->Clock;
  const auto NumberBits = static_cast<unsigned>(std::bit_width(Records.size()));
  const auto Bits = NumberBits + static_cast<unsigned>(std::bit_width(Most->Clock - First));
  if (Records.size() < FewRecords || Bits > 64)
    return sortBy(Records, [](const PlacedRecord &R) { return R.Clock; });
  auto &[Keys, OtherKeys, Ordered] = Memory;
  Keys.resize(Records.size());
  OtherKeys.resize(Records.size());
  for (size_t I = 0; I < Records.size(); ++I)
    Keys[I] = (Records[I].Clock - First) << NumberBits | I;
  for (unsigned Shift = NumberBits; Shift < Bits; Shift += DigitBits) {
    distribute(Keys, Shift, OtherKeys);
    Keys.swap(OtherKeys);
  }
  Ordered.resize(Records.size());
  for (size_t I = 0; I < Records.size(); ++I)
    Ordered[I] = Records[Keys[I] & ((uint64_t(1) << NumberBits) - 1)];
  Records.swap(Ordered);
}

namespace {

using Position = PlacedRecords::const_iterator;

/// The records of a warp that have not had their turn.
struct WarpQueue {
  Position Next, End;
};
/// Records of the warps of a block up to the next barrier, by number of the warp.
using Phase = std::vector<WarpQueue>;
struct BlockQueue {
  std::vector<Phase> Phases;
  size_t Now = 0; ///< which of them has its turns

  void add(Position Record) {
    const uint16_t Warp = Record->By.Warp;
    const auto IsOfWarp = [&](const WarpQueue &Q) { return Q.Next->By.Warp == Warp; };
    // The CPU device runs a warp until that has to wait. One that goes on after others has waited.
    if (Phases.empty() ||
        (!IsOfWarp(Phases.back().back()) && std::ranges::any_of(Phases.back(), IsOfWarp)))
      Phases.emplace_back();
    Phase &Last = Phases.back();
    if (Last.empty() || !IsOfWarp(Last.back()))
      Last.push_back({Record, Record});
    Last.back().End = Record + 1;
  }
};

/// Records are sorted by block and clock.
std::vector<BlockQueue> queuesOf(const PlacedRecords &Records) {
  std::vector<BlockQueue> Blocks;
  for (auto At = Records.begin(); At != Records.end(); ++At) {
    if (At == Records.begin() || At->By.Block != std::prev(At)->By.Block)
      Blocks.emplace_back();
    Blocks.back().add(At);
  }
  for (BlockQueue &Block : Blocks)
    for (Phase &Each : Block.Phases)
      std::ranges::sort(Each, {}, [](const WarpQueue &Q) { return Q.Next->By.Warp; });
  return Blocks;
}

} // namespace

void orderByTurns(PlacedRecords &Records, uint32_t Resident, uint32_t WarpsOfBlock) {
  sortBy(Records, [](const PlacedRecord &R) { return std::tuple(R.By.Block, R.Clock); });
  std::vector<BlockQueue> Blocks = queuesOf(Records);
  PlacedRecords Ordered;
  Ordered.reserve(Records.size());
  auto Waiting = Blocks.begin();
  const auto Next = [&] { return Waiting != Blocks.end() ? &*Waiting++ : nullptr; };
  std::vector<BlockQueue *> Places; // null: where no block is any more
  while (Places.size() < std::max(Resident, 1U) && Waiting != Blocks.end())
    Places.push_back(Next());
  while (Ordered.size() < Records.size())
    for (size_t Place = 0; Place < Places.size(); ++Place) {
      BlockQueue *&Block = Places[Place];
      if (!Block)
        continue;
      Phase &Now = Block->Phases[Block->Now];
      for (WarpQueue &Warp : Now) {
        Ordered.push_back(*Warp.Next++);
        RecordingWarp &By = Ordered.back().By;
        By.Slot = static_cast<uint16_t>(Place * WarpsOfBlock + By.Warp);
      }
      std::erase_if(Now, [](const WarpQueue &Warp) { return Warp.Next == Warp.End; });
      if (Now.empty() && ++Block->Now == Block->Phases.size())
        Block = Next();
    }
  Records = std::move(Ordered);
}

} // namespace gmprof::host
