//===- SnapshotCommand.cpp - gmreport snapshot ----------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/Wording.h"
#include "report/files/MemorySnapshot.h"
#include "report/model/SummaryJson.h"
#include "report/tool/MemoryOptions.h"
#include "report/views/SnapshotView.h"
#include <fmt/format.h>
#include <memory>

namespace gmprof::tool {
namespace {

struct SnapshotCommand {
  std::string Path, Run;
  MemoryOptions Options;

  int run() const;
};

std::string heading(const MemorySnapshot &Of, const std::string &Path) {
  std::string Text =
      fmt::format("PyTorch's memory in {}: {}, ", Path, plural(Of.Devices.size(), "device"));
  Text += Of.Events == 0
              ? std::string("no recorded event")
              : fmt::format("{} in {}", plural(Of.Events, "event"),
                            secondsText(static_cast<double>(Of.P.TheRun.SteadyEndNs) / 1e9));
  if (Of.Unmatched != 0)
    Text += fmt::format(" ({} with the others)",
                        Of.Unmatched == 1 ? "1 does not agree"
                                          : fmt::format("{} do not agree", Of.Unmatched));
  return Text;
}

int SnapshotCommand::run() const {
  const Result<std::optional<uint64_t>> Time = Options.time();
  if (!Time)
    return fail(BadUsage, Time.error());
  if (*Time && !Run.empty())
    return fail(BadUsage, "--at: a time of the snapshot is not a time of the run: compare them at "
                          "the peak, failure or end");
  const Result<MemorySnapshot> Of = readMemorySnapshot(Path);
  if (!Of)
    return fail(BadInput, Of.error());
  const summary::Summary S = snapshotView(*Of, *Time);
  const Result<std::string> Moment = *Time ? std::string("chosen") : Options.moment(S, Path);
  if (!Moment)
    return fail(BadInput, Moment.error());
  SnapshotText Text = {heading(*Of, Path), Of->Pools, nullptr};
  std::optional<summary::Summary> With;
  if (!Run.empty()) {
    Result<summary::Summary> Read = readSummary(Run, SummaryText::Printable);
    if (!Read)
      return fail(BadInput, Read.error());
    With = std::move(*Read);
    MemoryOptions Same = Options;
    Same.At = *Moment;
    if (const Result<std::string> Has = Same.moment(*With, Run); !Has)
      return fail(BadInput, Has.error());
    Text.Run = &*With;
  }
  return print(textSnapshot(S, Text, *Moment, Options.by(), Options.Look.text(Options.Top)));
}

} // namespace

Command addSnapshot(CLI::App &App) {
  auto C = std::make_shared<SnapshotCommand>();
  CLI::App *Sub = App.add_subcommand(
      "snapshot",
      "Show a snapshot of PyTorch's memory: who holds it, and what its allocator wastes");
  Sub->add_option("snapshot", C->Path, "The file that torch.cuda.memory._dump_snapshot() wrote")
      ->required()
      ->type_name("FILE");
  Sub->add_option("run", C->Run,
                  "A run to compare with, for what is outside of PyTorch: a summary.json, or its "
                  "folder")
      ->type_name("FILE");
  C->Options.addTo(*Sub, "the first event");
  return {Sub, [C] { return C->run(); }};
}

} // namespace gmprof::tool
