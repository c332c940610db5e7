//===- L2Queues.cpp - Queues of requests to slices of L2 ------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cache/L2Queues.h"
#include "cache/LineHash.h"
#include <span>

namespace gmprof::cache {

static constexpr uint32_t SmsPerTpc = 2; ///< consecutive numbers

namespace {

/// Position of a line of L2.
struct Place {
  uint32_t Home; ///< partition
  uint32_t Slice, Set;
};

/// Mapping from lines to positions.
class Places {
  const SetHash Hash;
  const uint32_t SlicesOfHome, AllSlices, Sets;

public:
  Places(const L2Model &Model, uint32_t Sets)
      : Hash(Model.Hash), SlicesOfHome(Model.Slices), AllSlices(Model.Slices * Model.Partitions),
        Sets(Sets) {}

  Place of(uint64_t Line) const {
    const uint32_t Slice = sliceOf(Line);
    return {Slice / SlicesOfHome, Slice % SlicesOfHome, setOf(Line)};
  }

private:
  uint32_t sliceOf(uint64_t Line) const {
    switch (Hash) {
    case SetHash::Modulo:
      return static_cast<uint32_t>(Line % AllSlices);
    case SetHash::Xor:
      return static_cast<uint32_t>((Line ^ Line >> 7 ^ Line >> 13 ^ Line >> 19 ^ Line >> 29) %
                                   AllSlices);
    case SetHash::Mixed:
      return static_cast<uint32_t>((mixed(Line) >> 32) * AllSlices >> 32);
    }
    return 0;
  }
  uint32_t setOf(uint64_t Line) const {
    return static_cast<uint32_t>(Hash == SetHash::Mixed ? (mixed(Line) & 0xffffffff) * Sets >> 32
                                                        : Line / AllSlices % Sets);
  }
};

/// Remaining requests of an SM's part.
struct Rest {
  uint16_t Sm;
  const L2Request *Next, *End;
  const L2Line *Lines;
  const ByteMask *Bytes;

  void take() {
    Lines += Next->Lines;
    Bytes += Next->Bytes;
    ++Next;
  }
};

/// Calls Visit(Rest) for each request, with the SMs in turn.
template <typename Visitor> void inTurn(std::vector<Rest> Open, const Visitor &Visit) {
  const auto EraseEmpty = [&] {
    std::erase_if(Open, [](const Rest &R) { return R.Next == R.End; });
  };
  for (EraseEmpty(); !Open.empty(); EraseEmpty()) {
    uint64_t Turn = ~uint64_t(0);
    for (const Rest &R : Open)
      Turn = std::min<uint64_t>(Turn, R.Next->Request);
    // Advances turn by turn until a turn has no request.
    for (bool Any = true; Any; ++Turn) {
      Any = false;
      for (Rest &R : Open)
        for (; R.Next != R.End && R.Next->Request <= Turn; R.take()) {
          Visit(R);
          Any = true;
        }
    }
  }
}

/// Appends lines to the queues of slices.
class Distribution {
  const Places PlaceOf;
  const uint32_t Partitions;
  const bool HasHalves; ///< L2 lines have 64 bytes
  L2Queues &To;

public:
  Distribution(const L2Model &Model, uint32_t Sets, L2Queues &To)
      : PlaceOf(Model, Sets), Partitions(Model.Partitions), HasHalves(Model.LineBytes != LineBytes),
        To(To) {}

  /// Own: partition of the SM. Bytes: for lines that have some.
  [[gnu::always_inline]] void add(const L2Request &R, const L2Line *Lines, const ByteMask *Bytes,
                                  uint32_t Own, uint16_t Sm) {
    const QueuedLine::Requester By = {R.Request, R.Cell, R.OfWarp, R.What, R.PastL1, Sm};
    const std::span<const L2Line> All = {Lines, R.Lines};
    if (HasHalves)
      addHalves(By, All, Bytes, Own);
    else if (R.Bytes != 0)
      addWithBytes(By, All, Bytes, Own);
    else
      for (const L2Line &L : All)
        add(By, L.line(), L.sectors(), L2Line::None, Own);
  }

private:
  void addWithBytes(const QueuedLine::Requester &By, std::span<const L2Line> Lines,
                    const ByteMask *Bytes, uint32_t Own) {
    for (const L2Line &L : Lines) {
      L2Queue &Queue = add(By, L.line(), L.sectors(), L.bytes(), Own);
      if (L.bytes() != L2Line::None)
        Queue.Bytes.add(*Bytes++);
    }
  }
  void addHalves(const QueuedLine::Requester &By, std::span<const L2Line> Lines,
                 const ByteMask *Bytes, uint32_t Own) {
    for (const L2Line &L : Lines) {
      const bool HasBytes = L.bytes() != L2Line::None;
      for (unsigned Half = 0; Half < 2; ++Half)
        if (const unsigned Sectors = L.sectors() >> (2 * Half) & 3; Sectors != 0) {
          L2Queue &Queue = add(By, 2 * L.line() + Half, Sectors, L.bytes(), Own);
          if (HasBytes)
            Queue.Bytes.add({{Bytes->Words[Half], 0}});
        }
      Bytes += HasBytes;
    }
  }

  [[gnu::always_inline]] L2Queue &add(const QueuedLine::Requester &By, uint64_t Line,
                                      unsigned Sectors, unsigned Bytes, uint32_t Own) {
    const Place P = PlaceOf.of(Line);
    L2Queue &Queue = To[P.Slice];
    QueuedLine &New = *Queue.Lines.roomFor(1);
    New.Of = {Line, Sectors};
    New.Set = P.Set * Partitions + P.Home;
    New.CoalescerPlace = mixed(Line) % L2Queue::CoalescerPlaces;
    New.IsAway = static_cast<uint8_t>(Own ^ P.Home);
    New.Bytes = static_cast<uint8_t>(Bytes);
    New.By = By;
    Queue.Lines.endAt(&New + 1);
    return Queue;
  }
};

/// Returns request numbers that divide the requests below Before into parts with about equal
/// numbers of lines, estimated from a sample: the ends of the parts.
std::vector<uint64_t> divided(const std::vector<L2Requests> &BySm, uint64_t Before, size_t Parts) {
  constexpr size_t Samples = 4096;
  struct Sample {
    uint32_t Request;
    size_t Lines;
  };
  std::vector<Sample> Chosen;
  size_t All = 0, Lines = 0;
  for (const L2Requests &Of : BySm)
    All += Of.All.size();
  const size_t Step = All / Samples + 1;
  for (const L2Requests &Of : BySm)
    for (size_t I = 0, Count = Parts == 1 ? 0 : Of.below(Before); I < Count; I += Step) {
      Chosen.push_back({Of.All[I].Request, Of.All[I].Lines});
      Lines += Of.All[I].Lines;
    }
  std::ranges::sort(Chosen, {}, &Sample::Request);
  std::vector<uint64_t> Ends;
  size_t Passed = 0;
  for (const Sample &S : Chosen)
    for (Passed += S.Lines; Ends.size() + 1 < Parts && Passed * Parts >= (Ends.size() + 1) * Lines;)
      Ends.push_back(S.Request);
  Ends.push_back(Before);
  return Ends;
}

} // namespace

L2RequestParts::L2RequestParts(const std::vector<L2Requests> &BySm, uint64_t Before, size_t Count,
                               Workers &Threads)
    : BySm(BySm) {
  const std::vector<uint64_t> Ends = divided(BySm, Before, Count);
  Parts.assign(Ends.size(), std::vector<Part>(BySm.size()));
  const auto Divide = [&](size_t Sm, size_t) {
    const L2Requests &Of = BySm[Sm];
    Part P = {};
    for (size_t I = 0; I < Ends.size(); ++I) {
      P.End = Of.below(Ends[I]);
      Parts[I][Sm] = P;
      if (I + 1 < Ends.size())
        P.Before += Of.sizes(P.First, P.End - P.First);
      P.First = P.End;
    }
  };
  Threads.run(BySm.size(), Divide, Count);
}

void L2RequestParts::distribute(size_t Part, const L2Model &Model, uint32_t Sets,
                                L2Queues &To) const {
  std::vector<uint32_t> Own(BySm.size()); // partition by SM
  if (const std::vector<uint32_t> &OfTpc = Model.TpcPartitions; !OfTpc.empty())
    for (size_t Sm = 0; Sm < Own.size(); ++Sm)
      Own[Sm] = OfTpc[Sm / SmsPerTpc % OfTpc.size()];
  std::vector<Rest> All;
  size_t Lines = 0;
  for (size_t Sm = 0; Sm < BySm.size(); ++Sm) {
    const auto &[First, End, Before] = Parts[Part][Sm];
    const L2Requests &Of = BySm[Sm];
    const bool IsLast = Part + 1 == Parts.size();
    Lines += (IsLast ? Of.Lines.size() : Parts[Part + 1][Sm].Before.Lines) - Before.Lines;
    All.push_back({static_cast<uint16_t>(Sm), Of.All.begin() + First, Of.All.begin() + End,
                   Of.Lines.begin() + Before.Lines, Of.Bytes.begin() + Before.Bytes});
  }
  // Slices receive about equal numbers of lines.
  for (L2Queue &Queue : To)
    Queue.Lines.reserve(Lines / To.size() * 9 / 8);
  Distribution By(Model, Sets, To);
  inTurn(std::move(All), [&](const Rest &R) __attribute__((always_inline)) {
    By.add(*R.Next, R.Lines, R.Bytes, Own[R.Sm], R.Sm);
  });
}

void distributeWritten(const L2Requests &Lines, const L2Model &Model, uint32_t Sets, L2Queues &To) {
  Distribution By(Model, Sets, To);
  L2Requests::Sizes Before;
  for (size_t I = 0; I < Lines.All.size(); ++I) {
    By.add(Lines.All[I], Lines.Lines.begin() + Before.Lines, Lines.Bytes.begin() + Before.Bytes, 0,
           0);
    Before += Lines.sizes(I, 1);
  }
}

} // namespace gmprof::cache
