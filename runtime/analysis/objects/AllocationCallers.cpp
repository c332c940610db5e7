//===- AllocationCallers.cpp - Callers of allocating lines ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/objects/AllocationCallers.h"
#include "analysis/ProgramSource.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <utility>
#include <vector>

namespace gmprof::analysis {

using profile::SourcePosition;

/// Lines of the program's calls, innermost first.
using Lines = std::vector<SourcePosition>;

static Lines linesOf(const profile::CallPath &Path) {
  Lines All;
  for (const profile::Frame *F : programFrames(Path))
    All.push_back(F->Source);
  return All;
}

/// Returns true if the two paths have the same first Count lines, or lines and columns.
static bool sameBegin(const Lines &A, const Lines &B, size_t Count, bool WithColumns) {
  return A.size() >= Count && B.size() >= Count &&
         std::equal(A.begin(), A.begin() + static_cast<ptrdiff_t>(Count), B.begin(),
                    [&](const SourcePosition &X, const SourcePosition &Y) {
                      return X.File == Y.File && X.Line == Y.Line &&
                             (!WithColumns || X.Column == Y.Column);
                    });
}

/// Returns the innermost call by which the path differs from all others of its allocating line.
static SourcePosition callerOf(size_t Path, const std::vector<Lines> &OfLine) {
  for (const bool WithColumns : {false, true})
    for (size_t Count = 2; Count <= OfLine[Path].size(); ++Count) {
      const auto IsSame = [&](size_t Other) {
        return Other != Path && sameBegin(OfLine[Path], OfLine[Other], Count, WithColumns);
      };
      bool IsUnique = true;
      for (size_t Other = 0; Other < OfLine.size(); ++Other)
        IsUnique &= !IsSame(Other);
      if (!IsUnique)
        continue;
      SourcePosition S = OfLine[Path][Count - 1];
      S.Column = WithColumns ? S.Column : 0;
      return S;
    }
  return {};
}

AllocationCallers::AllocationCallers(const profile::Profile &P, const profile::ApiTrace &T) : T(T) {
  std::set<uint32_t> Paths;
  for (const profile::ApiObject &O : T.Objects)
    if (O.Allocation < T.Apis.size() && !O.Parent)
      if (const uint32_t Path = T.Apis[O.Allocation].CallPath; Path < P.CallPaths.size())
        Paths.insert(T.samePath(Path));
  struct Line {
    std::vector<uint32_t> Paths;
    std::vector<Lines> Calls;
  };
  std::map<std::pair<std::string, unsigned>, Line> ByLine;
  for (const uint32_t Path : Paths)
    if (Lines Calls = linesOf(P.CallPaths[Path]); !Calls.empty()) {
      Line &L = ByLine[{Calls[0].File, Calls[0].Line}];
      L.Paths.push_back(Path);
      L.Calls.push_back(std::move(Calls));
    }
  constexpr size_t MostPaths = 1000; // each is compared with all others of its line
  for (const auto &[_, L] : ByLine)
    for (size_t I = 0; I < L.Paths.size() && L.Paths.size() > 1 && L.Paths.size() <= MostPaths; ++I)
      if (SourcePosition S = callerOf(I, L.Calls); !S.File.empty())
        Callers[L.Paths[I]] = std::move(S);
}

SourcePosition AllocationCallers::of(uint32_t CallPath) const {
  const auto It = Callers.find(T.samePath(CallPath));
  return It == Callers.end() ? SourcePosition() : It->second;
}

std::string placeText(const SourcePosition &S) {
  const std::string Text = fmt::format("{}:{}", S.File.substr(S.File.rfind('/') + 1), S.Line);
  return S.Column == 0 ? Text : fmt::format("{}:{}", Text, S.Column);
}

} // namespace gmprof::analysis
