//===- TraceFile.cpp - Writes what launches recorded ----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/cache/TraceFile.h"
#include "host/cache/Prefetch.h"
#include "host/cache/TraceRecords.h"
#include "profile/Mutex.h"
#include "profile/OwnThread.h"
#include <algorithm>
#include <cstring>
#include <set>

namespace gmprof::host {

TraceFile::TraceFile(size_t Memory) : Memory(Memory), Thread(startOwnThread([this] { run(); })) {}

std::string TraceFile::open(const std::string &Path, const cache::TraceDevice &Device, bool IsCpu) {
  Result<std::unique_ptr<cache::TraceWriter>> New =
      cache::TraceWriter::create(Path, Device, cache::IfExists::Refuse);
  if (!New)
    return New.error();
  Writer = std::move(*New);
  OnCpu = IsCpu;
  return "";
}

TraceFile::~TraceFile() { stop(); }

/// Ends the thread once all parts are written.
void TraceFile::stop() {
  if (!Thread.joinable())
    return;
  {
    LockGuard Guard(Lock);
    Stops = true;
  }
  Changed.notify_all();
  Thread.join();
}

void TraceFile::add(LaunchPart Part) {
  {
    WaitingLock Guard(Lock);
    while (Bytes != 0 && Bytes + Part.Bytes > Memory)
      Guard.wait(Changed);
    Bytes += Part.Bytes;
    Parts.push_back(std::move(Part));
  }
  Changed.notify_all();
}

void TraceFile::run() {
  WaitingLock Guard(Lock);
  for (;;) {
    while (Parts.empty() && !Stops)
      Guard.wait(Changed);
    if (Parts.empty())
      return;
    const size_t Done = Parts.front().Bytes;
    {
      LaunchPart Part = std::move(Parts.front());
      Parts.pop_front();
      Guard.unlock();
      write(Part);
    }
    Guard.lock();
    Bytes -= Done;
    Changed.notify_all();
  }
}

Result<uint64_t> TraceFile::finish() {
  stop();
  return Writer ? Writer->finish() : uint64_t(0);
}

/// Returns the numbers of a kernel in the file. Writes the kernel and its sites at the first call.
TraceFile::Numbers TraceFile::numbersOf(const std::shared_ptr<const TracedKernel> &Kernel) {
  const auto [At, New] =
      Kernels.try_emplace(Kernel, Numbers{static_cast<uint32_t>(Kernels.size()), Sites});
  if (New) {
    const uint32_t Number = At->second.Kernel;
    Writer->addKernel(Kernel->Facts);
    for (cache::TraceSite Site : Kernel->Sites) {
      Site.Kernel = Number;
      Writer->addSite(Site);
    }
    Writer->addSite({Number, "", 0, "", {}}); // that are not known
    Sites += static_cast<uint32_t>(Kernel->Sites.size()) + 1;
  }
  return At->second;
}

/// Returns the ranges of each object, which has several if parts of it are objects of their own.
static std::map<uint64_t, std::set<std::pair<uint64_t, uint64_t>>>
byObject(const MemoryRanges &Of) {
  std::map<uint64_t, std::set<std::pair<uint64_t, uint64_t>>> Objects;
  for (size_t I = 0; I < Of.Ranges.size(); ++I)
    Objects[Of.Objects[I]].insert({Of.Ranges[I].base, Of.Ranges[I].bytes});
  return Objects;
}

/// Writes the objects that were made or released since the last call.
void TraceFile::writeObjects(const std::shared_ptr<const MemoryRanges> &Ranges) {
  if (Ranges == Known)
    return;
  const auto Before = Known ? byObject(*Known) : decltype(byObject(*Known))();
  const auto Now = byObject(*Ranges);
  for (const auto &[Id, Places] : Before)
    if (const auto At = Now.find(Id); At == Now.end() || At->second != Places)
      Writer->release(Id);
  for (const auto &[Id, Places] : Now)
    if (const auto At = Before.find(Id); At == Before.end() || At->second != Places)
      for (const auto &[Address, Size] : Places)
        Writer->allocate({Id, "", Address, Size});
  Known = Ranges;
}

/// Threads for so many bytes of records.
static size_t writers(size_t Bytes) {
  constexpr size_t WorthAThread = size_t(1) << 20;
  return std::max<size_t>(Bytes / WorthAThread, 1);
}

void TraceFile::begin(TracedLaunch New) {
  Launch = std::move(New);
  const Numbers Numbers = numbersOf(Launch.Kernel);
  FirstSite = Numbers.FirstSite;
  writeObjects(Launch.Ranges);
  for (const cache::TraceWritten &W : Launch.Written)
    Writer->written(W);
  Launch.Facts.Kernel = Numbers.Kernel;
  Writer->beginLaunch(Launch.Facts);
}

void TraceFile::end(cache::TraceLaunchEnd End) {
  for (const auto &[_, Sm] : Sms)
    End.Late += Sm.Late;
  Sms.clear();
  Writer->endLaunch(End);
}

void TraceFile::write(LaunchPart &Part) {
  const bool IsWhole = Part.Begins && Part.Ends;
  if (Part.Begins)
    begin(std::move(*Part.Begins));
  if (IsWhole && Launch.Blocks && writePlaced(Part))
    return end(*Part.Ends);
  Unplaced += Part.Ends && Launch.Blocks;
  for (const LaunchPart::Chunk &Each : Part.Chunks)
    Sms[Each.Sm].Chunks.push_back(Each.Bytes);
  std::vector<std::pair<uint32_t, OfSm *>> All;
  for (auto &[Sm, State] : Sms)
    if (!State.Chunks.empty() || Part.Ends) // which may hold something
      All.emplace_back(Sm, &State);
  // One that has much to do is not to be the last one to begin.
  std::ranges::sort(All, std::greater(),
                    [](const auto &Each) { return Each.second->Chunks.size(); });
  const auto Write = [&](size_t I, size_t Thread) {
    writeSm(All[I].first, Part.Ends.has_value(), *All[I].second, Memories[Thread]);
  };
  Writers.run(All.size(), Write, writers(Part.Bytes));
  if (Part.Ends)
    end(*Part.Ends);
}

static size_t bytesOf(std::span<const std::span<const std::byte>> Chunks) {
  size_t Bytes = 0;
  for (const std::span<const std::byte> Chunk : Chunks)
    Bytes += Chunk.size();
  return Bytes;
}

static void takeRecords(std::span<const std::span<const std::byte>> Chunks, PlacedRecords &To) {
  for (size_t I = 0; I < Chunks.size(); ++I) {
    // Its records are read one after the other, as each one says where the next one is.
    if (I + 1 < Chunks.size())
      prefetch(Chunks[I + 1].data(), Chunks[I + 1].size());
    appendRecords(Chunks[I], To);
  }
}

/// Returns false, and has written nothing, if a block's place is unknown.
bool TraceFile::writePlaced(const LaunchPart &Whole) {
  RecordsOfSms Traced;
  for (const LaunchPart::Chunk &Each : Whole.Chunks)
    appendRecords(Each.Bytes, Traced[Each.Sm]);
  for (auto &[Sm, Records] : Traced)
    orderByClock(Records, Memories[0].Order);
  const std::optional<RecordsOfSms> Placed =
      placeRecords(Traced, *Launch.Blocks, static_cast<uint32_t>(Launch.Facts.warpsPerBlock()));
  if (!Placed)
    return false;
  for (const auto &[Sm, Records] : *Placed) {
    cache::TraceWriter::OfSm &To = Writer->sm(Sm);
    writeRecords(Records, sizeof(GmprofTraceRecord), To);
    Writer->flush(To);
  }
  return true;
}

void TraceFile::writeSm(uint32_t Sm, bool IsLast, OfSm &State, WriterMemory &Memory) {
  PlacedRecords &Records = Memory.Records;
  Records.assign(State.Held.begin(), State.Held.end());
  const std::vector<std::byte> HeldBytes = std::move(State.HeldBytes);
  const std::vector<std::span<const std::byte>> Chunks = std::exchange(State.Chunks, {});
  const size_t Bytes = bytesOf(Chunks);
  Records.reserve(Records.size() + Bytes / sizeof(GmprofTraceRecord));
  takeRecords(Chunks, Records);
  const size_t MeanBytes = Bytes / std::max<size_t>(Records.size(), 1);
  order(Records, IsLast, State, Memory.Order);
  cache::TraceWriter::OfSm &To = Writer->sm(Sm);
  writeRecords(Records, MeanBytes, To);
  if (IsLast)
    Writer->flush(To);
}

void TraceFile::writeRecords(const PlacedRecords &Records, size_t MeanBytes,
                             cache::TraceWriter::OfSm &To) {
  constexpr size_t Ahead = 16;
  for (size_t I = 0; I < Records.size(); ++I) {
    if (I + Ahead < Records.size())
      prefetch(Records[I + Ahead].Record, MeanBytes);
    cache::Request R = requestOf(Records[I].By, *Records[I].Record);
    R.Site = FirstSite + Launch.Kernel->Numbers.siteOf(R.Site);
    Writer->add(To, R);
  }
}

/// Leaves those that are to be written now.
void TraceFile::order(PlacedRecords &Records, bool IsLast, OfSm &State, OrderMemory &Memory) {
  if (OnCpu)
    return orderByTurns(Records, Launch.Facts.BlocksPerSm,
                        static_cast<uint32_t>(Launch.Facts.warpsPerBlock()));
  orderByClock(Records, Memory);
  const auto FirstInTime =
      std::ranges::lower_bound(Records, State.LastClock, {}, &PlacedRecord::Clock);
  State.Late += static_cast<uint64_t>(FirstInTime - Records.begin());
  if (!IsLast) {
    // Of each warp, one chunk may not be full.
    constexpr size_t Most = 64 * GMPROF_TRACE_CHUNK_BYTES / sizeof(GmprofTraceRecord);
    const size_t Count = std::min(Most, Records.size() / 8);
    hold(std::span(Records).last(Count), State);
    Records.resize(Records.size() - Count);
  }
  if (!Records.empty())
    State.LastClock = std::max(State.LastClock, Records.back().Clock);
}

/// Copies of them.
void TraceFile::hold(std::span<const PlacedRecord> Records, OfSm &State) {
  size_t Bytes = 0;
  for (const PlacedRecord &R : Records)
    Bytes += recordBytes(*R.Record);
  State.HeldBytes.resize(Bytes);
  State.Held.assign(Records.begin(), Records.end());
  std::byte *Next = State.HeldBytes.data();
  for (PlacedRecord &R : State.Held) {
    const size_t Size = recordBytes(*R.Record);
    std::memcpy(Next, R.Record, Size);
    R.Record = reinterpret_cast<const GmprofTraceRecord *>(Next);
    Next += Size;
  }
}

} // namespace gmprof::host
