//===- ObjectCounts.cpp - Accesses to the elements of objects, added up ---===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/global/ObjectCounts.h"
#include "profile/Mutex.h"
#include "profile/Parallel.h"
#include "profile/Saturating.h"
#include <algorithm>

namespace gmprof::host {

/// Adds counters of a chunk from its element First on, of which none is larger than Largest.
template <typename Counter>
void ObjectCounts::addTo(Chunk &C, const CountsKey &Key, size_t First,
                         std::span<const Counter> Counters, Counter Largest) {
  const uint64_t Cap = Key.Threshold != 0 ? std::min<uint64_t>(Largest, Key.Threshold) : Largest;
  if (C.Sums.size() == 0)
    C.Sums.reset(ChunkElements, 1);
  C.Most = addSaturating(C.Most, Cap);
  C.Sums.widen(C.Most);
  C.Sums.add(First, Counters, Cap);
  if (Key.Threshold != 0 && Largest >= Key.Threshold) {
    C.Capped.resize(ChunkElements);
    for (size_t I = 0; I < Counters.size(); ++I)
      C.Capped[First + I] += Counters[I] >= Key.Threshold ? 1 : 0;
  }
}

/// Returns the largest counter. Where there are many, threads share them.
template <typename Counter>
uint64_t ObjectCounts::addTo(Counts &To, const CountsKey &Key, uint64_t FirstElement,
                             std::span<const std::byte> Counters) {
  constexpr uint64_t Together = 64; // chunks that a thread takes at a time, some 0.1 ms
  // Of the device's memory, in which counters are aligned.
  const std::span<const Counter> All(reinterpret_cast<const Counter *>(Counters.data()),
                                     Counters.size() / sizeof(Counter));
  Mutex Finding;
  uint64_t Most = 0, NewBytes = 0;
  const auto AddChunks = [&](uint64_t Begin, uint64_t End) {
    uint64_t MostHere = 0, NewHere = 0;
    for (uint64_t Number = Begin; Number < End; ++Number) {
      const uint64_t From = std::max(FirstElement, Number * ChunkElements);
      const uint64_t Last = std::min(FirstElement + All.size(), (Number + 1) * ChunkElements);
      const std::span<const Counter> Here = All.subspan(From - FirstElement, Last - From);
      Counter Largest = 0; // not by std::max_element, which looks at one after the other
      for (Counter Each : Here)
        Largest = std::max(Largest, Each);
      if (Largest == 0) // as most chunks of most launches
        continue;
      WaitingLock Guard(Finding);
      Chunk &C = To.Chunks[Number];
      Guard.unlock();
      const size_t Before = C.bytes();
      addTo(C, Key, From % ChunkElements, Here, Largest);
      NewHere += C.bytes() - Before;
      MostHere = std::max<uint64_t>(MostHere, Largest);
    }
    LockGuard Guard(Finding);
    Most = std::max(Most, MostHere);
    NewBytes += NewHere;
  };
  const uint64_t Begin = FirstElement / ChunkElements;
  const uint64_t End = (FirstElement + All.size() + ChunkElements - 1) / ChunkElements;
  if (End - Begin < ManyChunks)
    AddChunks(Begin, End);
  else
    inParallel((End - Begin + Together - 1) / Together, [&](size_t I) {
      AddChunks(Begin + I * Together, std::min(End, Begin + (I + 1) * Together));
    });
  Bytes += NewBytes;
  return Most;
}

void ObjectCounts::add(const CountsKey &Key, uint64_t FirstElement,
                       std::span<const std::byte> Counters, unsigned Bits, uint64_t Launches) {
  LockGuard Guard(Lock);
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
  LockGuard Guard(Lock);
  ByKey[Key].Launches += Launches;
  if (Key.Threshold == 0)
    return;
  uint64_t &Known = MostByKernel[Key.Kernel];
  Known = std::max(Known, MostBeingAdded[Key.Kernel]);
}

void ObjectCounts::totals(const log::GlobalTotalsRecord &Counted) {
  LockGuard Guard(Lock);
  log::GlobalTotalsRecord &Sum = TotalsByContext[Counted.context];
  Sum.context = Counted.context;
  Sum.launches += Counted.launches;
  Sum.blocks += Counted.blocks;
  Sum.threads += Counted.threads;
  Sum.outside += Counted.outside;
}

std::optional<uint64_t> ObjectCounts::mostPerLaunch(uint32_t Kernel) const {
  LockGuard Guard(Lock);
  auto It = MostByKernel.find(Kernel);
  return It == MostByKernel.end() ? std::nullopt : std::optional(It->second);
}

/// Makes a record of a run, without the zeros at both ends.
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

/// Writes and forgets counts. Compression takes most of the time; threads share it if there is
/// much.
void ObjectCounts::write(CountsByKey::iterator First, CountsByKey::iterator End) {
  constexpr size_t AtATime = 8; // each may take some megabytes
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
    const std::span<MadeRecord> To = Made;
    const auto Make = [&](size_t I) { make(To[I], Left[I]); };
    size_t Chunks = 0;
    for (const Run &Each : Left.first(Now))
      Chunks += Each.Chunks.size();
    if (Chunks >= ManyChunks)
      inParallel(Now, Make);
    else
      for (size_t I = 0; I < Now; ++I)
        Make(I);
    for (size_t I = 0; I < Now; ++I)
      Log.profileRecord(log::RecordKind::GlobalCounts, Made[I].Record,
                        std::span(Made[I].Compressed));
    Left = Left.subspan(Now);
  }
  Made.resize(1);
  ByKey.erase(First, End);
}

void ObjectCounts::flush(uint64_t Object) {
  LockGuard Guard(Lock);
  const auto First = ByKey.lower_bound({Object});
  write(First, std::find_if(First, ByKey.end(),
                            [&](const auto &Each) { return Each.first.Object != Object; }));
}

void ObjectCounts::writeAll() {
  write(ByKey.begin(), ByKey.end());
  for (const auto &[Context, Totals] : TotalsByContext)
    Log.profileRecord(log::RecordKind::GlobalTotals, Totals);
  TotalsByContext.clear();
}

void ObjectCounts::flushAll() {
  LockGuard Guard(Lock);
  writeAll();
}

} // namespace gmprof::host
