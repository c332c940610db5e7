//===- GmReport.cpp - The gmreport command --------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/ApiTraceBuilder.h"
#include "profile/ProfileBuilder.h"
#include "report/HeatCsv.h"
#include "report/HeatPage.h"
#include "report/HeatSvg.h"
#include "report/HeatTerminal.h"
#include "report/HeatViews.h"
#include "report/PerfettoTrace.h"
#include "report/SourceText.h"
#include "report/SummaryFilter.h"
#include "report/SummaryJson.h"
#include "report/Symbolizer.h"
#include "report/TextExplorer.h"
#include "report/TextReport.h"
#include <CLI/CLI.hpp>
#include <cerrno>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <iterator>
#include <langinfo.h>
#include <optional>
#include <sys/ioctl.h>
#include <unistd.h>

namespace {

/// Exit statuses, as for grep and diff: 1 is about the input, 2 about the usage.
enum Exit { Ok = 0, BadInput = 1, BadUsage = 2 };

int fail(Exit Status, const std::string &Message) {
  std::fprintf(stderr, "gmreport: error: %s\n", Message.c_str());
  return Status;
}

unsigned terminalWidth() {
  winsize Size = {};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &Size) == 0 && Size.ws_col != 0)
    return Size.ws_col;
  return 100;
}

bool useColor(const std::string &When) {
  if (When != "auto")
    return When == "always";
  const char *NoColor = std::getenv("NO_COLOR");
  const char *Term = std::getenv("TERM");
  return ::isatty(STDOUT_FILENO) && !(NoColor && *NoColor) &&
         !(Term && std::strcmp(Term, "dumb") == 0);
}

/// A reader that has seen enough (head, a pager) is no error.
int print(const std::string &Text) {
  std::signal(SIGPIPE, SIG_IGN);
  if (std::fwrite(Text.data(), 1, Text.size(), stdout) == Text.size() && std::fflush(stdout) == 0)
    return Ok;
  if (errno == EPIPE)
    return Ok;
  return fail(BadInput,
              std::string("cannot write to the standard output: ") + std::strerror(errno));
}

/// Path: of a summary.json, or its folder.
std::filesystem::path folderOf(const std::string &Path) {
  return std::filesystem::is_directory(Path) ? std::filesystem::path(Path)
                                             : std::filesystem::path(Path).parent_path();
}

/// What the event log that a summary names says. What: is to be made of it.
gmprof::Result<gmprof::profile::Profile> profileOf(const std::string &Path, const char *What) {
  gmprof::Result<gmprof::summary::Summary> Summary = gmprof::readSummary(Path);
  if (!Summary)
    return gmprof::Error{Summary.error()};
  for (const gmprof::summary::File &F : Summary->files)
    if (F.name == "event_log") {
      gmprof::Result<gmprof::profile::Profile> P =
          gmprof::readProfile((folderOf(Path) / F.path).string());
      if (P)
        gmprof::symbolize(*P, gmprof::symbolizerPath());
      return P;
    }
  return gmprof::Error{"'" + Path + "' names no event log, from which " + What + " made"};
}

/// Output: - for the standard output. Write returns whether all was written.
int writeFile(const std::string &Output, const std::function<bool(std::FILE *)> &Write) {
  const bool ToStdout = Output == "-";
  std::signal(SIGPIPE, SIG_IGN);
  std::FILE *To = ToStdout ? stdout : std::fopen(Output.c_str(), "we");
  if (!To)
    return fail(BadInput, "cannot write '" + Output + "': " + std::strerror(errno));
  bool Written = Write(To);
  Written = (ToStdout ? std::fflush(To) : std::fclose(To)) == 0 && Written;
  if (ToStdout)
    return Written || errno == EPIPE ? Ok : fail(BadInput, std::strerror(errno));
  if (!Written) {
    const std::string Why = std::strerror(errno);
    std::filesystem::remove(Output);
    return fail(BadInput, "cannot write '" + Output + "': " + Why);
  }
  return Ok;
}

/// Flows is empty where the program's size decides.
int perfetto(const std::string &Path, const std::string &Output, gmprof::PerfettoOptions Options,
             std::optional<bool> Flows) {
  gmprof::Result<gmprof::profile::Profile> P = profileOf(Path, "the trace is");
  if (!P)
    return fail(BadInput, P.error());
  const gmprof::MemorySummary Memory(*P, gmprof::buildApiTrace(*P));
  Options.Flows = Flows.value_or(Memory.trace().Apis.size() <= gmprof::MaxApisWithFlows);
  const int Status = writeFile(
      Output, [&](std::FILE *To) { return gmprof::writePerfettoTrace(*P, Memory, To, Options); });
  if (Status != Ok || Output == "-")
    return Status;
  std::printf("wrote %s: open it with https://ui.perfetto.dev or chrome://tracing\n",
              Output.c_str());
  if (!Options.Flows && !Flows)
    std::printf("it has no arrows from its %zu calls to objects: --flows adds them\n",
                Memory.trace().Apis.size());
  return Ok;
}

/// Width 0: the terminal's.
gmprof::TextOptions textOptions(const std::string &Color, unsigned Width, unsigned Top) {
  gmprof::TextOptions Options;
  Options.Color = useColor(Color);
  std::setlocale(LC_CTYPE, "");
  Options.Utf8 = std::strcmp(::nl_langinfo(CODESET), "UTF-8") == 0;
  Options.Width = std::max(Width ? Width : terminalWidth(), 40u);
  Options.Top = Top;
  std::error_code Ignored;
  Options.Folder = std::filesystem::current_path(Ignored).string();
  return Options;
}

/// Format: text, json, or empty to read commands. Part: of sequence 0 is none.
int explore(const std::string &Path, const std::string &Format, gmprof::SyncSubsequence Part,
            const gmprof::TextOptions &Options) {
  gmprof::Result<gmprof::summary::Summary> Summary = gmprof::readSummary(Path);
  if (!Summary)
    return fail(BadInput, Summary.error());
  if (!Summary->sync)
    return fail(BadInput, "'" + Path +
                              "' has no profile of synchronisation: make one with gmprof run "
                              "--profile sync");
  std::signal(SIGPIPE, SIG_IGN);
  gmprof::SubsequenceEstimates Estimates(*Summary, folderOf(Path));
  if (Part.Sequence != 0) {
    if (Part.Last == 0 && Part.Sequence <= Summary->sync->sequences.size())
      Part.Last = Summary->sync->sequences[Part.Sequence - 1].entries.size();
    gmprof::Result<std::string> Text =
        Format == "json" ? gmprof::subsequenceJson(*Summary, Estimates, Part)
                         : gmprof::subsequenceText(*Summary, Estimates, Part, Options);
    return Text ? print(*Text) : fail(BadInput, Text.error());
  }
  if (!Format.empty())
    return print(Format == "json" ? gmprof::exploredJson(*Summary)
                                  : gmprof::exploredText(*Summary, Options));
  gmprof::explore(*Summary, Estimates, Options, stdin, stdout);
  return Ok;
}

struct HeatCommand {
  gmprof::HeatChoice Choice;
  std::string By = "all", Format = "text", Output;
  std::optional<unsigned> Top;
  bool Expand = false;
  uint64_t Limit = 1'000'000;

  gmprof::HeatOf of() const {
    const auto *Name =
        std::find(std::begin(gmprof::HeatOfNames), std::end(gmprof::HeatOfNames), By);
    return static_cast<gmprof::HeatOf>(Name - std::begin(gmprof::HeatOfNames));
  }
};

int heatCsv(const std::vector<gmprof::HeatLaunch> &Launches, const HeatCommand &Command) {
  if (Command.Expand)
    if (uint64_t Sectors = gmprof::heatSectors(Launches, Command.of()); Sectors > Command.Limit)
      return fail(BadInput, "there are " + std::to_string(Sectors) + " sectors, and --limit is " +
                                std::to_string(Command.Limit) +
                                ": raise it, choose with --kernel, --launch or --object, or leave "
                                "out --expand");
  return writeFile(Command.Output, [&](std::FILE *To) {
    return gmprof::writeHeatCsv(Launches, Command.of(), Command.Expand, To);
  });
}

int heatPage(const std::vector<gmprof::HeatLaunch> &Launches, const HeatCommand &Command,
             const gmprof::profile::Run &Run, gmprof::SourceText &Source) {
  std::string Program;
  for (const std::string &Word : Run.Command)
    Program += (Program.empty() ? "" : " ") + Word;
  const std::string Data = gmprof::heatPageData(Launches, Command.of(), Program, Source);
  const int Status =
      writeFile(Command.Output, [&](std::FILE *To) { return gmprof::writeHeatPage(Data, To); });
  if (Status == Ok && Command.Output != "-")
    std::printf("wrote %s: open it with a web browser\n", Command.Output.c_str());
  return Status;
}

int heatPicture(const std::vector<gmprof::HeatLaunch> &Launches, const HeatCommand &Command,
                gmprof::SourceText &Source) {
  size_t Maps = 0;
  for (const gmprof::HeatLaunch &L : Launches)
    Maps += L.Views.size();
  if (Maps != 1)
    return fail(BadInput, "a picture is of one map, and " + std::to_string(Maps) +
                              " match: choose with --kernel, --launch and --object");
  const std::string Svg = gmprof::heatSvg(Launches[0], Launches[0].Views[0], Command.of(), Source,
                                          Command.Top.value_or(256));
  return writeFile(Command.Output, [&](std::FILE *To) {
    return std::fwrite(Svg.data(), 1, Svg.size(), To) == Svg.size();
  });
}

int heat(const std::string &Path, HeatCommand Command, const gmprof::TextOptions &Options) {
  gmprof::Result<gmprof::profile::Profile> P = profileOf(Path, "heat maps are");
  if (!P)
    return fail(BadInput, P.error());
  gmprof::Result<std::vector<gmprof::HeatLaunch>> Launches = gmprof::heatViews(*P, Command.Choice);
  if (!Launches)
    return fail(BadInput, "'" + Path + "': " + Launches.error());
  if (Command.Output.empty())
    Command.Output = Command.Format == "html" ? "heat.html" : "-";
  gmprof::SourceText Source(P->TheRun.StartUnixNs);
  if (Command.Format == "csv")
    return heatCsv(*Launches, Command);
  if (Command.Format == "html")
    return heatPage(*Launches, Command, P->TheRun, Source);
  if (Command.Format == "svg")
    return heatPicture(*Launches, Command, Source);
  const std::string Text = gmprof::heatText(*Launches, Command.of(), Source, Options);
  return writeFile(Command.Output, [&](std::FILE *To) {
    return std::fwrite(Text.data(), 1, Text.size(), To) == Text.size();
  });
}

} // namespace

int main(int Argc, char **Argv) {
  CLI::App App(
      "Shows what GMProf found in a run: what each kernel did with its memory, and what to "
      "change.");
  App.set_version_flag("--version", "gmreport " GMPROF_VERSION);
  std::string Path, Format = "text", Kernel, Color = "auto";
  unsigned Top = 10, Width = 0;
  const char *const SummaryHelp = "The summary.json that 'gmprof run' wrote, or its folder";
  CLI::Option *Summaries = App.add_option("summary", Path, SummaryHelp);
  App.add_option("--format", Format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  const char *const KernelHelp =
      "Only kernels whose name contains a match of this regular expression";
  const char *const ColorHelp = "auto, always or never; auto also honours NO_COLOR";
  const char *const WidthHelp = "Columns; default: the terminal's, or 100";
  App.add_option("--kernel", Kernel, KernelHelp);
  App.add_option("--top", Top, "Kernels and findings to show, 0 for all")->capture_default_str();
  App.add_option("--color", Color, ColorHelp)
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str();
  App.add_option("--width", Width, WidthHelp);

  std::string Output = "trace.json";
  bool Flows = true;
  gmprof::PerfettoOptions Trace;
  CLI::App *Perfetto = App.add_subcommand(
      "perfetto", "Write a timeline for https://ui.perfetto.dev and chrome://tracing");
  Perfetto->add_option("summary", Path, SummaryHelp)->required();
  Perfetto->add_option("-o,--output", Output, "The file to write, - for the standard output")
      ->capture_default_str();
  CLI::Option *FlowsGiven = Perfetto->add_flag(
      "--flows,!--no-flows", Flows,
      "With arrows from calls to objects, or without, for a smaller file; by default with "
      "them up to 250,000 calls");
  Perfetto
      ->add_option("--object-tracks", Trace.ObjectTracks,
                   "Objects with a track of their own, the largest; the others share some")
      ->capture_default_str();

  std::string ExploreFormat;
  gmprof::SyncSubsequence Part = {0, 1, 0}; // none; to its end
  CLI::App *Explore = App.add_subcommand(
      "explore", "Go through what waits for the GPU, and copies, without need; commands are read "
                 "from the standard input");
  Explore->add_option("summary", Path, SummaryHelp)->required();
  Explore
      ->add_option("--format", ExploreFormat, "text or json: write everything, and read no command")
      ->check(CLI::IsMember({"text", "json"}));
  CLI::Option *PartGiven =
      Explore
          ->add_option("--sequence", Part.Sequence,
                       "What solving a part of this sequence saves, from line --from to line --to")
          ->check(CLI::PositiveNumber);
  Explore->add_option("--from", Part.First, "Its first line")
      ->needs(PartGiven)
      ->check(CLI::PositiveNumber);
  Explore->add_option("--to", Part.Last, "Its last line; default: the last")
      ->needs(PartGiven)
      ->check(CLI::PositiveNumber);
  Explore->add_option("--color", Color, ColorHelp)
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str();
  Explore->add_option("--width", Width, WidthHelp);

  HeatCommand TheHeat;
  CLI::App *Heat = App.add_subcommand(
      "heat", "Show which words and sectors of memory how many warps of a block access");
  Heat->add_option("summary", Path, SummaryHelp)->required();
  Heat->add_option("--kernel", TheHeat.Choice.Kernel, KernelHelp);
  Heat->add_option("--object", TheHeat.Choice.Object,
                   "Only the object or shared array of this name");
  Heat->add_option("--launch", TheHeat.Choice.Launch, "Only this launch: 1, 2 and so on")
      ->check(CLI::PositiveNumber);
  Heat->add_option("--by", TheHeat.By, "Of which accesses: all, reads, writes or atomics")
      ->check(CLI::IsMember(
          std::vector<std::string>(std::begin(gmprof::HeatOfNames), std::end(gmprof::HeatOfNames))))
      ->capture_default_str();
  Heat->add_option("--format", TheHeat.Format,
                   "text; csv; html: a web page; svg: a picture of one map")
      ->check(CLI::IsMember({"text", "csv", "html", "svg"}))
      ->capture_default_str();
  Heat->add_option("-o,--output", TheHeat.Output,
                   "The file to write, - for the standard output; default: that, or heat.html");
  Heat->add_option(
      "--top", TheHeat.Top,
      "Rows of each map in text (default 40), columns in svg (default 256), 0 for all");
  Heat->add_flag("--expand", TheHeat.Expand,
                 "In csv, a line for each sector, not for each run of sectors that are alike");
  Heat->add_option("--limit", TheHeat.Limit, "Most lines that --expand may make")
      ->capture_default_str();
  Heat->add_option("--color", Color, ColorHelp)
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str();
  Heat->add_option("--width", Width, WidthHelp);
  try {
    App.parse(Argc, Argv);
    if (!*Perfetto && !*Explore && !*Heat && !*Summaries)
      throw CLI::RequiredError("summary");
  } catch (const CLI::Success &E) { // --help, --version
    return App.exit(E);
  } catch (const CLI::ParseError &E) {
    return fail(BadUsage, std::string(E.what()) + " (gmreport --help shows the options)");
  }

  if (*Perfetto) {
    return perfetto(Path, Output, Trace, *FlowsGiven ? std::optional(Flows) : std::nullopt);
  }
  if (*Explore)
    return explore(Path, ExploreFormat, Part, textOptions(Color, Width, Top));
  if (*Heat)
    return heat(Path, TheHeat, textOptions(Color, Width, TheHeat.Top.value_or(40)));
  gmprof::Result<gmprof::summary::Summary> Summary = gmprof::readSummary(Path);
  if (!Summary)
    return fail(BadInput, Summary.error());
  if (!Kernel.empty()) {
    Summary = gmprof::keepKernels(std::move(*Summary), Kernel);
    if (!Summary)
      return fail(BadInput, Summary.error());
  }
  if (Format == "json")
    return print(gmprof::toJson(*Summary));

  return print(gmprof::textReport(*Summary, textOptions(Color, Width, Top)));
}
