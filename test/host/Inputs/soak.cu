// Three threads use the CUDA runtime at random, each with its own objects and streams, and write
// down the expected content of the profile. All elements of an object hold one number, which the
// program knows and checks from time to time: a wrong one is a device fault and ends the program.
//
//   soak SEED STEPS MODEL     STEPS calls by each thread; MODEL is written at the end

#include "../../../examples/example.h"
#include <cuda_runtime.h>
#include <map>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

__global__ void fill(int *To, int Value, int N) {
  for (int I = threadIdx.x; I < N; I += blockDim.x)
    To[I] = Value;
}

__global__ void add(int *To, const int *From, int N) {
  for (int I = threadIdx.x; I < N; I += blockDim.x)
    To[I] += From[I];
}

/// Expected content of the profile. Allocations are made under its lock, which fixes their order.
struct Model {
  std::mutex Lock;
  long Fills = 0, Adds = 0, Replayed = 0; ///< launches; those of graphs
  long Objects = 0;
  size_t Now = 0, Peak = 0; ///< bytes of the device
  std::map<void *, size_t> Alive;

  void made(void *Pointer, size_t Bytes, bool OnDevice) {
    ++Objects;
    Alive[Pointer] = Bytes;
    if (OnDevice)
      Peak = std::max(Peak, Now += Bytes);
  }
  void released(void *Pointer, bool OnDevice) {
    if (OnDevice)
      Now -= Alive[Pointer];
    Alive.erase(Pointer);
  }
  void write(const char *Path) const {
    FILE *To = std::fopen(Path, "w");
    std::fprintf(To,
                 "{\"fill\": %ld, \"add\": %ld, \"replayed\": %ld, \"objects\": %ld, \"peak\": "
                 "%zu, \"end\": %zu, \"alive\": {",
                 Fills, Adds, Replayed, Objects, Peak, Now);
    const char *Separator = "";
    for (auto [Pointer, Bytes] : Alive) {
      std::fprintf(To, "%s\"%llu\": %zu", Separator, (unsigned long long)Pointer, Bytes);
      Separator = ", ";
    }
    std::fprintf(To, "}}\n");
    std::fclose(To);
  }
};

Model TheModel;

enum class Kind { Device, Managed, Pinned, Async };

struct Object {
  int *Data;
  int N, Value;
  Kind What;
  cudaStream_t Stream; ///< all of its work is in
};

class User {
  std::mt19937 Numbers;
  std::vector<Object> Objects;
  std::vector<cudaStream_t> Streams;

  int below(int Limit) { return int(Numbers() % unsigned(Limit)); }
  Object &any() { return Objects[below(int(Objects.size()))]; }

public:
  explicit User(unsigned Seed) : Numbers(Seed) {
    Streams.resize(2);
    for (cudaStream_t &Each : Streams)
      CHECK(cudaStreamCreateWithFlags(&Each, cudaStreamNonBlocking));
  }

  void step() {
    if (Objects.size() < 2)
      return allocate();
    switch (below(12)) {
    case 0:
    case 1:
      return Objects.size() < 24 ? allocate() : release(below(int(Objects.size())));
    case 2:
      return release(below(int(Objects.size())));
    case 3:
    case 4:
      return refill(any());
    case 5:
      return sum();
    case 6:
      return set(any());
    case 7:
      return copy();
    case 8:
      return look(any());
    case 9:
      return graph(any());
    case 10:
      return exchangeStream();
    case 11:
      return waitForEvent(any());
    }
  }

  /// Some objects stay.
  void end() {
    for (const Object &O : Objects)
      look(O);
    while (Objects.size() > 3)
      release(0);
  }

private:
  void allocate() {
    Object O = {nullptr, 1 + below(4096), below(1000), Kind(below(4)), Streams[below(2)]};
    const size_t Bytes = O.N * sizeof(int);
    {
      std::lock_guard<std::mutex> Guard(TheModel.Lock);
      switch (O.What) {
      case Kind::Device:
        CHECK(cudaMalloc(&O.Data, Bytes));
        break;
      case Kind::Managed:
        CHECK(cudaMallocManaged(&O.Data, Bytes));
        break;
      case Kind::Pinned:
        CHECK(cudaMallocHost(&O.Data, Bytes));
        break;
      case Kind::Async:
        CHECK(cudaMallocAsync(&O.Data, Bytes, O.Stream));
        break;
      }
      TheModel.made(O.Data, Bytes, O.What != Kind::Pinned);
    }
    Objects.push_back(O);
    refill(Objects.back());
  }

  void release(int Number) {
    const Object O = Objects[Number];
    Objects.erase(Objects.begin() + Number);
    CHECK(cudaStreamSynchronize(O.Stream));
    std::lock_guard<std::mutex> Guard(TheModel.Lock);
    if (O.What == Kind::Pinned)
      CHECK(cudaFreeHost(O.Data));
    else if (O.What == Kind::Async)
      CHECK(cudaFreeAsync(O.Data, O.Stream));
    else
      CHECK(cudaFree(O.Data));
    TheModel.released(O.Data, O.What != Kind::Pinned);
  }

  void launchFill(const Object &O, int Value) {
    fill<<<1, 32, 0, O.Stream>>>(O.Data, Value, O.N);
    CHECK(cudaGetLastError());
  }

  void count(long &What, long Launches) {
    std::lock_guard<std::mutex> Guard(TheModel.Lock);
    What += Launches;
  }

  void refill(Object &O) {
    launchFill(O, O.Value = below(1000));
    count(TheModel.Fills, 1);
  }

  void sum() {
    Object &To = any(), &From = any();
    CHECK(cudaStreamSynchronize(From.Stream));
    add<<<1, 32, 0, To.Stream>>>(To.Data, From.Data, std::min(To.N, From.N));
    CHECK(cudaGetLastError());
    count(TheModel.Adds, 1);
    CHECK(cudaStreamSynchronize(To.Stream));
    if (To.N > From.N)
      refill(To);
    else
      To.Value += From.Value;
  }

  void set(Object &O) {
    const int Byte = below(100);
    O.Value = Byte * 0x01010101;
    CHECK(cudaMemsetAsync(O.Data, Byte, O.N * sizeof(int), O.Stream));
  }

  void copy() {
    Object &To = any(), &From = any();
    if (To.N > From.N || &To == &From)
      return;
    CHECK(cudaStreamSynchronize(From.Stream));
    CHECK(cudaMemcpyAsync(To.Data, From.Data, To.N * sizeof(int), cudaMemcpyDefault, To.Stream));
    CHECK(cudaStreamSynchronize(To.Stream));
    To.Value = From.Value;
  }

  void look(const Object &O) {
    std::vector<int> Host(O.N);
    CHECK(cudaStreamSynchronize(O.Stream));
    CHECK(cudaMemcpy(Host.data(), O.Data, O.N * sizeof(int), cudaMemcpyDefault));
    for (int I = 0; I < O.N; ++I)
      if (Host[I] != O.Value) {
        std::fprintf(stderr, "element %d of %d is %d instead of %d\n", I, O.N, Host[I], O.Value);
        std::exit(1);
      }
  }

  /// Two kernels, replayed one to three times.
  void graph(Object &O) {
    cudaGraph_t Graph;
    cudaGraphExec_t Exec;
    const int Times = 1 + below(3);
    CHECK(cudaStreamBeginCapture(O.Stream, cudaStreamCaptureModeThreadLocal));
    launchFill(O, 1);
    launchFill(O, O.Value = below(1000));
    CHECK(cudaStreamEndCapture(O.Stream, &Graph));
    CHECK(cudaGraphInstantiate(&Exec, Graph, 0));
    for (int I = 0; I < Times; ++I)
      CHECK(cudaGraphLaunch(Exec, O.Stream));
    CHECK(cudaStreamSynchronize(O.Stream));
    CHECK(cudaGraphExecDestroy(Exec));
    CHECK(cudaGraphDestroy(Graph));
    count(TheModel.Replayed, 2 * Times);
  }

  void exchangeStream() {
    cudaStream_t &Old = Streams[below(2)];
    cudaStream_t New;
    CHECK(cudaStreamCreateWithFlags(&New, cudaStreamNonBlocking));
    CHECK(cudaStreamSynchronize(Old));
    for (Object &O : Objects)
      if (O.Stream == Old)
        O.Stream = New;
    CHECK(cudaStreamDestroy(Old));
    Old = New;
  }

  void waitForEvent(const Object &O) {
    cudaEvent_t Event;
    CHECK(cudaEventCreate(&Event));
    CHECK(cudaEventRecord(Event, O.Stream));
    CHECK(cudaStreamWaitEvent(Streams[below(2)], Event, 0));
    CHECK(cudaEventSynchronize(Event));
    CHECK(cudaEventDestroy(Event));
  }
};

int main(int Argc, char **Argv) {
  if (Argc != 4) {
    std::fprintf(stderr, "usage: soak SEED STEPS MODEL\n");
    return 2;
  }
  const unsigned Seed = unsigned(std::atol(Argv[1]));
  const long Steps = std::atol(Argv[2]);
  std::vector<std::thread> Threads;
  for (unsigned T = 0; T < 3; ++T)
    Threads.emplace_back([=] {
      User Each(3 * Seed + T);
      for (long I = 0; I < Steps; ++I)
        Each.step();
      Each.end();
    });
  for (std::thread &Each : Threads)
    Each.join();
  CHECK(cudaDeviceSynchronize());
  TheModel.write(Argv[3]);
  std::printf("done\n");
}
