//===- LineCallers.cpp - Callers of lines with API calls ------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/LineCallers.h"
#include "analysis/ProgramSource.h"
#include <algorithm>
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

/// Returns the innermost call by which the path differs from all others of its line.
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

LineCallers::LineCallers(const profile::Profile &P, std::vector<uint32_t> Same,
                         const std::set<uint32_t> &Paths)
    : SamePath(std::move(Same)) {
  struct Line {
    std::vector<uint32_t> Paths;
    std::vector<Lines> Calls;
  };
  std::map<std::pair<std::string, unsigned>, Line> ByLine;
  std::set<uint32_t> First;
  for (const uint32_t Path : Paths)
    if (Path < P.CallPaths.size())
      First.insert(samePath(Path));
  for (const uint32_t Path : First)
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

SourcePosition LineCallers::of(uint32_t CallPath) const {
  const auto It = Callers.find(samePath(CallPath));
  return It == Callers.end() ? SourcePosition() : It->second;
}

} // namespace gmprof::analysis
