//===- CheckSarif.cpp - A check's result as SARIF -------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// OASIS Static Analysis Results Interchange Format 2.1.0. A rule is a pattern and its kind. Ids of
// rules are stable across versions, fingerprints across runs.
//
//===----------------------------------------------------------------------===//

#include "report/check/Check.h"
#include "report/model/Patterns.h"
#include "report/model/RunProfiles.h"
#include "report/text/TextPrinter.h"
#include <map>
#include <nlohmann/json.hpp>

namespace gmprof {

using namespace summary;
using Json = nlohmann::ordered_json;

namespace {

/// Percent-encodes a path (RFC 3986).
std::string uri(const std::string &Path) {
  std::string Out;
  for (char C : Path) {
    const bool Plain = (C >= 'a' && C <= 'z') || (C >= 'A' && C <= 'Z') || (C >= '0' && C <= '9') ||
                       std::string_view("-._~/").find(C) != std::string_view::npos;
    Out += Plain ? std::string(1, C) : fmt::format("%{:02X}", static_cast<unsigned char>(C));
  }
  return Path.starts_with('/') ? "file://" + Out : Out;
}

const char *levelOf(const std::string &Severity) {
  return Severity == "high" ? "error" : Severity == "medium" ? "warning" : "note";
}

class Log {
public:
  Log(const Summary &S, const CheckResult &R, const TextOptions &Options)
      : S(S), R(R), Names(S, Options) {}
  std::string text();

private:
  /// Returns the number of a rule, which it adds if it is new. Page: documentation page with
  /// details.
  size_t rule(const std::string &Id, const std::string &Name, const char *Description,
              const std::string &Page);
  Json physical(const Source &Of) const;
  Json location(const Finding &F) const;
  Json stacks(const Finding &F) const;
  Json result(const CheckedFinding &Each);
  Json result(const CheckedBudget &B);

  const Summary &S;
  const CheckResult &R;
  const text::Printer Names;
  Json Rules = Json::array();
  std::map<std::string, size_t> RuleOf;
};

size_t Log::rule(const std::string &Id, const std::string &Name, const char *Description,
                 const std::string &Page) {
  const auto [At, IsNew] = RuleOf.try_emplace(Id, Rules.size());
  if (IsNew)
    Rules.push_back({{"id", Id},
                     {"name", Name},
                     {"shortDescription", {{"text", Description}}},
                     {"help", {{"text", fmt::format("See docs/{} of GMProf.", Page)}}}});
  return At->second;
}

Json Log::physical(const Source &Of) const {
  // Relative to the source folder if the file is in it.
  std::string Path = Names.position({Of.file, 0});
  if (Path.starts_with("../"))
    Path = Of.file;
  Json Artifact = {{"uri", uri(Path)}};
  if (!Path.starts_with('/'))
    Artifact["uriBaseId"] = "%SRCROOT%";
  Json Where = {{"artifactLocation", Artifact}};
  if (Of.line)
    Where["region"] = {{"startLine", Of.line}};
  return Where;
}

Json Log::location(const Finding &F) const {
  Json Where = Json::object();
  if (F.source)
    Where["physicalLocation"] = physical(*F.source);
  Json Logical = Json::array();
  if (F.kernel)
    Logical.push_back({{"name", shortName(F.kernel->name)},
                       {"fullyQualifiedName", F.kernel->name},
                       {"kind", "function"}});
  if (F.object && !F.object->name.empty())
    Logical.push_back({{"name", F.object->name}, {"kind", "variable"}});
  if (!Logical.empty())
    Where["logicalLocations"] = Logical;
  return Where;
}

/// Returns the call path of the finding's subject, or the chains by which its line was inlined.
Json Log::stacks(const Finding &F) const {
  const auto Frame = [&](const Source &Of) {
    return Json{{"location", {{"physicalLocation", physical(Of)}}}};
  };
  Json Stacks = Json::array();
  if (!F.call_path.empty()) {
    Json Frames = Json::array();
    for (const Source &Each : F.call_path)
      Frames.push_back(Frame(Each));
    Stacks.push_back({{"frames", std::move(Frames)}});
  }
  for (const InlineChain &Chain : F.inlined_at) {
    Json Frames = Json::array({Frame(*F.source)});
    for (const InlinedCall &Call : Chain)
      if (Call.source)
        Frames.push_back(Frame(*Call.source));
    Stacks.push_back({{"message", {{"text", "inlined: " + text::inlinePath(Chain)}}},
                      {"frames", std::move(Frames)}});
  }
  return Stacks;
}

Json Log::result(const CheckedFinding &Each) {
  const Finding &F = *Each.Found;
  const PatternInfo *Known = findPattern(F.pattern);
  const std::string Id = text::patternOf(F);
  Json To;
  To["ruleId"] = Id;
  To["ruleIndex"] =
      Known ? rule(Id, Known->Title, Known->Description, fmt::format("patterns/{}.md", F.pattern))
            : rule(Id, F.pattern, "A finding of GMProf.", "patterns.md");
  To["level"] = levelOf(F.severity);
  To["message"] = {
      {"text", fmt::format("{}: {} Fix: {}", Names.headlineOf(F), F.message, F.suggestion)}};
  if (Json Where = location(F); !Where.empty())
    To["locations"] = Json::array({Where});
  if (Json Stacks = stacks(F); !Stacks.empty())
    To["stacks"] = std::move(Stacks);
  To["partialFingerprints"] = {{"gmprofFingerprint/v1", F.fingerprint}};
  if (R.HasBaseline)
    To["baselineState"] = Each.InBaseline ? "unchanged" : "new";
  if (Each.Suppressed != CheckedFinding::None) {
    const Suppression &By = R.Suppressions[Each.Suppressed];
    To["suppressions"] = Json::array(
        {{{"kind", "external"}, {"justification", By.Reason.empty() ? By.Text : By.Reason}}});
  }
  Json Properties = {{"severity", F.severity}, {"bytesSaved", F.bytes_saved}};
  if (F.seconds_saved)
    Properties["secondsSaved"] = *F.seconds_saved;
  Properties["fails"] = Each.fails();
  To["properties"] = Properties;
  return To;
}

Json Log::result(const CheckedBudget &B) {
  Json To;
  To["ruleId"] = "budget";
  To["ruleIndex"] = rule("budget", "budget", "A number is outside its budget.", "report.md");
  To["level"] = "error";
  To["message"] = {{"text", fmt::format("{}: it is {}", B.Budget->Text, budgetValue(B))}};
  To["partialFingerprints"] = {{"gmprofBudget/v1", B.Budget->Text}};
  return To;
}

std::string Log::text() {
  Json Results = Json::array();
  for (const CheckedFinding &Each : R.Findings)
    Results.push_back(result(Each));
  for (const CheckedBudget &B : R.Budgets)
    if (!B.Holds)
      Results.push_back(result(B));
  Json Run;
  Run["tool"] = {
      {"driver", {{"name", "GMProf"}, {"version", S.tool.version}, {"rules", std::move(Rules)}}}};
  // Distinguishes analyses of several profiles of one commit.
  Run["automationDetails"] = {{"id", fmt::format("gmprof/{}/", RunProfiles(S).text())}};
  Run["columnKind"] = "utf16CodeUnits";
  Run["results"] = std::move(Results);
  Json J;
  J["$schema"] = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/"
                 "sarif-schema-2.1.0.json";
  J["version"] = "2.1.0";
  J["runs"] = Json::array({std::move(Run)});
  return J.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace

std::string checkSarif(const Summary &S, const CheckResult &R, const TextOptions &Options) {
  return Log(S, R, Options).text();
}

} // namespace gmprof
