//===- SynchronizationTest.cpp - Waits of API calls -----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expected results were measured on an H200 with CUDA 13.0: a kernel that does not end keeps one
// stream busy, and a call either returns or waits for it.
//
//===----------------------------------------------------------------------===//

#include "FakeEngine.h"

extern "C" {
decltype(cudaMemcpy) cudaMemcpy_ptds;
decltype(cudaLaunchKernel) cudaLaunchKernel_ptsz;
decltype(cudaStreamSynchronize) cudaStreamSynchronize_ptsz;
}

using namespace gmprof::test;

namespace {

constexpr size_t Large = size_t(16) << 20;

struct Operands {
  char *Device, *Managed, *Pinned, *Pageable;
  void *Scratch;
  cudaStream_t Blocking, NonBlocking;
};

enum class Busy { Legacy, Blocking, NonBlocking };

struct Row {
  const char *Name;
  Busy In;
  bool Waits;
  std::function<cudaError_t(Operands &)> Call;
};

std::ostream &operator<<(std::ostream &Out, const Row &R) {
  return Out << R.Name
             << (R.In == Busy::Legacy     ? ", legacy stream busy"
                 : R.In == Busy::Blocking ? ", blocking stream busy"
                                          : ", non-blocking stream busy");
}

constexpr bool Does = true, DoesNot = false;
constexpr auto H2D = cudaMemcpyHostToDevice;
constexpr auto D2H = cudaMemcpyDeviceToHost;
constexpr auto D2D = cudaMemcpyDeviceToDevice;
constexpr auto H2H = cudaMemcpyHostToHost;

#define CALL(...) [](Operands &O) -> cudaError_t { return __VA_ARGS__; }

const Row Rows[] = {
    {"cudaMemcpy H2D", Busy::Legacy, Does, CALL(cudaMemcpy(O.Device, O.Pageable, 4096, H2D))},
    {"cudaMemcpy H2D", Busy::NonBlocking, DoesNot,
     CALL(cudaMemcpy(O.Device, O.Pageable, 4096, H2D))},
    {"cudaMemcpy H2D", Busy::Blocking, Does, CALL(cudaMemcpy(O.Device, O.Pageable, 4096, H2D))},
    {"cudaMemcpy H2D from pinned", Busy::Legacy, Does,
     CALL(cudaMemcpy(O.Device, O.Pinned, 4096, H2D))},
    {"cudaMemcpy D2H", Busy::Legacy, Does, CALL(cudaMemcpy(O.Pageable, O.Device, 4, D2H))},
    {"cudaMemcpy D2H", Busy::NonBlocking, DoesNot, CALL(cudaMemcpy(O.Pageable, O.Device, 4, D2H))},
    {"cudaMemcpy H2H", Busy::Legacy, Does, CALL(cudaMemcpy(O.Pageable, O.Pageable + 64, 64, H2H))},
    {"cudaMemcpy H2H", Busy::NonBlocking, DoesNot,
     CALL(cudaMemcpy(O.Pageable, O.Pageable + 64, 64, H2H))},
    {"cudaMemcpy D2D", Busy::Legacy, DoesNot, CALL(cudaMemcpy(O.Device, O.Device + 64, 64, D2D))},
    {"cudaMemcpy D2D, managed", Busy::Legacy, Does,
     CALL(cudaMemcpy(O.Managed, O.Managed + 64, 64, D2D))},
    {"cudaMemcpy default, from managed", Busy::Legacy, Does,
     CALL(cudaMemcpy(O.Device, O.Managed, 64, cudaMemcpyDefault))},
    {"cudaMemcpy2D H2D", Busy::Legacy, Does,
     CALL(cudaMemcpy2D(O.Device, 64, O.Pageable, 64, 32, 4, H2D))},
    {"cudaMemcpyPeer", Busy::Legacy, DoesNot,
     CALL(cudaMemcpyPeer(O.Device, 0, O.Device + 64, 0, 64))},
    {"cudaMemset", Busy::Legacy, DoesNot, CALL(cudaMemset(O.Device, 0, 64))},
    {"cudaMemset of pinned", Busy::Legacy, Does, CALL(cudaMemset(O.Pinned, 0, 64))},
    {"cudaMemset of pinned", Busy::NonBlocking, DoesNot, CALL(cudaMemset(O.Pinned, 0, 64))},
    {"cudaMemset of managed", Busy::Legacy, Does, CALL(cudaMemset(O.Managed, 0, 64))},
    {"cudaMemset of managed", Busy::NonBlocking, DoesNot, CALL(cudaMemset(O.Managed, 0, 64))},
    {"cudaMemsetAsync of pinned, same stream", Busy::NonBlocking, DoesNot,
     CALL(cudaMemsetAsync(O.Pinned, 0, 64, O.NonBlocking))},
    {"cudaMalloc", Busy::Legacy, DoesNot, CALL(cudaMalloc(&O.Scratch, 64))},
    {"cudaMallocHost", Busy::Legacy, DoesNot, CALL(cudaMallocHost(&O.Scratch, 64))},
    {"cudaMallocManaged", Busy::Legacy, DoesNot,
     CALL(cudaMallocManaged(&O.Scratch, 64, cudaMemAttachGlobal))},
    {"cudaMemGetInfo", Busy::Legacy, DoesNot, CALL(cudaMemGetInfo(nullptr, nullptr))},
    {"cudaFree", Busy::Legacy, Does, CALL(cudaFree(O.Device))},
    {"cudaFree", Busy::NonBlocking, Does, CALL(cudaFree(O.Device))},
    {"cudaFree of nothing", Busy::NonBlocking, DoesNot, CALL(cudaFree(nullptr))},
    {"cudaFreeHost", Busy::Legacy, Does, CALL(cudaFreeHost(O.Pinned))},
    {"cudaFreeHost", Busy::Blocking, Does, CALL(cudaFreeHost(O.Pinned))},
    {"cudaFreeHost", Busy::NonBlocking, Does, CALL(cudaFreeHost(O.Pinned))},
    {"cudaHostRegister", Busy::Legacy, DoesNot, CALL(cudaHostRegister(O.Pageable, 4096, 0))},
    {"cudaMallocAsync", Busy::NonBlocking, DoesNot,
     CALL(cudaMallocAsync(&O.Scratch, 64, O.NonBlocking))},
    {"cudaMemcpyAsync D2H to pageable, same stream", Busy::Legacy, Does,
     CALL(cudaMemcpyAsync(O.Pageable, O.Device, 4, D2H, nullptr))},
    {"cudaMemcpyAsync D2H to pageable, same stream", Busy::NonBlocking, Does,
     CALL(cudaMemcpyAsync(O.Pageable, O.Device, 4, D2H, O.NonBlocking))},
    {"cudaMemcpyAsync H2D from pageable, 4 KiB, same stream", Busy::NonBlocking, DoesNot,
     CALL(cudaMemcpyAsync(O.Device, O.Pageable, 4096, H2D, O.NonBlocking))},
    {"cudaMemcpyAsync H2D from pageable, 4 KiB, same stream", Busy::Legacy, DoesNot,
     CALL(cudaMemcpyAsync(O.Device, O.Pageable, 4096, H2D, nullptr))},
    {"cudaMemcpyAsync H2D from pageable, 16 MiB, same stream", Busy::NonBlocking, Does,
     CALL(cudaMemcpyAsync(O.Device, O.Pageable, Large, H2D, O.NonBlocking))},
    {"cudaMemcpyAsync H2D from pageable, 16 MiB, other stream", Busy::NonBlocking, DoesNot,
     CALL(cudaMemcpyAsync(O.Device, O.Pageable, Large, H2D, O.Blocking))},
    {"cudaMemcpyAsync D2H to pinned, same stream", Busy::NonBlocking, DoesNot,
     CALL(cudaMemcpyAsync(O.Pinned, O.Device, 64, D2H, O.NonBlocking))},
    {"cudaMemcpyAsync H2D from pinned, same stream", Busy::NonBlocking, DoesNot,
     CALL(cudaMemcpyAsync(O.Device, O.Pinned, 64, H2D, O.NonBlocking))},
    {"cudaMemcpyAsync H2D from managed, same stream", Busy::NonBlocking, DoesNot,
     CALL(cudaMemcpyAsync(O.Device, O.Managed, 64, cudaMemcpyDefault, O.NonBlocking))},
    {"cudaMemcpyAsync H2H, pinned, same stream", Busy::NonBlocking, Does,
     CALL(cudaMemcpyAsync(O.Pinned, O.Pinned + 64, 64, H2H, O.NonBlocking))},
    {"cudaStreamCreate", Busy::Legacy, DoesNot,
     CALL(cudaStreamCreate(reinterpret_cast<cudaStream_t *>(&O.Scratch)))},
    {"cudaStreamDestroy, same stream", Busy::Blocking, DoesNot,
     CALL(cudaStreamDestroy(O.Blocking))},
    {"cudaDeviceSynchronize", Busy::NonBlocking, Does, CALL(cudaDeviceSynchronize())},
    {"cudaDeviceSynchronize after cudaStreamDestroy", Busy::Blocking, Does,
     CALL((cudaStreamDestroy(O.Blocking), cudaDeviceSynchronize()))},
    {"cudaStreamSynchronize of legacy", Busy::Blocking, Does, CALL(cudaStreamSynchronize(nullptr))},
    {"cudaStreamSynchronize of legacy", Busy::NonBlocking, DoesNot,
     CALL(cudaStreamSynchronize(nullptr))},
    {"cudaStreamSynchronize of a blocking stream without work", Busy::Legacy, DoesNot,
     CALL(cudaStreamSynchronize(O.Blocking))},
    {"cudaStreamSynchronize of a non-blocking stream", Busy::Legacy, DoesNot,
     CALL(cudaStreamSynchronize(O.NonBlocking))},
    {"work in a blocking stream", Busy::Legacy, Does,
     CALL((cudaMemsetAsync(O.Device, 0, 4, O.Blocking), cudaStreamSynchronize(O.Blocking)))},
    {"work in a blocking stream", Busy::NonBlocking, DoesNot,
     CALL((cudaMemsetAsync(O.Device, 0, 4, O.Blocking), cudaStreamSynchronize(O.Blocking)))},
    {"work in a non-blocking stream", Busy::Legacy, DoesNot,
     CALL((cudaMemsetAsync(O.Device, 0, 4, O.NonBlocking), cudaStreamSynchronize(O.NonBlocking)))},
    {"work in the thread's default stream", Busy::Legacy, Does,
     CALL((cudaMemsetAsync(O.Device, 0, 4, cudaStreamPerThread),
           cudaStreamSynchronize(cudaStreamPerThread)))},
    {"work in the thread's default stream", Busy::Blocking, DoesNot,
     CALL((cudaMemsetAsync(O.Device, 0, 4, cudaStreamPerThread),
           cudaStreamSynchronize_ptsz(nullptr)))},
    {"cudaMemcpy_ptds H2D", Busy::Blocking, DoesNot,
     CALL(cudaMemcpy_ptds(O.Device, O.Pageable, 64, H2D))},
    {"cudaMemcpy_ptds H2D", Busy::Legacy, Does,
     CALL(cudaMemcpy_ptds(O.Device, O.Pageable, 64, H2D))},
};

class Synchronization : public Program, public testing::WithParamInterface<Row> {};

} // namespace

TEST_P(Synchronization, MatchesAGpu) {
  const Row &R = GetParam();
  std::vector<char> Pageable(Large, 1);
  Operands O{};
  O.Pageable = Pageable.data();
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void **>(&O.Device), Large), cudaSuccess);
  ASSERT_EQ(cudaMallocManaged(reinterpret_cast<void **>(&O.Managed), 4096, cudaMemAttachGlobal),
            cudaSuccess);
  ASSERT_EQ(cudaMallocHost(reinterpret_cast<void **>(&O.Pinned), 4096), cudaSuccess);
  ASSERT_EQ(cudaStreamCreate(&O.Blocking), cudaSuccess);
  ASSERT_EQ(cudaStreamCreateWithFlags(&O.NonBlocking, cudaStreamNonBlocking), cudaSuccess);
  makeBusy(R.In == Busy::Legacy ? nullptr : R.In == Busy::Blocking ? O.Blocking : O.NonBlocking);
  cudaError_t Error = cudaErrorUnknown;
  EXPECT_EQ(waits([&] { Error = R.Call(O); }), R.Waits);
  EXPECT_EQ(Error, cudaSuccess);
  cudaDeviceSynchronize();
  cudaHostUnregister(O.Pageable); // if a call registered it
}

INSTANTIATE_TEST_SUITE_P(Calls, Synchronization, testing::ValuesIn(Rows));
