//===- TextExplain.cpp - How a finding was found --------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/model/Patterns.h"
#include "report/text/TextPrinter.h"
#include <algorithm>
#include <string_view>
#include <utility>

namespace gmprof::text {

using namespace summary;

/// Returns a measured value with its unit.
static std::string valueText(const std::string &Name, const EvidenceValue &Value) {
  if (const auto *Text = std::get_if<std::string>(&Value))
    return *Text;
  if (const auto *Flag = std::get_if<bool>(&Value))
    return *Flag ? "yes" : "no";
  const auto *Whole = std::get_if<uint64_t>(&Value);
  const double Number = Whole ? static_cast<double>(*Whole) : std::get<double>(Value);
  switch (evidenceUnit(Name)) {
  case EvidenceUnit::Bytes:
    return bytesText(Number);
  case EvidenceUnit::BytesPerSecond:
    return bytesText(Number) + "/s";
  case EvidenceUnit::Seconds:
    return secondsText(Number);
  case EvidenceUnit::Percent:
    return percentText(Number);
  case EvidenceUnit::Number:
    break;
  }
  return Whole ? grouped(*Whole) : ratioText(Number);
}

/// Returns the name as words, without its unit, which is with the value. summary.json keeps the
/// names of its members; readers get the field's words.
static std::string words(std::string Name) {
  static constexpr std::pair<std::string_view, std::string_view> Replaced[] = {
      {"touched", "accessed"}, {"sm", "SM"}};
  if (Name == "bytes")
    return "size";
  for (const std::string_view Unit : {"_bytes", "_seconds"})
    if (Name.ends_with(Unit))
      Name.resize(Name.size() - Unit.size());
  std::string Text;
  for (size_t Begin = 0; Begin <= Name.size();) {
    const size_t End = std::min(Name.find('_', Begin), Name.size());
    std::string_view Word = std::string_view(Name).substr(Begin, End - Begin);
    for (const auto &[Old, New] : Replaced)
      if (Word == Old)
        Word = New;
    Text += (Begin == 0 ? "" : " ") + std::string(Word);
    Begin = End + 1;
  }
  return Text;
}

/// Returns all values of the evidence; pairs as "sectors per request 32 (ideal 4)".
static std::string measured(const Finding &F) {
  std::vector<std::string> Parts;
  for (const auto &[Name, Value] : measuredTexts(F))
    Parts.push_back(Name + " " + Value);
  return Parts.empty() ? "nothing" : fmt::format("{}", fmt::join(Parts, "; "));
}

/// Returns the limit of the severity if the finding is weighed by its kernel's share of the time.
static std::string timeLimit(const Finding &F) {
  const bool IsWeighed = std::ranges::any_of(
      F.evidence, [](const auto &Each) { return Each.first == "kernel_time_share"; });
  return IsWeighed ? "; at most low below 1 % of the kernel time, medium below 5 %" : "";
}

std::string Printer::explanation(const Finding &F) {
  const PatternInfo *Known = findPattern(F.pattern);
  line("Finding {} of {}: [{}] {}{}", F.id, S.findings.size(), F.severity,
       styled(Bold, headlineOf(F)), F.source ? "  " + position(*F.source) : "");
  paragraph("  ", F.message);
  const auto Row = [&](const char *Label, const std::string &Value) {
    paragraph(fmt::format("  {:<14}", Label), Value);
  };
  Row("Measured", measured(F));
  if (Known)
    Row("Compared with", Known->Compared);
  if (Known)
    Row("Severity", severityRule(*Known) + timeLimit(F));
  Row("Cost", costOf(F));
  Row("Fix", F.suggestion);
  Row("Found by",
      Known ? fmt::format("the check {} of gmprof run --profile {}", patternOf(F), Known->Profile)
            : patternOf(F));
  if (Known) {
    Row("Method", Known->Method);
    Row("Page", fmt::format("docs/patterns/{}.md", F.pattern));
  }
  return render(Text, Options.Color);
}

} // namespace gmprof::text

namespace gmprof {

std::vector<std::pair<std::string, std::string>> measuredTexts(const summary::Finding &F) {
  const auto Find = [&](const std::string &Name) -> const summary::EvidenceValue * {
    for (const auto &[Each, Value] : F.evidence)
      if (Each == Name)
        return &Value;
    return nullptr;
  };
  std::vector<std::pair<std::string, std::string>> Texts;
  for (const auto &[Name, Value] : F.evidence) {
    const bool IsOther = (Name.starts_with("ideal_") && Find(Name.substr(6))) ||
                         (Name.ends_with("_after") && Find(Name.substr(0, Name.size() - 6)));
    if (IsOther)
      continue;
    std::string Text = text::valueText(Name, Value);
    if (const summary::EvidenceValue *Ideal = Find("ideal_" + Name))
      Text += fmt::format(" (ideal {})", text::valueText(Name, *Ideal));
    if (const summary::EvidenceValue *After = Find(Name + "_after"))
      Text += fmt::format(" (after the fix {})", text::valueText(Name, *After));
    Texts.emplace_back(text::words(Name), std::move(Text));
  }
  return Texts;
}

std::string explanation(const summary::Summary &S, const summary::Finding &F,
                        const TextOptions &Options) {
  return text::Printer(S, Options).explanation(F);
}

} // namespace gmprof
