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
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <link.h>
#include <map>
#include <nlohmann/json.hpp>
#include <spawn.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/wait.h>
#include <tuple>
#include <unistd.h>

namespace gmprof {

using nlohmann::json;
using namespace profile;

namespace {

/// Build id, path, address in the file.
using Request = std::tuple<std::string, std::string, uint64_t>;

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
  pid_t Child = 0;
  int Failed = posix_spawn(&Child, Program.c_str(), &Actions, nullptr, Argv, environment().data());
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

class Symbolization {
public:
  explicit Symbolization(Profile &P) : P(P) {}
  void run(const std::string &Symbolizer);

private:
  void collect();
  void ask(const std::string &Symbolizer);
  std::vector<Frame> frames(const CallPath &Path, uint64_t Return) const;

  Profile &P;
  std::map<Request, std::optional<std::vector<Frame>>> Answers;
};

/// Of the call before the return address.
uint64_t fileAddress(const Image &In, uint64_t Return) {
  return Return - 1 - In.Address + In.Offset;
}

} // namespace

void Symbolization::collect() {
  for (const CallPath &Path : P.CallPaths)
    for (uint64_t Return : Path.Addresses)
      if (const Image *In = findImage(P, Path, Return - 1))
        Answers[{In->BuildId, In->Path, fileAddress(*In, Return)}];
}

void Symbolization::ask(const std::string &Symbolizer) {
  std::string Input;
  for (const auto &[Key, Answer] : Answers) {
    const auto &[BuildId, Path, Address] = Key;
    Input += fmt::format("{} {:x} {}\n", BuildId.empty() ? "-" : BuildId, Address, Path);
  }
  progress("looking up functions and lines");
  std::string Output = runFilter(Symbolizer, Input);
  size_t Begin = 0;
  uint64_t Unknown = 0;
  std::string Why = "gmprof-symbolizer, which names functions and lines, cannot run";
  for (auto &[Key, Answer] : Answers) {
    size_t End = Output.find('\n', Begin);
    if (End == std::string::npos) {
      ++Unknown;
      continue;
    }
    Answer = parseLine(Output.substr(Begin, End - Begin));
    Begin = End + 1;
    if (!Answer) {
      ++Unknown;
      Why = "executables or libraries are not there any more, or have changed since";
    }
  }
  if (Unknown != 0)
    P.Gaps.push_back({"addresses in call paths", Why, Unknown});
}

std::vector<Frame> Symbolization::frames(const CallPath &Path, uint64_t Return) const {
  Frame Unknown;
  Unknown.Address = Return - 1;
  const Image *In = findImage(P, Path, Return - 1);
  if (!In)
    return {Unknown};
  Unknown.Image = In->Path;
  Unknown.Address = fileAddress(*In, Return);
  const auto &Answer = Answers.at({In->BuildId, In->Path, Unknown.Address});
  if (!Answer || Answer->empty())
    return {Unknown};
  std::vector<Frame> Named = *Answer;
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

void Symbolization::run(const std::string &Symbolizer) {
  collect();
  if (!Answers.empty())
    ask(Symbolizer);
  for (CallPath &Path : P.CallPaths) {
    Path.Frames.clear();
    for (uint64_t Return : Path.Addresses) {
      for (Frame &F : frames(Path, Return))
        Path.Frames.push_back(std::move(F));
      // What calls main is no part of the program.
      if (Path.Frames.back().Function == "main")
        break;
    }
    dropStaticRuntime(Path.Frames);
  }
}

void symbolize(Profile &P, const std::string &Symbolizer) {
  Symbolization(P).run(Symbolizer);
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
