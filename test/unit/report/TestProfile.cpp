//===- TestProfile.cpp - Writes profiles for tests ------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// gmprof-test-profile NAME FOLDER
//
// writes FOLDER/events.log and, as 'gmprof run' does, the summary beside it.
//
//===----------------------------------------------------------------------===//

#include "../cache/LayerTrace.h"
#include "TestLogs.h"
#include "report/builder/WriteSummary.h"
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>

using namespace gmprof;
using namespace gmprof::test;

namespace {

void empty(LogBytes &Log) {
  Log.run();
  Log.end();
}

/// The program was killed while its log was written.
void died(LogBytes &Log) {
  transpose(Log);
  Log.Bytes.resize(Log.Bytes.size() - 40);
}

} // namespace

int main(int Argc, char **Argv) {
  const std::map<std::string, std::function<void(LogBytes &)>> Profiles = {
      {"transpose", transpose}, {"mixed", mixed},     {"em", em},
      {"global", globalMemory}, {"objects", objects}, {"sync", synchronisation},
      {"heat", heat},           {"empty", empty},     {"died", died},
      {"cache", layer},         {"large", large},     {"large-sync", largeSync},
      {"overview", overview}};
  if (Argc != 3 || !Profiles.count(Argv[1])) {
    std::fprintf(stderr, "usage: gmprof-test-profile NAME FOLDER\n");
    return 2;
  }
  LogBytes Log;
  Profiles.at(Argv[1])(Log);
  const std::string Folder = Argv[2];
  std::filesystem::create_directories(Folder);
  std::ofstream(Folder + "/events.log", std::ios::binary)
      .write(reinterpret_cast<const char *>(Log.Bytes.data()), std::streamsize(Log.Bytes.size()));
  if (Argv[1] == std::string("cache"))
    writeLayerTrace(Folder + "/events.gmtrace");
  auto Written = writeSummary(Folder + "/events.log", Folder);
  if (!Written) {
    std::fprintf(stderr, "gmprof-test-profile: error: %s\n", Written.error().c_str());
    return 1;
  }
  return 0;
}
