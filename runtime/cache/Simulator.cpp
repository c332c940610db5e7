//===- Simulator.cpp - Cache simulator ------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cache/Simulator.h"
#include "cache/LineHash.h"
#include "profile/Mutex.h"
#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace gmprof::cache {

static constexpr uint32_t LinesPerKb = 1024 / LineBytes;
/// Accesses that pass L1 together; small enough for the processor's own caches.
static constexpr size_t BatchAccesses = 256;

Simulator::Simulator(Architecture TheGpu, SimulationOptions TheOptions,
                     std::shared_ptr<Workers> Pool)
    : Gpu(std::move(TheGpu)), Options(TheOptions),
      Threads(Pool ? std::move(Pool) : std::make_shared<Workers>(std::max(Options.Threads, 1U))),
      Groups(Options.Sampled > 1 ? SampleGroups : 1),
      L2(Gpu.L2, Options.Sampled, Options.FindsRefetches), Sms(Gpu.Sms), ToL2(Gpu.Sms) {
  Threads->allow(Options.Threads);
  Batches.resize(Threads->most());
  Results.Gpu = Gpu;
  Results.Options = Options;
}

static uint64_t sampleHash(uint64_t Line) { return mixed(Line ^ 0x5851f42d4c957f2d); }

bool Simulator::isSampled(uint64_t Line) const {
  return Options.Sampled <= 1 || sampleHash(Line) % Options.Sampled == 0;
}

void Simulator::allocate(TraceObject Object) {
  // Objects that the new one overlaps have been freed.
  auto Next = Ranges.lower_bound(Object.Address);
  if (Next != Ranges.begin() && std::prev(Next)->second.End > Object.Address)
    --Next;
  while (Next != Ranges.end() && Next->first < Object.Address + Object.Bytes)
    Next = Ranges.erase(Next);
  Ranges[Object.Address] = {Object.Address + Object.Bytes,
                            static_cast<int32_t>(Results.Objects.size())};
  Results.Objects.push_back(std::move(Object));
}

void Simulator::release(uint64_t Id) {
  std::erase_if(Ranges, [&](const auto &Entry) {
    return Results.Objects[static_cast<size_t>(Entry.second.Object)].Id == Id;
  });
}

/// Returns the last Most bytes of copies, in pieces of whole lines.
static std::vector<TraceWritten> lastPieces(const std::vector<TraceWritten> &Of, uint64_t Most) {
  constexpr uint64_t PieceBytes = 1 << 20;
  std::vector<TraceWritten> Pieces; // last piece first
  for (auto Copy = Of.rbegin(); Copy != Of.rend(); ++Copy)
    for (uint64_t End = Copy->Address + Copy->Bytes; End != Copy->Address && Most != 0;) {
      const uint64_t Begin = std::max(Copy->Address, (End - 1) / PieceBytes * PieceBytes);
      Pieces.push_back({Begin, End - Begin});
      Most -= std::min(Most, End - Begin);
      End = Begin;
    }
  std::ranges::reverse(Pieces);
  return Pieces;
}

void Simulator::addLines(const TraceWritten &Of, L2Requests &To) const {
  const uint64_t End = Of.Address + Of.Bytes;
  for (uint64_t Line = Of.Address / LineBytes; Line <= (End - 1) / LineBytes; ++Line) {
    if (!isSampled(Line))
      continue;
    const uint64_t First = std::max(Of.Address, Line * LineBytes);
    const ByteMask Bytes =
        ByteMask::of(static_cast<unsigned>(First % LineBytes),
                     static_cast<unsigned>(std::min(End, (Line + 1) * LineBytes) - First));
    To.add({0, 0, 0, LineAccess::Op::Write, false}, Line, Bytes.sectors(), Bytes);
  }
}

/// Writes the copies since the last launch to L2, one piece per thread at a time: the lines of all
/// copies would take more memory than the simulated caches.
void Simulator::applyCopies() {
  // Earlier copies would be evicted by these.
  const std::vector<TraceWritten> Pieces = lastPieces(Copies, uint64_t(2048) * Gpu.L2.Kb);
  Copies.clear();
  Counts.resize(Results.Cells.size() * Groups);
  std::vector<L2Requests> Written(std::min(Pieces.size(), Threads->most()));
  for (std::span<const TraceWritten> Left = Pieces; !Left.empty();) {
    Written.resize(std::min(Written.size(), Left.size()));
    const auto Add = [&](size_t I, size_t) {
      Written[I].clear();
      addLines(Left[I], Written[I]);
    };
    Threads->run(Written.size(), Add);
    L2.written(Written, Counts, *Threads);
    Left = Left.subspan(Written.size());
  }
}

void Simulator::beginLaunch(const TraceLaunch &Launch) {
  applyCopies();
  LaunchResult Result = {Launch, {}, 0, 0};
  Result.SharedKb = Options.SharedKb.value_or(
      Gpu.sharedKbFor(Launch.SharedBytes, Launch.BlocksPerSm, Launch.warpsPerBlock()));
  Result.L1Kb = Options.L1Kb.value_or(Gpu.l1Lines(Result.SharedKb) / LinesPerKb);
  Results.Launches.push_back(Result);
  Local = {Gpu.WarpsPerSm, (Launch.LocalBytesPerThread + 3) / 4 * 4};
  if (!Options.KeepsL2)
    L2.clear();
  L2.beginLaunch();
  WrittenBefore = L2.writtenBack();
  FirstCell = static_cast<uint32_t>(Results.Cells.size());
  LaunchCells.clear();
  for (Sm &S : Sms) {
    // L1 is not coherent, so each launch starts with an empty one.
    S.L1.reset();
    S.Requests = 0;
    S.OfWarps.clear();
    S.Sites.assign(Results.Sites.size(), {});
    S.Known.clear();
    S.Counts.clear();
  }
}

/// Returns the key of a cell within the launch.
static uint64_t keyOf(uint32_t Site, int32_t Object, AccessKind Kind) {
  return (uint64_t(Site) * AccessKinds + static_cast<uint64_t>(Kind)) << 32 |
         static_cast<uint32_t>(Object);
}

uint32_t Simulator::makeCell(uint32_t Site, int32_t Object, AccessKind Kind) {
  const uint64_t Key = keyOf(Site, Object, Kind);
  LockGuard Guard(CellLock);
  const auto [At, New] =
      LaunchCells.emplace(Key, static_cast<uint32_t>(Results.Cells.size()) - FirstCell);
  if (New)
    Results.Cells.push_back(
        {static_cast<uint32_t>(Results.Launches.size() - 1), Site, Object, Kind, {}});
  return At->second;
}

Simulator::LastOfSite Simulator::lookUp(Sm &S, const Request &R, uint64_t Address) {
  int32_t Object = Cell::Unknown;
  LastOfSite Of = {Address, 1, 0, 0, 0, R.Kind};
  if (isLocal(R.Kind)) {
    Object = Cell::LocalMemory;
    Of = {LocalSpace, LocalSpace, 0, 0, 0, R.Kind};
  } else if (auto After = Ranges.upper_bound(Address); After != Ranges.begin()) {
    const auto &[First, Found] = *std::prev(After);
    if (Address < Found.End) {
      Object = Found.Object;
      Of.First = First;
      Of.Bytes = Found.End - First;
    }
  }
  Of.FirstLine = Of.First / LineBytes + (Of.First % LineBytes != 0);
  if (const uint64_t Last = (Of.First + Of.Bytes) / LineBytes; Last > Of.FirstLine)
    Of.Lines = Last - Of.FirstLine;
  const auto [At, New] = S.Known.emplace(keyOf(R.Site, Object, R.Kind), 0);
  if (New) {
    At->second = makeCell(R.Site, Object, R.Kind);
    S.Counts.resize(std::max(S.Counts.size(), size_t{At->second + 1} * Groups));
  }
  Of.Cell = At->second;
  return Of;
}

static LineAccess::Op opOf(AccessKind Kind) {
  switch (Kind) {
  case AccessKind::Load:
  case AccessKind::LocalLoad:
  case AccessKind::AsyncCopy:
    return LineAccess::Op::Read;
  case AccessKind::Store:
  case AccessKind::LocalStore:
    return LineAccess::Op::Write;
  case AccessKind::Atomic:
  case AccessKind::Reduction:
    return LineAccess::Op::Atomic;
  }
  return LineAccess::Op::Read;
}

Simulator::RequestNumbers Simulator::numberOf(Sm &S, const Request &R) {
  return {S.Requests++, S.OfWarps.of(R.Block * 32 + R.Warp)++};
}

/// Fills in all fields of A except its lines.
void Simulator::describe(const Request &R, const RequestNumbers &Numbers, LineAccess &A) {
  A.Request = Numbers.OfSm;
  A.OfWarp = Numbers.OfWarp;
  A.Block = static_cast<uint32_t>(R.Block);
  A.What = opOf(R.Kind);
  A.Local = isLocal(R.Kind);
  A.Bulk = R.Operator == CacheOperator::Bulk;
  A.PastL1 = A.Bulk || R.Operator == CacheOperator::Cg || R.Operator == CacheOperator::Cv;
  A.Fence = R.Operator == CacheOperator::Fence;
}

Simulator::LastOfSite &Simulator::lastOf(Sm &S, const Request &R) {
  if (R.Site >= S.Sites.size())
    S.Sites.resize(R.Site + 1);
  LastOfSite &Last = S.Sites[R.Site];
  if (Last.Kind != R.Kind)
    Last = {};
  return Last;
}

/// Counts the lines of R and calls Do(first line, number of lines, sectors) for each run of lines
/// in one object. The request counts for the object of its first line.
template <typename Callable>
void Simulator::count(Sm &S, const Request &R, LastOfSite &Last,
                      std::span<const CoalescedLine> Lines, const Callable &Do) {
  unsigned Requests = 1;
  for (size_t First = 0, Next = 0; First < Lines.size(); First = Next) {
    if (!Last.has(Lines[First])) [[unlikely]]
      Last = lookUp(S, R, Lines[First].Line * LineBytes + Lines[First].Bytes.first());
    unsigned Sectors = 0, BytesUsed = 0;
    for (; Next == First || (Next < Lines.size() && Last.has(Lines[Next])); ++Next) {
      Sectors += countSectors(Lines[Next].Bytes.sectors());
      BytesUsed += Lines[Next].Bytes.count();
    }
    AccessCounts &C = S.Counts[size_t{Last.Cell} * Groups];
    C.Requests += std::exchange(Requests, 0);
    C.Sectors += Sectors;
    C.BytesUsed += BytesUsed;
    Do(First, Next - First, Sectors);
  }
}

void Simulator::addRequest(Sm &S, uint32_t Number, const Request &R, Batch &To) {
  // Constructed in place: a partial copy of a recent store would stall.
  LineAccess *A = &To.Accesses.emplace_back();
  describe(R, numberOf(S, R), *A);
  if (A->Fence)
    return;
  LastOfSite &Last = lastOf(S, R);
  const unsigned Before = To.Lines.size();
  coalesce(R, Number, Local, Gpu.L1.PassBytes, To.Lines);
  count(S, R, Last, To.Lines.since(Before), [&](size_t First, size_t Lines, unsigned Sectors) {
    if (First != 0) [[unlikely]]
      A = &To.Accesses.emplace_back(*A);
    A->Cell = Last.Cell * Groups;
    A->Lines = static_cast<uint16_t>(Lines);
    A->Sectors = static_cast<uint16_t>(Sectors);
  });
}

/// Adds an access for each sampled line of R.
void Simulator::addSampled(Sm &S, uint32_t Number, const Request &R, Batch &To) {
  const RequestNumbers Numbers = numberOf(S, R);
  if (R.Operator == CacheOperator::Fence)
    return describe(R, Numbers, To.Accesses.emplace_back());
  LastOfSite &Last = lastOf(S, R);
  if (addScattered(S, R, Numbers, Last, To))
    return;
  const unsigned Before = To.Lines.size();
  coalesce(R, Number, Local, Gpu.L1.PassBytes, To.Lines);
  const std::span<const CoalescedLine> Lines = To.Lines.since(Before);
  CoalescedLine *Kept = To.Lines.begin() + Before; // end of the sampled lines
  count(S, R, Last, Lines, [&](size_t First, size_t Count, unsigned) {
    for (const CoalescedLine &L : Lines.subspan(First, Count))
      if (sample(R, Numbers, Last.Cell, L, To))
        *Kept++ = L;
  });
  To.Lines.shrink(static_cast<unsigned>(Kept - To.Lines.begin()));
}

/// Fast path of addSampled() for requests whose lanes access a line each, within the object that
/// the site accessed last. Returns false, with nothing done, for others.
bool Simulator::addScattered(Sm &S, const Request &R, const RequestNumbers &Numbers,
                             const LastOfSite &Last, Batch &To) const {
  if (R.Affine || !areOneGroup(R, Gpu.L1.PassBytes) || !std::has_single_bit(Options.Sampled) ||
      !To.Scattered.find(R, Last.FirstLine, Last.Lines, sampleHash, Options.Sampled - 1))
    return false;
  AccessCounts &C = S.Counts[size_t{Last.Cell} * Groups];
  ++C.Requests;
  C.Sectors += R.lanes();
  C.BytesUsed += uint64_t{R.lanes()} * R.Size;
  for (const ScatteredLanes::Kept &Lane : To.Scattered.kept()) {
    addAccess(R, Numbers, Last.Cell, Lane.Hash / Options.Sampled, 1, To);
    To.Lines.addAll(Lane.Address, R.Size);
  }
  return true;
}

/// Returns whether the line is sampled; adds an access to it if so.
[[gnu::always_inline]] inline bool Simulator::sample(const Request &R,
                                                     const RequestNumbers &Numbers, uint32_t Cell,
                                                     const CoalescedLine &L, Batch &To) const {
  const uint64_t Hash = sampleHash(L.Line);
  if (Hash % Options.Sampled != 0)
    return false;
  addAccess(R, Numbers, Cell, Hash / Options.Sampled, countSectors(L.Bytes.sectors()), To);
  return true;
}

/// Adds an access to a sampled line, counted in the group of the line's hash.
[[gnu::noinline]] void Simulator::addAccess(const Request &R, const RequestNumbers &Numbers,
                                            uint32_t Cell, uint64_t Quotient, unsigned Sectors,
                                            Batch &To) {
  LineAccess &New = To.Accesses.emplace_back();
  describe(R, Numbers, New);
  New.Cell = Cell * SampleGroups + static_cast<uint32_t>(Quotient % SampleGroups);
  New.Lines = 1;
  New.Sectors = static_cast<uint16_t>(Sectors);
}

/// Adds requests in batches while GoesOn() holds; returns the number of added requests.
template <typename Condition>
size_t Simulator::add(uint32_t Number, std::span<const Request> Requests, Batch &By,
                      const Condition &GoesOn) {
  Sm &S = Sms[Number];
  if (!S.L1)
    S.L1 = std::make_unique<L1Cache>(Gpu.L1,
                                     Results.Launches.back().L1Kb * LinesPerKb / Options.Sampled,
                                     Options.FindsRefetches);
  const auto Flush = [&] {
    const size_t Before = ToL2[Number].Lines.size();
    S.L1->access(By.Accesses, {By.Lines.begin(), By.Lines.size()}, S.Counts, ToL2[Number]);
    By.Accesses.clear();
    By.Lines.clear();
    Waiting += ToL2[Number].Lines.size() - Before;
  };
  size_t Taken = 0;
  while (Taken < Requests.size() && GoesOn()) {
    while (Taken < Requests.size() && !By.Lines.full() && By.Accesses.size() < BatchAccesses)
      if (const Request &R = Requests[Taken++]; R.Mask != 0)
        Options.Sampled > 1 ? addSampled(S, Number, R, By) : addRequest(S, Number, R, By);
    Flush();
  }
  return Taken;
}

void Simulator::add(uint32_t Number, std::span<const Request> Requests) {
  add(Number % Gpu.Sms, Requests, Batches[0], [] { return true; });
}

/// Returns whether the SM may continue. Half of the memory is shared; the other half is divided
/// equally, so an SM with nothing waiting can always continue.
bool Simulator::hasRoom(uint32_t Number) const {
  const uint64_t Half = Options.MemoryBytes / L2Cache::BytesPerAccess / 2;
  return Waiting < Half || ToL2[Number].Lines.size() < std::max<uint64_t>(Half / Gpu.Sms, 1);
}

/// Adds the SM's requests with numbers below Before while there is room; returns whether more are
/// left.
bool Simulator::advance(uint32_t Number, const Source &Next, uint64_t Before, Batch &By) {
  Sm &S = Sms[Number];
  const auto GoesOn = [&] { return hasRoom(Number); };
  while (S.Requests < Before && GoesOn()) {
    if (S.Rest.empty())
      S.Rest = Next(Number);
    if (S.Rest.empty())
      return false;
    const size_t Most = std::min<uint64_t>(S.Rest.size(), Before - S.Requests);
    S.Rest = S.Rest.subspan(add(Number, S.Rest.first(Most), By, GoesOn));
  }
  return true;
}

void Simulator::run(const std::vector<uint64_t> &Counts, const Source &Next) {
  constexpr uint64_t Whole = 1 << 20;
  std::vector<uint32_t> Open;
  for (uint32_t Number = 0; Number < Gpu.Sms; ++Number)
    if (Counts[Number] != 0)
      Open.push_back(Number);
  // SMs with much work start first.
  std::ranges::sort(Open, std::greater(), [&](uint32_t Number) { return Counts[Number]; });
  const uint64_t All = std::accumulate(Counts.begin(), Counts.end(), uint64_t(1));
  const uint64_t Most = Options.MemoryBytes / L2Cache::BytesPerAccess / 2;
  std::vector<uint8_t> GoesOn(Gpu.Sms);
  // All SMs advance to the same fraction of their requests, so that they end together. A step is as
  // large as the memory allows, extrapolated from the accesses to L2 so far, and at least one
  // request.
  const uint64_t Least = Open.empty() ? 1 : std::max<uint64_t>(Whole / Counts[Open.front()], 1);
  for (uint64_t Part = 0, Step = std::clamp(Whole * Most / All / 4, Least, Whole); !Open.empty();) {
    Part = std::min(Part + Step, Whole);
    const size_t Before = Waiting;
    const auto Advance = [&](size_t I, size_t Thread) {
      const uint64_t Count = Counts[Open[I]];
      GoesOn[Open[I]] = advance(Open[I], Next, Part == Whole ? ~uint64_t(0) : Count * Part / Whole,
                                Batches[Thread]);
    };
    Threads->run(Open.size(), Advance);
    Step = std::clamp(Step * Most / std::max<size_t>(Waiting - Before, 1), Least, 4 * Step);
    std::erase_if(Open, [&](uint32_t Number) { return !GoesOn[Number]; });
    // Requests that the slowest SM has yet to make may precede those waiting.
    uint64_t Done = ~uint64_t(0);
    for (const uint32_t Number : Open)
      Done = std::min<uint64_t>(Done, Sms[Number].Requests);
    drain(Done);
  }
}

/// Processes the accesses of requests with numbers below Before.
void Simulator::drain(uint64_t Before) {
  Counts.resize(Results.Cells.size() * Groups);
  L2.access(ToL2, Before, FirstCell * Groups, Counts, *Threads);
  Waiting = 0;
  for (const L2Requests &OfSm : ToL2)
    Waiting += OfSm.Lines.size();
}

void Simulator::endLaunch(const TraceLaunchEnd &End) {
  drain(~uint64_t(0));
  for (const Sm &S : Sms)
    for (size_t I = 0; I < S.Counts.size(); ++I)
      Counts[size_t{FirstCell} * Groups + I] += S.Counts[I];
  Results.Launches.back().End = End;
  Results.Launches.back().WrittenBack = L2.writtenBack() - WrittenBefore;
}

/// Sorts the cells, which threads create in any order.
static void sortCells(SimulationResults &Results) {
  std::vector<size_t> Order(Results.Cells.size());
  std::iota(Order.begin(), Order.end(), 0);
  auto Key = [&](size_t I) {
    const Cell &C = Results.Cells[I];
    return std::tuple(C.Launch, C.Site, C.Object, C.Kind);
  };
  std::sort(Order.begin(), Order.end(), [&](size_t A, size_t B) { return Key(A) < Key(B); });
  std::vector<Cell> Cells;
  std::vector<GroupCounts> Groups;
  for (size_t I : Order) {
    Cells.push_back(Results.Cells[I]);
    if (!Results.Groups.empty())
      Groups.push_back(Results.Groups[I]);
  }
  Results.Cells = std::move(Cells);
  Results.Groups = std::move(Groups);
}

SimulationResults Simulator::finish() {
  applyCopies();
  Results.DirtySectors = L2.dirtySectors();
  Counts.resize(Results.Cells.size() * Groups);
  if (Groups > 1)
    Results.Groups.resize(Results.Cells.size());
  for (size_t I = 0; I < Results.Cells.size(); ++I) {
    for (unsigned G = 0; G < Groups; ++G) {
      const AccessCounts &C = Counts[I * Groups + G];
      Results.Cells[I].Counts += C;
      if (Groups > 1) {
        GroupCounts &Of = Results.Groups[I];
        Of.L1Lookups[G] = C.L1Lookups;
        Of.L1Hits[G] = C.L1Hits;
        Of.L2Lookups[G] = C.l2Lookups();
        Of.L2Hits[G] = C.L2Hits;
      }
    }
    Results.Cells[I].Counts.estimate();
  }
  sortCells(Results);
  return std::move(Results);
}

} // namespace gmprof::cache
