//===- SummaryProcess.cpp - Has gmprof write a summary --------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/record/SummaryProcess.h"
#include "profile/HelperProcess.h"
#include <filesystem>
#include <unistd.h>

namespace gmprof::host {

std::string writeSummaryOf(const std::string &LogPath, const std::string &Directory) {
  const std::string Folder = folderOf(reinterpret_cast<const void *>(&writeSummaryOf));
  std::string Program;
  // Paths in an installed tree and in a build tree.
  for (const char *Bin : {"/../bin", "/" GMPROF_BIN_FROM_LIB}) {
    Program = std::filesystem::path(Folder + Bin + "/gmprof").lexically_normal();
    if (::access(Program.c_str(), X_OK) == 0)
      break;
  }
  constexpr const char *Remedy = "; 'gmprof recover' writes summary.json from the event log";
  if (::access(Program.c_str(), X_OK) != 0)
    return "there is no '" + Program + "' to write summary.json" + Remedy;
  HelperProcess Process(Program, {"recover", "-o", Directory, LogPath},
                        HelperProcess::Errors::Read);
  // The last line tells whether the process succeeded: it leaves no exit status if the program
  // ignores SIGCHLD or waits for all children.
  constexpr std::string_view Prefix = "gmprof: ", Success = "gmprof: wrote ";
  std::string Last;
  while (std::optional<std::string> Line = Process.readLine())
    Last = std::move(*Line);
  if (Last.starts_with(Success))
    return "";
  if (Last.starts_with(Prefix))
    return Last.substr(Prefix.size());
  return "'" + Program + "' did not write summary.json" + Remedy;
}

} // namespace gmprof::host
