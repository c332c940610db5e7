//===- Options.cpp - Queries CLI11's options ------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cli/Options.h"
#include <algorithm>
#include <iterator>
#include <sstream>

namespace gmprof::cli {

std::vector<const CLI::App *> commandsOf(const CLI::App &App) {
  return App.get_subcommands([](const CLI::App *Each) { return !Each->get_name().empty(); });
}

std::vector<const CLI::Option *> optionsOf(const CLI::App &App) {
  return App.get_options([](const CLI::Option *Each) { return !Each->get_group().empty(); });
}

std::vector<std::string> optionNames(const CLI::Option &O) {
  std::vector<std::string> Names;
  for (const std::string &Name : O.get_snames())
    Names.push_back("-" + Name);
  for (const std::string &Name : O.get_lnames())
    Names.push_back("--" + Name);
  return Names;
}

/// Returns the choices that CLI11 appends to the type: TEXT:{auto,always,never}.
static std::string braces(const CLI::Option &O) {
  const std::string Type = O.get_type_name();
  const size_t Open = Type.find('{'), Close = Type.rfind('}');
  return Open == std::string::npos || Close == std::string::npos || Close < Open
             ? ""
             : Type.substr(Open + 1, Close - Open - 1);
}

std::string valueOf(const CLI::Option &O) {
  if (O.get_expected_max() == 0)
    return "";
  std::string Choices = braces(O);
  if (Choices.empty())
    return O.get_type_name().substr(0, O.get_type_name().find(':'));
  std::replace(Choices.begin(), Choices.end(), ',', '|');
  return Choices;
}

std::vector<std::string> choicesOf(const CLI::Option &O) {
  std::vector<std::string> Choices;
  std::istringstream All(braces(O));
  for (std::string Each; std::getline(All, Each, ',');)
    Choices.push_back(Each);
  return Choices;
}

bool takesFile(const CLI::Option &O) {
  static constexpr const char *Files[] = {"FILE", "DIR", "SUMMARY"};
  return std::find(std::begin(Files), std::end(Files), O.get_type_name()) != std::end(Files);
}

} // namespace gmprof::cli
