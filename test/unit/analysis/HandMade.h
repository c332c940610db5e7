//===- HandMade.h - Hand-written profiles -----------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TEST_UNIT_ANALYSIS_HANDMADE_H
#define GMPROF_TEST_UNIT_ANALYSIS_HANDMADE_H

#include "profile/Profile.h"
#include <string>
#include <vector>

namespace gmprof::test {

/// A run of one kernel; word 0 of its shared memory is at address 1024.
struct HandMade {
  profile::Profile P;

  HandMade() {
    profile::Kernel &K = P.Kernels.emplace_back();
    K.Name = "_Z1kPf";
    K.Demangled = "k(float*)";
    K.Devices = {0};
    K.Desc.emplace();
    K.Desc->Source = {"/src/k.cu", 5, 0};
    K.Desc->Modes = GMPROF_MODE_SHARED;
    K.Desc->Level = GMPROF_LEVEL_BASIC;
    K.Desc->CounterBits = 32;
  }

  profile::Descriptor &desc() { return *P.Kernels[0].Desc; }

  uint32_t variable(const std::string &Name, const std::string &Type, unsigned ElementBytes,
                    uint64_t Bytes) {
    desc().Variables.push_back(
        {Name, Type, {"/src/k.cu", 8, 0}, GMPROF_VARIABLE_SHARED, ElementBytes, Bytes});
    P.Kernels[0].StaticSharedBytes += Bytes;
    return uint32_t(desc().Variables.size() - 1);
  }
  uint32_t dynamic(const std::string &Name, const std::string &Type, unsigned ElementBytes) {
    desc().Variables.push_back(
        {Name, Type, {"/src/k.cu", 9, 0}, GMPROF_VARIABLE_SHARED_DYNAMIC, ElementBytes, 0});
    return uint32_t(desc().Variables.size() - 1);
  }
  uint32_t site(uint32_t Variable, GmprofAccessKind Kind, GmprofRule Rule = GMPROF_RULE_COUNTED) {
    profile::Site S;
    S.Variable = Variable;
    S.Kind = Kind;
    S.Space = GMPROF_SPACE_SHARED;
    S.Rule = Rule;
    S.Bytes = 4;
    desc().Sites.push_back(S);
    return uint32_t(desc().Sites.size() - 1);
  }

  /// Adds a launch of Blocks blocks of 32 threads, all counted.
  profile::SharedCounts &launch(uint64_t Blocks, std::vector<uint64_t> Sums,
                                std::vector<uint32_t> Addresses, uint32_t DynamicBytes = 0) {
    uint64_t Id = P.Launches.size() + 1;
    profile::Launch L;
    L.Id = L.Context = Id;
    L.Mode = log::LaunchMode::Shared;
    L.Grid = {uint32_t(Blocks), 1, 1};
    L.Block = {32, 1, 1};
    L.DynamicSharedBytes = DynamicBytes;
    P.Launches.push_back(L);
    profile::SharedCounts C;
    C.Context = Id;
    C.Blocks = Blocks;
    C.Threads = Blocks * 32;
    C.FirstAddress = 1024;
    C.DynamicAddress = 1024 + P.Kernels[0].StaticSharedBytes;
    C.DynamicSharedBytes = DynamicBytes;
    C.Capped.resize(Sums.size());
    C.Sums = std::move(Sums);
    C.Addresses = std::move(Addresses);
    P.Shared.push_back(std::move(C));
    return P.Shared.back();
  }

  /// Adds such a launch without profiling.
  void plainLaunch(uint64_t Blocks) {
    profile::Launch L;
    L.Id = P.Launches.size() + 1;
    L.Grid = {uint32_t(Blocks), 1, 1};
    L.Block = {32, 1, 1};
    P.Launches.push_back(L);
  }
};

} // namespace gmprof::test

#endif // GMPROF_TEST_UNIT_ANALYSIS_HANDMADE_H
