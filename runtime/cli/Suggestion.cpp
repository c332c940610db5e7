//===- Suggestion.cpp - Suggests a word for a mistyped one ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cli/Suggestion.h"
#include "cli/Options.h"
#include <algorithm>
#include <filesystem>
#include <sstream>

namespace gmprof::cli {

unsigned editDistance(const std::string &A, const std::string &B) {
  std::vector<std::vector<unsigned>> D(A.size() + 1, std::vector<unsigned>(B.size() + 1));
  for (size_t I = 0; I <= A.size(); ++I)
    for (size_t J = 0; J <= B.size(); ++J) {
      if (I == 0 || J == 0) {
        D[I][J] = static_cast<unsigned>(I + J);
        continue;
      }
      const unsigned Changed = A[I - 1] == B[J - 1] ? 0 : 1;
      D[I][J] = std::min({D[I - 1][J] + 1, D[I][J - 1] + 1, D[I - 1][J - 1] + Changed});
      if (I > 1 && J > 1 && A[I - 1] == B[J - 2] && A[I - 2] == B[J - 1])
        D[I][J] = std::min(D[I][J], D[I - 2][J - 2] + 1);
    }
  return D[A.size()][B.size()];
}

std::string nearest(const std::string &Word, const std::vector<std::string> &Candidates) {
  unsigned Least = std::max(1u, static_cast<unsigned>(Word.size() / 3)) + 1;
  std::string Nearest;
  for (const std::string &Each : Candidates)
    if (const unsigned Distance = editDistance(Word, Each); Distance < Least) {
      Least = Distance;
      Nearest = Each;
    }
  return Nearest;
}

static std::vector<std::string> longNames(const CLI::App &Command) {
  std::vector<std::string> Names;
  for (const CLI::Option *Each : optionsOf(Command))
    for (const std::string &Name : Each->get_lnames())
      Names.push_back("--" + Name);
  return Names;
}

std::string suggestChoice(const std::string &Word, const std::vector<std::string> &Choices) {
  const std::string Nearest = nearest(Word, Choices);
  return Nearest.empty() ? "" : "; did you mean " + Nearest + "?";
}

std::string suggestOption(const CLI::App &Command, const std::string &Option) {
  const std::string Name = Option.substr(0, Option.find('='));
  const std::string Nearest = Name.starts_with("--") ? nearest(Name, longNames(Command)) : "";
  return Nearest.empty() ? "" : ": did you mean " + Nearest + "?";
}

std::string suggestUsage(const CLI::App &App, const std::vector<std::string> &Arguments) {
  const CLI::App *Command = &App;
  std::vector<std::string> Commands;
  for (const CLI::App *Each : commandsOf(App))
    Commands.push_back(Each->get_name());
  bool AnyWord = false;
  for (const std::string &Each : Arguments) {
    if (Each.starts_with("--")) {
      const std::vector<std::string> Known = longNames(*Command);
      if (std::ranges::find(Known, Each.substr(0, Each.find('='))) != Known.end())
        continue;
      if (const std::string Meant = suggestOption(*Command, Each); !Meant.empty())
        return "there is no option '" + Each.substr(0, Each.find('=')) + "'" + Meant;
      continue;
    }
    if (AnyWord || Each.starts_with("-"))
      continue;
    AnyWord = true;
    std::error_code Ignored;
    if (const auto At = std::ranges::find(Commands, Each); At != Commands.end())
      Command = commandsOf(App)[static_cast<size_t>(At - Commands.begin())];
    else if (const std::string Meant = nearest(Each, Commands);
             !Meant.empty() && !std::filesystem::exists(Each, Ignored))
      return "there is no command '" + Each + "': did you mean '" + Meant + "'?";
  }
  return "";
}

/// Returns the words between braces, separated by commas.
static std::vector<std::string> wordsIn(const std::string &Braces) {
  std::vector<std::string> Words;
  std::istringstream All(Braces.substr(1, Braces.size() - 2));
  for (std::string Each; std::getline(All, Each, ',');)
    Words.push_back(Each);
  return Words;
}

/// Returns what CLI11 says, in whole sentences.
static std::string reworded(const std::string &What) {
  const std::string Refused = "Could not convert: ", Is = " = ", NotIn = " not in {",
                    Missing = " is required";
  if (const size_t At = What.find(Is); What.starts_with(Refused) && At != std::string::npos) {
    const std::string Value = What.substr(At + Is.size());
    return What.substr(Refused.size(), At - Refused.size()) + ": '" + Value +
           (Value.starts_with("-") ? "' is less than 0" : "' is no number");
  }
  const size_t Colon = What.find(": "), In = What.find(NotIn);
  if (Colon < In && In != std::string::npos && What.ends_with('}')) {
    const std::string Value = What.substr(Colon + 2, In - Colon - 2);
    const std::vector<std::string> Choices = wordsIn(What.substr(In + NotIn.size() - 1));
    std::string List;
    for (size_t I = 0; I < Choices.size(); ++I)
      List += (I == 0 ? "" : I + 1 == Choices.size() ? " or " : ", ") + Choices[I];
    return What.substr(0, Colon) + " must be " + List + ", not '" + Value + "'" +
           suggestChoice(Value, Choices);
  }
  if (!What.starts_with("-") && !What.starts_with("A ") && What.ends_with(Missing))
    return "the argument '" + What.substr(0, What.size() - Missing.size()) + "' is missing";
  return What;
}

std::string usageError(const CLI::App &App, const std::vector<std::string> &Arguments,
                       const CLI::ParseError &Error) {
  if (std::string Meant = suggestUsage(App, Arguments); !Meant.empty())
    return Meant;
  return reworded(Error.what());
}

std::string helpOf(const CLI::App &App, const std::vector<std::string> &Arguments) {
  std::string Name = App.get_name();
  for (const CLI::App *Each : commandsOf(App))
    if (std::ranges::find(Arguments, Each->get_name()) != Arguments.end()) {
      Name += " " + Each->get_name();
      break;
    }
  return " (see " + Name + " --help)";
}

} // namespace gmprof::cli
