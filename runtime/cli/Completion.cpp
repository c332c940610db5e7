//===- Completion.cpp - Completions of a command --------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bash script finds the subcommand among the preceding words, then the value of the preceding
// option. zsh reads the bash script through bashcompinit; fish has one line per option.
//
//===----------------------------------------------------------------------===//

#include "cli/Manual.h"
#include "cli/Options.h"
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gmprof::cli {
namespace {

/// Returns the bash cases for words that follow an option of the command.
std::string bashValues(const CLI::App &Command, const std::string &Sub) {
  std::string Text;
  for (const CLI::Option *O : optionsOf(Command)) {
    std::vector<std::string> Patterns;
    if (O->get_expected_max() != 0)
      for (const std::string &Name : optionNames(*O))
        Patterns.push_back(fmt::format("'{} {}'", Sub, Name));
    if (Patterns.empty())
      continue;
    const std::vector<std::string> Choices = choicesOf(*O);
    Text +=
        fmt::format("    {})\n      {}return ;;\n", fmt::join(Patterns, " | "),
                    !Choices.empty() ? fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$word\")); ",
                                                   fmt::join(Choices, " "))
                    : takesFile(*O)  ? "COMPREPLY=($(compgen -f -- \"$word\")); "
                                     : "");
  }
  return Text;
}

std::string bashOptions(const CLI::App &Command, const std::string &Sub) {
  std::vector<std::string> Names;
  for (const CLI::Option *O : optionsOf(Command))
    for (const std::string &Name : optionNames(*O))
      Names.push_back(Name);
  return fmt::format("      '{}') words='{}' ;;\n", Sub, fmt::join(Names, " "));
}

std::string bash(const CLI::App &App) {
  std::vector<std::string> Names;
  std::string Values = bashValues(App, ""), Options = bashOptions(App, "");
  for (const CLI::App *Command : commandsOf(App)) {
    Names.push_back(Command->get_name());
    Values += bashValues(*Command, Command->get_name());
    Options += bashOptions(*Command, Command->get_name());
  }
  const std::string &Name = App.get_name();
  return fmt::format(R"(_{0}() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command= words= i
  if [[ $word == = ]]; then
    word=
  elif [[ $before == = ]]; then
    before=${{COMP_WORDS[COMP_CWORD-2]}}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${{COMP_WORDS[i]}} in
    --)
      COMPREPLY=($(compgen -f -- "$word"))
      [[ $before == -- && $word != */* ]] && COMPREPLY+=($(compgen -c -- "$word"))
      return ;;
    {1})
      [[ $command ]] || command=${{COMP_WORDS[i]}} ;;
    esac
  done
  case "$command $before" in
{2}  esac
  if [[ $word == -* ]]; then
    case $command in
{3}    esac
    COMPREPLY=($(compgen -W "$words" -- "$word"))
    return
  fi
  COMPREPLY=($(compgen -f -- "$word"))
  [[ $command ]] || COMPREPLY+=($(compgen -W '{4}' -- "$word"))
}}
complete -o filenames -F _{0} {0})",
                     Name, fmt::join(Names, " | "), Values, Options, fmt::join(Names, " "));
}

/// Quotes a word in single quotes for fish.
std::string fishQuoted(const std::string &Text) {
  std::string Out = "'";
  for (char C : Text)
    Out += C == '\'' || C == '\\' ? std::string("\\") + C : std::string(1, C);
  return Out + "'";
}

std::string fishOptions(const CLI::App &Command, const std::string &Begin) {
  std::string Text;
  for (const CLI::Option *O : optionsOf(Command)) {
    if (O->get_positional())
      continue;
    Text += Begin;
    for (const std::string &Name : O->get_snames())
      Text += " -s " + Name;
    for (const std::string &Name : O->get_lnames())
      Text += " -l " + Name;
    const std::vector<std::string> Choices = choicesOf(*O);
    if (!Choices.empty())
      Text += fmt::format(" -x -a '{}'", fmt::join(Choices, " "));
    else if (O->get_expected_max() != 0)
      Text += takesFile(*O) ? " -r -F" : " -x";
    Text += " -d " + fishQuoted(O->get_description()) + "\n";
  }
  return Text;
}

std::string fish(const CLI::App &App) {
  const std::string &Name = App.get_name();
  std::string Text = fishOptions(App, fmt::format("complete -c {} -n __fish_use_subcommand", Name));
  for (const CLI::App *Command : commandsOf(App)) {
    Text += fmt::format("complete -c {} -n __fish_use_subcommand -a {} -d {}\n", Name,
                        Command->get_name(), fishQuoted(Command->get_description()));
    Text += fishOptions(*Command, fmt::format("complete -c {} -n '__fish_seen_subcommand_from {}'",
                                              Name, Command->get_name()));
  }
  Text.pop_back();
  return Text;
}

} // namespace

std::string completion(const CLI::App &App, const std::string &Shell) {
  if (Shell == "fish")
    return fish(App);
  if (Shell == "zsh")
    // Calling compinit again would drop the completions of other commands.
    return "(( $+functions[compdef] )) || { autoload -U +X compinit && compinit; }\n"
           "autoload -U +X bashcompinit && bashcompinit\n" +
           bash(App);
  return bash(App);
}

} // namespace gmprof::cli
