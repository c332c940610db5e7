//===- SnapshotCommand.cpp - gmreport snapshot ----------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/formats/SnapshotJson.h"
#include "report/model/SummaryJson.h"
#include "report/tool/MemoryOptions.h"
#include <memory>

namespace gmprof::tool {
namespace {

struct SnapshotCommand {
  std::string Path, Run;
  MemoryOptions Options;
  bool Json = false;

  int run() const;
};

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
  summary::Summary S = snapshotSummary(*Of, *Time);
  const Result<std::string> Moment = *Time ? std::string("chosen") : Options.moment(S, Path);
  if (!Moment)
    return fail(BadInput, Moment.error());
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
  }
  const SnapshotView View = snapshotView(*Of, Path, std::move(S), *Moment, With ? &*With : nullptr);
  return print(Json ? snapshotJson(View)
                    : textSnapshot(View, Options.by(), Options.Look.text(Options.Top)));
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
  Sub->add_flag("--json", C->Json, "Print everything as JSON")->excludes("--by", "--top");
  return {Sub, [C] { return C->run(); }};
}

} // namespace gmprof::tool
