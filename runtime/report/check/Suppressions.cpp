//===- Suppressions.cpp - Suppressed findings of a check ------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/check/Suppressions.h"
#include "report/model/CallPaths.h"
#include "report/model/Patterns.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <string_view>

namespace gmprof {

using summary::Finding;
using summary::Summary;

static std::string trimmed(const std::string &Line) {
  const size_t Begin = Line.find_first_not_of(" \t\r");
  return Begin == std::string::npos
             ? ""
             : Line.substr(Begin, Line.find_last_not_of(" \t\r") - Begin + 1);
}

static Result<Suppression> parseLine(const std::string &Line) {
  Suppression S;
  S.Text = Line;
  const size_t Colon = Line.find(':');
  if (Colon == std::string::npos || Colon + 1 == Line.size())
    return Error{"write it as PATTERN:TEMPLATE, as memory_leak:d_table"};
  S.Pattern = Line.substr(0, Colon);
  S.Template = Line.substr(Colon + 1);
  if (S.Pattern == "fingerprint") {
    S.OfFingerprint = true;
    S.Pattern.clear();
    return S;
  }
  if (const size_t Slash = S.Pattern.find('/'); Slash != std::string::npos) {
    S.Kind = S.Pattern.substr(Slash + 1);
    S.Pattern.resize(Slash);
  }
  if (S.Pattern == "any")
    S.Pattern.clear();
  else if (!findPattern(S.Pattern))
    return Error{"there is no pattern named '" + S.Pattern + "'; any stands for all of them"};
  return S;
}

Result<std::vector<Suppression>> parseSuppressions(const std::string &Text,
                                                   const std::string &Name) {
  std::vector<Suppression> All;
  std::istringstream In(Text);
  std::string Line, Reason;
  bool InReason = false;
  for (size_t Number = 1; std::getline(In, Line); ++Number) {
    Line = trimmed(Line);
    if (Line.empty()) {
      Reason.clear();
      continue;
    }
    if (Line[0] == '#') {
      const std::string Words = trimmed(Line.substr(1));
      Reason = InReason && !Reason.empty() ? Reason + " " + Words : Words;
      InReason = true;
      continue;
    }
    InReason = false;
    Result<Suppression> S = parseLine(Line);
    if (!S)
      return Error{fmt::format("'{}', line {}: {}", Name, Number, S.error())};
    S->Reason = Reason;
    All.push_back(std::move(*S));
  }
  return All;
}

Result<std::vector<Suppression>> readSuppressions(const std::string &Path) {
  std::ifstream In(Path, std::ios::binary);
  std::ostringstream Text;
  if (!In)
    return Error{"cannot read '" + Path + "': " + std::strerror(errno)};
  Text << In.rdbuf();
  if (In.bad())
    return Error{"cannot read '" + Path + "': " + std::strerror(EIO)};
  return parseSuppressions(Text.str(), Path);
}

bool matchesTemplate(const std::string &Text, const std::string &Template) {
  std::string_view Rest = Template;
  const bool AtBegin = Rest.starts_with('^');
  const bool AtEnd = Rest.ends_with('$');
  if (AtBegin)
    Rest.remove_prefix(1);
  if (AtEnd && !Rest.empty())
    Rest.remove_suffix(1);
  size_t Position = 0;
  bool First = true;
  while (true) {
    const size_t Star = Rest.find('*');
    const std::string_view Piece = Rest.substr(0, Star);
    const bool Last = Star == std::string_view::npos;
    if (Last && AtEnd) {
      // The last piece must end the text; if it is also the first, it must be the whole text.
      const bool Fixed = First && AtBegin;
      return Text.size() >= Position + Piece.size() && std::string_view(Text).ends_with(Piece) &&
             (!Fixed || Text.size() == Piece.size());
    }
    const size_t At = First && AtBegin
                          ? (std::string_view(Text).starts_with(Piece) ? 0 : std::string::npos)
                          : Text.find(Piece, Position);
    if (At == std::string::npos)
      return false;
    if (Last)
      return true;
    Position = At + Piece.size();
    Rest.remove_prefix(Star + 1);
    First = false;
  }
}

bool suppresses(const Suppression &By, const std::string &Pattern, const Finding &F,
                const Summary &S) {
  if (By.OfFingerprint)
    return F.fingerprint == By.Template;
  const std::string Kind = Pattern == F.pattern ? F.kind : "";
  if ((!By.Pattern.empty() && Pattern != By.Pattern) || (!By.Kind.empty() && Kind != By.Kind))
    return false;
  const auto Matches = [&](const std::string &Name) {
    return !Name.empty() && matchesTemplate(Name, By.Template);
  };
  if ((F.object && Matches(F.object->name)) || (F.kernel && Matches(F.kernel->name)) ||
      (F.source && Matches(F.source->file)))
    return true;
  if (std::any_of(F.call_path.begin(), F.call_path.end(),
                  [&](const summary::Source &Each) { return Matches(Each.file); }))
    return true;
  if (F.site && S.sync && *F.site < S.sync->sites.size()) {
    const summary::SyncSite &Site = S.sync->sites[*F.site];
    if (Matches(Site.api))
      return true;
    for (const summary::Frame &Each : summary::callPath(S, Site.call_path))
      if (Matches(Each.function) || Matches(Each.image))
        return true;
  }
  // An object without a name only matches "*".
  return By.Template == "*";
}

} // namespace gmprof
