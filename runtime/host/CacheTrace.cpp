//===- CacheTrace.cpp - The trace of a run's requests ---------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/CacheTrace.h"
#include "host/TraceRecords.h"
#include "profile/Parallel.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace gmprof::host {

CacheTrace::~CacheTrace() = default;

std::string CacheTrace::open(const DeviceFacts &Device, uint32_t L2Kb) {
  if (Writer)
    return Device.Id == TracedDevice ? "" : "a trace is of one device, and this is another one";
  const cache::TraceDevice Facts = {fmt::format("sm_{}{}", Device.Major, Device.Minor), Device.Name,
                                    static_cast<uint32_t>(Device.Sms),
                                    static_cast<uint32_t>(Device.ThreadsPerSm) / 32, L2Kb};
  Result<std::unique_ptr<cache::TraceWriter>> New =
      cache::TraceWriter::create(Path, Facts, cache::IfExists::Refuse);
  if (!New)
    return New.error();
  Writer = std::move(*New);
  TracedDevice = Device.Id;
  OnCpu = Device.OnCpu;
  return "";
}

/// Between two launches; of more, only the last ones.
static constexpr size_t MostWrites = 1 << 14;

void CacheTrace::written(int Device, const cache::TraceWritten &By) {
  std::lock_guard Guard(NewsLock);
  std::deque<cache::TraceWritten> &All = Written[Device];
  if (!All.empty() && All.back().Address == By.Address && All.back().Bytes == By.Bytes)
    return;
  All.push_back(By);
  if (All.size() > MostWrites)
    All.pop_front();
}

void CacheTrace::begin(uint64_t Number, TracedLaunch Launch) {
  std::lock_guard Guard(NewsLock);
  Launch.Written = std::move(Written[TracedDevice]);
  Written[TracedDevice].clear();
  TheNews.push_back({Number, std::move(Launch)});
}

void CacheTrace::cancel(uint64_t Number) {
  std::lock_guard Guard(NewsLock);
  TheNews.push_back({Number, std::nullopt});
}

void CacheTrace::takeNews() {
  std::vector<News> Now;
  {
    std::lock_guard Guard(NewsLock);
    Now.swap(TheNews);
  }
  for (News &Each : Now)
    if (Each.Launch)
      began(Each.Number, std::move(*Each.Launch));
    else
      cancelled(Each.Number);
}

/// Puts notes in front of others, of which only the last ones are kept.
static void putInFront(std::deque<cache::TraceWritten> &Notes,
                       const std::deque<cache::TraceWritten> &Earlier) {
  Notes.insert(Notes.begin(), Earlier.begin(), Earlier.end());
  while (Notes.size() > MostWrites)
    Notes.pop_front();
}

void CacheTrace::began(uint64_t Number, TracedLaunch Launch) {
  putInFront(Launch.Written, WrittenForNext);
  WrittenForNext.clear();
  Launches[Number].Launch = std::move(Launch);
}

/// What copies wrote before it is in L2 all the same.
void CacheTrace::cancelled(uint64_t Number) {
  const auto At = Launches.find(Number);
  if (At == Launches.end())
    return;
  if (Number == Open) // what there is of it is in the file, and the rest is not known
    return complete(At);
  const std::deque<cache::TraceWritten> Written = std::move(At->second.Launch.Written);
  Bytes -= At->second.Bytes;
  auto Next = Launches.erase(At);
  if (Next != Launches.end() && Next->first == Open)
    ++Next;
  if (Next != Launches.end())
    putInFront(Next->second.Launch.Written, Written);
  else
    WrittenForNext.insert(WrittenForNext.end(), Written.begin(), Written.end());
}

void CacheTrace::received(std::span<const std::byte> Chunk) {
  const auto *Head = reinterpret_cast<const GmprofTraceChunk *>(Chunk.data());
  auto At = Launches.find(Head->launch);
  if (At == Launches.end()) {
    takeNews();
    At = Launches.find(Head->launch);
  }
  if (At == Launches.end())
    return;
  At->second.Sms[Head->sm].Chunks.push_back(At->second.Copies.add(Chunk));
  At->second.Bytes += Chunk.size();
  Bytes += Chunk.size();
  if (Bytes > Memory)
    makeRoom();
}

/// Writes what there is of the launch that the file is at, or of the largest one. Where the file
/// is at one that makes few records, the largest one loses its own.
void CacheTrace::makeRoom() {
  const auto Largest =
      std::max_element(Launches.begin(), Launches.end(), [](const auto &A, const auto &B) {
        return A.second.Bytes < B.second.Bytes;
      });
  const auto At = Open != 0 ? Launches.find(Open) : Largest;
  if (At->second.Bytes >= Memory / 4)
    return write(At);
  Collected &L = Largest->second;
  std::vector<PlacedRecord> Records;
  for (auto &[Sm, From] : L.Sms) {
    From.takeRecords(Records);
    L.End.Lost += Records.size();
  }
  L.Copies.clear();
  Bytes -= std::exchange(L.Bytes, 0);
}

void CacheTrace::ended(uint64_t Number, const TraceCounts &Counts) {
  takeNews();
  const auto At = Launches.find(Number);
  if (At == Launches.end())
    return;
  const GmprofTraceTotals &Totals = Counts.Totals;
  if (Totals.outside != 0)
    Gaps.gap("accesses", "in functions that are called and not instrumented", Totals.outside);
  cache::TraceLaunchEnd &End = At->second.End;
  End.Lost += Totals.lost;
  End.Blocks = Counts.Progress.blocks;
  End.BlocksBeyond = Counts.Progress.blocksBeyond;
  End.RequestsBeyond = Counts.Progress.requestsBeyond;
  At->second.Ended = true;
  if (Open != 0 && Open != Number)
    return; // the file is in the middle of another one
  complete(At);
  completeEnded(); // which may have waited for it
}

void CacheTrace::complete(LaunchIterator At) {
  write(At);
  for (const auto &[_, From] : At->second.Sms)
    At->second.End.Late += From.Late;
  Writer->endLaunch(At->second.End);
  Launches.erase(At);
  Open = 0;
}

void CacheTrace::completeEnded() {
  for (auto Next = Launches.begin(); Next != Launches.end();)
    if (const auto Each = Next++; Each->second.Ended)
      complete(Each);
}

void CacheTrace::finish() {
  if (!Writer)
    return;
  takeNews();
  const auto Running = std::count_if(Launches.begin(), Launches.end(),
                                     [](const auto &Each) { return !Each.second.Ended; });
  if (Running != 0)
    Gaps.gap("launch traces", "their kernels were still running when the program ended",
             static_cast<uint64_t>(Running));
  if (Open != 0)
    complete(Launches.find(Open));
  completeEnded();
  if (const Result<uint64_t> Done = Writer->finish(); !Done)
    Gaps.gap("traces", Done.error(), 1);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// Those of a kernel, which is written with its sites when it is first met.
CacheTrace::Numbers CacheTrace::numbersOf(const std::shared_ptr<const TracedKernel> &Kernel) {
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

void CacheTrace::ChunksOfSm::takeRecords(std::vector<PlacedRecord> &To) {
  size_t Bytes = 0;
  for (const std::span<const std::byte> Chunk : Chunks)
    Bytes += Chunk.size();
  To.clear();
  To.reserve(Bytes / sizeof(GmprofTraceRecord));
  for (const std::span<const std::byte> Chunk : Chunks)
    appendRecords(Chunk, To);
  Chunks.clear();
}

/// An object may have several ranges, where parts of it are objects of their own.
static std::map<uint64_t, std::set<std::pair<uint64_t, uint64_t>>>
byObject(const MemoryRanges &Of) {
  std::map<uint64_t, std::set<std::pair<uint64_t, uint64_t>>> Objects;
  for (size_t I = 0; I < Of.Ranges.size(); ++I)
    Objects[Of.Objects[I]].insert({Of.Ranges[I].base, Of.Ranges[I].bytes});
  return Objects;
}

/// What is different from what the file knows.
void CacheTrace::writeObjects(const std::shared_ptr<const MemoryRanges> &Ranges) {
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
  constexpr size_t WorthAThread = size_t(1) << 20, Most = 16;
  return std::min(Bytes / WorthAThread, Most);
}

/// What there is of a launch.
void CacheTrace::write(LaunchIterator At) {
  Collected &L = At->second;
  const Numbers Numbers = numbersOf(L.Launch.Kernel);
  if (Open == 0) {
    writeObjects(L.Launch.Ranges);
    for (const cache::TraceWritten &W : L.Launch.Written)
      Writer->written(W);
    L.Launch.Facts.Kernel = Numbers.Kernel;
    Writer->beginLaunch(L.Launch.Facts);
    Open = At->first;
  }
  std::vector<std::pair<const uint32_t, ChunksOfSm> *> Sms;
  for (auto &Each : L.Sms)
    Sms.push_back(&Each);
  // One that has much to do is not to be the last one to begin.
  std::ranges::sort(Sms, std::greater(),
                    [](const auto *Each) { return Each->second.Chunks.size(); });
  const auto Write = [&](size_t I, WriterMemory &Memory) {
    writeSm(Sms[I]->first, Numbers.FirstSite, L.Launch, Sms[I]->second, Memory);
    if (L.Ended)
      Writer->flush(Sms[I]->first);
  };
  inParallelWith<WriterMemory>(Sms.size(), Write, writers(L.Bytes));
  L.Copies.clear();
  Bytes -= std::exchange(L.Bytes, 0);
}

void CacheTrace::writeSm(uint32_t Sm, uint32_t FirstSite, const TracedLaunch &Launch,
                         ChunksOfSm &From, WriterMemory &Memory) {
  auto &[Records, Other, Requests] = Memory;
  From.takeRecords(Records);
  if (OnCpu) {
    orderByTurns(Records, Launch.Facts.BlocksPerSm);
  } else {
    orderByClock(Records, Other);
    From.Late += static_cast<uint64_t>(
        std::count_if(Records.begin(), Records.end(),
                      [&](const PlacedRecord &R) { return R.Clock < From.LastClock; }));
    if (!Records.empty())
      From.LastClock = std::max(From.LastClock, Records.back().Clock);
  }
  constexpr size_t AtATime = 256, Ahead = 16;
  for (size_t I = 0; I < Records.size(); ++I) {
    if (I + Ahead < Records.size())
      __builtin_prefetch(Records[I + Ahead].Record);
    Requests.push_back(requestOf(Records[I].By, *Records[I].Record));
    Requests.back().Site = FirstSite + Launch.Kernel->Numbers.siteOf(Requests.back().Site);
    if (Requests.size() == AtATime || I + 1 == Records.size()) {
      Writer->add(Sm, Requests);
      Requests.clear();
    }
  }
}

} // namespace gmprof::host
