//===- Options.cpp - What a run is asked to do ----------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/Options.h"
#include <charconv>
#include <nlohmann/json.hpp>
#include <regex.h>

namespace gmprof::host {
namespace {

/// Each returns what is wrong with the value, or an empty string.
using Setter = std::string (*)(std::string_view, Options &);
using Getter = std::string (*)(const Options &);

struct Option {
  std::string_view Key;
  Setter Set;
  Getter Get;
};

std::string setCount(std::string_view Value, unsigned &To) {
  unsigned Number = 0;
  std::string Digits(Value);
  const char *End = Digits.data() + Digits.size();
  auto [Rest, Failure] = std::from_chars(Digits.data(), End, Number);
  if (Failure != std::errc() || Rest != End || Number == 0)
    return "must be a whole number from 1 to 4294967295";
  To = Number;
  return "";
}

std::string setFlag(std::string_view Value, bool &To) {
  if (Value != "0" && Value != "1")
    return "must be 0 or 1";
  To = Value == "1";
  return "";
}

std::string setDevice(std::string_view Value, Options &O) {
  if (Value == "auto")
    O.Device = DeviceChoice::Auto;
  else if (Value == "gpu")
    O.Device = DeviceChoice::Gpu;
  else if (Value == "cpu")
    O.Device = DeviceChoice::Cpu;
  else
    return "must be auto, gpu or cpu";
  return "";
}

std::string getDevice(const Options &O) {
  switch (O.Device) {
  case DeviceChoice::Auto:
    return "auto";
  case DeviceChoice::Gpu:
    return "gpu";
  case DeviceChoice::Cpu:
    return "cpu";
  }
  return "";
}

std::string setProfile(std::string_view Value, Options &O) {
  if (Value != "shared" && Value != "off")
    return "must be shared or off";
  O.ProfileShared = Value == "shared";
  return "";
}

std::string setOutput(std::string_view Value, Options &O) {
  if (Value.empty())
    return "must name a directory";
  O.Output = Value;
  return "";
}

std::string setKernels(std::string_view Value, Options &O) {
  std::string Regex(Value);
  std::string Why = checkRegex(Regex);
  if (Why.empty())
    O.Kernels = std::move(Regex);
  return Why;
}

const Option OptionTable[] = {
    {"profile", setProfile,
     [](const Options &O) { return std::string(O.ProfileShared ? "shared" : "off"); }},
    {"output", setOutput, [](const Options &O) { return O.Output; }},
    {"kernels", setKernels, [](const Options &O) { return O.Kernels; }},
    {"block-sample", [](std::string_view V, Options &O) { return setCount(V, O.BlockSample); },
     [](const Options &O) { return std::to_string(O.BlockSample); }},
    {"launch-sample", [](std::string_view V, Options &O) { return setCount(V, O.LaunchSample); },
     [](const Options &O) { return std::to_string(O.LaunchSample); }},
    {"device", setDevice, getDevice},
    {"quiet", [](std::string_view V, Options &O) { return setFlag(V, O.Quiet); },
     [](const Options &O) { return std::string(O.Quiet ? "1" : "0"); }},
    {"log-only", [](std::string_view V, Options &O) { return setFlag(V, O.LogOnly); },
     [](const Options &O) { return std::string(O.LogOnly ? "1" : "0"); }},
};

const Option *findOption(std::string_view Key) {
  for (const Option &O : OptionTable)
    if (O.Key == Key)
      return &O;
  return nullptr;
}

bool startsOption(std::string_view Text) {
  size_t Length = Text.find_first_not_of("abcdefghijklmnopqrstuvwxyz-");
  return Length != std::string_view::npos && Length > 0 && Text[Length] == '=';
}

/// Takes the first option off Text, with \: made plain.
std::string takeOption(std::string_view &Text) {
  std::string First;
  while (!Text.empty()) {
    if (Text.substr(0, 2) == "\\:") {
      First += ':';
      Text.remove_prefix(2);
      continue;
    }
    char C = Text.front();
    Text.remove_prefix(1);
    if (C == ':' && startsOption(Text))
      break;
    First += C;
  }
  return First;
}

std::string keyList() {
  std::string List;
  for (const Option &O : OptionTable)
    List += (List.empty() ? "" : ", ") + std::string(O.Key);
  return List;
}

} // namespace

std::vector<std::string> parseOptions(std::string_view Text, Options &Into) {
  std::vector<std::string> Mistakes;
  while (!Text.empty()) {
    std::string Item = takeOption(Text);
    if (Item.empty())
      continue;
    size_t Equals = Item.find('=');
    std::string Key = Item.substr(0, Equals);
    const Option *O = findOption(Key);
    if (Equals == std::string::npos || !O) {
      Mistakes.push_back("'" + Item + "' is not an option: write key=value with a key of " +
                         keyList());
      continue;
    }
    std::string Value = Item.substr(Equals + 1);
    std::string Why = O->Set(Value, Into);
    if (!Why.empty())
      Mistakes.push_back(Key + " " + Why + ", not '" + Value + "'");
  }
  return Mistakes;
}

std::string formatOptions(const Options &O) {
  std::string Text;
  for (const Option &Each : OptionTable) {
    if (!Text.empty())
      Text += ':';
    Text += std::string(Each.Key) + '=';
    for (char C : Each.Get(O))
      Text += C == ':' ? std::string("\\:") : std::string(1, C);
  }
  return Text;
}

std::string optionsJson(const Options &O) {
  nlohmann::json J = {{"profile", O.ProfileShared ? "shared" : "off"},
                      {"output", O.Output},
                      {"kernels", O.Kernels},
                      {"block_sample", O.BlockSample},
                      {"launch_sample", O.LaunchSample},
                      {"device", getDevice(O)}};
  return J.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string expandOutput(std::string_view Pattern, long Pid, std::string_view Host,
                         std::string_view Executable) {
  std::string Path;
  for (size_t I = 0; I < Pattern.size(); ++I) {
    char Next = Pattern[I] == '%' && I + 1 < Pattern.size() ? Pattern[I + 1] : '\0';
    if (Next == 'p')
      Path += std::to_string(Pid);
    else if (Next == 'h')
      Path += Host;
    else if (Next == 'e')
      Path += Executable;
    else if (Next == '%')
      Path += '%';
    else
      Path += Pattern[I];
    I += Next == 'p' || Next == 'h' || Next == 'e' || Next == '%';
  }
  return Path;
}

std::string checkRegex(const std::string &Text) {
  if (Text.empty())
    return "";
  regex_t Compiled;
  int Failure = regcomp(&Compiled, Text.c_str(), REG_EXTENDED | REG_NOSUB);
  if (Failure == 0) {
    regfree(&Compiled);
    return "";
  }
  char Message[128];
  regerror(Failure, &Compiled, Message, sizeof(Message));
  return std::string("must be a POSIX extended regular expression (") + Message + ")";
}

bool matchesKernel(const std::string &Regex, const std::string &Mangled,
                   const std::string &Demangled) {
  regex_t Compiled;
  if (Regex.empty() || regcomp(&Compiled, Regex.c_str(), REG_EXTENDED | REG_NOSUB) != 0)
    return true;
  bool Found = regexec(&Compiled, Mangled.c_str(), 0, nullptr, 0) == 0 ||
               regexec(&Compiled, Demangled.c_str(), 0, nullptr, 0) == 0;
  regfree(&Compiled);
  return Found;
}

} // namespace gmprof::host
