//===- ReferenceTest.cpp - The simulator counts what the plain one does ---===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Simulates random traces with cache::Simulator and with ReferenceSimulator.h, and expects equal
// counts of all cells.
//
//===----------------------------------------------------------------------===//

#include "ReferenceSimulator.h"
#include <gtest/gtest.h>

using namespace gmprof::cache;

namespace {

class RandomNumbers {
  uint64_t State;

public:
  explicit RandomNumbers(uint64_t Seed) : State(Seed) {}
  /// Returns a number below Count.
  uint64_t below(uint64_t Count) { return mixed(State += 0x9e3779b97f4a7c15) % Count; }
  bool oneIn(uint64_t Count) { return below(Count) == 0; }
  template <typename T> T oneOf(std::initializer_list<T> All) {
    return All.begin()[below(All.size())];
  }
};

struct LaunchRequests {
  TraceLaunch Launch;
  std::vector<TraceObject> Allocated;
  std::vector<uint64_t> Released;
  std::vector<TraceWritten> Copies; ///< before the launch
  std::vector<std::vector<Request>> OfSms;
};
using RandomTrace = std::vector<LaunchRequests>;

/// Objects of 1 to 32 KiB side by side, the third of which is a pool with small objects in it.
class TraceMaker {
  static constexpr uint64_t Base = 0x10000, End = Base + 0x30000;
  RandomNumbers Random;
  const Architecture &Gpu;
  struct Instruction {
    AccessKind Kind;
    CacheOperator Operator;
    uint8_t Size;
    unsigned Form;
    uint64_t Where; ///< address of the first lane of the first warp
  };
  std::vector<Instruction> Sites;

  Instruction instruction() {
    Instruction I = {};
    I.Kind = static_cast<AccessKind>(Random.below(AccessKinds));
    if (Random.oneIn(3))
      I.Kind = AccessKind::Load;
    I.Size = static_cast<uint8_t>(1U << Random.below(6));
    I.Form = static_cast<unsigned>(Random.below(7));
    I.Where = Base + Random.below((End - Base) / 2) / 64 * 64 + Random.below(3) * 4;
    if (I.Kind == AccessKind::Load)
      I.Operator = Random.oneOf({CacheOperator::Ca, CacheOperator::Ca, CacheOperator::Ca,
                                 CacheOperator::Cg, CacheOperator::Cs, CacheOperator::Lu,
                                 CacheOperator::Cv, CacheOperator::Nc});
    if (I.Kind == AccessKind::AsyncCopy || I.Kind == AccessKind::Store ||
        I.Kind == AccessKind::Reduction)
      I.Operator = Random.oneOf({CacheOperator::Ca, CacheOperator::Cg, CacheOperator::Bulk});
    if (Random.oneIn(12)) {
      I.Kind = AccessKind::Load;
      I.Operator = CacheOperator::Fence;
    }
    if (I.Operator == CacheOperator::Bulk)
      I.Size = 16;
    return I;
  }

  Request request(uint32_t Site, uint32_t LocalBytes) {
    const Instruction &I = Sites[Site];
    Request R;
    R.Site = Site;
    R.Kind = I.Kind;
    R.Operator = I.Operator;
    R.Size = I.Size;
    R.Mask = Random.oneIn(3)
                 ? static_cast<uint32_t>(Random.below(AllLanes)) | 1U << Random.below(32)
                 : AllLanes;
    if (I.Operator == CacheOperator::Bulk)
      R.Mask = AllLanes >> Random.below(32);
    uint64_t Where = I.Where + Random.below(16) * I.Size * 32;
    const bool IsLocal = isLocal(I.Kind);
    if (IsLocal) // offsets of a thread
      Where = Random.below(LocalBytes / 2 / I.Size) * I.Size;
    R.Affine = true;
    R.Addresses[0] = Where;
    R.Stride = I.Size;
    if (I.Operator == CacheOperator::Bulk)
      return R;
    switch (IsLocal ? I.Form % 2 : I.Form) {
    case 0: // a run
      R.Stride = IsLocal ? 0 : R.Stride;
      break;
    case 1: // a gather
      R.Affine = false;
      for (uint64_t &Address : R.Addresses)
        Address = IsLocal
                      ? Random.below(LocalBytes - 32)
                      : Where + Random.below(Random.oneIn(2) ? 0x8000 : 0x200) / I.Size * I.Size;
      break;
    case 2: // one address
      R.Stride = 0;
      break;
    case 3: // a stride, also backwards
      R.Addresses[0] += 0x4000;
      R.Stride = static_cast<int64_t>(Random.below(200)) * 4 - 400;
      break;
    case 4: // rows
      R.RowLanes = static_cast<uint8_t>(2U << Random.below(4));
      R.Step = static_cast<int64_t>(Random.below(9)) * 128;
      R.Stride = Random.oneIn(3) ? 0 : R.Stride;
      break;
    case 5: // not aligned
      R.Addresses[0] += 3;
      break;
    default: // a line for each lane
      R.Stride = 128;
    }
    return R;
  }

public:
  TraceMaker(uint64_t Seed, const Architecture &Gpu) : Random(Seed), Gpu(Gpu) {
    for (unsigned I = 0; I < 12; ++I)
      Sites.push_back(instruction());
  }

  RandomTrace make() {
    RandomTrace Trace;
    for (uint64_t Launch = 0; Launch < 3; ++Launch) {
      LaunchRequests &L = Trace.emplace_back();
      L.Launch.Kernel = static_cast<uint32_t>(Launch);
      L.Launch.Block = {static_cast<uint32_t>(64 + Random.below(64)), 1, 1};
      L.Launch.SharedBytes = static_cast<uint32_t>(Random.below(8192));
      L.Launch.LocalBytesPerThread = static_cast<uint32_t>(90 + Random.below(60));
      if (Launch == 0) {
        uint64_t Id = 0;
        for (uint64_t At = Base, Bytes = 0; At < End; At += Bytes) {
          Bytes = 1024 << Random.below(6);
          if (Id == 3) // parts of a pool share lines
            for (unsigned Part = 0; Part < 40; ++Part)
              L.Allocated.push_back({100 + Part, "part", At + Part * 48, 40});
          else
            L.Allocated.push_back({Id, "object", At, Bytes});
          ++Id;
        }
      } else {
        L.Released.push_back(Launch);
        L.Allocated.push_back(
            {50 + Launch, "new", Base + Random.below(0x8000) / 256 * 256, 0x1000});
      }
      for (unsigned I = 0; I < 2; ++I)
        L.Copies.push_back({Base + Random.below(0x10000), 1 + Random.below(0x2000)});
      // The SMs run the same instructions in about the same order; some SMs have more to do.
      L.OfSms.resize(Gpu.Sms + Random.below(2));
      for (uint32_t Sm = 0; Sm < L.OfSms.size(); ++Sm)
        addRequests(L, Sm, 6 + Random.below(14));
    }
    return Trace;
  }

  void addRequests(LaunchRequests &L, uint32_t Sm, uint64_t Rounds) {
    const uint64_t Warps = L.Launch.warpsPerBlock(), Blocks = 1 + Random.below(3);
    for (uint64_t Round = 0; Round < Rounds; ++Round)
      for (uint64_t Block = 0; Block < Blocks; ++Block)
        for (uint64_t Warp = 0; Warp < Warps; ++Warp) {
          if (Random.oneIn(6))
            continue;
          const auto Site = static_cast<uint32_t>(Random.oneIn(4) ? Random.below(Sites.size())
                                                                  : Round % Sites.size());
          Request R = request(Site, L.Launch.LocalBytesPerThread);
          // Half of the way through, other blocks take the places of these.
          R.Block = Sm + (Block + (Round >= Rounds / 2 ? Blocks : 0)) * L.OfSms.size();
          R.Warp = static_cast<uint16_t>(Warp);
          R.Slot =
              static_cast<uint16_t>(Block * Warps + Warp + Random.below(64) / 63); // may change
          L.OfSms[Sm].push_back(R);
        }
  }
};

template <typename AnySimulator> void prepare(AnySimulator &S, const LaunchRequests &L) {
  for (const uint64_t Id : L.Released)
    S.release(Id);
  for (const TraceObject &New : L.Allocated)
    S.allocate(New);
  for (const TraceWritten &Copy : L.Copies)
    S.written(Copy);
  S.beginLaunch(L.Launch);
}

SimulationResults simulate(const RandomTrace &Trace, const Architecture &Gpu,
                           const SimulationOptions &Options) {
  Simulator S(Gpu, Options);
  for (const LaunchRequests &L : Trace) {
    prepare(S, L);
    for (uint32_t Sm = 0; Sm < L.OfSms.size(); ++Sm)
      S.add(Sm, L.OfSms[Sm]);
    S.endLaunch();
  }
  return S.finish();
}

/// As from a file: threads ask for some requests at a time. What findings need makes no difference.
SimulationResults simulateInParts(const RandomTrace &Trace, const Architecture &Gpu,
                                  SimulationOptions Options) {
  Options.Threads = 3;
  Options.MemoryBytes = 100000;
  Options.FindsRefetches = true;
  Simulator S(Gpu, Options);
  for (const LaunchRequests &L : Trace) {
    prepare(S, L);
    std::vector<std::vector<Request>> OfSms(S.sms());
    for (size_t Sm = 0; Sm < L.OfSms.size(); ++Sm)
      std::ranges::copy(L.OfSms[Sm], std::back_inserter(OfSms[Sm % S.sms()]));
    std::vector<uint64_t> Counts;
    for (const auto &OfSm : OfSms)
      Counts.push_back(OfSm.size());
    std::vector<size_t> Done(S.sms());
    S.run(Counts, [&](uint32_t Sm) {
      const auto Next = std::span<const Request>(OfSms[Sm]).subspan(Done[Sm]);
      const auto Some = Next.first(std::min<size_t>(Next.size(), 10));
      Done[Sm] += Some.size();
      return Some;
    });
    S.endLaunch();
  }
  return S.finish();
}

std::string text(const AccessCounts &C) {
  std::string Text;
  const auto Add = [&](const char *Name, uint64_t Count) {
    Text += std::string(Name) + " " + std::to_string(Count) + ", ";
  };
  Add("requests", C.Requests);
  Add("sectors", C.Sectors);
  Add("bytes", C.BytesUsed);
  Add("L1 lookups", C.L1Lookups);
  Add("L1 hits", C.L1Hits);
  Add("lost", C.LostToFences);
  Add("L2 reads", C.L2Reads);
  Add("L2 writes", C.L2Writes);
  Add("L2 atomics", C.L2Atomics);
  Add("coalesced", C.Coalesced);
  Add("L2 hits", C.L2Hits);
  Add("other partition", C.OtherPartition);
  Add("DRAM reads", C.DramReads);
  Add("DRAM writes", C.DramWrites);
  return Text;
}

/// Expects equal counts; returns their sum.
AccessCounts compare(const SimulationResults &Fast, reference::Simulator &Plain) {
  EXPECT_EQ(Fast.Cells.size(), Plain.Cells.size());
  AccessCounts Sum;
  for (size_t I = 0; I < Fast.Cells.size(); ++I) {
    const Cell &C = Fast.Cells[I];
    SCOPED_TRACE(testing::Message()
                 << "launch " << C.Launch << ", site " << C.Site << ", object " << C.Object << ", "
                 << AccessKindNames[static_cast<size_t>(C.Kind)]);
    const auto Expected = Plain.Cells[{C.Launch, C.Site, C.Object, C.Kind}];
    AccessCounts All, Traffic = C.Counts;
    for (const AccessCounts &OfGroup : Expected)
      All += OfGroup;
    Traffic.FetchedAgain = Traffic.FetchedAgainByBlock = Traffic.FetchedSplit = 0;
    Traffic.DramReadsAgain = Traffic.BytesOfFetched = 0;
    Traffic.FetchesNoted = Traffic.SplitsNoted = Traffic.DramReadsNoted = 0;
    EXPECT_EQ(Traffic, All) << text(Traffic) << "\n" << text(All);
    Sum += Traffic;
    for (size_t G = 0; G < SampleGroups && !Fast.Groups.empty(); ++G) {
      EXPECT_EQ(Fast.Groups[I].L1Lookups[G], Expected[G].L1Lookups);
      EXPECT_EQ(Fast.Groups[I].L1Hits[G], Expected[G].L1Hits);
      EXPECT_EQ(Fast.Groups[I].L2Lookups[G], Expected[G].l2Lookups());
      EXPECT_EQ(Fast.Groups[I].L2Hits[G], Expected[G].L2Hits);
    }
  }
  for (size_t L = 0; L < Fast.Launches.size(); ++L)
    EXPECT_EQ(Fast.Launches[L].WrittenBack, Plain.WrittenBack[L]) << "launch " << L;
  EXPECT_EQ(Fast.DirtySectors, Plain.dirtySectors());
  return Sum;
}

/// Compares the counts of traces with different seeds; returns their sum.
AccessCounts compare(const Architecture &Gpu, SimulationOptions Options, uint64_t FirstSeed,
                     uint64_t Seeds) {
  EXPECT_EQ(Gpu.impossible(), "");
  AccessCounts Sum;
  for (uint64_t Seed = FirstSeed; Seed < FirstSeed + Seeds && !testing::Test::HasFailure();
       ++Seed) {
    SCOPED_TRACE("seed " + std::to_string(Seed));
    const RandomTrace Trace = TraceMaker(Seed, Gpu).make();
    reference::Simulator Plain(Gpu, Options);
    for (const LaunchRequests &L : Trace) {
      prepare(Plain, L);
      for (uint32_t Sm = 0; Sm < L.OfSms.size(); ++Sm)
        for (const Request &R : L.OfSms[Sm])
          Plain.add(Sm, R);
      Plain.endLaunch();
    }
    Plain.applyCopies();
    Sum += compare(simulate(Trace, Gpu, Options), Plain);
    compare(simulateInParts(Trace, Gpu, Options), Plain);
  }
  return Sum;
}

/// Returns an architecture with fewer SMs, and an L2 that is small enough for evictions.
Architecture shrunk(const std::string &Name) {
  Architecture Gpu = *readArchitecture(Name);
  Gpu.Sms = 4;
  Gpu.L2.Slices = 2;
  Gpu.L2.Kb = Gpu.L2.LineBytes * Gpu.L2.Ways * Gpu.L2.Slices * Gpu.L2.Partitions * 8 / 1024;
  return Gpu;
}

class ReferenceOf : public testing::TestWithParam<const char *> {};
INSTANTIATE_TEST_SUITE_P(Architectures, ReferenceOf,
                         testing::Values("sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90"),
                         [](const auto &Info) { return std::string(Info.param); });

TEST_P(ReferenceOf, AllLines) {
  SimulationOptions Options;
  Options.L1Kb = 16;
  const AccessCounts C = compare(shrunk(GetParam()), Options, 1, 8);
  // The traces have all kinds of events.
  EXPECT_GT(C.L1Hits, 0U);
  EXPECT_GT(C.L2Hits, 0U);
  EXPECT_GT(C.L2Atomics, 0U);
  EXPECT_GT(C.LostToFences, 0U);
  EXPECT_GT(C.DramReads, 0U);
  EXPECT_GT(C.DramWrites, 0U);
}

TEST_P(ReferenceOf, SizesOfTheGpu) {
  Architecture Gpu = *readArchitecture(GetParam());
  Gpu.Sms = 6;
  compare(Gpu, {}, 100, 2);
}

TEST_P(ReferenceOf, SampledLines) {
  for (const uint32_t Sampled : {2U, 3U, 4U}) {
    SimulationOptions Options;
    Options.L1Kb = 16;
    Options.Sampled = Sampled;
    compare(shrunk(GetParam()), Options, 200 + Sampled, 3);
  }
}

// Also what no architecture of today has.
TEST(Reference, OtherModels) {
  RandomNumbers Random(7);
  const std::vector<std::string> Names = architectureNames();
  for (uint64_t Seed = 300; Seed < 330; ++Seed) {
    Architecture Gpu = shrunk(Names[Random.below(Names.size())]);
    const auto Flag = [&] { return Random.oneIn(2); };
    const auto Policy = [&] {
      return Random.oneOf({Replacement::TreePlru, Replacement::GroupedPlru, Replacement::Lru});
    };
    const auto Hash = [&] { return static_cast<SetHash>(Random.below(3)); };
    Gpu.L1.Sets = Random.oneOf({1U, 2U, 4U});
    Gpu.L1.Hash = Hash();
    Gpu.L1.Policy = Policy();
    Gpu.L1.FillsFreeFirst = Flag();
    Gpu.L1.Stores = static_cast<L1Stores>(Random.below(3));
    Gpu.L1.CountsStoreHits = Flag();
    Gpu.L1.AtomicsInvalidate = Flag();
    Gpu.L1.LocalWriteBack = Flag();
    Gpu.L1.PassBytes = Random.oneOf({0U, 64U, 128U});
    Gpu.L2.Hash = Hash();
    Gpu.L2.Policy = Policy();
    Gpu.L2.FillsFreeFirst = Flag();
    Gpu.L2.FetchBytes = Random.oneOf({32U, 64U});
    Gpu.L2.FillsPartialWrites = Flag();
    Gpu.L2.CountsWriteAllocates = Flag();
    Gpu.L2.CountsMissingSectors = Flag();
    SimulationOptions Options;
    Options.KeepsL2 = Flag();
    Options.Sampled = Random.oneOf({1U, 1U, 2U});
    Options.L1Kb = 12;
    compare(Gpu, Options, Seed, 1);
  }
}

} // namespace
