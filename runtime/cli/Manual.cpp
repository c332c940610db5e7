//===- Manual.cpp - Manual of a command -----------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cli/Manual.h"
#include "cli/Options.h"
#include "report/text/TextStyle.h"
#include <algorithm>
#include <cctype>
#include <memory>
#include <sstream>

namespace gmprof::cli {

namespace {

/// Columns of --help.
constexpr size_t Columns = 80;

/// Breaks the lines of --help, and shows where the program to run goes.
class HelpFormatter : public CLI::Formatter {
  std::string make_usage(const CLI::App *App, std::string Name) const override {
    std::string Usage = Formatter::make_usage(App, std::move(Name));
    if (App->get_prefix_command())
      Usage.insert(Usage.find_last_not_of('\n') + 1, " -- PROGRAM [ARGUMENTS]");
    return Usage;
  }
  std::string make_option_desc(const CLI::Option *Option) const override {
    return broken(Option->get_description());
  }
  std::string make_subcommand(const CLI::App *Command) const override {
    std::ostringstream Out;
    CLI::detail::format_help(Out, Command->get_name(), broken(Command->get_description()),
                             get_column_width());
    return Out.str();
  }
  std::string make_footer(const CLI::App *App) const override {
    const std::string Footer = App->get_footer();
    return Footer.find('\n') != std::string::npos || Footer.size() <= Columns
               ? Formatter::make_footer(App)
               : "\n" + text::wrapped("", Footer, Columns);
  }

  std::string broken(const std::string &Description) const {
    std::string Text = text::wrapped("", Description, Columns - get_column_width());
    if (Text.ends_with('\n'))
      Text.pop_back();
    return Text;
  }
};

} // namespace

static std::string sectionText(const std::vector<ManualSection> &Sections) {
  const std::string Indent = "  ";
  std::string Text;
  for (const ManualSection &S : Sections) {
    Text += (Text.empty() ? "" : "\n") + S.Title + ":\n";
    std::istringstream Lines(S.Text);
    for (std::string Line; std::getline(Lines, Line);)
      Text += Line.starts_with(' ') ? Indent + Line + "\n" : text::wrapped(Indent, Line, Columns);
  }
  Text.pop_back(); // the caller prints the final newline
  return Text;
}

void addManual(CLI::App &App, std::vector<ManualSection> Sections) {
  const auto Help = std::make_shared<HelpFormatter>();
  App.formatter(Help);
  for (CLI::App *Each : App.get_subcommands({}))
    Each->formatter(Help);
  App.footer(sectionText(Sections));
  // CLI11's way to print a text and exit.
  App.add_flag_callback(
      "--man",
      [&App, Sections = std::move(Sections)] {
        throw CLI::CallForVersion(manPage(App, Sections), 0);
      },
      "Print the manual, for man -l -");
  App.add_option_function<std::string>(
         "--completion",
         [&App](const std::string &Shell) { throw CLI::CallForVersion(completion(App, Shell), 0); },
         "Print the completions for a shell, to be read by it")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->type_name("SHELL");
}

/// Escapes text for roff: no line becomes a request, and hyphens can be copied.
static std::string roff(const std::string &Text) {
  std::string Out;
  for (char C : Text) {
    if (C == '\\')
      Out += "\\e";
    else if (C == '-')
      Out += "\\-";
    else if ((C == '.' || C == '\'') && (Out.empty() || Out.back() == '\n'))
      Out += std::string("\\&") + C;
    else
      Out += C;
  }
  return Out;
}

/// Formats lines; those that begin with a space are examples.
static std::string roffLines(const std::string &Text) {
  std::string Out;
  std::istringstream Lines(Text);
  bool Example = false;
  for (std::string Line; std::getline(Lines, Line);) {
    const bool Is = Line.starts_with(' ');
    if (Is != Example)
      Out += Is ? ".PP\n.nf\n" : ".fi\n.PP\n";
    Example = Is;
    Out += Line.empty() ? ".PP\n" : roff(Line) + "\n";
  }
  return Out + (Example ? ".fi\n" : "");
}

static std::string optionText(const CLI::Option &O) {
  std::string Names;
  for (const std::string &Name : optionNames(O))
    Names += (Names.empty() ? "" : ", ") + ("\\fB" + roff(Name) + "\\fR");
  if (O.get_positional())
    Names = "\\fI" + roff(O.get_name(true)) + "\\fR";
  if (const std::string Value = valueOf(O); !Value.empty() && !O.get_positional())
    Names += " \\fI" + roff(Value) + "\\fR";
  std::string Text = O.get_description();
  if (const std::string Default = O.get_default_str(); !Default.empty())
    Text += " (" + Default + ")";
  return ".TP\n" + Names + "\n" + roff(Text) + "\n";
}

static std::string synopsis(const CLI::App &App, const std::string &Name) {
  std::string Line = "\\fB" + roff(Name) + "\\fR [\\fIoptions\\fR]";
  for (const CLI::Option *O : optionsOf(App))
    if (O->get_positional())
      Line += " \\fI" + roff(O->get_name(true)) + "\\fR";
  return Line;
}

std::string manPage(const CLI::App &App, const std::vector<ManualSection> &Sections) {
  const std::string &Name = App.get_name();
  std::string Upper = Name;
  std::transform(Upper.begin(), Upper.end(), Upper.begin(),
                 [](unsigned char C) { return static_cast<char>(std::toupper(C)); });
  std::string Text = ".TH " + Upper + " 1 \"\" \"GMProf " GMPROF_VERSION "\" \"GMProf\"\n";
  Text += ".SH NAME\n" + Name + " \\- " + roff(App.get_description()) + "\n";
  const std::vector<const CLI::App *> Commands = commandsOf(App);
  Text += ".SH SYNOPSIS\n" + synopsis(App, Name) + "\n";
  for (const CLI::App *Command : Commands)
    Text += ".br\n" + synopsis(*Command, Name + " " + Command->get_name()) + "\n";
  Text += ".SH OPTIONS\n";
  for (const CLI::Option *O : optionsOf(App))
    Text += optionText(*O);
  if (!Commands.empty())
    Text += ".SH COMMANDS\n";
  for (const CLI::App *Command : Commands) {
    Text += ".SS " + roff(Name + " " + Command->get_name()) + "\n" +
            roff(Command->get_description()) + ".\n";
    for (const CLI::Option *O : optionsOf(*Command))
      Text += optionText(*O);
    if (!Command->get_footer().empty())
      Text += ".PP\n" + roffLines(Command->get_footer());
  }
  for (const ManualSection &S : Sections) {
    std::string Title = S.Title;
    std::transform(Title.begin(), Title.end(), Title.begin(),
                   [](unsigned char C) { return static_cast<char>(std::toupper(C)); });
    Text += ".SH " + Title + "\n" + roffLines(S.Text);
  }
  Text.pop_back(); // the caller prints the final newline
  return Text;
}

} // namespace gmprof::cli
