//===- Options.cpp - Options of the host runtime --------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/core/Options.h"
#include "host/core/OptionTable.h"
#include <bit>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace gmprof::host {
namespace {

const Option *findOption(std::string_view Key) {
  for (const Option &O : allOptions())
    if (O.Key == Key)
      return &O;
  return nullptr;
}

bool startsOption(std::string_view Text) {
  size_t Length = Text.find_first_not_of("abcdefghijklmnopqrstuvwxyz-");
  return Length != std::string_view::npos && Length > 0 && Text[Length] == '=';
}

/// Takes the first option off Text, with \: and \\ made plain.
std::string takeOption(std::string_view &Text) {
  std::string First;
  while (!Text.empty()) {
    if (Text.substr(0, 2) == "\\:" || Text.substr(0, 2) == "\\\\") {
      First += Text[1];
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
  for (const Option &O : allOptions())
    List += (List.empty() ? "" : ", ") + std::string(O.Key);
  return List;
}

} // namespace

LaunchSampling Options::launchSampling() const {
  if (Sampling != LaunchSampling::Auto)
    return Sampling;
  const bool IsCostly = Profiles.hasAny(ProfileSet(ProfileChoice::Heat) | ProfileChoice::Cache);
  const bool TakesTurns = countsGlobalMemory() && Profiles.has(ProfileChoice::Shared);
  return (IsCostly || TakesTurns) && LaunchSample == 1 ? LaunchSampling::Doubling
                                                       : LaunchSampling::Every;
}

std::optional<SyncStage> Options::syncStage() const {
  if (!Profiles.has(ProfileChoice::Sync))
    return std::nullopt;
  return Profiles.several() ? SyncStage::Baseline : Stage;
}

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
  for (const Option &Each : allOptions()) {
    if (!Text.empty())
      Text += ':';
    Text += std::string(Each.Key) + '=';
    for (char C : Each.Get(O))
      Text += C == ':' || C == '\\' ? std::string{'\\', C} : std::string(1, C);
  }
  return Text;
}

/// Returns the same number in every run: the launch's number and its kernel's name decide.
static uint64_t randomNumber(unsigned Seed, std::string_view Kernel, uint64_t Launch) {
  const uint64_t Key[] = {Seed, Launch};
  return XXH3_64bits_withSeed(Kernel.data(), Kernel.size(), XXH3_64bits(Key, sizeof(Key)));
}

std::string outsideSample(const Options &O, std::string_view Kernel, uint64_t Launch) {
  unsigned N = O.LaunchSample;
  bool Outside = false;
  switch (O.launchSampling()) {
  case LaunchSampling::Doubling:
    Outside = !std::has_single_bit(Launch + 1);
    break;
  case LaunchSampling::Auto:
  case LaunchSampling::Every:
    Outside = Launch % N != 0;
    break;
  case LaunchSampling::First:
    Outside = Launch >= N;
    break;
  case LaunchSampling::Random:
    Outside = randomNumber(O.Seed, Kernel, Launch) % N != 0;
    break;
  }
  if (!Outside)
    return "";
  if (O.launchSampling() == LaunchSampling::Doubling)
    return "not in the sample (launch-sampling=doubling: the first, second, fourth, eighth, … of "
           "each kernel)";
  std::string How = O.launchSampling() == LaunchSampling::Every
                        ? ""
                        : ", launch-sampling=" + findOption("launch-sampling")->Get(O);
  return "not in the sample (launch-sample=" + std::to_string(N) + How + ")";
}

} // namespace gmprof::host
