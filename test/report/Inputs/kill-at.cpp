// kill-at N COMMAND …: runs a command, and kills it when it is about to make the N-th system call
// that changes a file. Ends as the command does: with 137 if it was killed.
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <set>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/// Returns whether the call changes a file, apart from its permissions.
static bool changesAFile(const __ptrace_syscall_info &Call) {
  static const std::set<unsigned long> Calls = {
      SYS_write,  SYS_writev,   SYS_pwrite64,  SYS_pwritev, SYS_ftruncate, SYS_fallocate,
      SYS_rename, SYS_renameat, SYS_renameat2, SYS_unlink,  SYS_unlinkat,  SYS_mkdir};
  return Calls.contains(Call.entry.nr) ||
         (Call.entry.nr == SYS_openat && (Call.entry.args[2] & O_CREAT) != 0);
}

static int endOf(int Status) {
  return WIFSIGNALED(Status) ? 128 + WTERMSIG(Status) : WEXITSTATUS(Status);
}

int main(int Count, char **Arguments) {
  long Left = Count > 2 ? std::atol(Arguments[1]) : 0;
  const pid_t Child = fork();
  if (Child == 0) {
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    execvp(Arguments[2], Arguments + 2);
    std::perror(Arguments[2]);
    _exit(127);
  }
  int Status = 0;
  waitpid(Child, &Status, 0); // it is about to begin
  ptrace(PTRACE_SETOPTIONS, Child, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
  long Signal = 0;
  while (!WIFEXITED(Status) && !WIFSIGNALED(Status)) {
    ptrace(PTRACE_SYSCALL, Child, nullptr, Signal);
    waitpid(Child, &Status, 0);
    const bool OfCall = WIFSTOPPED(Status) && WSTOPSIG(Status) == (SIGTRAP | 0x80);
    Signal = WIFSTOPPED(Status) && !OfCall ? WSTOPSIG(Status) : 0;
    __ptrace_syscall_info Call = {};
    if (OfCall && ptrace(PTRACE_GET_SYSCALL_INFO, Child, sizeof(Call), &Call) > 0 &&
        Call.op == PTRACE_SYSCALL_INFO_ENTRY && changesAFile(Call) && --Left == 0) {
      kill(Child, SIGKILL);
      waitpid(Child, &Status, 0);
    }
  }
  return endOf(Status);
}
