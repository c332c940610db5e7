//===- RequestCost.cpp - Cost of a warp's memory request ------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/RequestCost.h"
#include "profile/Saturating.h"
#include <algorithm>
#include <bit>
#include <utility>

namespace gmprof {
namespace {

/// Values of the active lanes, in lane order.
template <typename T> struct OfLanes {
  std::array<T, WarpLanes> Values;
  unsigned Count = 0;

  void add(T Value) { Values[Count++] = Value; }
  T *begin() { return Values.data(); }
  T *end() { return Values.data() + Count; }
  uint32_t different() {
    std::sort(begin(), end());
    return static_cast<uint32_t>(std::unique(begin(), end()) - begin());
  }
};

template <typename Function> void forEachLane(uint32_t Lanes, Function F) {
  for (uint32_t Left = Lanes; Left != 0; Left &= Left - 1)
    F(static_cast<unsigned>(std::countr_zero(Left)));
}

/// Address differences between consecutive active lanes.
class Steps {
public:
  explicit Steps(const LanePattern &P) {
    constexpr int64_t Far = int64_t(1) << 30; // hooks compare no addresses that are farther apart
    bool First = true;
    int64_t Previous = 0;
    forEachLane(P.Lanes, [&](unsigned Lane) {
      const int64_t Offset = P.Offsets[Lane];
      IsWide |= Offset >= Far || Offset < -Far;
      if (!First)
        Of.add(Offset - Previous);
      Previous = Offset;
      First = false;
    });
  }

  /// Returns true if the addresses are consecutive in lane order, ascending or descending, and may
  /// repeat.
  bool areDense(int64_t Bytes) {
    return isOrdered() &&
           all([=](int64_t Step) { return Step == 0 || Step == Bytes || Step == -Bytes; });
  }
  int64_t stride(int64_t Bytes) {
    const int64_t Step = Of.Values[0];
    if (IsWide || Of.Count == 0 || !all([=](int64_t Other) { return Other == Step; }))
      return 0;
    return Step == Bytes || Step == -Bytes ? 0 : Step;
  }

private:
  OfLanes<int64_t> Of;
  bool IsWide = false;

  template <typename Predicate> bool all(Predicate Is) {
    return std::all_of(Of.begin(), Of.end(), Is);
  }
  bool isOrdered() {
    return !IsWide && (all([](int64_t Step) { return Step >= 0; }) ||
                       all([](int64_t Step) { return Step <= 0; }));
  }
};

uint32_t differentAddresses(const LanePattern &P) {
  OfLanes<int64_t> Offsets;
  forEachLane(P.Lanes, [&](unsigned Lane) { Offsets.add(P.Offsets[Lane]); });
  return Offsets.different();
}

RequestCost costAnywhere(const LanePattern &P, unsigned Bytes) {
  RequestCost Cost;
  Cost.Lanes = static_cast<uint32_t>(std::popcount(P.Lanes));
  Cost.Bytes = differentAddresses(P) * Bytes;
  Cost.Stride = Steps(P).stride(Bytes);
  return Cost;
}

} // namespace

RequestCost costInGlobal(const LanePattern &P, uint64_t Address, unsigned Bytes) {
  RequestCost Cost = costAnywhere(P, Bytes);
  OfLanes<uint64_t> Sectors;
  forEachLane(P.Lanes, [&](unsigned Lane) {
    Sectors.add((Address + uint64_t(P.Offsets[Lane])) / GMPROF_HEAT_SECTOR_BYTES);
  });
  Cost.Transactions = Sectors.different();
  Cost.Ideal = (Cost.Bytes + GMPROF_HEAT_SECTOR_BYTES - 1) / GMPROF_HEAT_SECTOR_BYTES;
  Cost.Misaligned = Cost.Transactions > Cost.Ideal && Steps(P).areDense(Bytes);
  return Cost;
}

/// Returns true if each lane with an active neighbour in its pair has the neighbour's address.
static bool pairsAreEqual(const LanePattern &P) {
  bool Equal = true;
  forEachLane(P.Lanes, [&](unsigned Lane) {
    if (P.Lanes >> (Lane ^ 1) & 1)
      Equal = Equal && P.Offsets[Lane] == P.Offsets[Lane ^ 1];
  });
  return Equal;
}

RequestCost costInShared(const LanePattern &P, uint64_t Address, unsigned Bytes) {
  constexpr unsigned BytesOfPass = 128;
  RequestCost Cost = costAnywhere(P, Bytes);
  const unsigned Unit = std::max(Bytes, GMPROF_HEAT_WORD_BYTES), Banks = BytesOfPass / Unit;
  const unsigned Together = Banks < WarpLanes && pairsAreEqual(P) ? 2 * Banks : Banks;
  for (unsigned First = 0; First < WarpLanes; First += Together) {
    OfLanes<uint64_t> Wanted;
    forEachLane(P.Lanes, [&](unsigned Lane) {
      if (Lane >= First && Lane < First + Together)
        Wanted.add((Address + uint64_t(P.Offsets[Lane])) / Unit);
    });
    std::array<uint32_t, WarpLanes> InBank = {};
    uint32_t Most = 0;
    const uint32_t Different = Wanted.different();
    for (uint32_t I = 0; I < Different; ++I)
      Most = std::max(Most, ++InBank[Wanted.Values[I] % Banks]);
    Cost.Transactions += Most;
    Cost.Ideal += Most != 0;
  }
  return Cost;
}

void add(GmprofHeatSite &To, const RequestCost &Each, uint64_t Requests) {
  const auto Add = [&](gmprof_u64 &Sum, uint64_t Of) {
    Sum = addSaturating<uint64_t>(Sum, mulSaturating(Of, Requests));
  };
  Add(To.requests, 1);
  Add(To.lanes, Each.Lanes);
  Add(To.bytes, Each.Bytes);
  Add(To.transactions, Each.Transactions);
  Add(To.ideal, Each.Ideal);
  Add(To.misaligned, Each.Misaligned);
  Add(To.strided, Each.Stride != 0);
  To.stride += uint64_t(Each.Stride) * Requests; // signed
}

void add(GmprofHeatSite &To, const GmprofHeatSite &From) {
  const uint64_t Stride = To.stride + From.stride; // signed
#define GMPROF_FIELD(Type, Name) To.Name = addSaturating(To.Name, From.Name);
  GMPROF_HEAT_SITE_FIELDS
#undef GMPROF_FIELD
  To.stride = Stride;
}

} // namespace gmprof
