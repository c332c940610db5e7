//===- UnfinishedFile.cpp - Atomic replacement of files -------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/files/UnfinishedFile.h"
#include "profile/OwnThread.h"
#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>
#include <utility>

namespace gmprof {
namespace {

/// Paths of unfinished files, for the signal handler. A command has only a few at a time; any
/// beyond these would not be removed.
std::array<std::atomic<char *>, 64> Unfinished;

void note(const std::string &Path) {
  char *Copy = ::strdup(Path.c_str());
  for (std::atomic<char *> &Each : Unfinished) {
    char *None = nullptr;
    if (Each.compare_exchange_strong(None, Copy))
      return;
  }
  std::free(Copy);
}

void forget(const std::string &Path) {
  for (std::atomic<char *> &Each : Unfinished)
    if (char *Noted = Each; Noted && Path == Noted && Each.compare_exchange_strong(Noted, nullptr))
      return std::free(Noted);
}

const char *Message = "";

void say(const char *Text) {
  [[maybe_unused]] const ssize_t Written = ::write(STDERR_FILENO, Text, std::strlen(Text));
}

void end(int Signal) {
  for (std::atomic<char *> &Each : Unfinished)
    if (const char *Path = Each.exchange(nullptr))
      ::unlink(Path);
  // Starts a new line after the terminal's echo.
  if (::isatty(STDERR_FILENO))
    say("\n");
  say(Message);
  ::_exit(128 + Signal);
}

} // namespace

UnfinishedFile::UnfinishedFile(std::string Path)
    : Path(std::move(Path)), Temporary(this->Path + ".XXXXXX") {
  const SignalsBlocked Blocked; // no signal between creating and registering it
  Descriptor = ::mkostemp(Temporary.data(), O_CLOEXEC);
  if (Descriptor < 0)
    Temporary.clear(); // the caller reads errno
  else
    note(Temporary);
}

UnfinishedFile UnfinishedFile::temporary(const std::string &Name) {
  UnfinishedFile File((std::filesystem::temp_directory_path() / Name).string());
  if (File.Descriptor >= 0)
    ::close(File.Descriptor);
  return File;
}

UnfinishedFile::UnfinishedFile(UnfinishedFile &&Other) noexcept
    : Path(std::move(Other.Path)), Temporary(std::exchange(Other.Temporary, "")),
      Descriptor(Other.Descriptor) {}

UnfinishedFile::~UnfinishedFile() {
  if (Temporary.empty())
    return;
  ::unlink(Temporary.c_str());
  forget(Temporary);
}

bool UnfinishedFile::finish() {
  if (::rename(Temporary.c_str(), Path.c_str()) != 0)
    return false;
  forget(Temporary);
  Temporary.clear();
  return true;
}

void endWhenInterrupted(const char *SaysSo) {
  Message = SaysSo;
  struct sigaction Action = {}, Before = {};
  Action.sa_handler = end;
  for (int Signal : {SIGINT, SIGTERM, SIGHUP})
    if (::sigaction(Signal, nullptr, &Before) == 0 && Before.sa_handler != SIG_IGN)
      ::sigaction(Signal, &Action, nullptr);
}

} // namespace gmprof
