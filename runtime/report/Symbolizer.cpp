//===- Symbolizer.cpp - Functions and lines of addresses ------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/Symbolizer.h"
#include "analysis/TensorNames.h"
#include "profile/Progress.h"
#include <algorithm>
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
#include <string_view>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gmprof {

using nlohmann::json;
using namespace profile;

namespace {

/// Returns the environment without LD_PRELOAD, which is meant for the profiled program.
std::vector<char *> environment() {
  std::vector<char *> Kept;
  for (char **Each = environ; *Each; ++Each)
    if (!std::string_view(*Each).starts_with("LD_PRELOAD="))
      Kept.push_back(*Each);
  Kept.push_back(nullptr);
  return Kept;
}

/// Unblocks all signals in the symbolizer, which this thread may have blocked, and gives it its own
/// process group: the terminal's signals are for the profiled program.
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

/// Returns the image that contains the address, or null.
const Image *findImage(const Profile &P, const CallPath &Path, uint64_t Address) {
  for (size_t I = std::min<size_t>(Path.ImageCount, P.Images.size()); I-- > 0;)
    if (Address >= P.Images[I].Address && Address - P.Images[I].Address < P.Images[I].Bytes)
      return &P.Images[I];
  return nullptr;
}

/// Parses a line of the symbolizer's output; nothing if null or malformed.
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

/// A running symbolizer, and the socket to it.
class SymbolizerProcess {
public:
  explicit SymbolizerProcess(const std::string &Program);
  ~SymbolizerProcess();
  SymbolizerProcess(const SymbolizerProcess &) = delete;
  SymbolizerProcess &operator=(const SymbolizerProcess &) = delete;

  /// Writes lines, each with its newline. They must be short in total: the symbolizer reads them
  /// before it writes. Returns false if it has ended, or never ran.
  bool write(std::string_view Lines) const;
  /// Returns the next line of output without newline; nothing if it has ended.
  std::optional<std::string> readLine();

private:
  pid_t Pid = -1;
  int Socket = -1;
  std::string Read; ///< data not yet returned
};

SymbolizerProcess::SymbolizerProcess(const std::string &Program) {
  int Ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, Ends) != 0)
    return;
  posix_spawn_file_actions_t Actions;
  posix_spawn_file_actions_init(&Actions);
  posix_spawn_file_actions_adddup2(&Actions, Ends[1], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&Actions, Ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&Actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  char *Argv[] = {const_cast<char *>(Program.c_str()), nullptr};
  const SpawnAttributes Attributes;
  if (posix_spawn(&Pid, Program.c_str(), &Actions, &Attributes.Attributes, Argv,
                  environment().data()) != 0)
    Pid = -1;
  posix_spawn_file_actions_destroy(&Actions);
  ::close(Ends[1]);
  Socket = Ends[0];
}

/// Kills the symbolizer, which has no state to save.
SymbolizerProcess::~SymbolizerProcess() {
  if (Socket >= 0)
    ::close(Socket);
  if (Pid < 0)
    return;
  ::kill(Pid, SIGKILL);
  // Another part of the profiled program may have reaped it.
  while (::waitpid(Pid, nullptr, 0) < 0 && errno == EINTR)
    ;
}

bool SymbolizerProcess::write(std::string_view Lines) const {
  while (!Lines.empty()) {
    const ssize_t Written = ::send(Socket, Lines.data(), Lines.size(), MSG_NOSIGNAL);
    if (Written < 0 && errno != EINTR)
      return false;
    Lines.remove_prefix(static_cast<size_t>(std::max<ssize_t>(Written, 0)));
  }
  return true;
}

std::optional<std::string> SymbolizerProcess::readLine() {
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

Symbols::Symbols() = default;
Symbols::Symbols(std::string Symbolizer) : Symbolizer(std::move(Symbolizer)) {}
Symbols::Symbols(Symbols &&) noexcept = default;
Symbols &Symbols::operator=(Symbols &&) noexcept = default;
Symbols::~Symbols() = default;

void Symbols::start() {
  Process = std::make_unique<SymbolizerProcess>(Symbolizer ? *Symbolizer : symbolizerPath());
}

/// Returns the address in the file of the call before the return address.
static uint64_t fileAddress(const Image &In, uint64_t Return) {
  return Return - 1 - In.Address + In.Offset;
}

Symbols::Request Symbols::requestOf(const Image &In, uint64_t Return) {
  return {In.BuildId, In.Path, fileAddress(In, Return)};
}

/// Returns the distinct addresses, sorted.
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
  if (Unknown.empty())
    return;
  progress("looking up functions and lines");
  // A symbolizer that ran before may have been killed; retries with a new one.
  for (const bool IsNew : {!Process, true}) {
    if (IsNew)
      start();
    ask(Unknown);
    std::erase_if(Unknown, [&](const Request &R) { return Answers.contains(R); });
    if (Unknown.empty() || IsNew)
      return;
  }
}

/// Asks until the symbolizer stops answering.
void Symbols::ask(std::span<const Request> Unknown) {
  constexpr size_t MostBytes = size_t(1) << 14;
  while (!Unknown.empty()) {
    std::string Lines;
    size_t Count = 0;
    for (; Count < Unknown.size() && Lines.size() < MostBytes; ++Count) {
      const auto &[BuildId, Path, Address] = Unknown[Count];
      Lines += fmt::format("{} {:x} {}\n", BuildId.empty() ? "-" : BuildId, Address, Path);
    }
    if (!Process->write(Lines))
      return;
    for (const Request &R : Unknown.first(Count)) {
      const std::optional<std::string> Line = Process->readLine();
      if (!Line)
        return;
      Answers[R] = parseLine(*Line);
    }
    Unknown = Unknown.subspan(Count);
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

/// Removes the frames of a statically linked CUDA runtime (libcudart_static_*) and of the runtime
/// function that the program calls, so that paths begin in the program as with the shared runtime.
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
      // Callers of main are not part of the program.
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
  // The link map has no name for the executable.
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
