//===- TestHeat.h - Hand-made heat maps -------------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TEST_REPORT_TESTHEAT_H
#define GMPROF_TEST_REPORT_TESTHEAT_H

#include "profile/Profile.h"

namespace gmprof::test {

/// Block 3 of 8, of two warps, of launch 7 of k, which reads x in line 5 and writes it in line 6.
struct TestHeat : profile::Profile {
  TestHeat() {
    profile::Kernel K;
    K.Name = "_Z1kPf";
    K.Demangled = "k(float*)";
    K.Desc.emplace();
    K.Desc->Source = {"/s/k.cu", 1, 0};
    K.Desc->Variables.resize(1);
    K.Desc->Variables[0].Name = "x";
    K.Desc->Variables[0].Kind = GMPROF_VARIABLE_PARAMETER;
    for (auto [Kind, Line] : {std::pair(GMPROF_ACCESS_LOAD, 5u), {GMPROF_ACCESS_STORE, 6u}}) {
      profile::Site S;
      S.Source = {"/s/k.cu", Line, 0};
      S.Kind = Kind;
      S.Variable = 0;
      K.Desc->Sites.push_back(S);
    }
    Kernels.push_back(K);
    profile::Launch L;
    L.Id = 7;
    L.Context = 1;
    L.Mode = log::LaunchMode::Heat;
    L.Grid = {4, 2, 1};
    L.Block = {64, 1, 1};
    Launches.push_back(L);
    profile::HeatContext &C = Heat.emplace_back();
    C.Context = 1;
    C.FirstBlock = 3;
    C.EndBlock = 4;
    C.Blocks = 1;
    C.Threads = 64;
    C.Addresses = {profile::None};
    C.Objects = {1};
  }

  /// Adds the object that x points to.
  void object(const std::string &Name, uint64_t Address, uint64_t Bytes) {
    profile::Object O;
    O.Id = 1;
    O.Name = Name;
    O.Address = Address;
    O.Bytes = Bytes;
    O.Made.Api = "cudaMalloc";
    Objects.push_back(O);
  }
  /// Its heat.
  void map(const std::vector<profile::HeatRun> &Runs) {
    profile::Object O = static_cast<const profile::Object &>(*Objects.begin());
    Heat[0].Maps.push_back({1, O.Address, Runs, 0});
  }
  /// Adds a shared array, the kernel's only one, that line 6 accesses.
  void array(const std::string &Name, uint32_t Address, uint64_t Bytes) {
    profile::Variable V;
    V.Name = Name;
    V.Type = "float[" + std::to_string(Bytes / 4) + "]";
    V.Source = {"/s/k.cu", 2, 0};
    V.Bytes = Bytes;
    Kernels[0].Desc->Variables.push_back(V);
    Kernels[0].Desc->Sites[1].Variable = 1;
    Heat[0].FirstAddress = Address;
    Heat[0].Addresses.push_back(Address);
    Heat[0].Objects.push_back(0);
    Heat[0].SharedWords.resize(Bytes / 4);
  }
  void word(size_t Word, GmprofCounterKind Kind, uint32_t Warps, uint32_t Accesses,
            uint32_t Thread) {
    Heat[0].SharedWords[Word][Kind] = {Warps, Accesses, Thread};
  }
};

/// Sectors that are only read, by default in line 5.
inline profile::HeatRun run(uint64_t First, uint64_t Sectors,
                            const std::array<uint8_t, profile::WordsPerSector> &Words,
                            uint8_t Sector, uint64_t Accesses, uint64_t Places = 1) {
  profile::HeatRun R;
  R.First = First;
  R.Sectors = Sectors;
  R.All = R.Of[GMPROF_COUNTER_READS] = {Words, Sector};
  R.Accesses[GMPROF_COUNTER_READS] = Accesses;
  R.Places = Places;
  return R;
}

} // namespace gmprof::test

#endif // GMPROF_TEST_REPORT_TESTHEAT_H
