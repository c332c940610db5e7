//===- HelperProcess.cpp - Runs another program of GMProf -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/HelperProcess.h"
#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gmprof {
namespace {

/// Returns the inode of an open file; 0 if there is none.
uint64_t inodeOf(int Descriptor) {
  struct stat Status = {};
  return ::fstat(Descriptor, &Status) == 0 ? Status.st_ino : 0;
}

/// Waits until a socket is ready for Events. Returns false at the deadline.
bool waitFor(int Socket, short Events, HelperProcess::Time Deadline) {
  for (;;) {
    const auto Left =
        std::chrono::ceil<std::chrono::milliseconds>(Deadline - std::chrono::steady_clock::now());
    if (Left.count() <= 0)
      return false;
    pollfd Each = {Socket, Events, 0};
    const int Most = static_cast<int>(std::min<int64_t>(Left.count(), INT_MAX));
    if (const int Ready = ::poll(&Each, 1, Most); Ready > 0)
      return true;
    else if (Ready < 0 && errno != EINTR)
      return false;
  }
}

/// Returns the environment without the libraries that are preloaded into the profiled program.
std::vector<char *> environment() {
  std::vector<char *> Kept;
  for (char **Each = environ; *Each; ++Each)
    if (!std::string_view(*Each).starts_with("LD_PRELOAD="))
      Kept.push_back(*Each);
  Kept.push_back(nullptr);
  return Kept;
}

class SpawnAttributes {
public:
  SpawnAttributes() {
    sigset_t None;
    sigemptyset(&None);
    posix_spawnattr_init(&Attributes);
    posix_spawnattr_setsigmask(&Attributes, &None);
    posix_spawnattr_setpgroup(&Attributes, 0);
    posix_spawnattr_setflags(&Attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  }
  ~SpawnAttributes() { posix_spawnattr_destroy(&Attributes); }
  SpawnAttributes(const SpawnAttributes &) = delete;
  SpawnAttributes &operator=(const SpawnAttributes &) = delete;
  posix_spawnattr_t Attributes;
};

} // namespace

std::string folderOf(const void *Address) {
  Dl_info Info = {};
  link_map *Map = nullptr;
  char Resolved[PATH_MAX];
  // The executable has no name there.
  if (!dladdr1(Address, &Info, reinterpret_cast<void **>(&Map), RTLD_DL_LINKMAP) ||
      !realpath(*Map->l_name ? Map->l_name : "/proc/self/exe", Resolved))
    return "";
  const std::string File = Resolved;
  return File.substr(0, File.rfind('/'));
}

HelperProcess::HelperProcess(const std::string &Program, const std::vector<std::string> &Arguments,
                             Errors StandardError) {
  int Ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, Ends) != 0)
    return;
  posix_spawn_file_actions_t Actions;
  posix_spawn_file_actions_init(&Actions);
  posix_spawn_file_actions_adddup2(&Actions, Ends[1], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&Actions, Ends[1], STDOUT_FILENO);
  if (StandardError == Errors::Read)
    posix_spawn_file_actions_adddup2(&Actions, Ends[1], STDERR_FILENO);
  else
    posix_spawn_file_actions_addopen(&Actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  // Another thread may be about to start a process and read its output until all have closed it.
  posix_spawn_file_actions_addclosefrom_np(&Actions, STDERR_FILENO + 1);
  std::vector<char *> Argv = {const_cast<char *>(Program.c_str())};
  for (const std::string &Each : Arguments)
    Argv.push_back(const_cast<char *>(Each.c_str()));
  Argv.push_back(nullptr);
  const SpawnAttributes Attributes;
  if (posix_spawn(&Pid, Program.c_str(), &Actions, &Attributes.Attributes, Argv.data(),
                  environment().data()) != 0)
    Pid = -1;
  posix_spawn_file_actions_destroy(&Actions);
  ::close(Ends[1]);
  Socket = Ends[0];
  SocketNumber = inodeOf(Socket);
}

HelperProcess::~HelperProcess() {
  if (hasSocket())
    ::close(Socket);
  if (Pid < 0)
    return;
  ::kill(Pid, SIGKILL);
  // The profiled program may ignore SIGCHLD, or wait for all children: then there is none left.
  while (::waitpid(Pid, nullptr, 0) < 0 && errno == EINTR)
    ;
}

bool HelperProcess::write(std::string_view Text) const {
  while (!Text.empty()) {
    const ssize_t Written = ::send(Socket, Text.data(), Text.size(), MSG_NOSIGNAL);
    if (Written < 0 && errno != EINTR)
      return false;
    Text.remove_prefix(static_cast<size_t>(std::max<ssize_t>(Written, 0)));
  }
  return true;
}

bool HelperProcess::write(std::string_view Text, Time Deadline) const {
  while (!Text.empty()) {
    const ssize_t Written = ::send(Socket, Text.data(), Text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (Written > 0)
      Text.remove_prefix(static_cast<size_t>(Written));
    else if (errno == EAGAIN ? !waitFor(Socket, POLLOUT, Deadline) : errno != EINTR)
      return false;
  }
  return true;
}

std::optional<std::string> HelperProcess::read(size_t Count, Time Deadline) {
  while (Read.size() < Count) {
    char Buffer[16384];
    const ssize_t Got = ::recv(Socket, Buffer, sizeof(Buffer), MSG_DONTWAIT);
    if (Got > 0)
      Read.append(Buffer, static_cast<size_t>(Got));
    else if (Got == 0 || (errno == EAGAIN ? !waitFor(Socket, POLLIN, Deadline) : errno != EINTR))
      return std::nullopt;
  }
  std::string Bytes = Read.substr(0, Count);
  Read.erase(0, Count);
  return Bytes;
}

bool HelperProcess::hasSocket() const {
  return Socket >= 0 && SocketNumber != 0 && inodeOf(Socket) == SocketNumber;
}

void HelperProcess::kill() const {
  if (Pid > 0)
    ::kill(Pid, SIGKILL);
}

void HelperProcess::abandon() { Pid = -1; }

std::optional<std::string> HelperProcess::readLine() {
  for (;;) {
    if (const size_t End = Read.find('\n'); End != std::string::npos) {
      std::string Line = Read.substr(0, End);
      Read.erase(0, End + 1);
      return Line;
    }
    char Buffer[4096];
    const ssize_t Got = ::read(Socket, Buffer, sizeof(Buffer));
    if (Got > 0)
      Read.append(Buffer, static_cast<size_t>(Got));
    else if (Got == 0 || errno != EINTR)
      return std::nullopt;
  }
}

} // namespace gmprof
