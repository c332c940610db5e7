//===- KernelArguments.cpp - What a launch passes to its kernel -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/launch/KernelArguments.h"
#include <algorithm>
#include <cstring>
#include <set>

namespace gmprof::host {

KernelArguments::KernelArguments(const profile::Descriptor &Desc, std::vector<size_t> Sizes,
                                 std::vector<uint64_t> Symbols)
    : ParamCount(Desc.ParamCount), Variables(Desc.Variables), ParamBytes(std::move(Sizes)),
      Symbols(std::move(Symbols)) {
  if (ParamBytes.size() != Desc.ParamCount) {
    Problem = "the CUDA driver does not say what its parameters are: GMProf needs one of CUDA 12.4 "
              "or later";
    return;
  }
  for (const profile::Variable &V : Variables)
    if (V.Parameter != profile::None &&
        uint64_t(V.ParameterOffset) + sizeof(uint64_t) > ParamBytes[V.Parameter])
      Problem = "its descriptor is invalid: a parameter has no room for a pointer";
}

uint64_t KernelArguments::pointer(size_t Variable, void **Args) const {
  const profile::Variable &V = Variables[Variable];
  if (V.Parameter == profile::None)
    return Symbols[Variable];
  uint64_t Pointer = 0;
  std::memcpy(&Pointer, static_cast<const char *>(Args[V.Parameter]) + V.ParameterOffset,
              sizeof(Pointer));
  return Pointer;
}

template <typename T> static int64_t load(const void *From) {
  T Value;
  std::memcpy(&Value, From, sizeof(T));
  return Value;
}

int64_t KernelArguments::value(uint32_t Parameter, void **Args) const {
  switch (ParamBytes[Parameter]) {
  case 1:
    return load<int8_t>(Args[Parameter]);
  case 2:
    return load<int16_t>(Args[Parameter]);
  case 4:
    return load<int32_t>(Args[Parameter]);
  case 8:
    return load<int64_t>(Args[Parameter]);
  }
  return 0;
}

KernelForms::KernelForms(std::span<const profile::Form> Described, unsigned ParamCount) {
  std::set<uint32_t> Found;
  auto Collect = [&](const FormPolynomial &P) {
    for (const FormTerm &T : P)
      for (uint32_t F : T.Factors)
        if (F >= GMPROF_FACTOR_PARAMETER && F < GMPROF_FACTOR_DERIVED)
          Found.insert(F - GMPROF_FACTOR_PARAMETER);
  };
  for (const profile::Form &F : Described) {
    Result<ClosedForm> Form = decodeClosedForm(F.Words, ParamCount);
    if (!Form) {
      Usable = false;
      continue;
    }
    Collect(Form->Address);
    for (const FormDerived &D : Form->Derived) {
      Collect(D.A);
      Collect(D.B);
    }
    for (const FormConstraint &C : Form->Constraints)
      Collect(C.Value);
    for (const FormCondition &C : Form->Conditions)
      Collect(C.Value);
    Forms.push_back({F.Site, std::move(*Form)});
  }
  Parameters.assign(Found.begin(), Found.end());
}

std::vector<int64_t> KernelForms::values(const KernelArguments &Params, void **Args) const {
  std::vector<int64_t> Values(Params.parameters());
  for (uint32_t P : Parameters)
    Values[P] = Params.value(P, Args);
  return Values;
}

bool KernelForms::hold(const std::array<uint32_t, 3> &Grid, const std::array<uint32_t, 3> &Block,
                       std::span<const int64_t> Values) const {
  return Usable && std::all_of(Forms.begin(), Forms.end(), [&](const Form &F) {
           return holds(F.Access, {Grid, Block, Values, {}});
         });
}

} // namespace gmprof::host
