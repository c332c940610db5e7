//===- InterposeLaunch.cpp - Launches through libcudart and the driver ----===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All forms end in launchKernel(). The _ptsz forms are those of programs with
// per-thread default streams: there stream 0 is the thread's.
//
//===----------------------------------------------------------------------===//

#include "host/core/Export.h"
#include "host/core/RuntimeApi.h"
#include "host/core/Session.h"
#include "host/interpose/DriverHooks.h"
#include "host/launch/Launch.h"
#include "profile/Mutex.h"
#include <unordered_map>

using namespace gmprof::host;

static cudaLaunchAttribute cooperativeAttribute() {
  cudaLaunchAttribute Attribute = {};
  Attribute.id = cudaLaunchAttributeCooperative;
  Attribute.val.cooperative = 1;
  return Attribute;
}

GMPROF_INTERPOSE cudaError_t cudaLaunchKernel(const void *Function, dim3 Grid, dim3 Block,
                                              void **Args, size_t Shared, cudaStream_t Stream) {
  return launchKernel(GMPROF_CALLER, {Function, Grid, Block, Args, Shared, Stream}, [&] {
    return GMPROF_REAL(cudaLaunchKernel, Function, Grid, Block, Args, Shared, Stream);
  });
}

GMPROF_INTERPOSE cudaError_t cudaLaunchKernel_ptsz(const void *Function, dim3 Grid, dim3 Block,
                                                   void **Args, size_t Shared,
                                                   cudaStream_t Stream) {
  return launchKernel(GMPROF_CALLER, {Function, Grid, Block, Args, Shared, perThread(Stream)}, [&] {
    return GMPROF_REAL(cudaLaunchKernel_ptsz, Function, Grid, Block, Args, Shared, Stream);
  });
}

GMPROF_INTERPOSE cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *Config,
                                                 const void *Function, void **Args) {
  auto Plain = [&] { return GMPROF_REAL(cudaLaunchKernelExC, Config, Function, Args); };
  if (!Config)
    return Plain();
  return launchKernel(GMPROF_CALLER,
                      {Function, Config->gridDim, Config->blockDim, Args, Config->dynamicSmemBytes,
                       Config->stream, Config->attrs, Config->numAttrs},
                      Plain);
}

GMPROF_INTERPOSE cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *Config,
                                                      const void *Function, void **Args) {
  auto Plain = [&] { return GMPROF_REAL(cudaLaunchKernelExC_ptsz, Config, Function, Args); };
  if (!Config)
    return Plain();
  return launchKernel(GMPROF_CALLER,
                      {Function, Config->gridDim, Config->blockDim, Args, Config->dynamicSmemBytes,
                       perThread(Config->stream), Config->attrs, Config->numAttrs},
                      Plain);
}

GMPROF_INTERPOSE cudaError_t cudaLaunchCooperativeKernel(const void *Function, dim3 Grid,
                                                         dim3 Block, void **Args, size_t Shared,
                                                         cudaStream_t Stream) {
  cudaLaunchAttribute Attribute = cooperativeAttribute();
  return launchKernel(GMPROF_CALLER, {Function, Grid, Block, Args, Shared, Stream, &Attribute, 1},
                      [&] {
                        return GMPROF_REAL(cudaLaunchCooperativeKernel, Function, Grid, Block, Args,
                                           Shared, Stream);
                      });
}

GMPROF_INTERPOSE cudaError_t cudaLaunchCooperativeKernel_ptsz(const void *Function, dim3 Grid,
                                                              dim3 Block, void **Args,
                                                              size_t Shared, cudaStream_t Stream) {
  cudaLaunchAttribute Attribute = cooperativeAttribute();
  return launchKernel(GMPROF_CALLER,
                      {Function, Grid, Block, Args, Shared, perThread(Stream), &Attribute, 1}, [&] {
                        return GMPROF_REAL(cudaLaunchCooperativeKernel_ptsz, Function, Grid, Block,
                                           Args, Shared, Stream);
                      });
}

// nvcc's launch code passes a kernel's handle instead of the stub's address.

static LaunchRequest byHandle(cudaKernel_t Kernel, dim3 Grid, dim3 Block, void **Args,
                              size_t Shared, cudaStream_t Stream) {
  LaunchRequest R = {Kernel, Grid, Block, Args, Shared, Stream};
  R.Handle = KernelHandle::Kernel;
  return R;
}

GMPROF_INTERPOSE cudaError_t __cudaLaunchKernel(cudaKernel_t Kernel, dim3 Grid, dim3 Block,
                                                void **Args, size_t Shared, cudaStream_t Stream) {
  return launchKernel(GMPROF_CALLER, byHandle(Kernel, Grid, Block, Args, Shared, Stream), [&] {
    return GMPROF_REAL(__cudaLaunchKernel, Kernel, Grid, Block, Args, Shared, Stream);
  });
}

GMPROF_INTERPOSE cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t Kernel, dim3 Grid, dim3 Block,
                                                     void **Args, size_t Shared,
                                                     cudaStream_t Stream) {
  return launchKernel(
      GMPROF_CALLER, byHandle(Kernel, Grid, Block, Args, Shared, perThread(Stream)), [&] {
        return GMPROF_REAL(__cudaLaunchKernel_ptsz, Kernel, Grid, Block, Args, Shared, Stream);
      });
}

/// Applies attributes that the program sets on its kernel to the clones as well.
static void attributesChanged(const void *Function, int CacheConfig) {
  if (Inside::now())
    return;
  Inside Guard;
  // Cache configurations cannot be read back, so they are kept before the first launch as well.
  Session *S = CacheConfig >= 0 ? Session::begin() : Session::current();
  std::string Why;
  DeviceState *D = S ? S->device(Function, Why) : nullptr;
  Kernel *K = D ? D->TheKernels.get(Function) : nullptr;
  if (!K)
    return;
  gmprof::LockGuard Lock(K->AttributeLock);
  if (CacheConfig >= 0)
    K->CacheConfig = CacheConfig;
  K->AttributesChanged = true;
}

GMPROF_INTERPOSE cudaError_t cudaFuncSetAttribute(const void *Function, cudaFuncAttribute Attribute,
                                                  int Value) {
  cudaError_t Error = GMPROF_REAL(cudaFuncSetAttribute, Function, Attribute, Value);
  if (Error == cudaSuccess)
    attributesChanged(Function, -1);
  return Error;
}

GMPROF_INTERPOSE cudaError_t cudaFuncSetCacheConfig(const void *Function, cudaFuncCache Config) {
  cudaError_t Error = GMPROF_REAL(cudaFuncSetCacheConfig, Function, Config);
  if (Error == cudaSuccess)
    attributesChanged(Function, Config);
  return Error;
}

//===----------------------------------------------------------------------===//
// The driver
//===----------------------------------------------------------------------===//

/// Returns the arguments of a launch that packs them in a buffer.
static std::vector<void *> packedArguments(const DriverApi &Api, const void *Kernel, void **Extra) {
  char *Buffer = nullptr;
  for (; *Extra != CU_LAUNCH_PARAM_END; Extra += 2)
    if (*Extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
      Buffer = static_cast<char *>(Extra[1]);
  std::vector<void *> Arguments;
  CUfunction Function = Kernels::functionOf(Api, Kernel, KernelHandle::Function);
  size_t Offset = 0, Bytes = 0;
  while (Buffer && Api.cuFuncGetParamInfo &&
         Api.cuFuncGetParamInfo(Function, Arguments.size(), &Offset, &Bytes) == CUDA_SUCCESS)
    Arguments.push_back(Buffer + Offset);
  return Arguments;
}

template <typename Call>
static CUresult launchOfDriver(const void *Caller, LaunchRequest R, void **Extra, Call Plain) {
  std::vector<void *> Unpacked;
  R.Handle = KernelHandle::Function;
  if (!R.Args && Extra && !Inside::now()) {
    Inside Guard;
    if (Session *S = Session::begin()) {
      Unpacked = packedArguments(S->driver(), R.Symbol, Extra);
      R.Args = Unpacked.empty() ? nullptr : Unpacked.data();
    }
  }
  return static_cast<CUresult>(launchKernel(Caller, R, Plain));
}

#define GMPROF_DRIVER_LAUNCH(name, stream)                                                         \
  GMPROF_INTERPOSE_DRIVER(name,                                                                    \
                          (CUfunction Function, unsigned GridX, unsigned GridY, unsigned GridZ,    \
                           unsigned BlockX, unsigned BlockY, unsigned BlockZ, unsigned Shared,     \
                           CUstream Stream, void **Args, void **Extra)) {                          \
    return launchOfDriver(                                                                         \
        GMPROF_CALLER,                                                                             \
        {Function, dim3(GridX, GridY, GridZ), dim3(BlockX, BlockY, BlockZ), Args, Shared, stream}, \
        Extra, [&] {                                                                               \
          return GMPROF_REAL_DRIVER(name, Function, GridX, GridY, GridZ, BlockX, BlockY, BlockZ,   \
                                    Shared, Stream, Args, Extra);                                  \
        });                                                                                        \
  }
GMPROF_DRIVER_LAUNCH(cuLaunchKernel, Stream)
GMPROF_DRIVER_LAUNCH(cuLaunchKernel_ptsz, perThread(Stream))

#define GMPROF_DRIVER_LAUNCH_EX(name, stream)                                                      \
  GMPROF_INTERPOSE_DRIVER(                                                                         \
      name, (const CUlaunchConfig *C, CUfunction Function, void **Args, void **Extra)) {           \
    auto Plain = [&] { return GMPROF_REAL_DRIVER(name, C, Function, Args, Extra); };               \
    if (!C)                                                                                        \
      return static_cast<CUresult>(Plain());                                                       \
    return launchOfDriver(GMPROF_CALLER,                                                           \
                          {Function, dim3(C->gridDimX, C->gridDimY, C->gridDimZ),                  \
                           dim3(C->blockDimX, C->blockDimY, C->blockDimZ), Args,                   \
                           C->sharedMemBytes, stream,                                              \
                           reinterpret_cast<const cudaLaunchAttribute *>(C->attrs), C->numAttrs},  \
                          Extra, Plain);                                                           \
  }
GMPROF_DRIVER_LAUNCH_EX(cuLaunchKernelEx, C->hStream)
GMPROF_DRIVER_LAUNCH_EX(cuLaunchKernelEx_ptsz, perThread(C->hStream))

#define GMPROF_DRIVER_LAUNCH_COOPERATIVE(name, stream)                                             \
  GMPROF_INTERPOSE_DRIVER(                                                                         \
      name, (CUfunction Function, unsigned GridX, unsigned GridY, unsigned GridZ, unsigned BlockX, \
             unsigned BlockY, unsigned BlockZ, unsigned Shared, CUstream Stream, void **Args)) {   \
    cudaLaunchAttribute Attribute = cooperativeAttribute();                                        \
    return launchOfDriver(GMPROF_CALLER,                                                           \
                          {Function, dim3(GridX, GridY, GridZ), dim3(BlockX, BlockY, BlockZ),      \
                           Args, Shared, stream, &Attribute, 1},                                   \
                          nullptr, [&] {                                                           \
                            return GMPROF_REAL_DRIVER(name, Function, GridX, GridY, GridZ, BlockX, \
                                                      BlockY, BlockZ, Shared, Stream, Args);       \
                          });                                                                      \
  }
GMPROF_DRIVER_LAUNCH_COOPERATIVE(cuLaunchCooperativeKernel, Stream)
GMPROF_DRIVER_LAUNCH_COOPERATIVE(cuLaunchCooperativeKernel_ptsz, perThread(Stream))

namespace {

/// State from which the oldest launch functions take the configuration. The arguments are set
/// separately, and are unknown.
struct FunctionState {
  dim3 Block;
  unsigned Shared = 0;
};

FunctionState functionState(CUfunction Function, const FunctionState *New = nullptr) {
  static gmprof::Mutex Lock;
  static auto &States = *new std::unordered_map<CUfunction, FunctionState>; // also used at exit
  gmprof::LockGuard Guard(Lock);
  if (New)
    States[Function] = *New;
  auto It = States.find(Function);
  return It == States.end() ? FunctionState{} : It->second;
}

template <typename Call>
CUresult launchGrid(const void *Caller, CUfunction Function, int Width, int Height, CUstream Stream,
                    Call Plain) {
  const FunctionState State = functionState(Function);
  LaunchRequest R = {
      Function,     dim3(static_cast<unsigned>(Width), static_cast<unsigned>(Height)),
      State.Block,  nullptr,
      State.Shared, Stream};
  R.OwnOnly = "its arguments were set by cuParamSet and are not known";
  return launchOfDriver(Caller, R, nullptr, Plain);
}

/// Makes the context of the launch's stream current.
class StreamContext {
public:
  StreamContext(const DriverApi &Api, CUstream Stream) : Api(Api) {
    CUcontext Of = nullptr;
    Pushed = Api.cuStreamGetCtx && Api.cuStreamGetCtx(Stream, &Of) == CUDA_SUCCESS &&
             Api.cuCtxPushCurrent(Of) == CUDA_SUCCESS;
  }
  ~StreamContext() {
    CUcontext Popped = nullptr;
    if (Pushed)
      Api.cuCtxPopCurrent(&Popped);
  }
  StreamContext(const StreamContext &) = delete;
  StreamContext &operator=(const StreamContext &) = delete;

private:
  const DriverApi &Api;
  bool Pushed = false;
};

} // namespace

// Programs still use deprecated functions.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"

GMPROF_INTERPOSE_DRIVER(cuFuncSetBlockShape, (CUfunction Function, int X, int Y, int Z)) {
  cudaError_t Error = GMPROF_REAL_DRIVER(cuFuncSetBlockShape, Function, X, Y, Z);
  if (Error == cudaSuccess) {
    FunctionState State = functionState(Function);
    State.Block =
        dim3(static_cast<unsigned>(X), static_cast<unsigned>(Y), static_cast<unsigned>(Z));
    functionState(Function, &State);
  }
  return static_cast<CUresult>(Error);
}

GMPROF_INTERPOSE_DRIVER(cuFuncSetSharedSize, (CUfunction Function, unsigned Bytes)) {
  cudaError_t Error = GMPROF_REAL_DRIVER(cuFuncSetSharedSize, Function, Bytes);
  if (Error == cudaSuccess) {
    FunctionState State = functionState(Function);
    State.Shared = Bytes;
    functionState(Function, &State);
  }
  return static_cast<CUresult>(Error);
}

GMPROF_INTERPOSE_DRIVER(cuLaunch, (CUfunction Function)) {
  return launchGrid(GMPROF_CALLER, Function, 1, 1, nullptr,
                    [&] { return GMPROF_REAL_DRIVER(cuLaunch, Function); });
}

GMPROF_INTERPOSE_DRIVER(cuLaunchGrid, (CUfunction Function, int Width, int Height)) {
  return launchGrid(GMPROF_CALLER, Function, Width, Height, nullptr,
                    [&] { return GMPROF_REAL_DRIVER(cuLaunchGrid, Function, Width, Height); });
}

GMPROF_INTERPOSE_DRIVER(cuLaunchGridAsync,
                        (CUfunction Function, int Width, int Height, CUstream Stream)) {
  return launchGrid(GMPROF_CALLER, Function, Width, Height, Stream, [&] {
    return GMPROF_REAL_DRIVER(cuLaunchGridAsync, Function, Width, Height, Stream);
  });
}

/// One call makes several launches; each is recorded on its device.
GMPROF_INTERPOSE_DRIVER(cuLaunchCooperativeKernelMultiDevice,
                        (CUDA_LAUNCH_PARAMS * Launches, unsigned Count, unsigned Flags)) {
  const cudaError_t Error =
      GMPROF_REAL_DRIVER(cuLaunchCooperativeKernelMultiDevice, Launches, Count, Flags);
  Session *S = Error == cudaSuccess && !Inside::now() ? Session::begin() : nullptr;
  for (unsigned I = 0; S && I < Count; ++I) {
    const CUDA_LAUNCH_PARAMS &L = Launches[I];
    StreamContext Current(S->driver(), L.hStream);
    LaunchRequest R = {L.function,
                       dim3(L.gridDimX, L.gridDimY, L.gridDimZ),
                       dim3(L.blockDimX, L.blockDimY, L.blockDimZ),
                       L.kernelParams,
                       L.sharedMemBytes,
                       L.hStream};
    R.OwnOnly = "it was launched on several devices at once";
    launchOfDriver(GMPROF_CALLER, R, nullptr, [] { return cudaSuccess; });
  }
  return static_cast<CUresult>(Error);
}

#pragma clang diagnostic pop

/// Applies attributes to the clones of a kernel that the driver API launches.
static void attributesChangedByDriver(const void *Function) {
  if (Inside::now())
    return;
  Inside Guard;
  Session *S = Session::current();
  if (DeviceState *D = S ? S->openDevice() : nullptr)
    D->TheKernels.attributesChanged(Function);
}

GMPROF_INTERPOSE_DRIVER(cuFuncSetAttribute,
                        (CUfunction Function, CUfunction_attribute Attribute, int Value)) {
  cudaError_t Error = GMPROF_REAL_DRIVER(cuFuncSetAttribute, Function, Attribute, Value);
  if (Error == cudaSuccess)
    attributesChangedByDriver(Function);
  return static_cast<CUresult>(Error);
}

GMPROF_INTERPOSE_DRIVER(cuKernelSetAttribute, (CUfunction_attribute Attribute, int Value,
                                               CUkernel Kernel, CUdevice Device)) {
  cudaError_t Error = GMPROF_REAL_DRIVER(cuKernelSetAttribute, Attribute, Value, Kernel, Device);
  if (Error == cudaSuccess)
    attributesChangedByDriver(Kernel);
  return static_cast<CUresult>(Error);
}
