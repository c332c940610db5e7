// program.cu in a process that keeps no exit status of its children: as the argument says, it
// ignores SIGCHLD, or waits for all children when one ends.
#include <sys/wait.h>
#define main runProgram
#include "program.cu"
#undef main

int main(int, char **Argv) {
  if (std::strcmp(Argv[1], "ignore") == 0)
    signal(SIGCHLD, SIG_IGN);
  else
    signal(SIGCHLD, [](int) {
      while (waitpid(-1, nullptr, WNOHANG) > 0)
        ;
    });
  runProgram(1, Argv);
  return 5;
}
