//===- CheckAnnotations.cpp - A check's result as GitHub commands ---------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints ::error file=F,line=N,title=T::MESSAGE, which GitHub Actions shows as an annotation.
// https://docs.github.com/actions/reference/workflow-commands-for-github-actions
//
//===----------------------------------------------------------------------===//

#include "report/check/Check.h"
#include "report/text/TextPrinter.h"

namespace gmprof {

using namespace summary;

namespace {

/// Escapes the value of a property, or else a message.
std::string escaped(const std::string &Text, bool Property) {
  std::string Out;
  for (char C : Text)
    if (C == '%' || C == '\n' || C == '\r' || (Property && (C == ':' || C == ',')))
      Out += fmt::format("%{:02X}", static_cast<unsigned>(C));
    else
      Out += C;
  return Out;
}

std::string command(const char *Name, const std::string &Title, const std::string &Message,
                    const std::string &File = {}, unsigned Line = 0) {
  std::string Text = fmt::format("::{} ", Name);
  if (!File.empty())
    Text += fmt::format("file={},", escaped(text::printable(File), true));
  if (!File.empty() && Line)
    Text += fmt::format("line={},", Line);
  return Text + fmt::format("title={}::{}\n", escaped(text::printable(Title), true),
                            escaped(text::printable(Message), false));
}

} // namespace

std::string checkAnnotations(const Summary &S, const CheckResult &R, const TextOptions &Options) {
  const text::Printer Names(S, Options);
  std::string Text;
  for (const CheckedFinding &Each : R.Findings) {
    const Finding &F = *Each.Found;
    // Findings that are neither selected nor worth acting on appear in the report only.
    if (!Each.fails() && (Each.Selected || F.severity == "info"))
      continue;
    const std::string File = F.source ? Names.position({F.source->file, 0}) : "";
    Text += command(Each.fails() ? "error" : "warning", Names.headlineOf(F),
                    fmt::format("{} Fix: {}", F.message, F.suggestion), File,
                    F.source ? F.source->line : 0);
  }
  for (const CheckedBudget &B : R.Budgets)
    if (!B.Holds)
      Text +=
          command("error", "budget", fmt::format("{}: it is {}", B.Budget->Text, budgetValue(B)));
  return Text + fmt::format("{}: {} of {} findings fail, {} of {} budgets broken\n",
                            R.passed() ? "passed" : "failed", R.failures(), R.Findings.size(),
                            R.brokenBudgets(), R.Budgets.size());
}

} // namespace gmprof
