//===- TextFindings.cpp - What to change ----------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/model/CallPaths.h"
#include "report/model/Findings.h"
#include "report/model/Patterns.h"
#include "report/text/TextPrinter.h"
#include <algorithm>
#include <variant>

namespace gmprof::text {

using namespace summary;

static constexpr char CostNotEstimated[] = "not estimated";

/// Columns of a headline: a line of a terminal that is read at once.
static constexpr size_t MostColumns = 90;

std::string patternOf(const Finding &F) {
  return F.kind.empty() ? F.pattern : F.pattern + "/" + F.kind;
}

/// The time or the bytes that the finding costs.
std::string Printer::costOf(const Finding &F) const {
  const std::string Bytes = bytesText(static_cast<double>(F.bytes_saved));
  if (F.pattern == "nonuniform_access_frequency")
    return CostNotEstimated;
  if (F.pattern == "poor_cache_locality")
    return fmt::format("{} of traffic between {}", Bytes,
                       F.kind == "lost_in_l2" ? "L2 and DRAM" : "L1 and L2");
  if (F.origin == "drgpum" || F.origin == "pytorch") {
    const std::optional<double> Alone = evidenceOf(F, "bytes_saved_alone");
    if (F.bytes_saved == 0)
      return Alone ? fmt::format("no further reduction of the peak ({} on its own)",
                                 bytesText(*Alone))
                   : "no reduction of the peak on its own";
    for (const auto &[Name, Of] :
         {std::pair("tensors_peak_bytes", "all tensors"), {"pool_peak_bytes", "its pool"}})
      if (const std::optional<double> Peak = evidenceOf(F, Name))
        return fmt::format("{} of the peak of {} ({})", Bytes, Of,
                           percentText(static_cast<double>(F.bytes_saved) / *Peak));
    std::string Cost = fmt::format("{} of peak memory", Bytes);
    if (S.memory && F.object)
      for (const DeviceMemory &D : S.memory->devices)
        if (D.device == object(F.object->id).device)
          Cost += fmt::format(
              " ({})", percentText(static_cast<double>(F.bytes_saved) /
                                   static_cast<double>(std::max<uint64_t>(D.peak_bytes, 1))));
    return Alone ? Cost + ", beyond the other findings" : Cost;
  }
  if (F.seconds_saved) {
    std::string Cost = secondsText(*F.seconds_saved);
    if (S.sync && S.sync->wall_seconds)
      Cost += fmt::format(" ({} of the run)",
                          percentText(*F.seconds_saved / std::max(*S.sync->wall_seconds, 1e-9)));
    return Cost;
  }
  if (const std::optional<double> Needless = evidenceOf(F, "needless_bytes"); Needless > 0)
    return fmt::format("{} of needless traffic per launch", bytesText(*Needless));
  if (const std::optional<double> Needless = evidenceOf(F, "needless_wavefronts"); Needless > 0)
    return fmt::format("{} needless wavefronts per launch", grouped(*Needless));
  if (F.bytes_saved == 0)
    return CostNotEstimated;
  if (F.object && !F.object->kind.starts_with("shared"))
    return fmt::format("{} of global memory accesses", Bytes);
  return fmt::format("{} of shared memory per block", Bytes);
}

/// Returns the function or file of code without line information, or nothing.
std::string Printer::callerOf(uint32_t CallPath) const {
  for (const Frame &Each : summary::callPath(S, CallPath))
    if (!Each.function.empty() || !Each.image.empty())
      return fmt::format("{}{}", Each.function.empty() ? "code" : apiName(Each.function),
                         Each.image.empty() ? "" : " in " + basename(Each.image));
  return "";
}

/// Programs with several devices may have objects of the same name on each.
std::string Printer::whichDevice(const Object &O) const {
  return O.device && S.devices.size() > 1 ? fmt::format(" on device {}", *O.device) : "";
}

/// Returns the name in the evidence of a variable that is no object, as an array in local memory.
static std::string variableOf(const Finding &F) {
  for (const auto &[Name, Value] : F.evidence)
    if (const auto *Text = std::get_if<std::string>(&Value); Text && Name == "variable")
      return *Text;
  return "";
}

/// Returns the subject of a finding: an object, a kernel, a call.
std::string Printer::subjectOf(const Finding &F) const {
  std::string Subject = F.object ? F.object->name : variableOf(F);
  if (F.object && Subject.empty())
    Subject = fmt::format("{} of {}", F.object->kind == "array" ? "array" : "allocation",
                          bytesText(static_cast<double>(object(F.object->id).bytes)));
  else if (!Subject.empty() && !F.site) // the name of a finding about calls is the function's
    Subject = quotedName(Subject);
  if (F.object)
    Subject += whichDevice(object(F.object->id));
  if (F.kernel) {
    // "12. [medium] Hot spot: `x` in `kernel`", with a name that can be recognised.
    const std::string Before =
        fmt::format("00. [{}] {}: {}{}``", F.severity, patternTitle(F.pattern), Subject,
                    Subject.empty() ? "" : " in ");
    constexpr size_t LeastName = 30;
    const size_t Left = MostColumns - std::min(MostColumns, displayWidth(Before));
    Subject += (Subject.empty() ? "" : " in ") +
               quotedName(briefName(F.kernel->name, std::max(Left, LeastName)));
  }
  if (!Subject.empty()) {
    const std::optional<ObjectEvent> &Made =
        F.object ? object(F.object->id).alloc : std::optional<ObjectEvent>();
    if (F.source || F.kernel || !Made || !Made->call_path)
      return Subject;
    if (Made->source)
      return fmt::format("{}, made at {}", Subject, position(*Made->source));
    const std::string Caller = callerOf(*Made->call_path);
    return Caller.empty() ? Subject : Subject + ", made by " + Caller;
  }
  if (!F.site || !S.sync || *F.site >= S.sync->sites.size())
    return F.pattern;
  const SyncSite &Site = S.sync->sites[*F.site];
  const std::string Caller = F.source || !Site.call_path ? "" : callerOf(*Site.call_path);
  return Caller.empty() ? Site.api : Site.api + ", called by " + Caller;
}

std::string Printer::headlineOf(const Finding &F) const {
  return fmt::format("{}: {}", patternTitle(F.pattern), subjectOf(F));
}

/// Lists the calls by which the line's function was inlined.
void Printer::inlined(const Finding &F) {
  constexpr size_t Most = 2;
  const size_t Shown = std::min(F.inlined_at.size(), Most);
  for (size_t I = 0; I < Shown; ++I)
    paragraph("    ", "inlined: " + inlinePath(F.inlined_at[I]));
  if (const size_t Left = F.inlined_at.size() - Shown + F.inlined_omitted)
    line("    inlined: {}", plural(Left, "more path"));
}

void Printer::finding(const Finding &F) {
  Text += '\n';
  char Style = F.severity == "high" ? Red : F.severity == "medium" ? Yellow : Bold;
  const std::string Headline = fmt::format(
      "{:>2}. {} {}", F.id, styled(Style, "[" + F.severity + "]"), styled(Bold, headlineOf(F)));
  const std::string At = F.source ? position(*F.source) : "";
  // A position stays in one piece, so that terminals make it a link.
  const bool Fits =
      displayWidth(Headline) + 2 + displayWidth(At) <= std::min<size_t>(Options.Width, MostColumns);
  line("{}{}{}", Headline, At.empty() ? "" : Fits ? "  " : "\n    ", At);
  inlined(F);
  paragraph("    ", F.message);

  std::vector<std::string> Costs = {costOf(F)};
  const double Now = evidenceOf(F, "blocks_per_sm").value_or(0),
               Then = evidenceOf(F, "blocks_per_sm_after").value_or(0);
  if (Then > Now)
    Costs.push_back(fmt::format("{} resident blocks per SM instead of {}", Now, Then));
  else if (Now != 0 && F.severity != "info")
    Costs.push_back("occupancy does not change");
  if (std::string Which = processesOf(F); !Which.empty())
    Costs.push_back(std::move(Which));
  paragraph("    Cost: ",
            fmt::format("{} {}[{}]{}", fmt::join(Costs, "; "), Dim, patternOf(F), Plain));
  paragraph("    Fix: ", F.suggestion);
}

void Printer::findingsHeading(bool AnyListed) {
  if (!AnyListed) {
    line("\n{}", sharedReduction() > 0
                     ? std::string("No finding has an estimated benefit on its own.")
                     : noProblem(" with an estimated benefit"));
    return;
  }
  std::map<std::string, uint64_t> BySeverity;
  for (const Finding &F : S.findings)
    ++BySeverity[F.severity];
  std::vector<std::string> Parts;
  for (const char *Severity : {"high", "medium", "low", "info"})
    if (uint64_t N = BySeverity[Severity])
      Parts.push_back(fmt::format("{} {}", N, Severity));
  const std::string Count = Options.LeftOut ? fmt::format("{} of {} findings", S.findings.size(),
                                                          S.findings.size() + Options.LeftOut)
                                            : plural(S.findings.size(), "finding");
  line("\n{}", styled(Bold, fmt::format("{} ({}), by severity and estimated benefit", Count,
                                        fmt::join(Parts, ", "))));
}

std::string countsByPattern(const std::vector<const Finding *> &Findings) {
  std::map<std::string, size_t> Patterns;
  for (const Finding *F : Findings)
    ++Patterns[F->pattern];
  std::vector<std::string> Parts;
  for (const auto &[Pattern, Count] : Patterns)
    Parts.push_back(fmt::format("{} {}", Count, Pattern));
  return fmt::format("{}", fmt::join(Parts, ", "));
}

double Printer::sharedReduction() const {
  double Largest = 0;
  if (!S.memory)
    return 0;
  for (const DeviceMemory &D : S.memory->devices) {
    uint64_t After = D.peak_bytes;
    for (const Finding &F : S.findings)
      if (F.origin == "drgpum" && F.object && F.object->kind != "pool" &&
          object(F.object->id).device == D.device)
        After -= std::min(After, F.bytes_saved);
    if (D.peak_bytes != 0 && D.peak_bytes_after && *D.peak_bytes_after < After)
      Largest = std::max(Largest, static_cast<double>(After - *D.peak_bytes_after) /
                                      static_cast<double>(D.peak_bytes));
  }
  constexpr double Least = 0.1;
  return Largest < Least ? 0 : Largest;
}

std::vector<const Finding *> Printer::listedFindings(std::string &WithoutBenefit) const {
  std::vector<const Finding *> Listed, Others;
  for (const Finding &F : S.findings)
    (Options.Top != 0 && isWithoutBenefit(F) ? Others : Listed).push_back(&F);
  if (Listed.empty() && Options.LeftOut != 0) // the filter asks for these
    return Others;
  if (Others.empty())
    return Listed;
  WithoutBenefit = fmt::format("{} without estimated benefit: {} ({} shows {})",
                               plural(Others.size(), "finding"), countsByPattern(Others),
                               Options.AllFindings, Others.size() == 1 ? "it" : "them");
  if (const double Share = sharedReduction(); Share > 0)
    WithoutBenefit +=
        fmt::format(". Fixing all findings about allocations reduces the peak memory by {}{}.",
                    Listed.empty() ? "" : "a further ", percentText(Share));
  return Listed;
}

void Printer::findings() {
  if (S.findings.empty()) {
    line("\n{}", Options.LeftOut ? fmt::format("No finding matches the filter ({} filtered out)",
                                               plural(Options.LeftOut, "finding"))
                                 : noProblem());
    return;
  }
  std::string WithoutBenefit;
  const std::vector<const Finding *> Listed = listedFindings(WithoutBenefit);
  findingsHeading(!Listed.empty());
  for (size_t I = 0; I < shown(Listed.size()); ++I)
    finding(*Listed[I]);
  if (size_t Left = Listed.size() - shown(Listed.size()))
    line("\n{}: --top 0 shows all", plural(Left, "more finding"));
  if (!WithoutBenefit.empty()) {
    Text += '\n';
    paragraph("", WithoutBenefit);
  }
}

} // namespace gmprof::text
