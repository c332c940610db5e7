//===- ObjectCounts.cpp - Accesses to the elements of objects, added up ---===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/ObjectCounts.h"
#include "profile/Parallel.h"
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
void ObjectCounts::make(MadeRecord &To, const Run &Of) {
  const bool Reached = std::any_of(Of.Chunks.begin(), Of.Chunks.end(),
                                   [](const Chunk *C) { return C && !C->Capped.empty(); });
  unsigned Width = 1;
  for (const Chunk *C : Of.Chunks)
    Width = std::max(Width, C ? C->Sums.width() : 1);
  NarrowSums &Sums = To.Sums;
  Sums.reset(Of.Chunks.size() * ChunkElements, Width);
  std::vector<uint32_t> Capped(Reached ? Sums.size() : 0);
  for (size_t I = 0; I < Of.Chunks.size(); ++I)
    if (const Chunk *C = Of.Chunks[I]) {
      Sums.put(I * ChunkElements, C->Sums);
      if (!C->Capped.empty())
        std::copy(C->Capped.begin(), C->Capped.end(), Capped.begin() + I * ChunkElements);
    }
  size_t Begin = 0, End = Sums.size();
  while (Begin < End && Sums[Begin] == 0)
    ++Begin;
  while (End > Begin && Sums[End - 1] == 0)
    --End;
  const CountsKey &Key = *Of.Key;
  To.Record = {};
  To.Record.object = Key.Object;
  To.Record.firstElement = Of.FirstChunk * ChunkElements + Begin;
  To.Record.elements = End - Begin;
  To.Record.kernel = Key.Kernel;
  To.Record.counterKind = Key.Kind;
  To.Record.elementShift = Key.ElementShift;
  To.Record.blockSample = Key.BlockSample;
  To.Record.threshold = Key.Threshold;
  To.Record.thresholdReached = Reached ? 1 : 0;
  To.Record.launches = Of.Launches;
  To.Record.context = Key.Context;
  const std::span<const uint32_t> WithCapped(Capped);
  To.Compressed = To.Compressor.compress(
      Sums, Begin, End - Begin, Reached ? WithCapped.subspan(Begin, End - Begin) : WithCapped);
}

std::vector<ObjectCounts::Run> ObjectCounts::runsOf(const CountsKey &Key, const Counts &Of) {
  // Of a record; and of zeros in between, which take less than another record would.
  constexpr uint64_t MostChunks = 256, MostZeros = 16;
  std::vector<Run> Runs;
  for (const auto &[Number, Each] : Of.Chunks) {
    const uint64_t Distance = Runs.empty() ? 0 : Number - Runs.back().FirstChunk;
    if (Runs.empty() || Distance >= MostChunks || Distance > Runs.back().Chunks.size() + MostZeros)
      Runs.push_back({&Key, Number});
    std::vector<const Chunk *> &Chunks = Runs.back().Chunks;
    Chunks.resize(Number - Runs.back().FirstChunk);
    Chunks.push_back(&Each);
  }
  if (Runs.empty() && Of.Launches != 0)
    Runs.push_back({&Key});
  // The launches are those of the first record: several add up.
  if (!Runs.empty())
    Runs.front().Launches = Of.Launches;
  return Runs;
}

/// And forgets them. Compressing takes most of the time: where there is much, threads share it.
void ObjectCounts::write(CountsByKey::iterator First, CountsByKey::iterator End) {
  constexpr size_t AtATime = 8;      // each may take some megabytes
  constexpr size_t ManyChunks = 256; // a millisecond: threads take some of that to begin
  std::vector<Run> Runs;
  for (auto At = First; At != End; ++At) {
    std::vector<Run> Of = runsOf(At->first, At->second);
    std::move(Of.begin(), Of.end(), std::back_inserter(Runs));
    for (const auto &[Number, Each] : At->second.Chunks)
      Bytes -= Each.bytes();
  }
  for (std::span<const Run> Left = Runs; !Left.empty();) {
    const size_t Now = std::min(Left.size(), AtATime);
    Made.resize(std::max(Made.size(), Now));
    const auto Make = [&](size_t I) { make(Made[I], Left[I]); };
    size_t Chunks = 0;
    for (const Run &Each : Left.first(Now))
      Chunks += Each.Chunks.size();
    if (Chunks >= ManyChunks)
      inParallel(Now, Make);
    else
      for (size_t I = 0; I < Now; ++I)
        Make(I);
    for (size_t I = 0; I < Now; ++I)
      Log.globalCounts(Made[I].Record, Made[I].Compressed);
    Left = Left.subspan(Now);
  }
  Made.resize(1);
  ByKey.erase(First, End);
}

void ObjectCounts::flush(uint64_t Object) {
  std::lock_guard<std::mutex> Guard(Lock);
  const auto First = ByKey.lower_bound({Object});
  write(First, std::find_if(First, ByKey.end(),
                            [&](const auto &Each) { return Each.first.Object != Object; }));
}

void ObjectCounts::writeAll() {
  write(ByKey.begin(), ByKey.end());
  for (const auto &[Context, Totals] : TotalsByContext)
    Log.globalTotals(Totals);
  TotalsByContext.clear();
}

void ObjectCounts::flushAll() {
  std::lock_guard<std::mutex> Guard(Lock);
  writeAll();
}

} // namespace gmprof::host
