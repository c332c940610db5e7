//===- CacheTrace.cpp - The trace of a run's requests ---------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/cache/CacheTrace.h"
#include "host/cache/Prefetch.h"
#include "host/cache/TraceRecords.h"
#include "profile/Mutex.h"
#include <algorithm>

namespace gmprof::host {

std::unique_ptr<CacheTrace> CacheTrace::create(const Options &O, Recorder &Log) {
  if (!O.Profiles.has(ProfileChoice::Cache) || O.CacheRun != CacheStage::Trace)
    return nullptr;
  return std::make_unique<CacheTrace>(Log.path(), Log, O.TraceMemory);
}

CacheTrace::~CacheTrace() = default;

std::string CacheTrace::open(const DeviceFacts &Device, uint32_t L2Kb) {
  LockGuard Guard(NewsLock);
  if (File.isOpen())
    return Device.Id == TracedDevice ? "" : "a trace is of one device, and this is another one";
  const cache::TraceDevice Facts = {
      "sm_" + std::to_string(Device.Major) + std::to_string(Device.Minor), Device.Name,
      static_cast<uint32_t>(Device.Sms), static_cast<uint32_t>(Device.ThreadsPerSm) / 32, L2Kb};
  if (std::string Why = File.open(Path, Facts, Device.OnCpu); !Why.empty())
    return Why;
  TracedDevice = Device.Id;
  InParts = !Device.OnCpu;
  return "";
}

/// Between two launches; of more, only the last ones.
static constexpr size_t MostWrites = 1 << 14;

void CacheTrace::written(int Device, const cache::TraceWritten &By) {
  LockGuard Guard(NewsLock);
  std::deque<cache::TraceWritten> &All = Written[Device];
  if (!All.empty() && All.back().Address == By.Address && All.back().Bytes == By.Bytes)
    return;
  All.push_back(By);
  if (All.size() > MostWrites)
    All.pop_front();
}

void CacheTrace::begin(uint64_t Number, TracedLaunch Launch) {
  LockGuard Guard(NewsLock);
  Launch.Written = std::move(Written[TracedDevice]);
  Written[TracedDevice].clear();
  TheNews.push_back({Number, std::move(Launch)});
}

void CacheTrace::cancel(uint64_t Number) {
  LockGuard Guard(NewsLock);
  TheNews.push_back({Number, std::nullopt});
}

void CacheTrace::takeNews() {
  std::vector<News> Now;
  {
    LockGuard Guard(NewsLock);
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

/// Forgets a launch that did not take place. L2 still has what copies wrote before it.
void CacheTrace::cancelled(uint64_t Number) {
  const auto At = Launches.find(Number);
  if (At == Launches.end())
    return;
  if (Number == Open) // what there is of it is in the file, and the rest is not known
    return complete(At);
  const std::deque<cache::TraceWritten> Written = std::move(At->second.Launch.Written);
  Bytes -= At->second.Part.Bytes;
  auto Next = Launches.erase(At);
  if (Next != Launches.end() && Next->first == Open)
    ++Next;
  if (Next != Launches.end())
    putInFront(Next->second.Launch.Written, Written);
  else
    WrittenForNext.insert(WrittenForNext.end(), Written.begin(), Written.end());
}

void CacheTrace::received(std::span<const std::span<std::byte>> Chunks) {
  // What comes at once is to be little of what there is memory for.
  const size_t Most = std::max<size_t>(Memory / 32 / GMPROF_TRACE_CHUNK_BYTES, 1);
  for (; Chunks.size() > Most; Chunks = Chunks.subspan(Most))
    receive(Chunks.first(Most));
  receive(Chunks);
}

void CacheTrace::receive(std::span<const std::span<std::byte>> Chunks) {
  takeNews(); // launches are announced before they begin
  copy(Chunks);
  auto At = Launches.end();
  for (const Received &Each : Copies) {
    if (Each.Launch == Launches.end())
      continue;
    At = Each.Launch;
    LaunchPart &Part = At->second.Part;
    Part.Chunks.push_back(Each.Chunk);
    Part.Bytes += Each.Chunk.Bytes.size();
    Bytes += Each.Chunk.Bytes.size();
  }
  if (Bytes > Memory / 2)
    makeRoom();
  else if (InParts && At != Launches.end() && At->second.Part.Bytes > Memory / 8 && isAlone(At))
    write(At);
}

/// One thread is enough where chunks come as fast as it receives them. Kernels wait for this: all
/// that looks into a chunk is done by the threads that copy, some at a time.
void CacheTrace::copy(std::span<const std::span<std::byte>> Chunks) {
  constexpr size_t Together = 16, WorthAThread = 64;
  Copies.resize(Chunks.size());
  const auto Copy = [&](size_t Number, size_t Thread) {
    const size_t Begin = Number * Together, End = std::min(Begin + Together, Chunks.size());
    for (size_t I = Begin; I < End; ++I) {
      if (I + 1 < End)
        prefetch(Chunks[I + 1].data(), Chunks[I + 1].size());
      Copies[I] = copy(Chunks[I], Thread);
    }
    ChunkCopies::settle();
  };
  Copiers.run((Chunks.size() + Together - 1) / Together, Copy,
              std::max<size_t>(Chunks.size() / WorthAThread, 1));
}

/// Leaves zeros in their place.
CacheTrace::Received CacheTrace::copy(std::span<std::byte> Chunk, size_t Thread) {
  const auto &Head = *reinterpret_cast<const GmprofTraceChunk *>(Chunk.data());
  const std::span<std::byte> Written = Chunk.first(traceBytes(Chunk));
  Received To = {Launches.find(Head.launch), {Head.sm, {}}};
  if (To.Launch != Launches.end()) {
    std::unique_ptr<ChunkCopies> &Own = To.Launch->second.Part.Copies[Thread];
    if (!Own)
      Own = std::make_unique<ChunkCopies>(Blocks);
    To.Chunk.Bytes = Own->add(Written);
  }
  std::ranges::fill(Written, std::byte(0));
  return To;
}

/// Returns whether no other launch has to wait for the file if this one is written.
bool CacheTrace::isAlone(LaunchIterator At) const {
  return Open == At->first || (Open == 0 && Launches.size() == 1);
}

/// Writes what there is of the launch that the file is at, or of the largest one. Where the file
/// is at one that makes few records, the largest one loses its own.
void CacheTrace::makeRoom() {
  const auto Largest =
      std::max_element(Launches.begin(), Launches.end(), [](const auto &A, const auto &B) {
        return A.second.Part.Bytes < B.second.Part.Bytes;
      });
  const auto At = Open != 0 ? Launches.find(Open) : Largest;
  if (At->second.Part.Bytes >= Memory / 8)
    return write(At);
  Collected &L = Largest->second;
  PlacedRecords Records;
  for (const LaunchPart::Chunk &Chunk : L.Part.Chunks)
    appendRecords(Chunk.Bytes, Records);
  L.End.Lost += Records.size();
  Bytes -= L.Part.Bytes;
  L.Part = {};
}

/// Writes the part of a launch that has been received.
void CacheTrace::write(LaunchIterator At) {
  Collected &L = At->second;
  if (Open == 0)
    L.Part.Begins = std::move(L.Launch);
  Open = At->first;
  Bytes -= L.Part.Bytes;
  File.add(std::exchange(L.Part, {}));
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
  At->second.Part.Ends = At->second.End;
  write(At);
  Launches.erase(At);
  Open = 0;
}

void CacheTrace::completeEnded() {
  for (auto Next = Launches.begin(); Next != Launches.end();)
    if (const auto Each = Next++; Each->second.Ended)
      complete(Each);
}

void CacheTrace::finish() {
  takeNews();
  const auto Running = std::count_if(Launches.begin(), Launches.end(),
                                     [](const auto &Each) { return !Each.second.Ended; });
  if (Running != 0)
    Gaps.gap("launch traces", "their kernels were still running when the program ended",
             static_cast<uint64_t>(Running));
  if (Open != 0)
    complete(Launches.find(Open));
  completeEnded();
  if (const Result<uint64_t> Done = File.finish(); !Done)
    Gaps.gap("traces", Done.error(), 1);
  if (File.unplaced() != 0)
    Gaps.gap("placements of blocks",
             "the launch was written in parts, or has blocks that the run without a trace lacks",
             File.unplaced());
}

} // namespace gmprof::host
