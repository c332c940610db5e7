//===- Child.cpp - Runs the program in the place of gmprof ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tool/gmprof/Child.h"
#include "cli/StatusLine.h"
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace gmprof::host {
namespace {

constexpr int Forwarded[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

volatile sig_atomic_t ForwardTo = 0;

/// Forwards signals that a process has sent. Signals from the terminal reach the program directly.
void forward(int Signal, siginfo_t *Info, void *) {
  int Saved = errno;
  if (ForwardTo != 0 && Info->si_code <= 0)
    kill(static_cast<pid_t>(ForwardTo), Signal);
  errno = Saved;
}

/// Ends the program if gmprof is killed by a signal that it cannot forward.
void endWithParent(pid_t Parent) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != Parent) // gmprof has ended already
    raise(SIGTERM);
}

void redirect(const std::string &Path, int Stream) {
  if (int File =
          Path.empty() ? -1 : open(Path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
      File >= 0)
    dup2(File, Stream);
}

/// Says why execve refused a file that exists and is executable.
std::string whyNotRun(int Why) {
  if (Why == ENOEXEC)
    return "it is neither a program for this machine nor a script with a #! line: name the program "
           "that runs it, as in sh ./script";
  if (Why == ENOENT)
    return "the interpreter that its #! line names, or its dynamic linker, does not exist";
  return std::strerror(Why);
}

std::vector<char *> pointers(const std::vector<std::string> &Words) {
  std::vector<char *> Pointers;
  for (const std::string &Word : Words)
    Pointers.push_back(const_cast<char *>(Word.c_str()));
  Pointers.push_back(nullptr);
  return Pointers;
}

} // namespace

std::vector<std::string> environmentWith(const std::vector<std::string> &Variables) {
  std::vector<std::string> All;
  for (char **Each = environ; *Each; ++Each) {
    std::string Variable = *Each;
    std::string Name = Variable.substr(0, Variable.find('=') + 1);
    bool Replaced = false;
    for (const std::string &New : Variables)
      Replaced |= New.starts_with(Name);
    if (!Replaced)
      All.push_back(Variable);
  }
  All.insert(All.end(), Variables.begin(), Variables.end());
  return All;
}

Result<ChildExit> runChild(const std::string &Path, const std::vector<std::string> &Arguments,
                           const std::vector<std::string> &Environment,
                           const ChildStreams &Streams) {
  std::vector<char *> Argv = pointers(Arguments), Envp = pointers(Environment);
  int Failure[2];
  if (pipe2(Failure, O_CLOEXEC) != 0)
    return Error{std::string("cannot start a program: ") + std::strerror(errno)};

  if (Streams.Out.empty()) // the terminal is the program's
    cli::clearStatusLine();
  // A signal that arrives before the program has started stays pending for it.
  sigset_t Blocked, Before;
  sigemptyset(&Blocked);
  for (int Signal : Forwarded)
    sigaddset(&Blocked, Signal);
  sigprocmask(SIG_BLOCK, &Blocked, &Before);
  const pid_t Parent = getpid();
  // vfork copies no memory; the child makes system calls only.
  pid_t Child = vfork(); // NOLINT(bugprone-unsafe-functions)
  if (Child == 0) {
    sigprocmask(SIG_SETMASK, &Before, nullptr);
    redirect(Streams.Out, STDOUT_FILENO);
    redirect(Streams.Err, STDERR_FILENO);
    endWithParent(Parent);
    execve(Path.c_str(), Argv.data(), Envp.data());
    int Why = errno;
    [[maybe_unused]] ssize_t Written = write(Failure[1], &Why, sizeof(Why));
    _exit(126);
  }
  int ForkError = errno;
  close(Failure[1]);
  if (Child > 0) {
    ForwardTo = Child;
    struct sigaction Action = {};
    Action.sa_sigaction = forward;
    Action.sa_flags = SA_SIGINFO | SA_RESTART;
    for (int Signal : Forwarded)
      sigaction(Signal, &Action, nullptr);
  }
  sigprocmask(SIG_SETMASK, &Before, nullptr);
  if (Child < 0) {
    close(Failure[0]);
    return Error{std::string("cannot start a program: ") + std::strerror(ForkError)};
  }

  int Why = 0;
  ssize_t Got = read(Failure[0], &Why, sizeof(Why));
  close(Failure[0]);
  int Status = 0;
  while (waitpid(Child, &Status, 0) < 0 && errno == EINTR)
    ;
  ForwardTo = 0;
  // Writing a summary may take long; who does not want to wait can recover it later.
  for (int Signal : Forwarded)
    signal(Signal, SIG_DFL);
  if (Got == sizeof(Why))
    return Error{"cannot run '" + Path + "': " + whyNotRun(Why)};
  return ChildExit{Child, WIFSIGNALED(Status) ? 128 + WTERMSIG(Status) : WEXITSTATUS(Status)};
}

} // namespace gmprof::host
