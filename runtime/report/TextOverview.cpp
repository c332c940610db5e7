//===- TextOverview.cpp - A summary in one screen -------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/TextPrinter.h"
#include <algorithm>
#include <set>
#include <utility>

namespace gmprof::text {

using namespace summary;

static std::string share(double Part, double Whole) {
  return fmt::format("{:.0f} %", Whole > 0 ? 100 * Part / Whole : 0);
}

/// Those that were launched most.
void Printer::kernelsFigure(std::vector<Figure> &To) const {
  std::vector<const Kernel *> Launched;
  for (const Kernel &K : S.kernels)
    if (K.launch_counts.seen)
      Launched.push_back(&K);
  if (Launched.empty())
    return;
  std::sort(Launched.begin(), Launched.end(), [](const Kernel *A, const Kernel *B) {
    const uint64_t Ours = A->launch_counts.seen, Theirs = B->launch_counts.seen;
    return Ours != Theirs ? Ours > Theirs : A->id < B->id;
  });
  constexpr size_t Named = 4;
  std::vector<std::string> Names;
  for (size_t I = 0; I < std::min(Named, Launched.size()); ++I)
    Names.push_back(fmt::format("{} ({})", apiName(Launched[I]->demangled),
                                plural(Launched[I]->launch_counts.seen, "launch")));
  if (Launched.size() > Named)
    Names.push_back(fmt::format("and {} more", Launched.size() - Named));
  To.emplace_back("kernels", fmt::format("{}", fmt::join(Names, ", ")));
}

void Printer::memoryFigures(std::vector<Figure> &To) const {
  if (!S.memory)
    return;
  for (const DeviceMemory &D : S.memory->devices) {
    if (D.peaks.empty())
      continue;
    std::string Value = fmt::format(
        "{} in {}{}", plural(D.peak_bytes, "byte"), plural(D.peaks.front().objects, "object"),
        S.memory->devices.size() > 1 ? fmt::format(" on device {}", D.device) : "");
    if (D.peak_bytes_after && *D.peak_bytes_after < D.peak_bytes)
      Value += fmt::format(
          "; {} ({}) would do, with all findings followed", grouped(*D.peak_bytes_after),
          share(static_cast<double>(*D.peak_bytes_after), static_cast<double>(D.peak_bytes)));
    else if (D.peak_bytes_after)
      Value += "; no finding lowers it";
    else
      Value += "; what would do, gmprof run --profile objects says";
    To.emplace_back("peak memory", Value);
  }
}

void Printer::timeFigures(std::vector<Figure> &To) const {
  if (!S.sync)
    return;
  double Benefit = 0, Waits = 0;
  size_t Places = 0;
  for (const SyncSite &Site : S.sync->sites) {
    Benefit += Site.benefit();
    Waits += Site.wait_seconds;
    Places += Site.benefit() > 0;
  }
  const double Wall = S.sync->wall_seconds.value_or(0);
  std::string Value;
  if (S.sync->wall_seconds)
    Value = fmt::format("{:.3f} s, of which {:.3f} s waiting for the GPU; ", Wall, Waits);
  if (Benefit <= 0)
    Value += "nothing to save was found";
  else
    Value += fmt::format("{:.6f} s{} could be saved at {}", Benefit,
                         Wall > 0 ? fmt::format(" ({:.1f} %)", 100 * Benefit / Wall) : "",
                         plural(Places, "place"));
  To.emplace_back("time", Value);
}

void Printer::sharedFigures(std::vector<Figure> &To) const {
  uint64_t Arrays = 0, Bytes = 0, Untouched = 0;
  double Accesses = 0;
  bool AtLeast = false;
  size_t Kernels = 0;
  for (const Kernel &K : S.kernels) {
    Kernels += !K.objects.empty();
    for (const ObjectUse &U : K.objects) {
      ++Arrays;
      Bytes += object(U.object).bytes;
      Untouched += U.never_touched.bytes;
      Accesses += U.accesses_estimated.value;
      AtLeast |= U.accesses_estimated.at_least;
    }
  }
  const LaunchCoverage &L = S.coverage.launches;
  if (Arrays == 0 && isOf("shared") && L.seen != 0 && L.nothing_to_profile == L.seen)
    To.emplace_back("shared memory",
                    "no kernel uses any; gmprof run --profile heat or global looks "
                    "at what kernels do with device memory");
  if (Arrays == 0)
    return;
  To.emplace_back("shared memory",
                  fmt::format("{} in {}, {} {}; {}", plural(Arrays, "array"),
                              plural(Kernels, "kernel"), number({Accesses, AtLeast}),
                              Accesses == 1 ? "access" : "accesses",
                              Untouched ? fmt::format("{} of {} never accessed", grouped(Untouched),
                                                      plural(Bytes, "byte"))
                                        : fmt::format("all {} accessed", plural(Bytes, "byte"))));
}

void Printer::globalFigures(std::vector<Figure> &To) const {
  std::set<uint32_t> Accessed;
  std::array<Number, 3> Sums;
  for (const Kernel &K : S.kernels)
    if (K.global_memory)
      for (const GlobalObjectUse &U : K.global_memory->objects)
        for (size_t Kind = 0; Kind < Sums.size(); ++Kind)
          if (const auto &Of = U.*KindsOfAccesses[Kind].second) {
            Accessed.insert(U.object);
            Sums[Kind].value += Of->accesses_estimated.value;
            Sums[Kind].at_least |= Of->accesses_estimated.at_least;
          }
  if (Accessed.empty())
    return;
  std::vector<std::string> Parts;
  for (size_t Kind = 0; Kind < Sums.size(); ++Kind)
    if (Sums[Kind].value > 0)
      Parts.push_back(fmt::format("{} {}", number(Sums[Kind]), KindsOfAccesses[Kind].first));
  To.emplace_back("device memory",
                  fmt::format("kernels access {}{}{}", plural(Accessed.size(), "object"),
                              Parts.empty() ? "" : ": ", fmt::join(Parts, ", ")));
}

void Printer::heatFigures(std::vector<Figure> &To) const {
  double Requests = 0, Sectors = 0, Ideal = 0, Used = 0;
  double SharedRequests = 0, Wavefronts = 0, IdealWavefronts = 0;
  for (const Kernel &K : S.kernels)
    if (K.heat) {
      Requests += static_cast<double>(K.heat->requests);
      Sectors += static_cast<double>(K.heat->sectors);
      Ideal += static_cast<double>(K.heat->ideal_sectors);
      Used += static_cast<double>(K.heat->bytes_used);
      SharedRequests += static_cast<double>(K.heat->shared_requests);
      Wavefronts += static_cast<double>(K.heat->wavefronts);
      IdealWavefronts += static_cast<double>(K.heat->ideal_wavefronts);
    }
  if (Requests > 0)
    To.emplace_back("coalescing",
                    fmt::format("{:.2f} sectors of 32 bytes per request of a warp, {:.2f} "
                                "would do; {} of the bytes transferred are used",
                                Sectors / Requests, Ideal / Requests, share(Used, 32 * Sectors)));
  if (SharedRequests > 0)
    To.emplace_back(
        "bank conflicts",
        Wavefronts <= IdealWavefronts
            ? "none"
            : fmt::format("{:.2f} wavefronts per request of shared memory, {:.2f} would do",
                          Wavefronts / SharedRequests, IdealWavefronts / SharedRequests));
}

std::vector<Printer::Figure> Printer::figures() const {
  std::vector<Figure> All;
  kernelsFigure(All);
  memoryFigures(All);
  timeFigures(All);
  sharedFigures(All);
  globalFigures(All);
  heatFigures(All);
  cacheFigures(All);
  return All;
}

/// A word of a shell's command.
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

/// The commands that show what there is no room for here.
void Printer::more() {
  if (Options.Path.empty() || (S.kernels.empty() && S.objects.empty() && !S.sync))
    return;
  const std::string Path = quoted(Options.Path);
  std::vector<std::pair<std::string, const char *>> Commands;
  Commands.emplace_back(fmt::format("gmreport {} --details", Path),
                        S.processes ? "all numbers of the processes, and memory"
                        : S.sync    ? "runs of the program, places that wait, sequences"
                                    : "every kernel, with its arrays and objects");
  if (S.sync && !S.sync->sites.empty() && !S.processes) {
    Commands.emplace_back(fmt::format("gmreport explore {}", Path),
                          "problems by function, place and sequence");
    if (std::any_of(S.findings.begin(), S.findings.end(),
                    [](const Finding &F) { return F.site.has_value(); }))
      Commands.emplace_back(fmt::format("gmprof whatif --from {}", Path),
                            "measure what the first finding is worth");
  }
  const bool HasLog = std::any_of(S.files.begin(), S.files.end(),
                                  [](const File &F) { return F.name == "event_log"; });
  if (HasLog && std::any_of(S.kernels.begin(), S.kernels.end(),
                            [](const Kernel &K) { return K.heat.has_value(); }))
    Commands.emplace_back(fmt::format("gmreport heat {}", Path),
                          "which warps access which words; --format html: as a page");
  if (S.cache) {
    Commands.emplace_back(fmt::format("gmreport cache {}", Path),
                          "hit rates, traffic and coalescing, drawn");
    Commands.emplace_back(fmt::format("gmreport simulate {}", Path),
                          "other caches: --arch sm_80; a changed program: --swap-threads");
  }
  if (HasLog && (ofObjects() || S.sync))
    Commands.emplace_back(fmt::format("gmreport perfetto {}", Path),
                          "the timeline, for ui.perfetto.dev");
  line("\n{}", styled(Bold, "More"));
  size_t Widest = 0;
  for (const auto &[Command, What] : Commands)
    Widest = std::max(Widest, displayWidth(Command));
  for (const auto &[Command, What] : Commands)
    if (Widest + displayWidth(What) + 4 <= Options.Width)
      line("  {:<{}}  {}", Command, Widest, What);
    else
      line("  {}\n    {}", Command, What);
}

/// As many findings as fit on a screen with Below lines after them, but a few in any case; of
/// the others, how many there are of each pattern.
void Printer::topFindings(size_t Below) {
  if (S.findings.empty() || !Options.FitScreen)
    return findings();
  constexpr size_t Least = 3, LinesOfRest = 2;
  findingsHeading();
  size_t Lines = static_cast<size_t>(std::count(Text.begin(), Text.end(), '\n')), Shown = 0;
  for (; Shown < S.findings.size(); ++Shown) {
    const size_t Before = Text.size();
    finding(S.findings[Shown]);
    const auto Begin = Text.begin() + static_cast<std::ptrdiff_t>(Before);
    Lines += static_cast<size_t>(std::count(Begin, Text.end(), '\n'));
    const size_t Rest = Shown + 1 < S.findings.size() ? LinesOfRest : 0;
    if (Shown >= Least && Lines + Rest + Below > Options.Lines) {
      Text.resize(Before);
      break;
    }
  }
  if (Shown == S.findings.size())
    return;
  std::map<std::string, size_t> Patterns;
  for (size_t I = Shown; I < S.findings.size(); ++I)
    ++Patterns[S.findings[I].pattern];
  std::vector<std::string> Parts;
  for (const auto &[Pattern, Count] : Patterns)
    Parts.push_back(fmt::format("{} {}", Count, Pattern));
  Text += '\n';
  paragraph("",
            fmt::format("{} more: {} ({} shows all)", plural(S.findings.size() - Shown, "finding"),
                        fmt::join(Parts, ", "), Options.AllFindings));
}

OverviewTexts Printer::overviewTexts() const {
  OverviewTexts Texts;
  for (const std::string &Line : headLines())
    Texts.Head.push_back(render(Line, false));
  for (const std::string &Item : missing(/*Brief=*/false))
    Texts.Missing.push_back(render(Item, false));
  for (const auto &[Label, Value] : figures())
    Texts.Figures.emplace_back(Label, render(Value, false));
  for (const Finding &F : S.findings)
    Texts.Findings.push_back({render(subjectOf(F), false), render(whatItSaves(F), false),
                              render(processesOf(F), false)});
  return Texts;
}

std::string Printer::overview() {
  header();
  constexpr size_t MissingShown = 3;
  coverage(MissingShown);
  const std::vector<Figure> Figures = figures();
  Text += Figures.empty() ? "" : "\n";
  for (const auto &[Label, Value] : Figures)
    paragraph(fmt::format("  {:<15} ", Label), Value);
  processes(/*All=*/false);

  std::string Above;
  std::swap(Text, Above);
  more();
  const std::string Below = std::exchange(Text, std::move(Above));
  topFindings(static_cast<size_t>(std::count(Below.begin(), Below.end(), '\n')) + 1);
  Text += Below;
  return render(Text, Options.Color);
}

} // namespace gmprof::text
