// Launches of every form, and the errors of failing ones, are the same with and without profiling;
// and every successful launch is profiled.
#include <cstdio>
#include <cuda_runtime.h>
#include <thread>
#include <vector>

__global__ void add(int *Out, int Value) {
  __shared__ volatile int Tile[32];
  Tile[threadIdx.x] = Value;
  __syncthreads();
  if (threadIdx.x == 0)
    atomicAdd(Out, Tile[31]);
}

__global__ void addDynamic(int *Out, int Value) {
  extern __shared__ int Words[];
  Words[threadIdx.x] = Value;
  __syncthreads();
  if (threadIdx.x == 0)
    atomicAdd(Out, Words[31]);
}

static int *Out;
static const void *const Add = reinterpret_cast<const void *>(&add);

static void say(const char *What, cudaError_t Error) {
  cudaError_t Last = cudaGetLastError();
  printf("%s: %s, then %s\n", What, cudaGetErrorName(Error), cudaGetErrorName(Last));
}

/// cudaMemset does not wait, and a non-blocking stream does not wait for it.
static void clear() {
  cudaMemset(Out, 0, sizeof(int));
  cudaDeviceSynchronize();
}

static void result(const char *What) {
  int Value = -1;
  cudaError_t Error = cudaMemcpy(&Value, Out, sizeof(Value), cudaMemcpyDeviceToHost);
  printf("%s: %d (%s)\n", What, Value, cudaGetErrorName(Error));
  clear();
}

static cudaError_t launch(int Value, cudaStream_t Stream, dim3 Grid = 2, dim3 Block = 32,
                          size_t Shared = 0, const void *Kernel = Add) {
  void *Args[] = {&Out, &Value};
  return cudaLaunchKernel(Kernel, Grid, Block, Args, Shared, Stream);
}

/// A kernel node's parameters; the arguments live as long as the program.
static cudaKernelNodeParams node(int &Value) {
  static void *Args[2];
  Args[0] = &Out;
  Args[1] = &Value;
  cudaKernelNodeParams P = {};
  P.func = const_cast<void *>(Add);
  P.gridDim = 2;
  P.blockDim = 32;
  P.kernelParams = Args;
  return P;
}

int main() {
  cudaStream_t Stream;
  cudaGraph_t Graph;
  cudaGraphExec_t Exec;
  cudaGraphNode_t Node;
  int Value = 5;
  cudaMalloc(&Out, sizeof(int));
  clear();
  cudaStreamCreateWithFlags(&Stream, cudaStreamNonBlocking);

  // The first launch of all is captured.
  say("begin", cudaStreamBeginCapture(Stream, cudaStreamCaptureModeGlobal));
  say("captured", launch(1, Stream));
  say("end", cudaStreamEndCapture(Stream, &Graph));
  size_t Count = 0;
  cudaGraphGetNodes(Graph, nullptr, &Count);
  printf("nodes: %zu\n", Count);
  say("instantiate", cudaGraphInstantiate(&Exec, Graph, 0));
  for (int I = 0; I < 3; ++I)
    say("replay", cudaGraphLaunch(Exec, Stream));
  say("synchronize", cudaStreamSynchronize(Stream));
  result("captured");

  // The program looks at its node, changes it, and changes the executable.
  cudaKernelNodeParams Seen = {};
  Count = 1;
  cudaGraphGetNodes(Graph, &Node, &Count);
  say("get", cudaGraphKernelNodeGetParams(Node, &Seen));
  printf("its kernel: %d, grid %u, value %d\n", Seen.func == Add, Seen.gridDim.x,
         *static_cast<int *>(Seen.kernelParams[1]));
  Seen.gridDim.x = 3;
  say("set", cudaGraphKernelNodeSetParams(Node, &Seen));
  cudaKernelNodeParams Changed = node(Value);
  say("set in executable", cudaGraphExecKernelNodeSetParams(Exec, Node, &Changed));
  say("launch", cudaGraphLaunch(Exec, Stream));
  cudaStreamSynchronize(Stream);
  result("changed executable");
  cudaGraphExecUpdateResultInfo Info = {};
  say("update", cudaGraphExecUpdate(Exec, Graph, &Info));
  say("launch", cudaGraphLaunch(Exec, Stream));
  cudaStreamSynchronize(Stream);
  result("updated executable");
  say("destroy", cudaGraphExecDestroy(Exec));
  say("destroy", cudaGraphDestroy(Graph));

  // Nodes made by hand.
  cudaGraphCreate(&Graph, 0);
  cudaKernelNodeParams Own = node(Value);
  say("add node", cudaGraphAddKernelNode(&Node, Graph, nullptr, 0, &Own));
  Own.blockDim.x = 4096;
  say("add bad node", cudaGraphAddKernelNode(&Node, Graph, nullptr, 0, &Own));
  say("instantiate", cudaGraphInstantiate(&Exec, Graph, 0));
  say("launch", cudaGraphLaunch(Exec, Stream));
  cudaStreamSynchronize(Stream);
  result("node");
  cudaGraphExecDestroy(Exec);
  cudaGraphDestroy(Graph);

  // Launches that fail.
  say("no blocks", launch(1, Stream, 0));
  say("no threads", launch(1, Stream, 1, 0));
  say("too many threads", launch(1, Stream, 1, 2048));
  say("too much shared memory", launch(1, Stream, 1, 32, 1 << 20));
  say("more shared memory than allowed",
      launch(1, Stream, 1, 32, 60 << 10, reinterpret_cast<const void *>(&addDynamic)));
  say("no kernel", launch(1, Stream, 1, 32, 0, &Value));
  result("failed");

  // The same launch after the program has allowed it.
  say("allow",
      cudaFuncSetAttribute(addDynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 60 << 10));
  say("allowed", launch(7, Stream, 1, 32, 60 << 10, reinterpret_cast<const void *>(&addDynamic)));
  cudaStreamSynchronize(Stream);
  result("allowed");
  say("cache configuration", cudaFuncSetCacheConfig(add, cudaFuncCachePreferShared));

  // Other forms.
  void *Args[] = {&Out, &Value};
  say("cooperative", cudaLaunchCooperativeKernel(Add, 2, 32, Args, 0, Stream));
  say("too large cooperative", cudaLaunchCooperativeKernel(Add, 1 << 20, 32, Args, 0, Stream));
  cudaLaunchAttribute Priority = {};
  Priority.id = cudaLaunchAttributePriority;
  Priority.val.priority = -1;
  cudaLaunchConfig_t Config = {};
  Config.gridDim = 2;
  Config.blockDim = 32;
  Config.stream = Stream;
  Config.attrs = &Priority;
  Config.numAttrs = 1;
  say("extended", cudaLaunchKernelExC(&Config, Add, Args));
  cudaStreamSynchronize(Stream);
  result("other forms");

  // Threads that have not called CUDA before.
  std::vector<std::thread> Threads;
  for (int T = 0; T < 4; ++T)
    Threads.emplace_back([=] {
      for (int I = 0; I < 100; ++I)
        launch(T, Stream);
    });
  for (std::thread &T : Threads)
    T.join();
  cudaStreamSynchronize(Stream);
  result("threads");

  // An error that the program has not asked for yet stays.
  launch(1, Stream, 0);
  launch(1, Stream);
  cudaDeviceSynchronize();
  say("late question", cudaSuccess);
  result("before reset");

  say("reset", cudaDeviceReset());
  cudaMalloc(&Out, sizeof(int));
  cudaMemset(Out, 0, sizeof(int));
  say("after reset", launch(9, nullptr));
  result("after reset");
  launch(1, nullptr); // runs when the program ends
}
