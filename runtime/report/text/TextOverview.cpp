//===- TextOverview.cpp - A summary in one screen -------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/model/Measures.h"
#include "report/model/Patterns.h"
#include "report/text/TextPrinter.h"
#include <algorithm>
#include <set>
#include <utility>

namespace gmprof::text {

using namespace summary;

void Printer::memoryFigures(std::vector<Figure> &To) const {
  if (!S.memory)
    return;
  for (const DeviceMemory &D : S.memory->devices) {
    if (D.peaks.empty())
      continue;
    const auto Now = static_cast<double>(D.peak_bytes);
    std::string Value =
        fmt::format("{} in {}{}{}", bytesText(Now), plural(D.peaks.front().objects, "allocation"),
                    S.memory->devices.size() > 1 ? fmt::format(" on device {}", D.device) : "",
                    S.processes ? " of the process with the highest peak" : "");
    if (D.peak_bytes_after && *D.peak_bytes_after < D.peak_bytes) {
      const auto Then = static_cast<double>(*D.peak_bytes_after);
      Value += fmt::format(", achievable peak {} (-{}) with all fixes", bytesText(Then),
                           percentText(1 - Then / Now));
    } else {
      Value += D.peak_bytes_after ? " (no fix reduces it)" : " (achievable peak: not analysed)";
    }
    To.emplace_back("Peak memory", Value);
  }
}

/// Returns the calls and their duration, without the avoidable part.
std::string Printer::timeAtFirstSight() const {
  double Waits = 0;
  uint64_t Copies = 0, Bytes = 0;
  for (const SyncSite &Site : S.sync->sites) {
    Waits += Site.wait_seconds;
    Copies += Site.copies;
    Bytes += Site.copied_bytes;
  }
  std::string Value = fmt::format("{} from {}; {}", plural(S.sync->calls, "CUDA API call"),
                                  plural(S.sync->sites.size() + S.sync->sites_omitted, "call site"),
                                  plural(Copies, "copy"));
  if (Bytes != 0)
    Value += fmt::format(" of {}", bytesText(static_cast<double>(Bytes)));
  Value += fmt::format("; synchronization and blocking copies take {}", secondsText(Waits));
  if (S.sync->wall_seconds)
    Value += fmt::format(" of {}", secondsText(*S.sync->wall_seconds));
  return Value;
}

void Printer::timeFigures(std::vector<Figure> &To) const {
  if (!S.sync)
    return;
  if (Profiles.syncAtFirstSight()) {
    To.emplace_back("Transfers, waits", timeAtFirstSight());
    return;
  }
  double Benefit = 0, Waits = 0;
  size_t Places = 0;
  for (const SyncSite &Site : S.sync->sites) {
    Benefit += benefit(Site);
    Waits += Site.wait_seconds;
    Places += benefit(Site) > 0;
  }
  const double Wall = S.sync->wall_seconds.value_or(0);
  std::string Value =
      fmt::format("{} from {}", plural(S.sync->calls, "CUDA API call"),
                  plural(S.sync->sites.size() + S.sync->sites_omitted, "call site"));
  // The run that records the calls takes longer than the baseline, of which benefits are a share.
  const auto Trace = std::ranges::find(S.sync->stages, "trace", &SyncStage::name);
  const double Recorded = Trace == S.sync->stages.end() ? Wall : Trace->seconds.value_or(Wall);
  if (S.sync->wall_seconds)
    Value += fmt::format("; the host waits for the GPU for {} of {}", secondsText(Waits),
                         secondsText(std::max(Wall, Recorded)));
  if (Benefit > 0)
    Value += fmt::format("; {}{} avoidable at {}", secondsText(Benefit),
                         Wall > 0 ? fmt::format(" ({})", percentText(Benefit / Wall)) : "",
                         plural(Places, "call site"));
  else
    Value += "; none of it is avoidable";
  To.emplace_back("Transfers, waits", Value);
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
  if (Arrays == 0 && ofSharedMemory() && L.seen != 0 && L.nothing_to_profile == L.seen)
    To.emplace_back("Shared memory", "no kernel uses any");
  if (Arrays == 0)
    return;
  To.emplace_back(
      "Shared memory",
      fmt::format(
          "{} in {}, {} {}; {}{}", plural(Arrays, "array"), plural(Kernels, "kernel"),
          number({Accesses, AtLeast}), Accesses == 1 ? "access" : "accesses",
          Untouched ? fmt::format("{} of {} {} accessed", bytesText(static_cast<double>(Untouched)),
                                  bytesText(static_cast<double>(Bytes)),
                                  isSampled(profile::Measured::SharedMemory) ? "not" : "never")
                    : fmt::format("all of {} accessed", bytesText(static_cast<double>(Bytes))),
          isSampled(profile::Measured::SharedMemory) ? " in the analysed launches" : ""));
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
  To.emplace_back("Global memory",
                  fmt::format("kernels access {}{}{}", plural(Accessed.size(), "allocation"),
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
    To.emplace_back("Global memory",
                    fmt::format("{} sectors/request (ideal {}), uses {} of transferred bytes "
                                "(ideal {})",
                                ratioText(Sectors / Requests), ratioText(Ideal / Requests),
                                percentText(Sectors > 0 ? Used / (32 * Sectors) : 0),
                                percentText(Ideal > 0 ? Used / (32 * Ideal) : 0)));
  if (SharedRequests > 0)
    To.emplace_back("Shared memory",
                    fmt::format("{} wavefronts/request (ideal {}){}",
                                ratioText(Wavefronts / SharedRequests),
                                ratioText(IdealWavefronts / SharedRequests),
                                Wavefronts <= IdealWavefronts ? ", no bank conflicts" : ""));
}

/// Returns the number of launches that each of several profiles covers.
std::string Printer::profileCoverage() const {
  const auto Launched =
      std::ranges::count_if(S.kernels, [](const Kernel &K) { return K.launch_counts.seen != 0; });
  std::string Text = fmt::format("{} of {}", plural(S.coverage.launches.seen, "launch"),
                                 plural(static_cast<uint64_t>(Launched), "kernel"));
  bool First = true, Sampled = false;
  for (const ProfileChecks &Each : allProfileChecks())
    for (const ProfileCoverage &P : S.coverage.profiles) {
      // Accessed allocations are known of all launches, unless stated.
      if (P.profile != Each.Profile || P.of == 0 ||
          (profile::recordsAllocations(P.profile) && P.launches == P.of))
        continue;
      const std::string Count = P.launches == 0 ? "none" : grouped(P.launches);
      Text += fmt::format("{} {} of {}", First ? ";" : ",", Each.Measures,
                          First && P.launches != 0 ? plural(P.launches, "launch") : Count);
      if (!Sampled && P.launches != 0 && P.launches < P.of &&
          !profile::recordsAllocations(P.profile)) {
        Text +=
            fmt::format(" (launches 1, 2, 4, {} of each kernel)", Options.Utf8 ? "\u2026" : "...");
        Sampled = true;
      }
      First = false;
    }
  return Text;
}

/// Adds the profile's coverage of the run.
void Printer::coverageFigures(std::vector<Figure> &To) const {
  const LaunchCoverage &L = S.coverage.launches;
  std::string Value = S.sync ? fmt::format("{} recorded", plural(S.sync->calls, "CUDA API call"))
                             : "no kernel was launched";
  if (Profiles.combined() && L.seen != 0) {
    Value = profileCoverage();
  } else if (L.seen != 0) {
    const uint64_t Inferred = S.coverage.objects ? S.coverage.objects->launches_inferred : 0;
    const uint64_t Analysed = ofObjects() ? L.seen - std::min(L.seen, Inferred) : L.profiled;
    Value = fmt::format("{} of {} analysed", grouped(Analysed), plural(L.seen, "launch"));
    if (L.nothing_to_profile && !ofObjects())
      Value += fmt::format(" ({} {} no {})", grouped(L.nothing_to_profile),
                           L.nothing_to_profile == 1 ? "has" : "have", whatIsCounted());
    if (S.coverage.blocks.launched)
      Value += fmt::format(", {} of {} counted", grouped(S.coverage.blocks.counted),
                           plural(S.coverage.blocks.launched, "block"));
  }
  To.emplace_back("Coverage", Value);
}

/// Returns true if a profile of several analyses a part of the launches.
bool Printer::isSampled(profile::Measured Accesses) const {
  return std::ranges::any_of(S.coverage.profiles, [&](const ProfileCoverage &P) {
    return Profiles.combined() && profile::measures(P.profile, Accesses) && P.launches < P.of;
  });
}

bool Printer::recordsNothing() const {
  return S.coverage.launches.seen == 0 && S.sync && S.sync->calls == 0 && S.objects.empty();
}

bool Printer::analysesNothing(const char *Profile) const {
  return std::ranges::any_of(S.coverage.profiles, [&](const ProfileCoverage &P) {
    return Profiles.combined() && !profile::recordsAllocations(Profile) && P.profile == Profile &&
           P.of != 0 && P.launches == 0;
  });
}

std::vector<std::string> Printer::checksMade() const {
  const LaunchCoverage &L = S.coverage.launches;
  const bool OfLaunches = !ofObjects() && !ofCalls();
  std::vector<std::string> Made;
  if (recordsNothing())
    return Made;
  const bool AnyLaunch = !OfLaunches || L.profiled + L.nothing_to_profile != 0;
  for (const ProfileChecks &Each : allProfileChecks())
    if (Profiles.makeChecksOf(Each.Profile) && !analysesNothing(Each.Profile) &&
        (AnyLaunch || profile::recordsAllocations(Each.Profile)))
      Made.emplace_back(Each.Checks);
  return Made;
}

std::string Printer::noProblem(const char *Which) const {
  return checksMade().empty()
             ? recordsNothing() ? "Nothing was checked: the program made no CUDA "
                                  "call that GMProf could see."
                                : "Nothing was checked."
             : fmt::format("No problem{} was found by the checks that {} make{}.", Which,
                           Profiles.combined() ? "these profiles" : "this profile",
                           Profiles.combined() ? "" : "s");
}

/// Adds the checks that the run's profile makes, and those that it does not.
void Printer::checkFigures(std::vector<Figure> &To) const {
  const std::vector<std::string> Made = checksMade();
  std::vector<std::string> NotMade;
  for (const ProfileChecks &Each : allProfileChecks())
    if (analysesNothing(Each.Profile))
      NotMade.push_back(fmt::format("{} (no launch was analysed)", Each.Checks));
  bool First = true;
  for (const ProfileChecks &Each : allProfileChecks()) {
    if (Profiles.makeChecksOf(Each.Profile))
      continue;
    if (Profiles.combined())
      NotMade.emplace_back(Each.Checks);
    else
      NotMade.push_back(fmt::format("{} ({}{})", Each.Checks, First ? "gmprof run --profile " : "",
                                    Each.Profile));
    First = false;
  }
  if (Profiles.combined() && !First)
    NotMade.back() += " (gmprof run --full)";
  To.emplace_back("Checked", recordsNothing() ? "nothing (no CUDA call was recorded)"
                             : Made.empty()   ? "nothing (no launch was analysed)"
                                              : fmt::format("{}", fmt::join(Made, ", ")));
  if (!NotMade.empty())
    To.emplace_back("Not checked", fmt::format("{}", fmt::join(NotMade, ", ")));
}

void Printer::figure(const Figure &F) {
  const std::string Label = fmt::format("  {:<16}  ", F.first);
  const bool IsGap = F.second.starts_with("- "); // continues under its text
  paragraph(IsGap ? Label + "- " : Label, IsGap ? F.second.substr(2) : F.second);
}

void Printer::coverageFigure() {
  std::vector<Figure> Figures;
  coverageFigures(Figures);
  for (const Figure &F : Figures)
    figure(F);
}

/// Joins the figures of several profiles about the same memory to one line.
static void joinFigures(std::vector<std::pair<std::string, std::string>> &All) {
  for (const char *Label : {"Global memory", "Shared memory"}) {
    const auto Is = [&](const auto &F) { return F.first == Label; };
    const auto First = std::ranges::find_if(All, Is);
    if (First == All.end())
      continue;
    const auto Others = std::remove_if(std::next(First), All.end(), [&](const auto &F) {
      if (Is(F))
        First->second += "; " + F.second;
      return Is(F);
    });
    All.erase(Others, All.end());
  }
}

std::vector<Printer::Figure> Printer::figures() const {
  std::vector<Figure> All;
  globalFigures(All);
  heatFigures(All);
  cacheFigures(All);
  sharedFigures(All);
  memoryFigures(All);
  timeFigures(All);
  coverageFigures(All);
  checkFigures(All);
  joinFigures(All);
  return All;
}

/// Prints as many findings as fit on a screen with Below lines after them, but at least a few; of
/// the others, the number of each pattern.
void Printer::topFindings(size_t Below) {
  if (S.findings.empty() || !Options.FitScreen)
    return findings();
  constexpr size_t Least = 3, LinesOfRest = 2;
  std::string WithoutBenefit;
  const std::vector<const Finding *> Listed = listedFindings(WithoutBenefit);
  findingsHeading(!Listed.empty());
  if (!WithoutBenefit.empty())
    Below += LinesOfRest;
  size_t Lines = static_cast<size_t>(std::count(Text.begin(), Text.end(), '\n')), Shown = 0;
  for (; Shown < Listed.size(); ++Shown) {
    const size_t Before = Text.size();
    finding(*Listed[Shown]);
    const auto Begin = Text.begin() + static_cast<std::ptrdiff_t>(Before);
    Lines += static_cast<size_t>(std::count(Begin, Text.end(), '\n'));
    const size_t Rest = Shown + 1 < Listed.size() ? LinesOfRest : 0;
    if (Shown >= Least && Lines + Rest + Below > Options.Lines) {
      Text.resize(Before);
      break;
    }
  }
  std::vector<std::string> NotShown;
  if (Shown != Listed.size())
    NotShown.push_back(fmt::format(
        "{}: {} ({} shows all)", plural(Listed.size() - Shown, "more finding"),
        countsByPattern({Listed.begin() + static_cast<std::ptrdiff_t>(Shown), Listed.end()}),
        Options.AllFindings));
  if (!WithoutBenefit.empty())
    NotShown.push_back(std::move(WithoutBenefit));
  if (!NotShown.empty())
    Text += '\n';
  for (const std::string &Each : NotShown)
    paragraph("", Each);
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
    Texts.Findings.push_back(
        {render(subjectOf(F), false), render(costOf(F), false), render(processesOf(F), false)});
  for (const Finding *F : listedFindings(Texts.WithoutBenefit))
    Texts.Listed.push_back(static_cast<size_t>(F - S.findings.data()));
  return Texts;
}

std::string Printer::overview() {
  header();
  outOfMemory();
  std::string Above;
  std::swap(Text, Above);
  Text += '\n';
  for (const Figure &F : figures())
    figure(F);
  constexpr size_t MissingShown = 3;
  coverage(MissingShown);
  processes(/*All=*/false);
  next();
  const std::string Below = std::exchange(Text, std::move(Above));
  topFindings(static_cast<size_t>(std::count(Below.begin(), Below.end(), '\n')) + 1);
  Text += Below;
  return render(Text, Options.Color);
}

} // namespace gmprof::text
