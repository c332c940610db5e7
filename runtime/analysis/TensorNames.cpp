//===- TensorNames.cpp - Names of PyTorch tensors -------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/TensorNames.h"
#include "analysis/CallingLibrary.h"
#include <algorithm>
#include <map>
#include <string_view>

namespace gmprof::analysis {

/// Returns the operator of a frame. All operators are called through at::_ops::add_Tensor::call(…).
static std::string_view operatorOf(const profile::Frame &F) {
  constexpr std::string_view Operators = "at::_ops::";
  std::string_view Name = F.Function;
  if (!Name.starts_with(Operators))
    return "";
  Name.remove_prefix(Operators.size());
  return Name.substr(0, Name.find("::"));
}

/// Returns a name for the tensor; empty if no operator is on the path.
static profile::Name tensorOf(const profile::CallPath &Path) {
  if (const std::string Library = workspaceLibrary(Path); !Library.empty())
    return "workspace of " + Library;
  std::string_view Outermost;
  for (const profile::Frame &F : Path.Frames)
    if (const std::string_view Name = operatorOf(F); !Name.empty())
      Outermost = Name;
  return Outermost.empty() ? "" : "tensor of " + std::string(Outermost);
}

void nameTensors(profile::Profile &P) {
  const auto IsTensor = [&](const profile::Object &O) {
    return O.Kind == log::ObjectKind::Pool && O.Name.empty() &&
           O.Made.CallPath < P.CallPaths.size();
  };
  if (std::none_of(P.Objects.begin(), P.Objects.end(), IsTensor))
    return;

  std::map<uint32_t, profile::Name> ByPath; // each path makes many tensors
  decltype(P.Objects) Named; // a packed vector is rebuilt rather than changed in place
  for (profile::Object O : P.Objects) {
    if (IsTensor(O)) {
      auto [It, New] = ByPath.try_emplace(O.Made.CallPath);
      if (New)
        It->second = tensorOf(P.CallPaths[O.Made.CallPath]);
      O.Name = It->second;
    }
    Named.push_back(O);
  }
  P.Objects = std::move(Named);
}

} // namespace gmprof::analysis
