//===- HandMadeGlobal.h - Hand-written global profiles ----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TEST_UNIT_ANALYSIS_HANDMADEGLOBAL_H
#define GMPROF_TEST_UNIT_ANALYSIS_HANDMADEGLOBAL_H

#include "../profile/FormWriter.h"
#include "profile/CompressedCounts.h"
#include "profile/Profile.h"
#include <string>
#include <vector>

namespace gmprof::test {

/// A run of one kernel whose parameters are pointers, followed by integers.
struct HandMadeGlobal {
  profile::Profile P;

  HandMadeGlobal() {
    profile::Kernel &K = P.Kernels.emplace_back();
    K.Name = "_Z1kPfS_i";
    K.Demangled = "k(float*, float*, int)";
    K.Devices = {0};
    K.Desc.emplace();
    K.Desc->Source = {"/src/k.cu", 5, 0};
    K.Desc->Modes = GMPROF_MODE_GLOBAL;
    K.Desc->ParamCount = 8;
    K.Desc->GlobalCounterBits = 32;
  }

  profile::Descriptor &desc() { return *P.Kernels[0].Desc; }

  uint32_t variable(const std::string &Name, unsigned ElementBytes = 4) {
    profile::Variable &V = desc().Variables.emplace_back();
    V.Name = Name;
    V.Kind = GMPROF_VARIABLE_PARAMETER;
    V.ElementBytes = ElementBytes;
    V.Parameter = V.Root = static_cast<uint32_t>(desc().Variables.size() - 1);
    return V.Root;
  }
  uint32_t site(uint32_t Variable, GmprofAccessKind Kind, unsigned Line,
                GmprofRule Rule = GMPROF_RULE_COUNTED, unsigned Bytes = 4) {
    profile::Site &S = desc().Sites.emplace_back();
    S.Variable = Variable;
    S.Source = {"/src/k.cu", Line, 3};
    S.Kind = Kind;
    S.Space = GMPROF_SPACE_GLOBAL;
    S.Bytes = Bytes;
    S.GlobalRule = Rule;
    return static_cast<uint32_t>(desc().Sites.size() - 1);
  }
  uint32_t form(uint32_t Variable, GmprofAccessKind Kind, unsigned Line, const ClosedForm &F,
                unsigned Bytes = 4) {
    uint32_t S = site(Variable, Kind, Line, GMPROF_RULE_CLOSED_FORM, Bytes);
    desc().Forms.push_back({S, Variable, wordsOf(F)});
    return S;
  }

  uint64_t object(const std::string &Name, uint64_t Bytes) {
    profile::Object &O = P.Objects.emplace_back();
    O.Id = P.Objects.size();
    O.Name = Name;
    O.Bytes = Bytes;
    O.Address = 0x10000 * O.Id;
    return O.Id;
  }

  /// Adds launches of one context. Objects: targets of the variables. Values: the parameters.
  profile::GlobalContext &launches(uint64_t Times, uint32_t Grid, uint32_t Block,
                                   std::vector<uint64_t> Objects, std::vector<int64_t> Values = {},
                                   bool ClosedForms = true) {
    profile::GlobalContext C;
    C.Context = P.GlobalContexts.size() + 1;
    C.Grid = {Grid, 1, 1};
    C.Block = {Block, 1, 1};
    C.ClosedForms = ClosedForms;
    Objects.resize(desc().Variables.size());
    C.Offsets.resize(Objects.size());
    C.Objects = std::move(Objects);
    C.Values = std::move(Values);
    C.Values.resize(desc().ParamCount);
    profile::Launch L;
    L.Id = P.Launches.size() + 1;
    L.Context = C.Context;
    L.Mode = ClosedForms ? log::LaunchMode::Global : log::LaunchMode::GlobalAll;
    L.Grid = C.Grid;
    L.Block = C.Block;
    L.Times = Times;
    P.Launches.push_back(L);
    P.GlobalContexts.push_back(C);
    return P.GlobalContexts.back();
  }

  profile::GlobalCounts &counts(uint64_t Object, GmprofCounterKind Kind,
                                const std::vector<uint64_t> &Sums,
                                const std::vector<uint32_t> &Capped = {}, uint64_t Launches = 1) {
    profile::GlobalCounts C;
    C.Object = Object;
    C.Kind = Kind;
    C.ElementShift = 2;
    C.Elements = Sums.size();
    C.ThresholdReached = !Capped.empty();
    C.Launches = Launches;
    C.Compressed = compressCounts(Sums, Capped);
    P.Global.push_back(C);
    return P.Global.back();
  }
};

} // namespace gmprof::test

#endif // GMPROF_TEST_UNIT_ANALYSIS_HANDMADEGLOBAL_H
