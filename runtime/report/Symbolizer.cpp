//===- Symbolizer.cpp - From addresses to functions and lines -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/Symbolizer.h"
#include "analysis/TensorNames.h"
#include "profile/Progress.h"
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <link.h>
#include <nlohmann/json.hpp>
#include <set>
#include <spawn.h>
#include <sstream>
#include <string_view>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gmprof {

using nlohmann::json;
using namespace profile;

namespace {

class FileDescriptor {
public:
  explicit FileDescriptor(int Fd = -1) : Fd(Fd) {}
  ~FileDescriptor() { close(); }
  FileDescriptor(const FileDescriptor &) = delete;
  FileDescriptor &operator=(const FileDescriptor &) = delete;
  void close() {
    if (Fd >= 0)
      ::close(Fd);
    Fd = -1;
  }
  int Fd;
};

bool writeAll(int Fd, std::string_view Text) {
  while (!Text.empty()) {
    ssize_t Written = ::write(Fd, Text.data(), Text.size());
    if (Written < 0 && errno != EINTR)
      return false;
    Text.remove_prefix(std::max<ssize_t>(Written, 0));
  }
  return true;
}

std::string readAll(int Fd) {
  std::string All;
  char Buffer[4096];
  for (;;) {
    ssize_t Got = ::read(Fd, Buffer, sizeof(Buffer));
    if (Got > 0)
      All.append(Buffer, Got);
    else if (Got == 0 || errno != EINTR)
      return All;
  }
}

/// Without what is preloaded into the profiled program.
std::vector<char *> environment() {
  std::vector<char *> Kept;
  for (char **Each = environ; *Each; ++Each)
    if (!std::string_view(*Each).starts_with("LD_PRELOAD="))
      Kept.push_back(*Each);
  Kept.push_back(nullptr);
  return Kept;
}

/// For a program that signals can end, whatever this thread has blocked.
class SpawnAttributes {
public:
  SpawnAttributes() {
    sigset_t None;
    sigemptyset(&None);
    posix_spawnattr_init(&Attributes);
    posix_spawnattr_setsigmask(&Attributes, &None);
    posix_spawnattr_setflags(&Attributes, POSIX_SPAWN_SETSIGMASK);
  }
  ~SpawnAttributes() { posix_spawnattr_destroy(&Attributes); }
  SpawnAttributes(const SpawnAttributes &) = delete;
  SpawnAttributes &operator=(const SpawnAttributes &) = delete;
  posix_spawnattr_t Attributes;
};

/// What the program prints when it reads Input; empty if it cannot be run.
std::string runFilter(const std::string &Program, const std::string &Input) {
  FileDescriptor In(memfd_create("gmprof-symbolizer", MFD_CLOEXEC));
  int Pipe[2];
  if (In.Fd < 0 || !writeAll(In.Fd, Input) || ::lseek(In.Fd, 0, SEEK_SET) != 0 ||
      ::pipe2(Pipe, O_CLOEXEC) != 0)
    return "";
  FileDescriptor Read(Pipe[0]), Write(Pipe[1]);
  posix_spawn_file_actions_t Actions;
  posix_spawn_file_actions_init(&Actions);
  posix_spawn_file_actions_adddup2(&Actions, In.Fd, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&Actions, Write.Fd, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&Actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  char *Argv[] = {const_cast<char *>(Program.c_str()), nullptr};
  const SpawnAttributes Attributes;
  pid_t Child = 0;
  int Failed = posix_spawn(&Child, Program.c_str(), &Actions, &Attributes.Attributes, Argv,
                           environment().data());
  posix_spawn_file_actions_destroy(&Actions);
  if (Failed != 0)
    return "";
  Write.close();
  std::string Output = readAll(Read.Fd);
  // Somebody else in the profiled program may have waited for it.
  while (::waitpid(Child, nullptr, 0) < 0 && errno == EINTR)
    ;
  return Output;
}

/// The image that holds the address; null if none does.
const Image *findImage(const Profile &P, const CallPath &Path, uint64_t Address) {
  for (size_t I = std::min<size_t>(Path.ImageCount, P.Images.size()); I-- > 0;)
    if (Address >= P.Images[I].Address && Address - P.Images[I].Address < P.Images[I].Bytes)
      return &P.Images[I];
  return nullptr;
}

/// The frames of a line of the symbolizer's output; nothing for null or damage.
std::optional<std::vector<Frame>> parseLine(const std::string &Line) {
  json J = json::parse(Line, nullptr, /*allow_exceptions=*/false);
  if (!J.is_array())
    return std::nullopt;
  std::vector<Frame> Frames;
  for (const json &F : J) {
    if (!F.is_array() || F.size() != 4)
      return std::nullopt;
    Frame &To = Frames.emplace_back();
    To.Function = F[0].get<std::string>();
    To.Source = {F[1].get<std::string>(), F[2].get<unsigned>(), F[3].get<unsigned>()};
  }
  return Frames;
}

} // namespace

/// Of the call before the return address.
static uint64_t fileAddress(const Image &In, uint64_t Return) {
  return Return - 1 - In.Address + In.Offset;
}

Symbols::Request Symbols::requestOf(const Image &In, uint64_t Return) {
  return {In.BuildId, In.Path, fileAddress(In, Return)};
}

/// In order, each once.
std::vector<Symbols::Request> Symbols::requestsOf(const Profile &P) {
  std::set<Request> Requests;
  for (const CallPath &Path : P.CallPaths)
    for (uint64_t Return : Path.Addresses)
      if (const Image *In = findImage(P, Path, Return - 1))
        Requests.insert(requestOf(*In, Return));
  return {Requests.begin(), Requests.end()};
}

void Symbols::lookUp(const Profile &P) { answer(requestsOf(P)); }

void Symbols::answer(const std::vector<Request> &Requests) {
  std::vector<Request> Unknown = Requests;
  std::erase_if(Unknown, [&](const Request &R) { return Answers.contains(R); });
  if (!Unknown.empty())
    ask(Unknown);
}

void Symbols::ask(const std::vector<Request> &Unknown) {
  std::string Input;
  for (const auto &[BuildId, Path, Address] : Unknown)
    Input += fmt::format("{} {:x} {}\n", BuildId.empty() ? "-" : BuildId, Address, Path);
  progress("looking up functions and lines");
  std::istringstream Output(runFilter(Symbolizer ? *Symbolizer : symbolizerPath(), Input));
  std::string Line;
  for (const Request &R : Unknown) {
    // Without its end, the symbolizer has not come to that of a line.
    if (!std::getline(Output, Line) || Output.eof())
      return;
    Answers[R] = parseLine(Line);
  }
}

void Symbols::noteUnknown(const std::vector<Request> &Of, Profile &P) const {
  uint64_t Unknown = 0;
  const char *Why = "gmprof-symbolizer, which names functions and lines, cannot run";
  for (const Request &R : Of) {
    const auto Answer = Answers.find(R);
    if (Answer != Answers.end() && Answer->second)
      continue;
    ++Unknown;
    if (Answer != Answers.end())
      Why = "executables or libraries are not there any more, or have changed since";
  }
  if (Unknown != 0)
    P.Gaps.push_back({"addresses in call paths", Why, Unknown});
}

std::vector<Frame> Symbols::frames(const Profile &P, const CallPath &Path, uint64_t Return) const {
  Frame Unknown;
  Unknown.Address = Return - 1;
  const Image *In = findImage(P, Path, Return - 1);
  if (!In)
    return {Unknown};
  Unknown.Image = In->Path;
  Unknown.Address = fileAddress(*In, Return);
  const auto Answer = Answers.find(requestOf(*In, Return));
  if (Answer == Answers.end() || !Answer->second || Answer->second->empty())
    return {Unknown};
  std::vector<Frame> Named = *Answer->second;
  for (Frame &F : Named) {
    F.Image = Unknown.Image;
    F.Address = Unknown.Address;
    F.Inlined = &F != &Named.back();
  }
  return Named;
}

/// A runtime that nvcc has linked in calls the driver by functions of such names. Without them, and
/// the one that the program calls, paths begin in the program as they do with a shared runtime.
static void dropStaticRuntime(std::vector<Frame> &Frames) {
  const auto IsInside = [](const Frame &F) { return F.Function.starts_with("libcudart_static_"); };
  auto First = std::find_if_not(Frames.begin(), Frames.end(), IsInside);
  if (First == Frames.begin() || First == Frames.end())
    return;
  if (First->Function.starts_with("cuda") && First + 1 != Frames.end())
    ++First;
  Frames.erase(Frames.begin(), First);
}

void Symbols::name(Profile &P) {
  const std::vector<Request> Requests = requestsOf(P);
  answer(Requests);
  noteUnknown(Requests, P);
  for (CallPath &Path : P.CallPaths) {
    Path.Frames.clear();
    for (uint64_t Return : Path.Addresses) {
      for (Frame &F : frames(P, Path, Return))
        Path.Frames.push_back(std::move(F));
      // What calls main is no part of the program.
      if (Path.Frames.back().Function == "main")
        break;
    }
    dropStaticRuntime(Path.Frames);
  }
  analysis::nameTensors(P);
}

std::string symbolizerPath() {
  Dl_info Info = {};
  link_map *Map = nullptr;
  char Resolved[PATH_MAX];
  // The executable has no name there.
  if (!dladdr1(reinterpret_cast<const void *>(&symbolizerPath), &Info,
               reinterpret_cast<void **>(&Map), RTLD_DL_LINKMAP) ||
      !realpath(*Map->l_name ? Map->l_name : "/proc/self/exe", Resolved))
    return "";
  std::string Self = Resolved;
  std::string Folder = Self.substr(0, Self.rfind('/'));
  for (const char *Candidate : {"/", "/../lib/", "/../" GMPROF_INSTALL_LIBDIR "/"}) {
    std::string Path = Folder + Candidate + "gmprof/gmprof-symbolizer";
    if (::access(Path.c_str(), X_OK) == 0)
      return Path;
  }
  return "";
}

} // namespace gmprof
