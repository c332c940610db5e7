// Prints what GMProf's hook tells of the places of sources.
#include <cstdio>

extern "C" void gmprof_source_place(const char *File, unsigned Line, int Verbatim) {
  if (File)
    std::printf("%s:%u%s\n", __builtin_strrchr(File, '/') + 1, Line,
                Verbatim ? " has it" : " calls");
  else
    std::printf("loaded\n");
  std::fflush(stdout);
}
