//===- Flags.cpp - The command line of gmprof-clang++ ---------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flags.h"
#include "FlagTable.h"
#include <algorithm>
#include <filesystem>
#include <set>

namespace gmprof::driver {

namespace {

Language languageOfName(std::string_view Name) {
  if (Name == "cuda" || Name == "cuda-cpp-output")
    return Language::Cuda;
  return Language::Other;
}

Language languageOfFile(const std::string &File) {
  static const std::set<std::string> Sources = {".c",   ".C",   ".cc", ".cp", ".cpp", ".cxx",
                                                ".CPP", ".c++", ".i",  ".m",  ".mm",  ".ii",
                                                ".s",   ".S",   ".sx", ".ll", ".bc",  ".cppm"};
  std::string Extension = std::filesystem::path(File).extension();
  if (Extension == ".cu" || Extension == ".cui")
    return Language::Cuda;
  return Sources.count(Extension) || File == "-" ? Language::Other : Language::None;
}

bool isObjectOrLibrary(const std::string &File) {
  static const std::set<std::string> Extensions = {".o", ".obj", ".a", ".so", ".lo"};
  return Extensions.count(std::filesystem::path(File).extension()) ||
         File.find(".so.") != std::string::npos;
}

/// Finds the entry for an argument and splits off its value. The longest name
/// wins: -lineinfo is not the library ineinfo.
struct Match {
  const Flag *Entry = nullptr;
  std::string Name;
  std::string Value;
  bool NeedsNext = false;
};

void tryName(const Flag &F, std::string_view Name, const std::string &Argument, Match &Best) {
  if (!Argument.starts_with(Name) || Name.size() < Best.Name.size())
    return;
  std::string_view Rest = std::string_view(Argument).substr(Name.size());
  bool IsWhole = Rest.empty();
  bool HasEquals = Rest.starts_with("=");
  switch (F.Takes) {
  case Value::None:
    if (IsWhole)
      Best = {&F, std::string(Name), {}, false};
    return;
  case Value::Separated:
    if (IsWhole)
      Best = {&F, std::string(Name), {}, true};
    return;
  case Value::Equals:
    if (HasEquals)
      Best = {&F, std::string(Name), std::string(Rest.substr(1)), false};
    return;
  case Value::Either:
    if (IsWhole || HasEquals)
      Best = {&F, std::string(Name), std::string(IsWhole ? Rest : Rest.substr(1)), IsWhole};
    return;
  case Value::Joined:
    Best = {&F, std::string(Name), std::string(Rest), IsWhole};
    return;
  case Value::Glued:
    Best = {&F, std::string(Name), std::string(Rest), false};
    return;
  }
}

Match findFlag(const std::string &Argument) {
  Match Best;
  for (const Flag &F : flags())
    for (std::string_view Names = F.Names; !Names.empty();) {
      size_t End = std::min(Names.find(' '), Names.size());
      tryName(F, Names.substr(0, End), Argument, Best);
      Names.remove_prefix(std::min(End + 1, Names.size()));
    }
  return Best;
}

} // namespace

void Parser::addInput(const std::string &File) {
  Item Input{Use::Input, {File}, languageOfFile(File), {}};
  if (File.ends_with("libcudart_static.a"))
    Result.Errors.push_back(File + ": " + StaticCudart);
  if (!ForcedLanguage.empty() && !isObjectOrLibrary(File)) {
    Input.Lang = languageOfName(ForcedLanguage);
    Input.ForcedLanguage = ForcedLanguage;
  }
  Result.Items.push_back(std::move(Input));
}

CommandLine parse(const std::vector<std::string> &Arguments) {
  Parser P;
  bool OnlyInputs = false; // after --
  for (size_t I = 0; I < Arguments.size(); ++I) {
    const std::string &Argument = Arguments[I];
    if (OnlyInputs || Argument == "-" || !Argument.starts_with("-")) {
      P.addInput(Argument);
      continue;
    }
    if (Argument == "--") {
      OnlyInputs = true;
      continue;
    }
    Match Found = findFlag(Argument);
    if (!Found.Entry) {
      P.add(Use::Always, {Argument});
      continue;
    }
    if (Found.NeedsNext) {
      if (I + 1 == Arguments.size()) {
        P.Result.Errors.push_back(Argument + " needs a value");
        break;
      }
      Found.Value = Arguments[++I];
    }
    Found.Entry->Do(P, *Found.Entry, Found.Name, Found.Value);
  }
  for (const Item &I : P.Result.Items)
    if (I.Words.front().starts_with("-O"))
      P.Result.OptimisedDevice = I.Words.front() != "-O0" && !P.UnoptimisedDevice;
  if (P.UnoptimisedDevice) // the last one holds
    P.add(Use::Device, {"-Xarch_device", "-O0"});
  // -arch=compute_90 alone stands for code that runs there.
  if (!P.Result.VirtualArch.empty() && P.Result.Archs.empty())
    addCodes(P, "-arch", P.Result.VirtualArch);
  return P.Result;
}

} // namespace gmprof::driver
