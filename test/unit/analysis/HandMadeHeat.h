//===- HandMadeHeat.h - Hand-written heat profiles --------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds launches of one sampled block from single requests, given as the address of each lane.
// Masks, sectors and wavefronts are counted lane by lane from their definitions, without the
// optimisations of device and host.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TEST_UNIT_ANALYSIS_HANDMADEHEAT_H
#define GMPROF_TEST_UNIT_ANALYSIS_HANDMADEHEAT_H

#include "profile/Profile.h"
#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace gmprof::test {

class HandMadeHeat {
public:
  profile::Profile P;

  /// Makes a kernel with Warps warps in each of Blocks blocks.
  explicit HandMadeHeat(unsigned Warps, uint32_t Blocks = 1) : Warps(Warps) {
    P.TheRun.Profiles = {"heat"};
    profile::Kernel &K = P.Kernels.emplace_back();
    K.Name = "_Z1kPf";
    K.Demangled = "k(float*)";
    K.Devices = {0};
    K.Desc.emplace();
    K.Desc->Source = {"/src/k.cu", 5, 0};
    K.Desc->Modes = GMPROF_MODE_HEAT;
    launch(Blocks);
  }

  profile::Descriptor &desc() { return *P.Kernels[0].Desc; }
  unsigned warps() const { return Warps; }

  /// Adds a pointer parameter with its own object. Returns the variable's index.
  uint32_t object(const std::string &Name, uint64_t Bytes = 1 << 24, unsigned ElementBytes = 4) {
    profile::Variable V;
    V.Name = Name;
    V.Kind = GMPROF_VARIABLE_PARAMETER;
    V.ElementBytes = ElementBytes;
    desc().Variables.push_back(V);
    profile::Object O;
    O.Id = P.Objects.size() + 1;
    O.Address = O.Id << 32;
    O.Bytes = Bytes;
    P.Objects.push_back(O);
    ObjectOf.push_back(O.Id);
    return number(desc().Variables.size() - 1);
  }

  /// Adds a __shared__ array; arrays lie in sequence.
  uint32_t array(const std::string &Name, const std::string &Type, uint64_t Bytes,
                 unsigned ElementBytes = 4) {
    profile::Variable V = {Name,         Type, {"/src/k.cu", 8, 0}, GMPROF_VARIABLE_SHARED,
                           ElementBytes, Bytes};
    desc().Variables.push_back(V);
    SharedAt.resize(desc().Variables.size(), profile::None);
    SharedAt.back() = FirstAddress + SharedBytes;
    SharedBytes += uint32_t(Bytes);
    ObjectOf.push_back(0);
    return number(desc().Variables.size() - 1);
  }

  /// Adds a source access of Bytes bytes per thread.
  uint32_t site(uint32_t Variable, GmprofAccessKind Kind, unsigned Line, unsigned Bytes = 4,
                unsigned Column = 1) {
    profile::Site S;
    S.Variable = Variable;
    S.Source = {"/src/k.cu", Line, Column};
    S.Function = "k";
    S.Kind = Kind;
    S.Bytes = Bytes;
    S.Space = desc().Variables[Variable].Kind == GMPROF_VARIABLE_SHARED ? GMPROF_SPACE_SHARED
                                                                        : GMPROF_SPACE_GLOBAL;
    desc().Sites.push_back(S);
    return number(desc().Sites.size() - 1);
  }

  /// Gives a site a closed form, in all launches: data does not decide on its addresses.
  void computed(uint32_t Site) { desc().HeatForms.emplace_back().Site = Site; }

  /// Returns the byte that a lane accesses; nothing for inactive lanes.
  using Lanes = std::function<std::optional<uint64_t>(unsigned Lane)>;

  /// Width: bytes that an instruction accesses per lane, if not those of the source's access.
  void request(uint32_t Site, unsigned Warp, const Lanes &ByteOf, unsigned Width = 0) {
    std::vector<std::pair<unsigned, uint64_t>> At;
    for (unsigned Lane = 0; Lane < 32; ++Lane)
      if (std::optional<uint64_t> Byte = ByteOf(Lane))
        At.emplace_back(Lane, *Byte);
    if (At.empty())
      return;
    const profile::Site &S = desc().Sites[Site];
    const bool Shared = S.Space == GMPROF_SPACE_SHARED;
    std::vector<GmprofHeatSite> &Sites = Shared ? SharedCounts : Counts;
    Sites.resize(std::max<size_t>(Sites.size(), Site + 1));
    const unsigned Bytes = Width != 0 ? Width : S.Bytes;
    countRequest(Sites[Site], At, Bytes, Shared);
    for (auto [Lane, Byte] : At)
      for (uint64_t Word = Byte / 4; Word <= (Byte + Bytes - 1) / 4; ++Word)
        Shared ? noteShared(S, Warp, Lane, Word) : noteGlobal(S, Site, Warp, Word);
  }

  /// Makes the request in all warps.
  void
  everyWarp(uint32_t Site,
            const std::function<std::optional<uint64_t>(unsigned, unsigned)> &ByteOfWarpAndLane,
            unsigned Width = 0) {
    for (unsigned W = 0; W < Warps; ++W)
      request(Site, W, [&](unsigned Lane) { return ByteOfWarpAndLane(W, Lane); }, Width);
  }

  /// Begins a new launch; earlier requests belong to the previous one.
  void launch(uint32_t Blocks = 1) {
    finishLaunch();
    profile::Launch L;
    L.Id = L.Context = P.Launches.size() + 1;
    L.Mode = log::LaunchMode::Heat;
    L.Grid = {Blocks, 1, 1};
    L.Block = {32 * Warps, 1, 1};
    P.Launches.push_back(L);
    Open = true;
  }

  /// Returns the profile with all launches.
  const profile::Profile &done() {
    finishLaunch();
    return P;
  }

private:
  static constexpr uint32_t FirstAddress = 1024;

  struct Word {
    std::array<uint32_t, GMPROF_COUNTER_KINDS> Warps = {};
    std::array<uint64_t, GMPROF_COUNTER_KINDS> Accesses = {};
    uint64_t Places = 0;
  };

  static uint32_t number(size_t N) { return static_cast<uint32_t>(N); }

  static int kindOf(const profile::Site &S) {
    return S.Kind == GMPROF_ACCESS_ATOMIC  ? GMPROF_COUNTER_ATOMICS
           : S.Kind == GMPROF_ACCESS_STORE ? GMPROF_COUNTER_WRITES
                                           : GMPROF_COUNTER_READS;
  }

  static void countRequest(GmprofHeatSite &To, const std::vector<std::pair<unsigned, uint64_t>> &At,
                           unsigned Bytes, bool Shared) {
    std::set<uint64_t> Different, Units;
    for (auto [Lane, Byte] : At)
      for (uint64_t B = Byte; B < Byte + Bytes; ++B) {
        Different.insert(B);
        Units.insert(B / 32);
      }
    uint64_t Ideal = (Different.size() + 31) / 32, Sectors = Units.size();
    if (Shared) {
      std::map<uint64_t, std::set<uint64_t>> WordsOfBank;
      for (uint64_t B : Different)
        WordsOfBank[B / 4 % 32].insert(B / 4);
      Sectors = 0;
      for (const auto &[Bank, Words] : WordsOfBank)
        Sectors = std::max<uint64_t>(Sectors, Words.size());
      Ideal = (Different.size() + 127) / 128;
    }
    const bool Dense = *Different.rbegin() - *Different.begin() + 1 == Different.size();
    bool Strided = At.size() > 1;
    const auto Stride = At.size() > 1 ? int64_t(At[1].second - At[0].second) : 0;
    for (size_t I = 1; I < At.size(); ++I)
      Strided &= int64_t(At[I].second - At[I - 1].second) == Stride;
    Strided &= Stride != 0 && std::llabs(Stride) != int64_t(Bytes);
    ++To.requests;
    To.lanes += At.size();
    To.bytes += Different.size();
    To.transactions += Sectors;
    To.ideal += Ideal;
    To.misaligned += !Shared && Dense && Sectors > Ideal;
    To.strided += Strided;
    To.stride += Strided ? uint64_t(Stride) : 0;
  }

  void noteGlobal(const profile::Site &S, uint32_t Site, unsigned Warp, uint64_t WordNumber) {
    Word &W = Global[ObjectOf[S.Variable]][WordNumber];
    W.Warps[kindOf(S)] |= 1u << Warp;
    ++W.Accesses[kindOf(S)];
    W.Places |= uint64_t(1) << profile::heatPlaces(desc())[Site];
  }

  void noteShared(const profile::Site &S, unsigned Warp, unsigned Lane, uint64_t WordNumber) {
    const size_t At = (SharedAt[S.Variable] - FirstAddress) / 4 + WordNumber;
    SharedWords.resize(std::max(SharedWords.size(), At + 1));
    profile::SharedWordHeat &H = SharedWords[At][kindOf(S)];
    const uint32_t Thread = 1 + 32 * Warp + Lane;
    H.Warps |= 1u << Warp;
    ++H.Accesses;
    H.Thread = H.Thread == 0 || H.Thread == Thread ? Thread : GMPROF_NONE;
  }

  static profile::Temperatures temperatures(const std::array<uint32_t, 8> &Masks) {
    profile::Temperatures T;
    uint32_t All = 0;
    for (unsigned W = 0; W < 8; ++W) {
      T.Words[W] = uint8_t(std::popcount(Masks[W]));
      All |= Masks[W];
    }
    T.Sector = uint8_t(std::popcount(All));
    return T;
  }

  profile::HeatMap map(uint64_t Object, const std::map<uint64_t, Word> &Words) {
    profile::HeatMap M;
    M.Object = Object;
    M.Address = Object << 32;
    for (auto It = Words.begin(); It != Words.end();) {
      profile::HeatRun R;
      R.First = It->first / 8;
      std::array<uint32_t, 8> All = {};
      std::array<std::array<uint32_t, 8>, GMPROF_COUNTER_KINDS> Of = {};
      for (; It != Words.end() && It->first / 8 == R.First; ++It) {
        for (int K = 0; K < GMPROF_COUNTER_KINDS; ++K) {
          Of[K][It->first % 8] = It->second.Warps[K];
          All[It->first % 8] |= It->second.Warps[K];
          R.Accesses[K] += It->second.Accesses[K];
        }
        R.Places |= It->second.Places;
      }
      R.All = temperatures(All);
      for (int K = 0; K < GMPROF_COUNTER_KINDS; ++K)
        R.Of[K] = temperatures(Of[K]);
      M.Runs.push_back(R);
    }
    return joined(M);
  }

  /// Merges equal adjacent runs.
  static profile::HeatMap joined(const profile::HeatMap &M) {
    profile::HeatMap To = M;
    To.Runs.clear();
    for (const profile::HeatRun &R : M.Runs) {
      profile::HeatRun *Last = To.Runs.empty() ? nullptr : &To.Runs.back();
      if (Last && Last->end() == R.First && Last->All == R.All && Last->Of == R.Of &&
          Last->Places == R.Places) {
        ++Last->Sectors;
        for (int K = 0; K < GMPROF_COUNTER_KINDS; ++K)
          Last->Accesses[K] += R.Accesses[K];
      } else {
        To.Runs.push_back(R);
      }
    }
    return To;
  }

  void finishLaunch() {
    if (!Open)
      return;
    Open = false;
    profile::HeatContext C;
    C.Context = P.Launches.size();
    C.Blocks = 1;
    C.Threads = 32 * Warps;
    C.ClosedForms = !desc().HeatForms.empty();
    C.Sites = std::exchange(Counts, {});
    C.SharedSites = std::exchange(SharedCounts, {});
    C.Sites.resize(desc().Sites.size() + 1);
    C.SharedSites.resize(C.Sites.size());
    for (const auto &[Object, Words] : Global)
      C.Maps.push_back(map(Object, Words));
    C.SharedWords = SharedWords;
    C.FirstAddress = FirstAddress;
    C.DynamicAddress = FirstAddress + SharedBytes;
    C.Addresses = SharedAt;
    C.Addresses.resize(desc().Variables.size(), profile::None);
    C.Objects = ObjectOf;
    P.Heat.push_back(std::move(C));
    Global.clear();
    SharedWords.clear();
  }

  unsigned Warps;
  bool Open = false;
  uint32_t SharedBytes = 0;
  std::vector<uint64_t> ObjectOf;
  std::vector<uint32_t> SharedAt;
  std::vector<GmprofHeatSite> Counts, SharedCounts;
  std::map<uint64_t, std::map<uint64_t, Word>> Global; ///< by object, then word
  std::vector<std::array<profile::SharedWordHeat, GMPROF_COUNTER_KINDS>> SharedWords;
};

} // namespace gmprof::test

#endif // GMPROF_TEST_UNIT_ANALYSIS_HANDMADEHEAT_H
