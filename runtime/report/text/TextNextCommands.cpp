//===- TextNextCommands.cpp - The commands that show more -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/text/TextPrinter.h"
#include <algorithm>
#include <utility>

namespace gmprof::text {

using namespace summary;

/// Returns a word of a shell's command.
static std::string quoted(const std::string &Word) {
  constexpr char Safe[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:=+%@";
  if (!Word.empty() && Word.find_first_not_of(Safe) == std::string::npos)
    return Word;
  std::string Text = "'";
  for (char C : Word)
    Text += C == '\'' ? "'\\''" : std::string(1, C);
  return Text + "'";
}

/// Prints the commands that show more, the most useful one first.
void Printer::next() {
  if (Options.Path.empty() || (S.kernels.empty() && S.objects.empty() && !S.sync))
    return;
  const std::string Path = quoted(Options.Path);
  std::vector<std::pair<std::string, const char *>> Commands;
  if (S.memory && std::ranges::any_of(S.memory->devices, &DeviceMemory::failed_allocations))
    Commands.emplace_back(fmt::format("gmreport memory {} --at failure", Path),
                          "who held the device's memory when the allocation failed");
  if (!S.findings.empty())
    Commands.emplace_back(fmt::format("gmreport explain {} {}", S.findings.front().id, Path),
                          "how the first finding was found");
  Commands.emplace_back(fmt::format("gmreport {} --details", Path),
                        S.processes ? "all numbers of the processes, and memory"
                        : ofCalls() && !Profiles.combined()
                            ? "runs of the program, call sites that wait, sequences"
                            : "every kernel, with its arrays and allocations");
  if (Profiles.makeChecksOfCalls() && S.sync && !S.sync->sites.empty() && !S.processes) {
    Commands.emplace_back(fmt::format("gmreport explore {}", Path),
                          "problems by function, call site and sequence");
    if (std::any_of(S.findings.begin(), S.findings.end(),
                    [](const Finding &F) { return F.site.has_value(); }))
      Commands.emplace_back(fmt::format("gmprof whatif --from {}", Path),
                            "measures the benefit of removing the first wait or copy");
  }
  const bool HasLog = std::any_of(S.files.begin(), S.files.end(),
                                  [](const File &F) { return F.name == "event_log"; });
  if (HasLog && std::any_of(S.kernels.begin(), S.kernels.end(),
                            [](const Kernel &K) { return K.heat.has_value(); }))
    Commands.emplace_back(fmt::format("gmreport heat {}", Path),
                          "which warps access which words (--format html: as a page)");
  if (S.cache) {
    Commands.emplace_back(fmt::format("gmreport cache {}", Path),
                          "charts of hit rates, traffic and coalescing");
    Commands.emplace_back(fmt::format("gmreport simulate {}", Path),
                          "another GPU (--arch sm_80) or a changed program (--swap-threads)");
  }
  if (HasLog && (ofObjects() || S.sync))
    Commands.emplace_back(fmt::format("gmreport perfetto {}", Path),
                          "the timeline, for ui.perfetto.dev");
  line("\n{}", styled(Bold, "Next"));
  size_t Widest = 0;
  for (const auto &[Command, What] : Commands)
    Widest = std::max(Widest, displayWidth(Command));
  for (const auto &[Command, What] : Commands)
    if (Widest + displayWidth(What) + 4 <= Options.Width)
      line("  {:<{}}  {}", Command, Widest, What);
    else
      line("  {}\n    {}", Command, What);
}

} // namespace gmprof::text
