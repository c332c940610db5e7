//===- Merge.cpp - Merges summaries of many processes ---------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/check/Merge.h"
#include "profile/Parallel.h"
#include "profile/Progress.h"
#include "report/check/Merger.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace gmprof {

using namespace summary;

Result<std::vector<std::string>> summariesIn(const std::vector<std::string> &Paths) {
  namespace fs = std::filesystem;
  std::vector<std::string> Found;
  std::set<fs::path> Seen;
  std::error_code Ignored;
  auto Add = [&](const fs::path &File) {
    if (Seen.insert(fs::weakly_canonical(File, Ignored)).second)
      Found.push_back(File.string());
  };
  for (const std::string &Path : Paths) {
    if (!fs::is_directory(Path, Ignored)) {
      Add(Path);
      continue;
    }
    const size_t Before = Seen.size();
    const fs::path Own = fs::path(Path) / "summary.json";
    const bool HasOwn = fs::exists(Own, Ignored);
    if (HasOwn)
      Add(Own);
    // Summaries of forked processes, or of the processes of a job.
    std::vector<fs::path> Below;
    for (const auto &Entry : fs::directory_iterator(Path, Ignored))
      if (Entry.is_directory(Ignored) && fs::exists(Entry.path() / "summary.json", Ignored))
        Below.push_back(Entry.path() / "summary.json");
    std::sort(Below.begin(), Below.end());
    for (const fs::path &File : Below)
      Add(File);
    if (Seen.size() == Before && !HasOwn && Below.empty())
      return Error{"there is no summary.json in '" + Path + "', nor in the folders in it"};
  }
  return Found;
}

std::vector<std::string> shareOf(const std::vector<std::string> &Paths, size_t Index,
                                 size_t Count) {
  const auto At = [&](size_t I) {
    return Paths.begin() + static_cast<std::ptrdiff_t>(Paths.size() * I / Count);
  };
  return {At(Index), At(Index + 1)};
}

Result<Summary> mergeSummaries(const std::vector<std::string> &Paths, const MergeOptions &Options) {
  Merger M;
  uint64_t Broken = 0;
  std::string FirstFailure;
  const unsigned Threads = std::max(Options.Threads, 1u);
  std::vector<MergedPart> Parts(std::min<size_t>(4 * Threads, Paths.size()));
  for (size_t I = 0; I < Paths.size(); ++I) {
    if (Options.Stop && Options.Stop->load() && !M.empty()) {
      M.gap("merging was interrupted before their summaries were read", Paths.size() - I);
      break;
    }
    if (I % Parts.size() == 0) // reads the next ones; more of them would take memory
      inParallel(
          std::min(Parts.size(), Paths.size() - I),
          [&](size_t Next) { Parts[Next] = mergedPart(Paths[I + Next]); }, Threads);
    MergedPart P = std::move(Parts[I % Parts.size()]);
    std::string Failure = std::move(P.Failure);
    if (Failure.empty())
      Failure = M.add(std::move(P), Paths[I]);
    if (!Failure.empty() && !Options.SkipBroken)
      return Error{Failure + " (--skip-broken leaves it out)"};
    Broken += !Failure.empty();
    if (FirstFailure.empty())
      FirstFailure = std::move(Failure);
    progress(fmt::format("read {} of {} summaries", I + 1, Paths.size()));
  }
  if (M.empty())
    return Error{FirstFailure.empty() ? "there is no summary to merge" : FirstFailure};
  if (Broken)
    M.gap("their summaries could not be merged, the first because " + FirstFailure, Broken);
  return M.finish();
}

} // namespace gmprof
