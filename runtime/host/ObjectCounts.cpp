//===- ObjectCounts.cpp - Accesses to the elements of objects, added up ---===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/ObjectCounts.h"
#include "profile/Saturating.h"
#include <algorithm>
#include <cstring>

namespace gmprof::host {

/// Whether there is nothing but zeros; most counters of most launches are.
static bool allZero(std::span<const std::byte> Bytes) {
  return Bytes.empty() || (Bytes[0] == std::byte{0} &&
                           std::memcmp(Bytes.data(), Bytes.data() + 1, Bytes.size() - 1) == 0);
}

/// Returns the largest counter.
template <typename Counter>
uint64_t ObjectCounts::addTo(Counts &To, const CountsKey &Key, uint64_t FirstElement,
                             std::span<const std::byte> Counters) {
  uint64_t Most = 0;
  const uint64_t Count = Counters.size() / sizeof(Counter);
  for (uint64_t Begin = 0, End = 0; Begin < Count; Begin = End) {
    uint64_t Element = FirstElement + Begin;
    End = std::min(Count, Begin + ChunkElements - Element % ChunkElements);
    if (allZero(Counters.subspan(Begin * sizeof(Counter), (End - Begin) * sizeof(Counter))))
      continue;
    auto [It, New] = To.Chunks.try_emplace(Element / ChunkElements);
    Chunk &C = It->second;
    const size_t Before = New ? 0 : C.bytes();
    const size_t First = Element % ChunkElements;
    // Of the device's memory, in which counters are aligned.
    const std::span<const Counter> Here(reinterpret_cast<const Counter *>(Counters.data()) + Begin,
                                        End - Begin);
    Counter Largest = 0; // not by std::max_element, which looks at one after the other
    for (Counter Each : Here)
      Largest = std::max(Largest, Each);
    const uint64_t Cap = Key.Threshold != 0 ? std::min<uint64_t>(Largest, Key.Threshold) : Largest;
    Most = std::max<uint64_t>(Most, Largest);
    C.Most = addSaturating(C.Most, Cap);
    C.Sums.widen(C.Most);
    C.Sums.add(First, Here, Cap);
    if (Key.Threshold != 0 && Largest >= Key.Threshold) {
      C.Capped.resize(ChunkElements);
      for (size_t I = 0; I < Here.size(); ++I)
        C.Capped[First + I] += Here[I] >= Key.Threshold ? 1 : 0;
    }
    Bytes += C.bytes() - Before;
  }
  return Most;
}

void ObjectCounts::add(const CountsKey &Key, uint64_t FirstElement,
                       std::span<const std::byte> Counters, unsigned Bits, uint64_t Launches) {
  std::lock_guard<std::mutex> Guard(Lock);
  Counts &To = ByKey[Key];
  uint64_t Most = Bits == 8    ? addTo<uint8_t>(To, Key, FirstElement, Counters)
                  : Bits == 16 ? addTo<uint16_t>(To, Key, FirstElement, Counters)
                  : Bits == 32 ? addTo<uint32_t>(To, Key, FirstElement, Counters)
                               : addTo<uint64_t>(To, Key, FirstElement, Counters);
  if (Bytes > MostBytes)
    writeAll();
  if (Key.Threshold == 0)
    return;
  uint64_t &Known = MostBeingAdded[Key.Kernel];
  Launches = std::max<uint64_t>(Launches, 1);
  Known = std::max(Known, (Most + Launches - 1) / Launches);
}

void ObjectCounts::launches(const CountsKey &Key, uint64_t Launches) {
  std::lock_guard<std::mutex> Guard(Lock);
  ByKey[Key].Launches += Launches;
  if (Key.Threshold == 0)
    return;
  uint64_t &Known = MostByKernel[Key.Kernel];
  Known = std::max(Known, MostBeingAdded[Key.Kernel]);
}

void ObjectCounts::totals(const log::GlobalTotalsRecord &Counted) {
  std::lock_guard<std::mutex> Guard(Lock);
  log::GlobalTotalsRecord &Sum = TotalsByContext[Counted.context];
  Sum.context = Counted.context;
  Sum.launches += Counted.launches;
  Sum.blocks += Counted.blocks;
  Sum.threads += Counted.threads;
  Sum.outside += Counted.outside;
}

std::optional<uint64_t> ObjectCounts::mostPerLaunch(uint32_t Kernel) const {
  std::lock_guard<std::mutex> Guard(Lock);
  auto It = MostByKernel.find(Kernel);
  return It == MostByKernel.end() ? std::nullopt : std::optional(It->second);
}

/// Without the zeros at both ends.
void ObjectCounts::writeRun(const CountsKey &Key, const Run &Chunks, uint64_t FirstChunk,
                            uint64_t Launches) {
  const bool Reached =
      std::any_of(Chunks.begin(), Chunks.end(), [](auto *C) { return C && !C->Capped.empty(); });
  unsigned Width = 1;
  for (const Chunk *C : Chunks)
    Width = std::max(Width, C ? C->Sums.width() : 1);
  NarrowSums &Sums = OfRun;
  Sums.reset(Chunks.size() * ChunkElements, Width);
  std::vector<uint32_t> Capped(Reached ? Sums.size() : 0);
  for (size_t I = 0; I < Chunks.size(); ++I)
    if (const Chunk *C = Chunks[I]) {
      Sums.put(I * ChunkElements, C->Sums);
      if (!C->Capped.empty())
        std::copy(C->Capped.begin(), C->Capped.end(), Capped.begin() + I * ChunkElements);
    }
  size_t Begin = 0, End = Sums.size();
  while (Begin < End && Sums[Begin] == 0)
    ++Begin;
  while (End > Begin && Sums[End - 1] == 0)
    --End;
  log::GlobalCountsRecord Record = {};
  Record.object = Key.Object;
  Record.firstElement = FirstChunk * ChunkElements + Begin;
  Record.elements = End - Begin;
  Record.kernel = Key.Kernel;
  Record.counterKind = Key.Kind;
  Record.elementShift = Key.ElementShift;
  Record.blockSample = Key.BlockSample;
  Record.threshold = Key.Threshold;
  Record.thresholdReached = Reached ? 1 : 0;
  Record.launches = Launches;
  Record.context = Key.Context;
  std::span<const uint32_t> WithCapped(Capped);
  Log.globalCounts(
      Record, Compressor.compress(Sums, Begin, End - Begin,
                                  Reached ? WithCapped.subspan(Begin, End - Begin) : WithCapped));
}

ObjectCounts::CountsByKey::iterator ObjectCounts::write(CountsByKey::iterator At) {
  // Of a record; and of zeros in between, which take less than another record would.
  constexpr uint64_t MostChunks = 256, MostZeros = 16;
  const CountsKey &Key = At->first;
  Counts &C = At->second;
  Run Chunks;
  uint64_t First = 0;
  auto EndRun = [&] {
    // The launches are those of the first record: several add up.
    if (!Chunks.empty() || C.Launches != 0)
      writeRun(Key, Chunks, First, std::exchange(C.Launches, 0));
    Chunks.clear();
  };
  for (const auto &[Number, Each] : C.Chunks) {
    const uint64_t Distance = Number - First;
    if (!Chunks.empty() && (Distance >= MostChunks || Distance > Chunks.size() + MostZeros))
      EndRun();
    if (Chunks.empty())
      First = Number;
    Chunks.resize(Number - First);
    Chunks.push_back(&Each);
    Bytes -= Each.bytes();
  }
  EndRun();
  return ByKey.erase(At);
}

void ObjectCounts::flush(uint64_t Object) {
  std::lock_guard<std::mutex> Guard(Lock);
  for (auto It = ByKey.lower_bound({Object}); It != ByKey.end() && It->first.Object == Object;)
    It = write(It);
}

void ObjectCounts::writeAll() {
  for (auto It = ByKey.begin(); It != ByKey.end();)
    It = write(It);
  for (const auto &[Context, Totals] : TotalsByContext)
    Log.globalTotals(Totals);
  TotalsByContext.clear();
}

void ObjectCounts::flushAll() {
  std::lock_guard<std::mutex> Guard(Lock);
  writeAll();
}

} // namespace gmprof::host
