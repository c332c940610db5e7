// Programs for gmprof whatif, by their first argument.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    if (cudaError_t Error = call; Error != cudaSuccess) {                                          \
      std::printf("%s: %s\n", #call, cudaGetErrorString(Error));                                   \
      std::exit(9);                                                                                \
    }                                                                                              \
  } while (0)

constexpr int Steps = 4;

/// Takes a while, so that there is something to wait for.
__global__ void add(int *Sum, int Value) {
  unsigned long long Begin, Now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(Begin));
  do
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(Now));
  while (Now - Begin < 20'000'000);
  *Sum += Value;
}

__global__ void addFrom(int *Sum, const int *Value) { *Sum += *Value; }

static int *Sum;

static int result() {
  int Result;
  CHECK(cudaMemcpy(&Result, Sum, sizeof(int), cudaMemcpyDeviceToHost));
  return Result;
}

/// Unnecessary waits. Looks: the program's output depends on the waits nevertheless.
static void needless(bool Looks) {
  for (int I = 0; I < Steps; ++I) {
    add<<<1, 1>>>(Sum, I);
    CHECK(cudaDeviceSynchronize());
    if (Looks)
      std::printf("%s\n", cudaStreamQuery(nullptr) == cudaSuccess ? "done" : "busy");
  }
}

/// The host needs the result of the second step.
static void sometimes() {
  int *Managed;
  CHECK(cudaMallocManaged(&Managed, sizeof(int)));
  *Managed = 0;
  for (int I = 0; I < Steps; ++I) {
    add<<<1, 1>>>(I == 1 ? Managed : Sum, 5);
    CHECK(cudaDeviceSynchronize());
    if (I == 1)
      std::printf("%d\n", *Managed);
  }
  CHECK(cudaFree(Managed));
}

static void frees() {
  for (int I = 0; I < Steps; ++I) {
    int *Memory;
    CHECK(cudaMalloc(&Memory, 4096));
    CHECK(cudaMemsetAsync(Memory, I, 4096));
    add<<<1, 1>>>(Sum, 1);
    addFrom<<<1, 1>>>(Sum, Memory);
    CHECK(cudaFree(Memory));
  }
}

/// The same value is copied again, except in the third step.
static void copies(int Third) {
  int *Value, Host = 7;
  CHECK(cudaMalloc(&Value, sizeof(int)));
  for (int I = 0; I < Steps; ++I) {
    Host = I == 2 ? Third : 7;
    add<<<1, 1>>>(Sum, 1);
    CHECK(cudaMemcpy(Value, &Host, sizeof(int), cudaMemcpyHostToDevice));
    addFrom<<<1, 1>>>(Sum, Value);
  }
  CHECK(cudaFree(Value));
}

/// The value copied in the third step depends on the number of runs of the program.
static int runs(const char *Count) {
  int Runs = 0;
  if (std::FILE *File = std::fopen(Count, "r")) {
    if (std::fscanf(File, "%d", &Runs) != 1)
      std::exit(8);
    std::fclose(File);
  }
  std::FILE *File = std::fopen(Count, "w");
  std::fprintf(File, "%d\n", Runs + 1);
  std::fclose(File);
  return Runs;
}

static void sets() {
  int *Managed;
  CHECK(cudaMallocManaged(&Managed, sizeof(int)));
  for (int I = 0; I < Steps; ++I) {
    add<<<1, 1>>>(Sum, 1);
    CHECK(cudaMemset(Managed, 0, sizeof(int)));
    addFrom<<<1, 1>>>(Sum, Managed);
  }
  CHECK(cudaFree(Managed));
}

/// To pageable memory, where nothing is read.
static void pageable() {
  constexpr size_t Bytes = 1 << 20;
  char *Device, *Host = static_cast<char *>(std::malloc(Bytes));
  CHECK(cudaMalloc(&Device, Bytes));
  for (int I = 0; I < Steps; ++I) {
    add<<<1, 1>>>(Sum, 1);
    CHECK(cudaMemcpy(Host, Device, Bytes, cudaMemcpyDeviceToHost));
  }
  CHECK(cudaFree(Device));
  std::free(Host);
}

static unsigned work(unsigned From) {
  for (int I = 0; I < 10'000'000; ++I) {
    From = From * 1664525 + 1013904223;
    asm volatile("" : "+r"(From));
  }
  return From;
}

/// Long before its result is used.
static unsigned early() {
  int *Managed;
  CHECK(cudaMallocManaged(&Managed, sizeof(int)));
  *Managed = 1;
  unsigned Work = 1;
  for (int I = 0; I < Steps; ++I) {
    add<<<1, 1>>>(Managed, 1);
    CHECK(cudaDeviceSynchronize());
    Work = work(Work);
    Work += *Managed;
  }
  return Work;
}

/// The same for copies to page-locked memory. Use: the use of the result.
template <typename User> void earlyCopies(User Use, bool Works = true) {
  int *Pinned;
  unsigned Work = 1;
  CHECK(cudaMallocHost(&Pinned, sizeof(int)));
  *Pinned = -1;
  for (int I = 0; I < Steps; ++I) {
    add<<<1, 1>>>(Sum, 1 << I);
    CHECK(cudaMemcpyAsync(Pinned, Sum, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaDeviceSynchronize());
    if (Works)
      Work = work(Work);
    Use(Pinned);
  }
  CHECK(cudaFreeHost(Pinned));
  std::printf("worked %d\n", Work != 0);
}

static void print(const int *Value) { std::printf("%d\n", *Value); }

static void inSystemCall(const int *Value) {
  static int Number = 0;
  const int File = open("used", O_WRONLY | O_CREAT, 0600);
  if (pwrite(File, Value, sizeof(int), sizeof(int) * Number++) != sizeof(int))
    std::exit(7);
  close(File);
}

static void inThread(const int *Value) {
  std::thread([=] { print(Value); }).join();
}

static void inChild(const int *Value) {
  std::fflush(stdout);
  if (fork() == 0) {
    print(Value);
    std::fflush(stdout);
    _exit(0);
  }
  wait(nullptr);
  print(Value);
}

static void afterQuery(const int *Value) {
  std::printf("%s\n", cudaStreamQuery(nullptr) == cudaSuccess ? "done" : "busy");
  print(Value);
}

/// Copies the same value again, from page-locked memory.
static void asSource(const int *Value) {
  int *Copy, Result;
  CHECK(cudaMalloc(&Copy, sizeof(int)));
  CHECK(cudaMemcpy(Copy, Value, sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(&Result, Copy, sizeof(int), cudaMemcpyDeviceToHost));
  print(&Result);
}

/// Another stream uses the result of a stream, and so does the host: before that if First.
static void order(bool First) {
  int *Pinned, *Other, Result;
  cudaStream_t A, B;
  CHECK(cudaMallocHost(&Pinned, sizeof(int)));
  CHECK(cudaMalloc(&Other, sizeof(int)));
  CHECK(cudaMemset(Other, 0, sizeof(int)));
  CHECK(cudaStreamCreateWithFlags(&A, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&B, cudaStreamNonBlocking));
  CHECK(cudaDeviceSynchronize());
  add<<<1, 1, 0, A>>>(Sum, 5);
  CHECK(cudaMemcpyAsync(Pinned, Sum, sizeof(int), cudaMemcpyDeviceToHost, A));
  CHECK(cudaStreamSynchronize(A));
  const unsigned Work = work(1);
  int Used = First ? *Pinned : 5;
  addFrom<<<1, 1, 0, B>>>(Other, Sum);
  CHECK(cudaStreamSynchronize(B));
  CHECK(cudaMemcpy(&Result, Other, sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("%d %d %d %d\n", Used, Result, *Pinned, Work != 0);
}

/// Graphs make copies that are unknown.
static void graph() {
  int *Pinned;
  cudaStream_t Stream;
  cudaGraph_t Graph;
  cudaGraphExec_t Exec;
  CHECK(cudaMallocHost(&Pinned, sizeof(int)));
  CHECK(cudaStreamCreate(&Stream));
  CHECK(cudaStreamBeginCapture(Stream, cudaStreamCaptureModeGlobal));
  add<<<1, 1, 0, Stream>>>(Sum, 1);
  CHECK(cudaMemcpyAsync(Pinned, Sum, sizeof(int), cudaMemcpyDeviceToHost, Stream));
  CHECK(cudaStreamEndCapture(Stream, &Graph));
  CHECK(cudaGraphInstantiate(&Exec, Graph, 0));
#pragma unroll 1
  for (int I = 0; I < Steps; ++I) {
    CHECK(cudaGraphLaunch(Exec, Stream));
    CHECK(cudaStreamSynchronize(Stream));
    const unsigned Work = work(1);
    std::printf("%d %d\n", *Pinned, Work != 0);
  }
}

int main(int Argc, char **Argv) {
  const char *What = Argc > 1 ? Argv[1] : "";
  auto Is = [&](const char *Name) { return std::strcmp(What, Name) == 0; };
  CHECK(cudaMalloc(&Sum, sizeof(int)));
  CHECK(cudaMemset(Sum, 0, sizeof(int)));
  if (Is("needless") || Is("looks"))
    needless(Is("looks"));
  else if (Is("sometimes"))
    sometimes();
  else if (Is("frees"))
    frees();
  else if (Is("copies"))
    copies(8);
  else if (Is("copies-of-runs"))
    copies(Argc > 2 && runs(Argv[2]) > 3 ? 8 : 7);
  else if (Is("sets"))
    sets();
  else if (Is("pageable"))
    pageable();
  else if (Is("early-copies"))
    earlyCopies(print);
  else if (Is("early-copies-of-runs"))
    earlyCopies(print, Argc > 2 && runs(Argv[2]) < 4);
  else if (Is("system-call"))
    earlyCopies(inSystemCall);
  else if (Is("thread"))
    earlyCopies(inThread);
  else if (Is("child"))
    earlyCopies(inChild);
  else if (Is("query"))
    earlyCopies(afterQuery);
  else if (Is("source"))
    earlyCopies(asSource);
  else if (Is("order-of-runs"))
    order(Argc > 2 && runs(Argv[2]) < 4);
  else if (Is("graph"))
    graph();
  else if (Is("early"))
    std::printf("%u\n", early());
  std::printf("sum %d\n", result());
  return 3;
}
