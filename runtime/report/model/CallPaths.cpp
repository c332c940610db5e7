//===- CallPaths.cpp - The call paths of a summary ------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/model/CallPaths.h"

namespace gmprof::summary {

std::vector<Frame> callPath(const Summary &S, std::optional<uint32_t> Index) {
  std::vector<Frame> Path;
  if (Index && *Index < S.call_paths.size())
    for (const uint32_t Each : S.call_paths[*Index])
      Path.push_back(S.frames.at(Each));
  return Path;
}

CallPathTable::CallPathTable(Summary &To) : S(To) {
  for (uint32_t I = 0; I < S.frames.size(); ++I)
    Indices.try_emplace(keyOf(S.frames[I]), I);
}

CallPathTable::Key CallPathTable::keyOf(const Frame &F) {
  const Source At = F.source.value_or(Source());
  return {F.function, At.file, At.line, F.source.has_value(), F.inlined, F.image, F.address};
}

uint32_t CallPathTable::add(const std::vector<Frame> &Path) {
  std::vector<uint32_t> Frames;
  for (const Frame &F : Path) {
    const auto [It, New] = Indices.try_emplace(keyOf(F), static_cast<uint32_t>(S.frames.size()));
    if (New)
      S.frames.push_back(F);
    Frames.push_back(It->second);
  }
  S.call_paths.push_back(std::move(Frames));
  return static_cast<uint32_t>(S.call_paths.size() - 1);
}

} // namespace gmprof::summary
