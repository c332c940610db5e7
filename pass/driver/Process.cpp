//===- Process.cpp - Running other programs -------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Process.h"
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <spawn.h>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace gmprof::driver {

namespace {

volatile sig_atomic_t Child = 0;

/// Forwards signals to the child; this process ends when the child has ended.
void forwardSignal(int Signal) {
  if (Child > 0)
    kill(pid_t(Child), Signal);
}

pid_t spawn(const std::vector<std::string> &Command, posix_spawn_file_actions_t *Actions) {
  std::vector<char *> Arguments;
  for (const std::string &Word : Command)
    Arguments.push_back(const_cast<char *>(Word.c_str()));
  Arguments.push_back(nullptr);
  pid_t Pid = -1;
  if (int Error = posix_spawnp(&Pid, Arguments[0], Actions, nullptr, Arguments.data(), environ)) {
    errno = Error;
    return -1;
  }
  return Pid;
}

int waitFor(pid_t Pid) {
  int Status = 0;
  while (waitpid(Pid, &Status, 0) < 0)
    if (errno != EINTR)
      return 127;
  return WIFSIGNALED(Status) ? 128 + WTERMSIG(Status) : WEXITSTATUS(Status);
}

} // namespace

int run(const std::vector<std::string> &Command) {
  constexpr std::array Signals = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction Forward = {}, Saved[Signals.size()];
  Forward.sa_handler = forwardSignal;
  for (size_t I = 0; I < Signals.size(); ++I)
    sigaction(Signals[I], &Forward, &Saved[I]);
  pid_t Pid = spawn(Command, nullptr);
  Child = Pid;
  int Status = Pid < 0 ? 127 : waitFor(Pid);
  Child = 0;
  for (size_t I = 0; I < Signals.size(); ++I)
    sigaction(Signals[I], &Saved[I], nullptr);
  return Status;
}

std::string capture(const std::vector<std::string> &Command) {
  int Pipe[2];
  if (pipe2(Pipe, O_CLOEXEC) != 0)
    return {};
  posix_spawn_file_actions_t Actions;
  posix_spawn_file_actions_init(&Actions);
  posix_spawn_file_actions_adddup2(&Actions, Pipe[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&Actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t Pid = spawn(Command, &Actions);
  posix_spawn_file_actions_destroy(&Actions);
  close(Pipe[1]);
  std::string Output;
  std::array<char, 4096> Buffer;
  for (ssize_t Bytes; Pid > 0 && (Bytes = read(Pipe[0], Buffer.data(), Buffer.size())) > 0;)
    Output.append(Buffer.data(), size_t(Bytes));
  close(Pipe[0]);
  return Pid > 0 && waitFor(Pid) == 0 ? Output : std::string();
}

std::string quoted(const std::vector<std::string> &Command) {
  constexpr std::string_view Plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                     "0123456789-_=+./,:@%^";
  std::string Line;
  for (const std::string &Word : Command) {
    Line += Line.empty() ? "" : " ";
    if (!Word.empty() && Word.find_first_not_of(Plain) == std::string::npos) {
      Line += Word;
      continue;
    }
    Line += '\'';
    for (char C : Word)
      Line += C == '\'' ? std::string("'\\''") : std::string(1, C);
    Line += '\'';
  }
  return Line;
}

TemporaryDirectory::TemporaryDirectory() {
  const char *Parent = std::getenv("TMPDIR");
  Path = std::string(Parent && *Parent ? Parent : "/tmp") + "/gmprof-XXXXXX";
  if (!mkdtemp(Path.data()))
    Path.clear();
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code Ignored;
  if (!Path.empty())
    std::filesystem::remove_all(Path, Ignored);
}

} // namespace gmprof::driver
