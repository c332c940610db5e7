//===- replay.cpp - Runs kernels and their lifted forms on the same memory ===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library to preload into a program that nvcc built with the shared CUDA runtime. It repeats the
// first launches of each kernel, with the program's kernel and with the lifted one of a cubin in
// $LIFTED, on copies of all memory that the program allocated, and compares what they wrote. It
// writes a line for each launch into the file $REPLAY_OUT:
//
//   KERNEL TAB STATE TAB BYTES TAB times of the kernel TAB times of the lifted kernel
//
// STATE: same, different, or unstable if the program's kernel differs from itself. BYTES: of the
// memory that was compared. Times: in ns, by CUPTI, separated by commas. Each line is preceded by
// "KERNEL TAB begins", which is the last line if the lifted kernel ends the program.
//
// The file $LIFTED/index has the lines "CUBIN TAB NAME" for kernels and "CUBIN TAB NAME TAB var"
// for variables of the module.
//
//===----------------------------------------------------------------------===//

#include "compare.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <cupti.h>
#include <dlfcn.h>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

namespace {

constexpr int LaunchesOfKernel = 2;
constexpr int Repeats = 3; ///< of the program's kernel, to see whether it writes the same each time
constexpr int TimedPairs = 8;
constexpr size_t MaxBytes = size_t(40) << 30;

/// Ends the process, since a failure here would make the comparison worthless.
void check(CUresult Result, const char *What) {
  if (Result == CUDA_SUCCESS)
    return;
  const char *Name = "?";
  cuGetErrorName(Result, &Name);
  std::fprintf(stderr, "replay: %s: %s\n", What, Name);
  std::_Exit(3);
}

template <typename F> F next(const char *Name) {
  return reinterpret_cast<F>(dlsym(RTLD_NEXT, Name));
}

//===----------------------------------------------------------------------===//
// Times of kernels
//===----------------------------------------------------------------------===//

std::vector<std::pair<uint64_t, uint64_t>> Kernels; // start, end

void CUPTIAPI requestBuffer(uint8_t **Buffer, size_t *Bytes, size_t *MaxRecords) {
  *Bytes = size_t(1) << 20;
  *Buffer = static_cast<uint8_t *>(std::aligned_alloc(8, *Bytes));
  *MaxRecords = 0;
}

void CUPTIAPI completeBuffer(CUcontext, uint32_t, uint8_t *Buffer, size_t, size_t Valid) {
  CUpti_Activity *Record = nullptr;
  while (cuptiActivityGetNextRecord(Buffer, Valid, &Record) == CUPTI_SUCCESS) {
    const auto *K = reinterpret_cast<const CUpti_ActivityKernel9 *>(Record);
    Kernels.emplace_back(K->start, K->end);
  }
  std::free(Buffer);
}

//===----------------------------------------------------------------------===//
// The program's memory
//===----------------------------------------------------------------------===//

struct Range {
  CUdeviceptr Address;
  size_t Bytes;
};

std::mutex Lock;
std::map<CUdeviceptr, size_t> Allocated;

void allocated(cudaError_t Result, void *Address, size_t Bytes) {
  std::lock_guard<std::mutex> Guard(Lock);
  if (Result == cudaSuccess && Bytes)
    Allocated[reinterpret_cast<CUdeviceptr>(Address)] = Bytes;
}

/// Allocates memory by the runtime's function Name.
template <typename... Others>
cudaError_t allocate(const char *Name, void **Address, size_t Bytes, Others... Arguments) {
  const auto Next = next<cudaError_t (*)(void **, size_t, Others...)>(Name);
  const cudaError_t Result = Next(Address, Bytes, Arguments...);
  allocated(Result, *Address, Bytes);
  return Result;
}

/// Releases memory by the runtime's function Name.
template <typename... Others>
cudaError_t release(const char *Name, void *Address, Others... Arguments) {
  {
    std::lock_guard<std::mutex> Guard(Lock);
    Allocated.erase(reinterpret_cast<CUdeviceptr>(Address));
  }
  return next<cudaError_t (*)(void *, Others...)>(Name)(Address, Arguments...);
}

/// Copies of some ranges of memory, one behind the other.
class Copies {
public:
  Copies(const std::vector<Range> &Ranges, size_t Bytes) : Ranges(Ranges) {
    check(cuMemAlloc(&Start, std::max<size_t>(Bytes, 16)), "no memory for a copy");
  }
  ~Copies() { cuMemFree(Start); }
  Copies(const Copies &) = delete;
  Copies &operator=(const Copies &) = delete;

  void save() const {
    forEach([](CUdeviceptr Copy, const Range &R) {
      check(cuMemcpy(Copy, R.Address, R.Bytes), "save");
    });
  }
  void restore() const {
    forEach([](CUdeviceptr Copy, const Range &R) {
      check(cuMemcpy(R.Address, Copy, R.Bytes), "restore");
    });
  }
  bool equalMemory() const;

private:
  template <typename F> void forEach(F Call) const {
    CUdeviceptr Copy = Start;
    for (const Range &R : Ranges) {
      Call(Copy, R);
      Copy += R.Bytes;
    }
  }
  const std::vector<Range> &Ranges;
  CUdeviceptr Start = 0;
};

//===----------------------------------------------------------------------===//
// Lifted kernels
//===----------------------------------------------------------------------===//

struct LiftedModule {
  std::string File;
  std::vector<std::string> Variables;
  CUmodule Module = nullptr;
};

struct LiftedKernels {
  std::map<std::string, LiftedModule> Modules;
  std::map<std::string, LiftedModule *> OfKernel;

  LiftedKernels() {
    const char *Folder = std::getenv("LIFTED");
    if (!Folder)
      return;
    std::ifstream Index(std::string(Folder) + "/index");
    for (std::string Line; std::getline(Index, Line);) {
      std::istringstream Fields(Line);
      std::string Cubin, Name, Kind;
      Fields >> Cubin >> Name >> Kind;
      LiftedModule &M = Modules[Cubin];
      M.File = std::string(Folder) + "/" + Cubin;
      if (Kind == "var")
        M.Variables.push_back(Name);
      else
        OfKernel[Name] = &M;
    }
  }
};

LiftedKernels &lifted() {
  static LiftedKernels L;
  return L;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

thread_local bool Inside = false;
std::map<std::string, int> Launches;

struct Launch {
  CUlaunchConfig Config{};
  void **Arguments;

  void run(CUfunction Function) const {
    check(cuLaunchKernelEx(&Config, Function, Arguments, nullptr), "launch");
    check(cuCtxSynchronize(), "kernel");
  }
};

bool Copies::equalMemory() const {
  unsigned long long *Count = nullptr;
  CUdeviceptr CountAddress;
  check(cuMemAllocManaged(&CountAddress, sizeof(*Count), CU_MEM_ATTACH_GLOBAL), "counter");
  Count = reinterpret_cast<unsigned long long *>(CountAddress);
  *Count = 0;
  forEach([&](CUdeviceptr Copy, const Range &R) {
    countDifferences(reinterpret_cast<const unsigned char *>(Copy),
                     reinterpret_cast<const unsigned char *>(R.Address), R.Bytes, Count);
  });
  check(cuCtxSynchronize(), "comparison");
  const bool Equal = *Count == 0;
  cuMemFree(CountAddress);
  return Equal;
}

/// Lets the lifted kernel be launched as the program's.
void copyAttributes(CUfunction From, CUfunction To) {
  for (CUfunction_attribute A : {CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                 CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
                                 CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED}) {
    int Value = 0;
    if (cuFuncGetAttribute(&Value, A, From) == CUDA_SUCCESS)
      cuFuncSetAttribute(To, A, Value);
  }
}

/// Times of launches that alternate, from the same memory each.
std::string times(const Launch &L, CUfunction Original, CUfunction Lifted, const Copies &Before) {
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  std::vector<bool> IsLifted;
  for (int I = 0; I < 2 * TimedPairs; ++I) {
    IsLifted.push_back(I % 4 == 1 || I % 4 == 2);
    Before.restore();
    L.run(IsLifted.back() ? Lifted : Original);
  }
  cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  cuptiActivityDisable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  std::sort(Kernels.begin(), Kernels.end());
  std::string Text[2];
  for (size_t I = 0; I < Kernels.size() && I < IsLifted.size(); ++I) {
    std::string &T = Text[IsLifted[I]];
    T += (T.empty() ? "" : ",") + std::to_string(Kernels[I].second - Kernels[I].first);
  }
  Kernels.clear();
  return Text[0] + "\t" + Text[1];
}

/// Repeats a launch with both kernels. Returns false, with everything as it was, if there is no
/// lifted kernel or the launch has been repeated often enough.
bool replay(CUfunction Original, const Launch &L) {
  const char *NameText = nullptr;
  if (cuFuncGetName(&NameText, Original) != CUDA_SUCCESS)
    return false;
  const std::string Name = NameText;
  auto Found = lifted().OfKernel.find(Name);
  const char *OutFile = std::getenv("REPLAY_OUT");
  if (Found == lifted().OfKernel.end() || !OutFile || ++Launches[Name] > LaunchesOfKernel)
    return false;
  check(cuCtxSynchronize(), "before");
  std::ofstream Out(OutFile, std::ios::app);
  Out << Name << "\tbegins" << std::endl;

  LiftedModule &M = *Found->second;
  if (!M.Module) {
    std::ifstream File(M.File, std::ios::binary);
    const std::string Cubin(std::istreambuf_iterator<char>(File), {});
    check(cuModuleLoadData(&M.Module, Cubin.data()), "lifted module");
    static bool Registered = false;
    if (!Registered)
      cuptiActivityRegisterCallbacks(requestBuffer, completeBuffer);
    Registered = true;
  }
  CUfunction Lifted;
  check(cuModuleGetFunction(&Lifted, M.Module, Name.c_str()), "lifted kernel");
  copyAttributes(Original, Lifted);

  std::vector<Range> Ranges, Sources,
      Targets; // variables: of the program, and of the lifted module
  size_t Bytes = 0;
  for (const auto &[Address, Size] : Allocated) {
    Ranges.push_back({Address, Size});
    Bytes += Size;
  }
  CUmodule Module;
  check(cuFuncGetModule(&Module, Original), "module");
  for (const std::string &Variable : M.Variables) {
    Range A{}, B{};
    if (cuModuleGetGlobal(&A.Address, &A.Bytes, Module, Variable.c_str()) != CUDA_SUCCESS ||
        cuModuleGetGlobal(&B.Address, &B.Bytes, M.Module, Variable.c_str()) != CUDA_SUCCESS ||
        A.Bytes != B.Bytes)
      continue;
    Sources.push_back(A);
    Targets.push_back(B);
    Ranges.push_back(A);
    Bytes += A.Bytes;
  }
  if (Bytes > MaxBytes) {
    Out << Name << "\tlarge\t" << Bytes << std::endl;
    return false;
  }
  const auto CopyVariables = [&](const std::vector<Range> &To, const std::vector<Range> &From) {
    for (size_t I = 0; I < To.size(); ++I)
      check(cuMemcpy(To[I].Address, From[I].Address, To[I].Bytes), "variable");
  };

  const Copies Before(Ranges, Bytes), After(Ranges, Bytes);
  Before.save();
  L.run(Original);
  After.save();
  const auto OriginalRepeats = [&] {
    bool Same = true;
    for (int I = 0; I < Repeats && Same; ++I) {
      Before.restore();
      L.run(Original);
      Same = After.equalMemory();
    }
    return Same;
  };
  const bool Stable = OriginalRepeats();
  Before.restore();
  CopyVariables(Targets, Sources);
  L.run(Lifted);
  CopyVariables(Sources, Targets);
  const bool Same = After.equalMemory();
  const char *State = !Stable || !(Same || OriginalRepeats()) ? "unstable"
                      : Same                                  ? "same"
                                                              : "different";
  const std::string Times = times(L, Original, Lifted, Before);
  After.restore();
  check(cuCtxSynchronize(), "after");
  Out << Name << '\t' << State << '\t' << Bytes << '\t' << Times << std::endl;
  return true;
}

bool replayed(CUfunction Function, dim3 Grid, dim3 Block, void **Arguments, size_t Shared,
              cudaStream_t Stream, bool Cooperative) {
  cudaStreamCaptureStatus Capture = cudaStreamCaptureStatusNone;
  if (Inside || cudaStreamIsCapturing(Stream, &Capture) != cudaSuccess ||
      Capture != cudaStreamCaptureStatusNone)
    return false;
  Inside = true;
  CUlaunchAttribute Attribute{};
  Attribute.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  Attribute.value.cooperative = 1;
  Launch L;
  L.Config.gridDimX = Grid.x;
  L.Config.gridDimY = Grid.y;
  L.Config.gridDimZ = Grid.z;
  L.Config.blockDimX = Block.x;
  L.Config.blockDimY = Block.y;
  L.Config.blockDimZ = Block.z;
  L.Config.sharedMemBytes = static_cast<unsigned>(Shared);
  L.Config.hStream = Stream;
  L.Config.attrs = &Attribute;
  L.Config.numAttrs = Cooperative ? 1 : 0;
  L.Arguments = Arguments;
  const bool Done = replay(Function, L);
  Inside = false;
  return Done;
}

bool replayedSymbol(const void *Symbol, dim3 Grid, dim3 Block, void **Arguments, size_t Shared,
                    cudaStream_t Stream, bool Cooperative) {
  cudaFunction_t Function;
  return !Inside && cudaGetFuncBySymbol(&Function, Symbol) == cudaSuccess &&
         replayed(Function, Grid, Block, Arguments, Shared, Stream, Cooperative);
}

} // namespace

//===----------------------------------------------------------------------===//
// Interposed functions
//===----------------------------------------------------------------------===//

#pragma GCC visibility push(default)
extern "C" {

cudaError_t cudaMalloc(void **Address, size_t Bytes) {
  return allocate("cudaMalloc", Address, Bytes);
}
cudaError_t cudaMallocManaged(void **Address, size_t Bytes, unsigned Flags) {
  return allocate("cudaMallocManaged", Address, Bytes, Flags);
}
cudaError_t cudaMallocAsync(void **Address, size_t Bytes, cudaStream_t Stream) {
  return allocate("cudaMallocAsync", Address, Bytes, Stream);
}
cudaError_t cudaHostAlloc(void **Address, size_t Bytes, unsigned Flags) {
  return allocate("cudaHostAlloc", Address, Bytes, Flags);
}
cudaError_t cudaMallocHost(void **Address, size_t Bytes) {
  return allocate("cudaMallocHost", Address, Bytes);
}
cudaError_t cudaMallocPitch(void **Address, size_t *Pitch, size_t Width, size_t Height) {
  static auto Next = next<cudaError_t (*)(void **, size_t *, size_t, size_t)>("cudaMallocPitch");
  const cudaError_t Result = Next(Address, Pitch, Width, Height);
  allocated(Result, *Address, *Pitch * Height);
  return Result;
}
cudaError_t cudaFree(void *Address) { return release("cudaFree", Address); }
cudaError_t cudaFreeAsync(void *Address, cudaStream_t Stream) {
  return release("cudaFreeAsync", Address, Stream);
}
cudaError_t cudaFreeHost(void *Address) { return release("cudaFreeHost", Address); }

cudaError_t __cudaLaunchKernel(cudaKernel_t Kernel, dim3 Grid, dim3 Block, void **Arguments,
                               size_t Shared, cudaStream_t Stream) {
  static auto Next = next<cudaError_t (*)(cudaKernel_t, dim3, dim3, void **, size_t, cudaStream_t)>(
      "__cudaLaunchKernel");
  CUfunction Function;
  if (!Inside &&
      cuKernelGetFunction(&Function, reinterpret_cast<CUkernel>(Kernel)) == CUDA_SUCCESS &&
      replayed(Function, Grid, Block, Arguments, Shared, Stream, false))
    return cudaSuccess;
  return Next(Kernel, Grid, Block, Arguments, Shared, Stream);
}
cudaError_t cudaLaunchKernel(const void *Symbol, dim3 Grid, dim3 Block, void **Arguments,
                             size_t Shared, cudaStream_t Stream) {
  static auto Next = next<cudaError_t (*)(const void *, dim3, dim3, void **, size_t, cudaStream_t)>(
      "cudaLaunchKernel");
  if (replayedSymbol(Symbol, Grid, Block, Arguments, Shared, Stream, false))
    return cudaSuccess;
  return Next(Symbol, Grid, Block, Arguments, Shared, Stream);
}
cudaError_t cudaLaunchCooperativeKernel(const void *Symbol, dim3 Grid, dim3 Block, void **Arguments,
                                        size_t Shared, cudaStream_t Stream) {
  static auto Next = next<cudaError_t (*)(const void *, dim3, dim3, void **, size_t, cudaStream_t)>(
      "cudaLaunchCooperativeKernel");
  if (replayedSymbol(Symbol, Grid, Block, Arguments, Shared, Stream, true))
    return cudaSuccess;
  return Next(Symbol, Grid, Block, Arguments, Shared, Stream);
}

} // extern "C"
#pragma GCC visibility pop
