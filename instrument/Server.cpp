//===- Server.cpp - Answers requests for clones ---------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "instrument/Server.h"

#include "instrument/CloneCompiler.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/ErrorHandling.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;

namespace gmprof::instrument {

bool SentModules::complete(CloneRequest &Request) {
  if (!Request.Module.empty()) {
    if (Request.ModuleHash != moduleHash(Request.Module, Request.MachineCode))
      return false;
    Modules.remove_if([&](const Sent &S) {
      const bool IsSame = S.Hash == Request.ModuleHash;
      Bytes -= IsSame ? S.bytes() : 0;
      return IsSame;
    });
    Modules.push_front({std::string(Request.ModuleHash), std::string(Request.Module),
                        std::string(Request.MachineCode)});
    Bytes += Modules.front().bytes();
    for (; Bytes > MaxBytes; Modules.pop_back())
      Bytes -= Modules.back().bytes();
    return true;
  }
  const auto Known = std::find_if(Modules.begin(), Modules.end(),
                                  [&](const Sent &S) { return S.Hash == Request.ModuleHash; });
  if (Known == Modules.end())
    return false;
  Modules.splice(Modules.begin(), Modules, Known);
  Request.Module = Known->Module;
  Request.MachineCode = Known->MachineCode;
  return true;
}

/// Reads up to Count bytes; fewer at the end of the stream.
static std::string readBytes(int From, size_t Count) {
  constexpr size_t Step = size_t(1) << 20; // do not trust Count before the bytes are there
  std::string Bytes;
  while (Bytes.size() < Count) {
    const size_t Old = Bytes.size();
    Bytes.resize(std::min(Count, Old + Step));
    const ssize_t Got = ::read(From, Bytes.data() + Old, Bytes.size() - Old);
    Bytes.resize(Old + static_cast<size_t>(std::max<ssize_t>(Got, 0)));
    if (Got == 0 || (Got < 0 && errno != EINTR))
      break;
  }
  return Bytes;
}

static bool writeBytes(int To, StringRef Bytes) {
  while (!Bytes.empty()) {
    const ssize_t Written = ::write(To, Bytes.data(), Bytes.size());
    if (Written < 0 && errno != EINTR)
      return false;
    Bytes = Bytes.drop_front(static_cast<size_t>(std::max<ssize_t>(Written, 0)));
  }
  return true;
}

/// Makes the answer, in this process.
static CloneAnswer compile(const CloneRequest &Request, CloneCompiler &Compiler) {
  Expected<CompiledClone> Clone = Compiler.compile(Request, "module");
  if (!Clone)
    return {CloneStatus::Refused, toString(Clone.takeError()), {}};
  return {CloneStatus::Made, std::move(Clone->Code), std::move(Clone->Variables)};
}

/// Sends what LLVM's code generator cannot do as the answer, in place of a crash.
static void answerFatalError(void *Pipe, const char *Reason, bool) {
  const std::string What = StringRef(Reason).split('\n').first.str();
  const bool IsSent = writeBytes(*static_cast<int *>(Pipe),
                                 encode(CloneAnswer{CloneStatus::Failed, "LLVM: " + What, {}}));
  ::_exit(IsSent ? 0 : 1);
}

static std::string describeEnd(int Status) {
  if (!WIFSIGNALED(Status))
    return "the compiler ended without an answer";
  if (WTERMSIG(Status) == SIGXCPU || WTERMSIG(Status) == SIGKILL)
    return "the compiler exceeded a limit of time or memory";
  return std::string("the compiler crashed: ") + ::strsignal(WTERMSIG(Status));
}

/// Makes the answer in a process of its own. Returns a frame.
static std::string answerInProcess(const CloneRequest &Request, CloneCompiler &Compiler,
                                   const ServerLimits &Limits) {
  const auto Failure = [](std::string What) {
    return encode(CloneAnswer{CloneStatus::Failed, std::move(What), {}});
  };
  int Pipe[2];
  if (::pipe(Pipe) != 0)
    return Failure(std::string("cannot make a pipe: ") + std::strerror(errno));
  const pid_t Server = ::getpid(), Worker = ::fork();
  if (Worker == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != Server)
      ::_exit(1);
    const auto Seconds = static_cast<rlim_t>(Limits.ProcessorTime.count());
    const rlimit Time = {Seconds, Seconds + 1}, Memory = {Limits.MemoryBytes, Limits.MemoryBytes},
                 Core = {0, 0};
    ::setrlimit(RLIMIT_CPU, &Time);
    ::setrlimit(RLIMIT_AS, &Memory);
    ::setrlimit(RLIMIT_CORE, &Core);
    install_fatal_error_handler(answerFatalError, &Pipe[1]);
    ::_exit(writeBytes(Pipe[1], encode(compile(Request, Compiler))) ? 0 : 1);
  }
  ::close(Pipe[1]);
  std::string Frame = Worker < 0 ? "" : readBytes(Pipe[0], sizeof(FrameHeader) + MaxAnswerBytes);
  ::close(Pipe[0]);
  if (Worker < 0)
    return Failure(std::string("cannot start a process: ") + std::strerror(errno));
  int Status = 0;
  while (::waitpid(Worker, &Status, 0) < 0 && errno == EINTR)
    ;
  if (!WIFEXITED(Status) || WEXITSTATUS(Status) != 0)
    return Failure(describeEnd(Status));
  if (Frame.size() > MaxAnswerBytes)
    return Failure("the clone's PTX exceeds " + std::to_string(MaxAnswerBytes >> 20) + " MiB");
  return Frame;
}

int serve(int In, int Out, const ServerLimits &Limits) {
  ::signal(SIGPIPE, SIG_IGN);
  SentModules Modules(Limits.ModuleBytes);
  // Each process works on a copy of this one, which is as it was at the start.
  CloneCompiler Compiler;
  for (;;) {
    const std::string Head = readBytes(In, sizeof(FrameHeader));
    if (Head.empty())
      return 0;
    FrameHeader Header;
    if (Head.size() == sizeof(Header))
      std::memcpy(&Header, Head.data(), sizeof(Header));
    std::string Body;
    if (Header.Magic == RequestMagic && Header.Bytes <= MaxRequestBytes)
      Body = readBytes(In, Header.Bytes);
    std::optional<CloneRequest> Request = decodeRequest(Body);
    if (!Request) {
      // Where the next request begins is not known.
      writeBytes(Out, encode(CloneAnswer{CloneStatus::Failed, "malformed request", {}}));
      return 1;
    }
    std::string Answer;
    if (Modules.complete(*Request))
      Answer = answerInProcess(*Request, Compiler, Limits);
    else
      Answer = encode(CloneAnswer{CloneStatus::UnknownModule,
                                  Request->Module.empty()
                                      ? "the module was not sent"
                                      : "the module has the hash " +
                                            moduleHash(Request->Module, Request->MachineCode),
                                  {}});
    if (!writeBytes(Out, Answer))
      return 1;
  }
}

} // namespace gmprof::instrument
