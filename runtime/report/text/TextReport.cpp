//===- TextReport.cpp - A summary for the terminal ------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/text/TextReport.h"
#include "report/model/Patterns.h"
#include "report/text/TextPrinter.h"
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <set>

namespace gmprof {

namespace text {

using namespace summary;

const Object &Printer::object(uint32_t Id) const {
  static const Object Unknown = [] {
    Object O;
    O.name = "?";
    return O;
  }();
  auto It = Objects.find(Id);
  return It == Objects.end() ? Unknown : *It->second;
}

const std::string &Printer::label(uint32_t Id) const {
  const auto It = Objects.find(Id);
  return It == Objects.end() ? object(Id).name
                             : Labels[static_cast<size_t>(It->second - S.objects.data())];
}

std::string Printer::position(const Source &S) const {
  std::string File = S.file;
  if (!Options.Folder.empty()) {
    std::string Relative = std::filesystem::path(File).lexically_relative(Options.Folder).string();
    if (!Relative.empty() && Relative.size() < File.size())
      File = Relative;
  }
  return S.line ? fmt::format("{}:{}", File, S.line) : File;
}

void Printer::paragraph(const std::string &First, const std::string &Body) {
  Text += wrapped(First, Body, Options.Width);
}

//===----------------------------------------------------------------------===//
// Run and coverage
//===----------------------------------------------------------------------===//

void Printer::header() {
  const std::vector<std::string> Lines = headLines();
  line("{}", styled(Bold, Lines.front()));
  for (size_t I = 1; I < Lines.size(); ++I)
    paragraph("", Lines[I]);
}

/// Returns how the program ended. Shells and gmprof add 128 to the signal that ended it.
static std::string exitText(const Run &R) {
  const int64_t Status = *R.exit_status;
  const char *Signal =
      !R.complete && Status > 128 ? sigabbrev_np(static_cast<int>(Status - 128)) : nullptr;
  return fmt::format("exit status {}", Status) +
         (Signal ? fmt::format(" (signal SIG{})", Signal) : "");
}

std::vector<std::string> Printer::headLines() const {
  std::vector<std::string> Lines = {
      fmt::format("GMProf {}: {}", S.tool.version, fmt::join(S.run.command, " "))};
  std::vector<std::string> Parts;
  if (S.processes)
    Parts.push_back(plural(S.processes->list.size(), "process") + " on " +
                    (S.run.host.ends_with(" hosts") ? S.run.host : "1 host"));
  if (S.devices.empty())
    Parts.emplace_back(S.run.device == "cpu" ? "CPU device" : "no device was used");
  for (const Device &D : S.devices)
    Parts.push_back(D.compute_capability.empty() || D.name.find("sm_") != std::string::npos
                        ? D.name
                        : fmt::format("{} (compute capability {})", D.name, D.compute_capability));
  Parts.push_back(S.run.start.size() < 19
                      ? S.run.start
                      : S.run.start.substr(0, 10) + " " + S.run.start.substr(11, 8) + " UTC");
  if (S.run.wall_seconds)
    Parts.push_back(secondsText(*S.run.wall_seconds));
  if (S.run.exit_status)
    Parts.push_back(exitText(S.run));
  if (std::ranges::any_of(S.coverage.gaps, [](const Gap &G) { return G.what == "failed kernels"; }))
    Parts.emplace_back("a kernel has failed");
  Lines.push_back(fmt::format("{}", fmt::join(Parts, ", ")));
  if (std::string Kernels = launchedKernels(); !Kernels.empty())
    Lines.push_back(std::move(Kernels));
  return Lines;
}

/// Whatever makes the numbers below less than the whole truth.
void Printer::coverage(size_t Shown) {
  if (S.coverage.whole)
    return;
  const std::vector<std::string> Items = missing(Shown != 0);
  const size_t Named = Shown && Items.size() > Shown ? Shown : Items.size();
  for (size_t I = 0; I < Named; ++I)
    figure({I == 0 ? "Not covered" : "", "- " + Items[I]});
  if (Named < Items.size())
    figure({"", fmt::format("- {} more (--details)", Items.size() - Named)});
}

static bool accessesNothing(const HeatUse &H) {
  return H.requests + H.shared_requests + H.not_inlined_requests + H.outside + H.lost == 0;
}

std::vector<std::string> Printer::missing(bool Brief) const {
  const Coverage &C = S.coverage;
  std::vector<std::string> Items;
  auto Item = [&](std::string What) { Items.push_back(std::move(What)); };

  if (!S.run.complete)
    Item("the program ended before its profile was complete (crash, signal, _exit or exec): the "
         "profile ends there");
  for (const Gap &G : C.gaps)
    if (G.what == "failed kernels")
      Item(G.reason);
  std::map<uint32_t, const Kernel *> Kernels;
  for (const Kernel &K : S.kernels)
    Kernels[K.id] = &K;
  std::set<std::pair<std::string, std::string>> Said;
  struct Rest {
    uint64_t Shown = 0, Kernels = 0, Launches = 0;
  };
  std::map<std::string, Rest> Rests; // by reason
  const size_t All = C.kernels.not_instrumented.size(), Named = Brief && All > 1 ? 0 : shown(All);
  for (const NotInstrumented &N : C.kernels.not_instrumented) {
    auto K = Kernels.find(N.kernel);
    const uint64_t Launches = K == Kernels.end() ? 0 : K->second->launch_counts.seen;
    const std::string Reason = N.reason.empty() ? "reason unknown" : N.reason;
    Said.insert({N.name, N.reason});
    Rest &R = Rests[Reason];
    if (R.Shown < Named) {
      ++R.Shown;
      Item(fmt::format("{} ({}): {}", briefName(N.name), plural(Launches, "launch"), Reason));
    } else {
      ++R.Kernels;
      R.Launches += Launches;
    }
  }
  for (const auto &[Reason, R] : Rests)
    if (R.Kernels)
      Item(fmt::format(
          "{}{} ({}{}){} {}", R.Shown ? grouped(R.Kernels) + " more " : "",
          R.Shown ? R.Kernels == 1 ? "kernel" : "kernels" : plural(R.Kernels, "kernel"),
          plural(R.Launches, "launch"), Brief ? "" : "; --top 0 names them",
          Brief && R.Kernels > 1 && Reason.starts_with("it ") ? ", each because" : ":", Reason));
  for (const ReasonCount &R : C.launches.reasons)
    if (!Said.count({R.kernel, R.reason}))
      Item(fmt::format("{} of {} not profiled: {}", plural(R.count, "launch"), briefName(R.kernel),
                       R.reason));
  if (Profiles.combined())
    for (const ProfileCoverage &P : C.profiles)
      for (const ReasonCount &R : P.never_counted)
        if (!Said.count({R.kernel, R.reason}))
          Item(fmt::format("{} of {} ({}): {}", measuredBy(P.profile), briefName(R.kernel),
                           plural(R.count, "launch"), R.reason));
  uint64_t Explained = 0, Unprofiled = C.launches.not_selected + C.launches.refused;
  for (const ReasonCount &R : C.launches.reasons)
    Explained += R.count;
  for (const Gap &G : C.gaps)
    Explained += G.what == "launches" ? G.count : 0;
  if (Explained < Unprofiled)
    Item(fmt::format("{} not selected by the options", plural(Unprofiled - Explained, "launch")));
  if (C.launches.without_counts)
    Item(fmt::format("the counts of {} were not read before the program ended",
                     plural(C.launches.without_counts, "launch")));
  BlockCoverage OfHeat = C.blocks;
  if (Profiles.combined()) {
    OfHeat = {};
    for (const Kernel &K : S.kernels)
      if (K.heat) {
        OfHeat.launched += K.heat->blocks_launched;
        OfHeat.selected += K.heat->blocks_sampled;
      }
  }
  if (ofRequests() && OfHeat.selected < OfHeat.launched)
    Item(fmt::format("{} of {} not sampled (--heat-blocks)",
                     grouped(OfHeat.launched - OfHeat.selected), plural(OfHeat.launched, "block")));
  for (const Kernel &K : S.kernels)
    if (K.heat && accessesNothing(*K.heat) && K.heat->blocks_sampled < K.heat->blocks_launched)
      Item(fmt::format("{}: the sampled blocks access no memory (--heat-blocks)",
                       shortName(K.demangled)));
  if (C.blocks.counted < C.blocks.selected)
    Item(fmt::format("{} did not finish; their counts are missing",
                     plural(C.blocks.selected - C.blocks.counted, "block")));
  for (const Kernel &K : S.kernels)
    if (uint64_t Sample = K.global_memory ? K.global_memory->block_sample : K.block_sample;
        Sample > 1)
      Item(fmt::format("{}: one block in {} counted, totals are estimates", briefName(K.demangled),
                       Sample));
  if (C.accesses.lost)
    Item(fmt::format("{} {}", plural(C.accesses.lost, "access"),
                     ofRequests() ? "not recorded: the recording memory was full"
                                  : "outside the counted shared memory"));
  if (C.accesses.unattributed)
    Item(fmt::format("{} of shared memory outside every known variable (out of bounds, or through "
                     "a pointer to other memory)",
                     plural(C.accesses.unattributed, "access")));
  if (C.accesses.outside)
    Item(fmt::format("{} of global memory outside every known allocation (out of bounds, or in an "
                     "allocation that was not recorded)",
                     plural(C.accesses.outside, "access")));
  if (C.objects && C.objects->launches_inferred)
    Item(fmt::format("the accesses of {} are inferred from {} parameters{}",
                     plural(C.objects->launches_inferred, "launch"),
                     C.objects->launches_inferred == 1 ? "its" : "their",
                     C.objects->objects_uncertain == 0
                         ? ""
                         : fmt::format(", and may be more: no finding assumes that {} alive then "
                                       "{} unused",
                                       plural(C.objects->objects_uncertain, "allocation"),
                                       C.objects->objects_uncertain == 1 ? "is" : "are")));
  for (const SkippedSite &Site : C.accesses.skipped)
    Item(fmt::format("{} at {} in {} not counted: {}", Site.access, shortPosition(Site.source),
                     briefName(Site.kernel), Site.reason));
  for (const Gap &G : C.gaps)
    if (G.what != "failed kernels")
      Item(fmt::format("{} ({}): {}", G.what, grouped(G.count), G.reason));
  return Items;
}

std::string Printer::report() {
  header();
  Text += '\n';
  coverageFigure();
  coverage();
  processes(/*All=*/true);
  // Kernels of several processes are in the processes' own summaries.
  if ((Profiles.combined() || (!ofCalls() && !ofCaches())) && !S.processes)
    kernels();
  memory();
  cache();
  sync();
  findings();
  return render(Text, Options.Color);
}

} // namespace text

std::string textReport(const summary::Summary &S, const TextOptions &Options) {
  return text::Printer(S, Options).report();
}

OverviewTexts overviewTexts(const summary::Summary &S, const TextOptions &Options) {
  return text::Printer(S, Options).overviewTexts();
}

std::string textOverview(const summary::Summary &S, const TextOptions &Options) {
  return text::Printer(S, Options).overview();
}

} // namespace gmprof
