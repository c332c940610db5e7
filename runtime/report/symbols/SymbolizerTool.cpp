//===- SymbolizerTool.cpp - The gmprof-symbolizer program -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Symbolizer.h for input and output.
//
//===----------------------------------------------------------------------===//

#include "llvm/ADT/StringExtras.h"
#include "llvm/DebugInfo/Symbolize/Symbolize.h"
#include "llvm/Object/BuildID.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <iostream>
#include <map>
#include <string>

using namespace llvm;

/// Returns the file's build id; "-" if it has none, empty if unreadable.
static std::string buildIdOf(const std::string &Path) {
  Expected<object::OwningBinary<object::ObjectFile>> File =
      object::ObjectFile::createObjectFile(Path);
  if (!File) {
    consumeError(File.takeError());
    return "";
  }
  object::BuildIDRef Id = object::getBuildID(File->getBinary());
  return Id.empty() ? "-" : toHex(Id, /*LowerCase=*/true);
}

static std::string known(const std::string &Text) {
  return Text == DILineInfo::BadString ? "" : json::fixUTF8(Text);
}

static json::Value frames(const DIInliningInfo &Info) {
  json::Array Frames;
  for (uint32_t I = 0; I < Info.getNumberOfFrames(); ++I) {
    const DILineInfo &Line = Info.getFrame(I);
    if (Line)
      Frames.push_back(json::Array{known(Line.FunctionName), known(Line.FileName),
                                   int64_t(Line.Line), int64_t(Line.Column)});
  }
  return Frames;
}

int main() {
  symbolize::LLVMSymbolizer Symbolizer;
  std::map<std::string, std::string> BuildIds;
  std::string BuildId, Address, Path;
  while (std::getline(std::getline(std::getline(std::cin, BuildId, ' '), Address, ' '), Path)) {
    auto [It, New] = BuildIds.try_emplace(Path);
    if (New)
      It->second = buildIdOf(Path);
    json::Value Answer = nullptr;
    object::SectionedAddress At = {std::strtoull(Address.c_str(), nullptr, 16),
                                   object::SectionedAddress::UndefSection};
    if (It->second == BuildId) {
      if (auto Info = Symbolizer.symbolizeInlinedCode(Path, At))
        Answer = frames(*Info);
      else
        consumeError(Info.takeError());
    }
    outs() << Answer << '\n';
    outs().flush();
  }
  return 0;
}
