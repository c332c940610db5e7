// More kernels than those whose launches wait for clones, and a helper that answers when told: its
// proxy (held-instrument.py) writes the name of a kernel to the FIFO "asked", and waits for a line
// of the FIFO "answers". A request proves that what the worker made before is there.
#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_runtime.h>
#include <fcntl.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    if (const int Error = static_cast<int>(call)) {                                                \
      std::printf("%s: error %d\n", #call, Error);                                                 \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (0)

template <typename Function> static Function driverFunction(const char *Name, unsigned Version) {
  void *Found = nullptr;
  cudaDriverEntryPointQueryResult Status;
  CHECK(cudaGetDriverEntryPointByVersion(Name, &Found, Version, cudaEnableDefault, &Status));
  return reinterpret_cast<Function>(Found);
}

/// Returns a kernel with Out[Index[i]] = i.
static std::string scatter(const std::string &Name) {
  return ".visible .entry " + Name + R"((.param .u64 Index, .param .u64 Out)
{
  .reg .b32 %r<3>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [Index];
  ld.param.u64 %rd2, [Out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.u64 %rd4, %rd1, %rd3;
  ld.global.u32 %r2, [%rd4];
  mul.wide.u32 %rd3, %r2, 4;
  add.u64 %rd5, %rd2, %rd3;
  st.global.u32 [%rd5], %r1;
  ret;
}
)";
}

static int Asked, Answers;

static void expectRequest() {
  std::string Name;
  for (char C = 0; read(Asked, &C, 1) == 1 && C != '\n';)
    Name += C;
  std::printf("asked for %s\n", Name.c_str());
}

static void answer() { CHECK(write(Answers, "\n", 1) != 1); }

int main() {
  constexpr int Words = 32;
  Asked = open("asked", O_RDWR | O_CLOEXEC);
  Answers = open("answers", O_RDWR | O_CLOEXEC);
  const auto Load = driverFunction<PFN_cuModuleLoadData_v2000>("cuModuleLoadData", 2000);
  const auto Find = driverFunction<PFN_cuModuleGetFunction_v2000>("cuModuleGetFunction", 2000);
  const auto Start = driverFunction<PFN_cuLaunchKernel_v4000>("cuLaunchKernel", 4000);
  int *Index = nullptr, *Out = nullptr;
  CHECK(cudaMalloc(&Index, Words * sizeof(int)));
  CHECK(cudaMalloc(&Out, Words * sizeof(int)));
  CHECK(cudaMemset(Index, 0, Words * sizeof(int)));
  std::string Code = ".version 7.0\n.target sm_70\n.address_size 64\n";
  for (const char *Name : {"k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7", "late", "once", "other"})
    Code += scatter(Name);
  CUmodule Module = nullptr;
  CHECK(Load(&Module, Code.c_str()));
  const auto Launch = [&](const std::string &Name, int Times) {
    CUfunction Function = nullptr;
    void *Args[] = {&Index, &Out};
    CHECK(Find(&Function, Module, Name.c_str()));
    for (int I = 0; I < Times; ++I)
      CHECK(Start(Function, 1, 1, 1, Words, 1, 1, 0, nullptr, Args, nullptr));
  };
  for (int I = 0; I < 8; ++I)
    Launch("k" + std::to_string(I), 1);

  Launch("late", 3); // nothing is made
  expectRequest();
  Launch("once", 1);
  Launch("other", 2);
  CHECK(cudaDeviceSynchronize());
  std::fflush(stdout);
  int Status = -1;
  if (const pid_t Child = fork(); Child == 0)
    std::exit(7); // without a worker
  else
    waitpid(Child, &Status, 0);
  std::printf("the child exits with %d\n", WEXITSTATUS(Status));
  answer();
  expectRequest();   // of what is launched most
  Launch("late", 2); // it is instrumented, but not compiled
  answer();
  expectRequest();
  Launch("other", 1);
  answer();
  expectRequest();
  Launch("late", 4); // it has its clone
  CHECK(cudaDeviceSynchronize());
  std::printf("done\n");
}
