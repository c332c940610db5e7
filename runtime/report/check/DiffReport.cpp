//===- DiffReport.cpp - Changes as text, JSON and Markdown ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/check/DiffReport.h"
#include "report/text/TextPrinter.h"
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace gmprof {

using namespace summary;
using namespace text;

namespace {

/// Formats a relative change as "-75 %"; "+" if the value was 0 before.
std::string relativeChange(const MeasureChange &M) {
  if (!M.Before || !M.After)
    return M.After ? "new" : "gone";
  if (*M.Before == *M.After)
    return "-";
  if (*M.Before == 0)
    return "+";
  const double Percent = 100 * (*M.After - *M.Before) / *M.Before;
  return std::fabs(Percent) < 10 ? fmt::format("{:+.1f} %", Percent)
                                 : fmt::format("{:+.0f} %", Percent);
}

std::string valueOf(const MeasureChange &M, const std::optional<double> &Value) {
  if (!Value)
    return "-";
  if (M.Of.Unit == Quantity::Unit::Seconds)
    return fmt::format("{:.6f} s", *Value);
  return grouped(*Value) + (M.Of.Unit == Quantity::Unit::Bytes ? " B" : "");
}

std::string nameOf(const MeasureChange &M) {
  return M.Of.Of.empty() ? M.Of.Name : fmt::format("{}({})", M.Of.Name, M.Of.Of);
}

/// Ranks changes of kernels and objects: by relative change; measures that appeared or vanished
/// first.
double importance(const MeasureChange &M) {
  if (!M.Before || !M.After)
    return HUGE_VAL;
  const double Largest = std::max(std::fabs(*M.Before), std::fabs(*M.After));
  return Largest > 0 ? std::fabs(*M.After - *M.Before) / Largest : 0;
}

/// Measures of the whole run, then the changed ones of its parts, the largest change first.
struct ShownMeasures {
  std::vector<const MeasureChange *> All;
  size_t Left = 0;
};
ShownMeasures shownMeasures(const SummaryDiff &D, size_t Top) {
  ShownMeasures Shown;
  std::vector<const MeasureChange *> Parts;
  for (const MeasureChange &M : D.Measures)
    if (M.Of.Of.empty())
      Shown.All.push_back(&M);
    else if (M.changed())
      Parts.push_back(&M);
  // Compares equal ones by address, which keeps their order in the array.
  std::sort(Parts.begin(), Parts.end(), [](const MeasureChange *A, const MeasureChange *B) {
    const double Ours = importance(*A), Theirs = importance(*B);
    return Ours != Theirs ? Ours > Theirs : A < B;
  });
  const size_t Count = Top ? std::min(Top, Parts.size()) : Parts.size();
  Shown.Left = Parts.size() - Count;
  Shown.All.insert(Shown.All.end(), Parts.begin(),
                   Parts.begin() + static_cast<std::ptrdiff_t>(Count));
  return Shown;
}

std::string runLine(const Summary &S) {
  const std::string &Start = S.run.start;
  return fmt::format("{}, {}", fmt::join(S.run.command, " "),
                     Start.size() < 19 ? Start
                                       : Start.substr(0, 10) + " " + Start.substr(11, 8) + " UTC");
}

std::string counts(const SummaryDiff &D) {
  return fmt::format("{} fixed, {} new, {} unchanged", D.Fixed.size(), D.New.size(),
                     D.Unchanged.size());
}

/// Writes the text or Markdown format.
class Writer {
public:
  Writer(const Comparison &C, const TextOptions &Options)
      : C(C), Options(Options), Before(C.Before, Options), After(C.After, Options) {}
  std::string text();
  std::string markdown();

private:
  size_t shown(size_t N) const { return Options.Top ? std::min<size_t>(N, Options.Top) : N; }
  std::string place(const Printer &Of, const Finding &F) const {
    return F.source ? Of.position(*F.source) : "";
  }
  std::string savingsChange(const Finding &A, const Finding &B) const;
  void findings(const char *Title, const std::vector<const Finding *> &Those, const Printer &Of);
  void unchanged();
  void markdownFindings(const char *Title, const std::vector<const Finding *> &Those,
                        const Printer &Of);

  const Comparison &C;
  const TextOptions &Options;
  Printer Before, After;
  std::string Text;
};

/// Returns both savings if they differ, else empty text.
std::string Writer::savingsChange(const Finding &A, const Finding &B) const {
  const std::string Then = Before.costOf(A), Now = After.costOf(B);
  return Then == Now ? "" : fmt::format("{}; before: {}", Now, Then);
}

void Writer::findings(const char *Title, const std::vector<const Finding *> &Those,
                      const Printer &Of) {
  if (Those.empty())
    return;
  Text += fmt::format("\n{}\n", styled(Bold, Title));
  for (size_t I = 0; I < shown(Those.size()); ++I) {
    const Finding &F = *Those[I];
    const std::string Where = place(Of, F);
    Text += fmt::format("  [{}] {}{}{}\n", F.severity, styled(Bold, Of.headlineOf(F)),
                        Where.empty() ? "" : "  ", Where);
    Text +=
        wrapped("    Cost: ", fmt::format("{} [{}]", Of.costOf(F), patternOf(F)), Options.Width);
  }
  if (const size_t Left = Those.size() - shown(Those.size()))
    Text += fmt::format("  and {} more: --top 0 shows all\n", Left);
}

void Writer::unchanged() {
  const auto &Those = C.Changes.Unchanged;
  if (Those.empty())
    return;
  Text += fmt::format("\n{}\n", styled(Bold, "Unchanged"));
  for (size_t I = 0; I < shown(Those.size()); ++I) {
    const auto &[A, B] = Those[I];
    const std::string Where = place(After, *B), Change = savingsChange(*A, *B);
    Text += fmt::format("  [{}] {}{}{}\n", B->severity, styled(Bold, After.headlineOf(*B)),
                        Where.empty() ? "" : "  ", Where);
    Text += wrapped("    ",
                    fmt::format("{}{}[{}]", Change.empty() ? "" : "Cost: " + Change,
                                Change.empty() ? "" : " ", patternOf(*B)),
                    Options.Width);
  }
  if (const size_t Left = Those.size() - shown(Those.size()))
    Text += fmt::format("  and {} more: --top 0 shows all\n", Left);
}

std::string Writer::text() {
  Text = wrapped("before  ", runLine(C.Before), Options.Width);
  Text += wrapped("after   ", runLine(C.After), Options.Width);
  for (const std::string &Note : C.Changes.Notes)
    Text += wrapped("  - ", Note, Options.Width);
  Text += fmt::format("\n{}\n", styled(Bold, "Findings: " + counts(C.Changes)));
  findings("Fixed", C.Changes.Fixed, Before);
  findings("New", C.Changes.New, After);
  unchanged();

  Text += '\n';
  Table T({0});
  T.add({"", "before", "after", "change"});
  const ShownMeasures Measures = shownMeasures(C.Changes, Options.Top);
  for (const MeasureChange *M : Measures.All)
    T.add({nameOf(*M), valueOf(*M, M->Before), valueOf(*M, M->After), relativeChange(*M)});
  Text += T.text("  ");
  if (Measures.Left)
    Text += fmt::format("  and {} of kernels and objects that changed: --top 0 shows all\n",
                        Measures.Left);
  return render(Text, Options.Color);
}

void Writer::markdownFindings(const char *Title, const std::vector<const Finding *> &Those,
                              const Printer &Of) {
  if (Those.empty())
    return;
  Text += fmt::format("\n**{}**\n\n", Title);
  for (size_t I = 0; I < shown(Those.size()); ++I) {
    const Finding &F = *Those[I];
    const std::string Where = place(Of, F);
    Text += "- " +
            text::markdown(fmt::format("{}: {}{}{}; cost: {} [{}]", F.severity, Of.headlineOf(F),
                                       Where.empty() ? "" : " at ", Where, Of.costOf(F),
                                       patternOf(F))) +
            "\n";
  }
  if (const size_t Left = Those.size() - shown(Those.size()))
    Text += fmt::format("- and {} more\n", Left);
}

std::string Writer::markdown() {
  Text = fmt::format("## GMProf: {}\n\n", counts(C.Changes));
  Text += fmt::format("before: {}\\\nafter: {}\n", text::markdown(runLine(C.Before)),
                      text::markdown(runLine(C.After)));
  if (!C.Changes.Notes.empty())
    Text += '\n';
  for (const std::string &Note : C.Changes.Notes)
    Text += "- " + text::markdown(Note) + "\n";
  markdownFindings("Fixed", C.Changes.Fixed, Before);
  markdownFindings("New", C.Changes.New, After);
  std::vector<const Finding *> Same;
  for (const auto &[A, B] : C.Changes.Unchanged)
    Same.push_back(B);
  markdownFindings("Unchanged", Same, After);
  Text += "\n| | before | after | change |\n| --- | ---: | ---: | ---: |\n";
  const ShownMeasures Measures = shownMeasures(C.Changes, Options.Top);
  for (const MeasureChange *M : Measures.All)
    Text += fmt::format("| {} | {} | {} | {} |\n", text::markdown(nameOf(*M)),
                        valueOf(*M, M->Before), valueOf(*M, M->After), relativeChange(*M));
  if (Measures.Left)
    Text += fmt::format("\nand {} of kernels and objects that changed\n", Measures.Left);
  return Text;
}

using Json = nlohmann::ordered_json;

Json jsonOf(const Finding &F) {
  Json J;
  J["fingerprint"] = F.fingerprint;
  J["id"] = F.id;
  J["severity"] = F.severity;
  J["pattern"] = F.pattern;
  J["kind"] = F.kind;
  J["object"] = F.object ? Json(F.object->name) : Json();
  J["kernel"] = F.kernel ? Json(F.kernel->name) : Json();
  J["source"] = F.source ? Json{{"file", F.source->file}, {"line", F.source->line}} : Json();
  J["bytes_saved"] = F.bytes_saved;
  J["seconds_saved"] = F.seconds_saved ? Json(*F.seconds_saved) : Json();
  J["message"] = F.message;
  return J;
}

Json jsonOf(const Summary &S) {
  return {{"command", S.run.command},
          {"start", S.run.start},
          {"device", S.devices.empty() ? "" : S.devices.front().name},
          {"whole", S.coverage.whole}};
}

Json jsonOf(const std::vector<const Finding *> &Those) {
  Json J = Json::array();
  for (const Finding *F : Those)
    J.push_back(jsonOf(*F));
  return J;
}

const char *unitName(Quantity::Unit U) {
  return U == Quantity::Unit::Bytes ? "bytes" : U == Quantity::Unit::Seconds ? "seconds" : "";
}

} // namespace

std::string diffText(const Comparison &C, const TextOptions &Options) {
  return Writer(C, Options).text();
}

std::string diffMarkdown(const Comparison &C, const TextOptions &Options) {
  return Writer(C, Options).markdown();
}

std::string diffJson(const Comparison &C) {
  Json J;
  J["schema"] = "gmprof.diff/1";
  J["before"] = jsonOf(C.Before);
  J["after"] = jsonOf(C.After);
  J["notes"] = C.Changes.Notes;
  J["fixed"] = jsonOf(C.Changes.Fixed);
  J["new"] = jsonOf(C.Changes.New);
  J["unchanged"] = Json::array();
  for (const auto &[A, B] : C.Changes.Unchanged)
    J["unchanged"].push_back({{"before", jsonOf(*A)}, {"after", jsonOf(*B)}});
  J["measures"] = Json::array();
  for (const MeasureChange &M : C.Changes.Measures)
    J["measures"].push_back({{"name", M.Of.Name},
                             {"of", M.Of.Of},
                             {"unit", unitName(M.Of.Unit)},
                             {"before", M.Before ? Json(*M.Before) : Json()},
                             {"after", M.After ? Json(*M.After) : Json()}});
  return J.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace gmprof
