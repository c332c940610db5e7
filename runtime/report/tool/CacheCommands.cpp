//===- CacheCommands.cpp - gmreport simulate, gmreport cache --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cache/TraceSimulation.h"
#include "cache/WhatIf.h"
#include "report/files/ResultFolder.h"
#include "report/files/UnfinishedFile.h"
#include "report/formats/CacheJson.h"
#include "report/formats/CacheSvg.h"
#include "report/text/CacheText.h"
#include "report/tool/Tool.h"
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <optional>
#include <thread>

namespace gmprof::tool {
namespace {

/// Options common to both commands.
struct Simulated {
  std::string Path, Arch, Policy, L2Policy;
  std::optional<uint32_t> L2Kb;
  cache::SimulationOptions Options;
  bool ColdL2 = false;
  CacheChoice Choice;
  std::string Format = "text", Output = "-";
  unsigned Top = 10;
  Style Look;

  void addTo(CLI::App &Sub);
  Result<cache::Architecture> gpu(const std::string &Trace) const;
  Result<cache::SimulationResults> simulate();
};

bool isSummary(const std::string &Path) {
  std::error_code Ignored;
  return std::filesystem::is_directory(Path, Ignored) || Path.ends_with(".json");
}

/// A trace, and the names of objects in the summary of its run, which may know names found after
/// tracing. Objects match by address and size; if several names match, none is used.
struct NamedTrace {
  std::string Path;
  cache::ObjectNames Names;
};

/// Returns a trace. Path: the trace, or the summary or folder that names it.
Result<NamedTrace> traceOf(const std::string &Path) {
  if (!isSummary(Path))
    return NamedTrace{Path, {}};
  const Result<ResultFolder> Results = ResultFolder::open(Path, SummaryText::AsItIs);
  if (!Results)
    return Error{Results.error()};
  const Result<std::string> Trace = Results->memoryTrace();
  if (!Trace)
    return Error{Trace.error()};
  NamedTrace To = {*Trace, {}};
  for (const summary::Object &O : Results->summary().objects)
    if (O.address) {
      const auto [At, New] = To.Names.emplace(std::pair(*O.address, O.bytes), O.name);
      if (At->second != O.name)
        At->second.clear();
    }
  return To;
}

void Simulated::addTo(CLI::App &Sub) {
  Sub.add_option("trace", Path,
                 "A trace of memory accesses, or the summary.json or folder of a run that made one")
      ->required();
  Sub.add_option(
      "--arch", Arch,
      "Simulated GPU: sm_70 to sm_90, or a file that describes one; default: the trace's");
  Sub.add_option("--l1-kb", Options.L1Kb, "L1 per SM; default: the rest of the unified memory");
  Sub.add_option("--shared-kb", Options.SharedKb,
                 "Shared memory per SM; default: the need of the launch");
  Sub.add_option("--l2-kb", L2Kb, "L2 of the GPU");
  Sub.add_option("--policy", Policy,
                 "Replacement policy of L1: tree_plru, lru, nru, fifo or random")
      ->check(CLI::IsMember(std::vector<std::string>(std::begin(cache::ReplacementNames),
                                                     std::end(cache::ReplacementNames))));
  Sub.add_option("--l2-policy", L2Policy, "Replacement policy of L2")
      ->check(CLI::IsMember(std::vector<std::string>(std::begin(cache::ReplacementNames),
                                                     std::end(cache::ReplacementNames))));
  Sub.add_flag("--incomplete", Options.AcceptsIncomplete,
               "Accept a trace without its end, as a killed program leaves it");
  Sub.add_flag("--cold-l2", ColdL2, "Empty L2 before each launch");
  Sub.add_option("--sample", Options.Sampled, "Simulate one in N cache lines and show the error")
      ->check(CLI::Range(1U, 256U))
      ->capture_default_str();
  Options.Threads = std::max(1U, std::thread::hardware_concurrency());
  Sub.add_option("--threads", Options.Threads, "Threads that simulate; default: one per processor")
      ->check(CLI::Range(1U, 256U));
  Sub.add_option("--kernel", Choice.Kernel, KernelHelp);
  Sub.add_option("--launch", Choice.Launch, "Only this launch: 1, 2 and so on")
      ->check(CLI::PositiveNumber);
  Sub.add_option("-o,--output", Output, "The file to write, - for the standard output")
      ->capture_default_str();
  Sub.add_option("--top", Top, "Objects, lines and launches to show, 0 for all")
      ->capture_default_str();
  Look.addTo(Sub);
}

/// Returns the requested GPU, or an error.
Result<cache::Architecture> Simulated::gpu(const std::string &Trace) const {
  Result<cache::Architecture> Gpu = Error{""};
  if (Arch.empty()) {
    auto Reader = cache::TraceReader::open(Trace, Options.AcceptsIncomplete);
    Gpu = Reader ? cache::architectureOf((*Reader)->device()) : Error{Reader.error()};
  } else {
    Gpu = cache::readArchitecture(Arch);
  }
  if (!Gpu)
    return Gpu;
  if (!Policy.empty())
    cache::parseReplacement(Policy, Gpu->L1.Policy);
  if (!L2Policy.empty())
    cache::parseReplacement(L2Policy, Gpu->L2.Policy);
  if (L2Kb)
    Gpu->L2.Kb = *L2Kb;
  if (const std::string Why = Gpu->impossible(); !Why.empty())
    return Error{"--l2-kb: " + Why};
  if (Options.SharedKb && *Options.SharedKb + Gpu->L1.ReservedKb >= Gpu->UnifiedKb)
    return Error{fmt::format("--shared-kb: {} KB of shared memory leave nothing of the {} KB of "
                             "{} for L1",
                             *Options.SharedKb, Gpu->UnifiedKb, Gpu->Name)};
  const uint32_t MostKb = 4096;
  if (Options.L1Kb &&
      (*Options.L1Kb == 0 || *Options.L1Kb > MostKb || *Options.L1Kb * 8 % Gpu->L1.Sets != 0))
    return Error{fmt::format("--l1-kb: {} KB are no whole number of lines in {} sets, up to {} KB",
                             *Options.L1Kb, Gpu->L1.Sets, MostKb)};
  return Gpu;
}

Result<cache::SimulationResults> Simulated::simulate() {
  const Result<NamedTrace> Trace = traceOf(Path);
  if (!Trace)
    return Error{Trace.error()};
  const Result<cache::Architecture> Gpu = gpu(Trace->Path);
  if (!Gpu)
    return Error{Gpu.error()};
  Options.KeepsL2 = !ColdL2;
  Result<cache::SimulationResults> R = cache::simulateTrace(Trace->Path, *Gpu, Options);
  if (R)
    for (cache::TraceObject &O : R->Objects)
      nameObject(O, Trace->Names);
  return R;
}

/// Changes to simulate.
struct Changes {
  std::string Pad; ///< OBJECT:ROW:BYTES
  std::vector<uint32_t> Block;
  cache::WhatIf What;

  bool any() const { return !Pad.empty() || What.SwapThreads || What.SwapGrid || !Block.empty(); }
  /// Returns false if Pad is malformed.
  bool parse();
  std::string text() const;
};

bool Changes::parse() {
  if (!Block.empty()) {
    Block.resize(3, 1);
    What.Block = {Block[0], Block[1], Block[2]};
  }
  if (Pad.empty())
    return true;
  const size_t Last = Pad.rfind(':'), Row = Last == 0 ? Last : Pad.rfind(':', Last - 1);
  if (Last == std::string::npos || Row == std::string::npos)
    return false;
  cache::Padding P;
  P.Object = Pad.substr(0, Row);
  if (!CLI::detail::lexical_cast(Pad.substr(Row + 1, Last - Row - 1), P.RowBytes) ||
      !CLI::detail::lexical_cast(Pad.substr(Last + 1), P.PadBytes))
    return false;
  What.Pad = P;
  return true;
}

std::string Changes::text() const {
  std::string Text;
  if (What.Pad)
    Text = fmt::format("each {} bytes of {} were followed by {} bytes more", What.Pad->RowBytes,
                       What.Pad->Object, What.Pad->PadBytes);
  if (What.SwapThreads)
    Text += std::string(Text.empty() ? "" : ", and ") + "threads' x and y were swapped";
  if (What.SwapGrid)
    Text += std::string(Text.empty() ? "" : ", and ") + "the grid's x and y were swapped";
  if (What.Block)
    Text += fmt::format("{}blocks were of {} threads", Text.empty() ? "" : ", and ",
                        fmt::join(Block, " x "));
  return Text;
}

int compare(Simulated &S, Changes &Change) {
  if (!Change.parse())
    return fail(BadUsage, "--pad: '" + Change.Pad +
                              "' is not OBJECT:ROW:BYTES, a name and two numbers of bytes");
  Change.What.Kernel = S.Choice.Kernel;
  Change.What.AcceptsIncomplete = S.Options.AcceptsIncomplete;
  const Result<NamedTrace> Trace = traceOf(S.Path);
  if (!Trace)
    return fail(BadInput, Trace.error());
  Change.What.Names = Trace->Names;
  const UnfinishedFile Changed = UnfinishedFile::temporary("gmprof-trace"),
                       AsItIs = UnfinishedFile::temporary("gmprof-trace");
  const auto Rewrite = [&](const cache::WhatIf &What, const UnfinishedFile &To) {
    const Result<uint64_t> Written = cache::rewriteTrace(Trace->Path, To.path(), What);
    if (!Written)
      return fail(BadInput, "what if " + Change.text() + " cannot be told: " + Written.error());
    S.Path = To.path();
    return static_cast<int>(Ok);
  };
  if (Change.What.Block || Change.What.SwapGrid) { // both runs use the modelled order of blocks
    cache::WhatIf Same;
    Same.Block = {0, 0, 0};
    Same.Kernel = Change.What.Kernel;
    Same.AcceptsIncomplete = S.Options.AcceptsIncomplete;
    Same.Names = Change.What.Names;
    if (const int Status = Rewrite(Same, AsItIs); Status != Ok)
      return Status;
  }
  const Result<cache::SimulationResults> Before = S.simulate();
  if (!Before)
    return fail(BadInput, Before.error());
  const Result<std::vector<uint32_t>> Launches = chosenLaunches(*Before, S.Choice);
  if (!Launches)
    return fail(BadInput, "'" + Trace->Path + "': " + Launches.error());
  if (const int Status = Rewrite(Change.What, Changed); Status != Ok)
    return Status;
  const Result<cache::SimulationResults> After = S.simulate();
  if (!After)
    return fail(BadInput, After.error());
  if (S.Format == "json")
    return writeFile(S.Output, cacheComparisonJson(*Before, *After, *Launches, Change.text()));
  return writeFile(S.Output,
                   cacheGeometry(*Before, *Launches) + "\n" + cacheGaps(*Before, *Launches) + "\n" +
                       cacheComparison(cacheView(*Before, *Launches), cacheView(*After, *Launches),
                                       Change.text(), S.Look.text(S.Top)));
}

int simulate(Simulated &S) {
  const Result<cache::SimulationResults> R = S.simulate();
  if (!R)
    return fail(BadInput, R.error());
  const Result<std::vector<uint32_t>> Launches = chosenLaunches(*R, S.Choice);
  if (!Launches)
    return fail(BadInput, "'" + S.Path + "': " + Launches.error());
  return writeFile(S.Output, S.Format == "json" ? cacheJson(*R, *Launches)
                                                : cacheText(*R, *Launches, S.Look.text(S.Top)));
}

int chart(Simulated &S, const std::string &By) {
  const Result<cache::SimulationResults> R = S.simulate();
  if (!R)
    return fail(BadInput, R.error());
  const Result<std::vector<uint32_t>> Launches = chosenLaunches(*R, S.Choice);
  if (!Launches)
    return fail(BadInput, "'" + S.Path + "': " + Launches.error());
  const CacheView View = cacheView(*R, *Launches);
  const std::vector<CacheRow> &Rows = By == "line" ? View.Lines : View.Objects;
  const std::string Title = cacheGeometry(*R, *Launches);
  return writeFile(S.Output, S.Format == "svg"
                                 ? cacheSvg(Rows, Title, S.Top)
                                 : Title + "\n" + cacheGaps(*R, *Launches) +
                                       cacheChart(Rows, View.Whole, S.Look.text(S.Top)));
}

} // namespace

Command addSimulate(CLI::App &App) {
  auto S = std::make_shared<Simulated>();
  CLI::App *Sub = App.add_subcommand(
      "simulate", "Simulate the caches of a GPU with a trace of memory accesses");
  S->addTo(*Sub);
  Sub->add_option("--format", S->Format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  auto Change = std::make_shared<Changes>();
  Sub->add_option("--pad", Change->Pad,
                  "Predict the effect of padding each row of an object: its name, bytes per row, "
                  "bytes to add")
      ->type_name("OBJECT:ROW:BYTES");
  Sub->add_flag("--swap-threads", Change->What.SwapThreads,
                "Predict the effect of swapped threadIdx.x and .y (and block sizes) in the "
                "kernels of --kernel");
  Sub->add_flag("--swap-grid", Change->What.SwapGrid,
                "Predict the effect of swapped x and y in the whole grid, in the kernels of "
                "--kernel");
  Sub->add_option(
         "--block", Change->Block,
         "Predict the effect of this block shape in the kernels of --kernel: 32,8 or 8,8,4")
      ->delimiter(',')
      ->expected(1, 3)
      ->type_name("X,Y,Z");
  return {Sub, [S, Change] { return Change->any() ? compare(*S, *Change) : simulate(*S); }};
}

Command addCache(CLI::App &App) {
  auto S = std::make_shared<Simulated>();
  auto By = std::make_shared<std::string>("object");
  CLI::App *Sub =
      App.add_subcommand("cache", "Draw hit rates, traffic and coalescing of each object or line");
  S->addTo(*Sub);
  Sub->add_option("--by", *By, "object or line")
      ->check(CLI::IsMember({"object", "line"}))
      ->capture_default_str();
  Sub->add_option("--format", S->Format, "text, or svg: a picture")
      ->check(CLI::IsMember({"text", "svg"}))
      ->capture_default_str();
  return {Sub, [S, By] { return chart(*S, *By); }};
}

} // namespace gmprof::tool
