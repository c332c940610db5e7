//===- BlocksRun.cpp - The run that records where blocks run --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tool/gmprof/BlocksRun.h"
#include "host/cache/BlockPlacements.h"
#include "tool/gmprof/Child.h"
#include <filesystem>

namespace gmprof::host {

Result<std::string> recordBlocks(const RunCommand &Command, const Preparation &P,
                                 const std::vector<std::string> &Environment) {
  const Result<ChildExit> Exit =
      runChild(P.Program, Command.Program, Environment, P.Repeated ? Nowhere : ChildStreams{});
  if (!Exit)
    return Error{Exit.error()};
  std::vector<std::string> Files;
  for (const std::string &Log : P.Directory->logs()) {
    if (const std::string File = BlockPlacements::pathOf(Log); std::filesystem::exists(File))
      Files.push_back(File);
    std::filesystem::remove(Log);
  }
  if (Files.size() != 1)
    return std::string();
  const std::string Kept = P.Directory->path() + "/blocks.gmblocks";
  std::filesystem::rename(Files[0], Kept);
  return realPath(Kept);
}

} // namespace gmprof::host
