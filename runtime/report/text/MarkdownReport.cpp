//===- MarkdownReport.cpp - A one-page summary in Markdown ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes GitHub's flavour, for comments and job summaries. Special characters in names and messages
// are escaped, so that they are shown verbatim.
//
//===----------------------------------------------------------------------===//

#include "report/text/TextPrinter.h"
#include <algorithm>

namespace gmprof::text {

using namespace summary;

std::string markdown(const std::string &Text) {
  std::string Out;
  for (char C : printable(Text))
    switch (C) {
    case '&':
      Out += "&amp;";
      break;
    case '<':
      Out += "&lt;";
      break;
    case '>':
      Out += "&gt;";
      break;
    case '@': // would mention a user
      Out += "&#64;";
      break;
    case '\\':
    case '`':
    case '*':
    case '_':
    case '[':
    case ']':
    case '|':
    case '#':
    case '~':
      Out += '\\';
      [[fallthrough]];
    default:
      Out += C;
    }
  return Out;
}

std::string Printer::markdownReport() {
  const std::vector<std::string> Head = headLines();
  line("## {}\n", markdown(Head.front()));
  for (size_t I = 1; I < Head.size(); ++I)
    line("{}{}", markdown(Head[I]), I + 1 < Head.size() ? "\\" : "");
  if (!S.coverage.whole) {
    line("\n**Not covered:**\n");
    for (const std::string &Item : missing(/*Brief=*/false))
      line("- {}", markdown(Item));
  }
  if (const std::vector<Figure> Figures = figures(); !Figures.empty()) {
    line("\n| | |\n| --- | --- |");
    for (const auto &[Label, Value] : Figures)
      line("| {} | {} |", Label, markdown(Value));
  }
  if (S.findings.empty()) {
    line("\n{}", Options.LeftOut ? fmt::format("No finding matches the filter ({} filtered out)",
                                               plural(Options.LeftOut, "finding"))
                                 : noProblem());
    return Text;
  }
  std::string WithoutBenefit;
  std::vector<const Finding *> Listed = listedFindings(WithoutBenefit);
  const size_t Left = Listed.size() - shown(Listed.size());
  Listed.resize(Listed.size() - Left);
  if (!Listed.empty())
    line(
        "\n| | severity | finding | at | pattern | cost |\n| ---: | --- | --- | --- | --- | --- |");
  for (const Finding *F : Listed)
    line("| {} | {} | {} | {} | {} | {} |", F->id, markdown(F->severity), markdown(headlineOf(*F)),
         markdown(F->source ? position(*F->source) : ""), markdown(patternOf(*F)),
         markdown(costOf(*F)));
  if (Left != 0)
    line("\n{}", plural(Left, "more finding"));
  if (!WithoutBenefit.empty())
    line("\n{}", markdown(WithoutBenefit));
  if (Listed.empty())
    return Text;
  line("\n<details><summary>Causes and fixes</summary>\n");
  for (const Finding *F : Listed)
    line("{}. **{}**: {}\n\n   Fix: {}\n", F->id, markdown(headlineOf(*F)), markdown(F->message),
         markdown(F->suggestion));
  line("</details>");
  return Text;
}

} // namespace gmprof::text

namespace gmprof {

std::string markdownReport(const summary::Summary &S, const TextOptions &Options) {
  return text::Printer(S, Options).markdownReport();
}

} // namespace gmprof
