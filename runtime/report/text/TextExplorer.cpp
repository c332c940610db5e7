//===- TextExplorer.cpp - Explores problems of synchronisation ------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/text/TextExplorer.h"
#include "analysis/sync/SyncFinding.h"
#include "report/text/TextStyle.h"
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace gmprof {

using analysis::seconds;
using Json = nlohmann::ordered_json;
using Group = SyncProblemGroup;
using Kind = SyncProblemGroup::Kind;
using namespace text;

namespace {

constexpr const char *KindNames[] = {"run", "api", "function", "place", "sequence", "entry"};

std::optional<double> share(const summary::Summary &S, double Seconds) {
  if (!S.sync->wall_seconds || *S.sync->wall_seconds <= 0)
    return std::nullopt;
  return Seconds / *S.sync->wall_seconds;
}

/// Formats a time as in Figure 7: 0.003311 s ( 4.30 %).
std::string time(const summary::Summary &S, double Seconds) {
  const std::optional<double> Share = share(S, Seconds);
  return fmt::format("{:.6f} s{}", Seconds, Share ? fmt::format(" ({:.2f} %)", 100 * *Share) : "");
}

class View {
public:
  View(const summary::Summary &S, const TextOptions &Options) : S(S), Options(Options) {}

  /// Returns a group with its subgroups, numbered if the user can choose from them.
  std::string page(const Group &G) const;
  /// Appends a group with all that it expands to.
  void all(const Group &G, size_t Depth, std::string &Text) const;
  std::string subsequence(const SyncSubsequence &Part,
                          const analysis::SubsequenceBenefit &Benefit) const;
  std::string wrap(const std::string &First, const std::string &Body) const {
    return wrapped(First, Body, Options.Width);
  }
  std::string rendered(const std::string &Text) const { return render(Text, Options.Color); }

  const summary::Summary &S;

private:
  std::string heading(const Group &G) const;

  const TextOptions &Options;
};

std::string View::heading(const Group &G) const {
  return G.Seconds ? time(S, *G.Seconds) + "  " + G.Title : G.Title;
}

std::string View::page(const Group &G) const {
  std::string Text = wrap("", styled(Bold, heading(G)));
  for (const std::string &Note : G.Notes)
    Text += wrap("  ", Note);
  for (size_t I = 0; I < G.Groups.size(); ++I) {
    const Group &Next = G.Groups[I];
    Text += wrap(fmt::format("{:>4}. ", I + 1), heading(Next));
    if (Next.Is == Kind::Function)
      for (const std::string &Note : Next.Notes)
        Text += wrap("        ", Note);
  }
  return Text;
}

void View::all(const Group &G, size_t Depth, std::string &Text) const {
  const std::string Indent(2 * Depth, ' ');
  Text += wrap(Indent, Depth == 0 ? styled(Bold, heading(G)) : heading(G));
  for (const std::string &Note : G.Notes)
    Text += wrap(Indent + "    ", Note);
  for (const Group &Next : G.Groups)
    all(Next, Depth + 1, Text);
}

std::string View::subsequence(const SyncSubsequence &Part,
                              const analysis::SubsequenceBenefit &Benefit) const {
  const Group Sequence = syncSequence(S, Part.Sequence - 1);
  const double Seconds = seconds(Benefit.Expected);
  std::string Text = wrap("", styled(Bold, "Time recoverable in subsequence: " + time(S, Seconds)));
  if (Benefit.Replay)
    Text += wrap("  ", fmt::format("{:.6f} s saved in the run, replayed without these problems",
                                   seconds(*Benefit.Replay)));
  for (size_t I = Part.First; I <= Part.Last; ++I)
    Text += wrap(fmt::format("{:>4}. ", I), Sequence.Groups[I - 1].Title);
  return Text;
}

Json jsonOf(std::optional<double> Number) { return Number ? Json(*Number) : Json(); }

Json json(const summary::Summary &S, const Group &G) {
  Json J;
  J["kind"] = KindNames[static_cast<size_t>(G.Is)];
  J["title"] = G.Title;
  if (G.Seconds) {
    J["seconds"] = *G.Seconds;
    J["share"] = jsonOf(share(S, *G.Seconds));
  }
  if (G.Site)
    J["site"] = *G.Site;
  if (G.Sequence)
    J["sequence"] = *G.Sequence + 1;
  J["notes"] = G.Notes;
  J["groups"] = Json::array();
  for (const Group &Next : G.Groups)
    J["groups"].push_back(json(S, Next));
  return J;
}

/// Names come from the program, and need not be UTF-8.
std::string dumped(const Json &J) {
  return J.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

constexpr char Help[] = "  NUMBER      expand that line\n"
                        "  b           back\n"
                        "  s FROM TO   what solving only these lines of a sequence saves\n"
                        "  q           quit\n";

class Explorer {
public:
  Explorer(const View &V, SubsequenceEstimates &Estimates) : V(V), Estimates(Estimates) {
    Path.push_back(syncProblemGroups(V.S));
  }
  std::string page() const { return V.page(Path.back()); }
  /// Returns the output of a command; nothing if the command ends the explorer.
  std::optional<std::string> command(const std::string &Line);

private:
  std::string expand(size_t Number);
  std::string part(std::istringstream &Words) const;

  const View &V;
  SubsequenceEstimates &Estimates;
  std::vector<Group> Path; ///< from all problems to the group shown
};

std::string Explorer::expand(size_t Number) {
  const Group &Shown = Path.back();
  if (Number == 0 || Number > Shown.Groups.size())
    return Shown.Groups.empty() ? "there is nothing to expand here: b goes back\n"
                                : fmt::format("choose 1 to {}\n", Shown.Groups.size());
  const Group &Chosen = Shown.Groups[Number - 1];
  // Expanding may move what Chosen is part of.
  Group Next = Chosen.Is == Kind::Entry ? syncPlace(V.S, *Chosen.Site) : Chosen;
  Path.push_back(std::move(Next));
  return page();
}

std::string Explorer::part(std::istringstream &Words) const {
  const Group &Shown = Path.back();
  if (!Shown.Sequence)
    return "only sequences have parts: expand one first\n";
  SyncSubsequence Part = {*Shown.Sequence + 1, 0, 0};
  if (!(Words >> Part.First >> Part.Last))
    return "say from which line to which: s 2 5\n";
  Result<analysis::SubsequenceBenefit> Benefit = Estimates.of(Part);
  return Benefit ? V.subsequence(Part, *Benefit) : Benefit.error() + '\n';
}

std::optional<std::string> Explorer::command(const std::string &Line) {
  std::istringstream Words(Line);
  std::string Word;
  Words >> Word;
  if (Word.empty())
    return page();
  if (Word == "q" || Word == "quit" || Word == "exit")
    return std::nullopt;
  if (Word == "b" || Word == "back") {
    if (Path.size() > 1)
      Path.pop_back();
    return page();
  }
  if (Word == "s")
    return part(Words);
  if (Word.size() <= 9 && Word.find_first_not_of("0123456789") == std::string::npos)
    return expand(std::stoul(Word));
  return std::string(Help);
}

} // namespace

std::string exploredText(const summary::Summary &S, const TextOptions &Options) {
  const View V(S, Options);
  std::string Text;
  V.all(syncProblemGroups(S), 0, Text);
  return V.rendered(Text);
}

std::string exploredJson(const summary::Summary &S) {
  return dumped(json(S, syncProblemGroups(S)));
}

Result<std::string> subsequenceText(const summary::Summary &S, SubsequenceEstimates &Estimates,
                                    const SyncSubsequence &Part, const TextOptions &Options) {
  Result<analysis::SubsequenceBenefit> Benefit = Estimates.of(Part);
  if (!Benefit)
    return Error{Benefit.error()};
  const View V(S, Options);
  return V.rendered(V.subsequence(Part, *Benefit));
}

Result<std::string> subsequenceJson(const summary::Summary &S, SubsequenceEstimates &Estimates,
                                    const SyncSubsequence &Part) {
  Result<analysis::SubsequenceBenefit> Benefit = Estimates.of(Part);
  if (!Benefit)
    return Error{Benefit.error()};
  const double Seconds = seconds(Benefit->Expected);
  Json J;
  J["sequence"] = Part.Sequence;
  J["first"] = Part.First;
  J["last"] = Part.Last;
  J["sites"] = Json::array();
  for (size_t I = Part.First; I <= Part.Last; ++I)
    J["sites"].push_back(S.sync->sequences[Part.Sequence - 1].entries[I - 1].site);
  J["seconds"] = Seconds;
  J["share"] = jsonOf(share(S, Seconds));
  J["replay_seconds"] = Benefit->Replay ? Json(seconds(*Benefit->Replay)) : Json();
  return dumped(J);
}

void explore(const summary::Summary &S, SubsequenceEstimates &Estimates, const TextOptions &Options,
             std::FILE *In, std::FILE *Out) {
  const View V(S, Options);
  Explorer E(V, Estimates);
  std::optional<std::string> Text = E.page() + "\n" + Help;
  std::string Line;
  while (Text) {
    std::fputs((V.rendered(*Text) + "> ").c_str(), Out);
    if (std::fflush(Out) != 0)
      return;
    Line.clear();
    int C = std::fgetc(In);
    for (; C != EOF && C != '\n'; C = std::fgetc(In))
      Line += static_cast<char>(C);
    if (C == EOF && Line.empty()) {
      std::fputs("\n", Out);
      return;
    }
    Text = E.command(Line);
  }
}

} // namespace gmprof
