//===- PlacedRequests.cpp - Moves requests to the untraced SMs ------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/cache/PlacedRequests.h"
#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace gmprof::host {

namespace {

/// A block in the trace and without one.
struct MovedBlock {
  uint64_t First = UINT64_MAX, Last = 0; ///< clocks of its records
  const GmprofPlacedBlock *To = nullptr;
  uint16_t FirstSlot = 0;

  uint64_t clockOf(uint64_t Traced) const {
    using Wide = unsigned __int128;
    const Wide Since = Wide(Traced - First) * (To->end - To->begin);
    return To->begin + static_cast<uint64_t>(Since / std::max<uint64_t>(Last - First, 1));
  }
};
using MovedBlocks = std::unordered_map<uint64_t, MovedBlock>;

/// Gives each block the lowest place of its SM that no other block has at the time.
void assignSlots(MovedBlocks &Blocks, uint32_t WarpsOfBlock) {
  std::map<uint64_t, std::vector<std::pair<uint64_t, MovedBlock *>>> OfSms;
  for (auto &[Number, Block] : Blocks)
    OfSms[Block.To->sm].emplace_back(Number, &Block);
  for (auto &[Sm, OfSm] : OfSms) {
    std::ranges::sort(
        OfSm, {}, [](const auto &Each) { return std::tuple(Each.second->To->begin, Each.first); });
    std::vector<uint64_t> FreeFrom; // by place
    for (const auto &[Number, Block] : OfSm) {
      const auto Place =
          std::ranges::find_if(FreeFrom, [&](uint64_t Time) { return Time <= Block->To->begin; });
      Block->FirstSlot =
          static_cast<uint16_t>(static_cast<uint64_t>(Place - FreeFrom.begin()) * WarpsOfBlock);
      if (Place == FreeFrom.end())
        FreeFrom.push_back(Block->To->end);
      else
        *Place = Block->To->end;
    }
  }
}

} // namespace

std::optional<RecordsOfSms> placeRecords(const RecordsOfSms &By, const PlacedBlocks &Where,
                                         uint32_t WarpsOfBlock) {
  MovedBlocks Blocks;
  for (const auto &[Sm, Records] : By)
    for (const PlacedRecord &R : Records) {
      MovedBlock &Block = Blocks[R.By.Block];
      Block.First = std::min(Block.First, R.Clock);
      Block.Last = std::max(Block.Last, R.Clock);
    }
  for (auto &[Number, Block] : Blocks) {
    if (Number >= Where.size() || Where[Number].end < Where[Number].begin || Where[Number].end == 0)
      return std::nullopt;
    Block.To = &Where[Number];
  }
  assignSlots(Blocks, WarpsOfBlock);
  RecordsOfSms Placed;
  for (const auto &[Sm, Records] : By)
    for (PlacedRecord R : Records) {
      const MovedBlock &Block = Blocks.at(R.By.Block);
      R.Clock = Block.clockOf(R.Clock);
      R.By.Slot = static_cast<uint16_t>(Block.FirstSlot + R.By.Warp);
      Placed[static_cast<uint32_t>(Block.To->sm)].push_back(R);
    }
  OrderMemory Memory;
  for (auto &[Sm, Records] : Placed)
    orderByClock(Records, Memory);
  return Placed;
}

} // namespace gmprof::host
