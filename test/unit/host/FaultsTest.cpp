//===- FaultsTest.cpp - Tests of failing calls ----------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program sees the errors of its own calls, unchanged, and no errors of GMProf's driver calls: if
// one of these fails, kernels run as without GMProf.
//
//===----------------------------------------------------------------------===//

#include "HostTest.h"
#include "host/core/RuntimeApi.h"
#include <algorithm>
#include <array>
#include <functional>

namespace gmprof::host {
namespace {

/// Results that a program sees.
struct Seen {
  std::vector<cudaError_t> Errors;
  int Out = 0;

  bool operator==(const Seen &) const = default;
};

class FaultsTest : public HostTest {
protected:
  /// The start of another process.
  void begin(bool Profiled) {
    Session::finishCurrent({});
    HostTest::SetUp();
    settings().Enabled = Profiled;
    settings().TheOptions.Output = Folder + "/" + std::to_string(++Processes);
    TheModule = fake::Module();
    addKernel(&StubA, "a");
    addKernel(&StubB, "b", GMPROF_MODE_SHARED | GMPROF_MODE_SHARED_DM);
    Out = 0;
  }

  /// Launches of two kernels in three streams, one of them twice by a graph.
  Seen run() {
    Seen S;
    const auto See = [&](cudaError_t Error) { S.Errors.push_back(Error); };
    void *Memory = nullptr;
    See(cudaMalloc(&Memory, 4096));
    See(launch(&StubA, 1));
    See(launch(&StubB, 10, Stream1, 4, 64, 256));
    See(cudaStreamSynchronize(Stream1));
    See(launch(&StubA, 100, Stream2));
    See(cudaMemset(Memory, 0, 4096));
    cudaGraph_t Graph = nullptr;
    cudaGraphExec_t Exec = nullptr;
    See(cudaStreamBeginCapture(Stream1, cudaStreamCaptureModeGlobal));
    See(launch(&StubA, 1000, Stream1));
    See(cudaStreamEndCapture(Stream1, &Graph));
    See(cudaGraphInstantiate(&Exec, Graph, 0));
    See(cudaGraphLaunch(Exec, Stream1));
    See(cudaGraphLaunch(Exec, Stream1));
    See(cudaDeviceSynchronize());
    See(cudaGetLastError());
    See(cudaGraphExecDestroy(Exec));
    See(cudaFree(Memory));
    S.Out = Out;
    return S;
  }

  static constexpr uint64_t Launches = 5; ///< of run()

private:
  int Processes = 0;
};

/// Returns the number of launches in the profile, including launches of graphs, and of launches in
/// its gaps.
uint64_t accountedFor(const profile::Profile &P) {
  uint64_t Count = P.PlainGraphNodes;
  for (const profile::Launch &L : P.Launches)
    Count += L.Times;
  for (const auto &Gap : P.Gaps)
    if (Gap.What == "launches")
      Count += Gap.Count;
  return Count;
}

TEST_F(FaultsTest, ProgramDoesNotSeeFailuresOfGMProf) {
  begin(/*Profiled=*/false);
  const Seen Plain = run();
  EXPECT_EQ(Plain.Out, 2 * 1 + 4 * 10 + 2 * 100 + 2 * 2 * 1000);
  constexpr CUresult Codes[] = {
      CUDA_ERROR_OUT_OF_MEMORY, CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_NOT_SUPPORTED,
      CUDA_ERROR_UNKNOWN,       CUDA_ERROR_NOT_READY,
  };
  unsigned Faults = 0;
  for (const char *Function : {
#define GMPROF_DRIVER_REQUIRED(name, version) #name,
#include "host/core/DriverFunctions.def"
       }) {
    begin(/*Profiled=*/true);
    EXPECT_EQ(run(), Plain);
    Session::finishCurrent(0);
    const int Calls = fake::calls(Function);
    for (int Call = 0; Call < Calls; ++Call) {
      const CUresult Code = Codes[Faults++ % std::size(Codes)];
      SCOPED_TRACE(testing::Message() << Function << " fails in call " << Call << ": " << Code);
      begin(/*Profiled=*/true);
      fake::fail(Function, Code, 1, Call);
      EXPECT_EQ(run(), Plain);
      const profile::Profile P = finish();
      // It is then unknown whether a launch is captured.
      if (Function != std::string_view("cuStreamIsCapturing"))
        EXPECT_EQ(accountedFor(P), Launches);
    }
  }
  EXPECT_GT(Faults, 100u);
}

/// A call of the program, and by which name the fake library knows it.
struct Step {
  const char *Function;
  std::function<cudaError_t()> Call;
};

TEST_F(FaultsTest, EachErrorOfEachCallIsTheProgramsOwn) {
  void *Device = nullptr, *Managed = nullptr, *Pinned = nullptr, *Async = nullptr, *Rows = nullptr;
  size_t Pitch = 0;
  cudaPitchedPtr Pitched = {};
  cudaArray_t Array = nullptr;
  const cudaChannelFormatDesc Format = {32, 0, 0, 0, cudaChannelFormatKindFloat};
  cudaStream_t Made = nullptr;
  cudaGraph_t Graph = nullptr;
  cudaGraphExec_t Exec = nullptr;
  char Host[64] = {};
  const std::vector<Step> Steps = {
      {"cudaMalloc", [&] { return cudaMalloc(&Device, 64); }},
      {"cudaMallocManaged", [&] { return cudaMallocManaged(&Managed, 64, cudaMemAttachGlobal); }},
      {"cudaMallocHost", [&] { return cudaMallocHost(&Pinned, 64); }},
      {"cudaMallocAsync", [&] { return cudaMallocAsync(&Async, 64, Stream1); }},
      {"cudaMallocPitch", [&] { return cudaMallocPitch(&Rows, &Pitch, 100, 3); }},
      {"cudaMalloc3D", [&] { return cudaMalloc3D(&Pitched, {600, 2, 5}); }},
      {"cudaMallocArray", [&] { return cudaMallocArray(&Array, &Format, 8, 8, 0); }},
      {"cudaHostRegister", [&] { return cudaHostRegister(Host, 64, 0); }},
      {"cudaMemcpy", [&] { return cudaMemcpy(Device, Host, 64, cudaMemcpyHostToDevice); }},
      {"cudaMemcpyAsync",
       [&] { return cudaMemcpyAsync(Device, Pinned, 64, cudaMemcpyHostToDevice, Stream1); }},
      {"cudaMemcpy2D",
       [&] { return cudaMemcpy2D(Device, 8, Host, 8, 8, 8, cudaMemcpyHostToDevice); }},
      {"cudaMemset", [&] { return cudaMemset(Device, 0, 64); }},
      {"cudaMemsetAsync", [&] { return cudaMemsetAsync(Device, 0, 64, Stream1); }},
      {"cudaLaunchKernel", [&] { return launch(&StubB, 1); }},
      {"cudaStreamCreate", [&] { return cudaStreamCreate(&Made); }},
      {"cudaStreamSynchronize", [&] { return cudaStreamSynchronize(Made); }},
      {"cudaStreamDestroy", [&] { return cudaStreamDestroy(Made); }},
      {"cudaStreamBeginCapture",
       [&] { return cudaStreamBeginCapture(Stream1, cudaStreamCaptureModeGlobal); }},
      {"cudaStreamEndCapture", [&] { return cudaStreamEndCapture(Stream1, &Graph); }},
      {"cudaGraphInstantiate", [&] { return cudaGraphInstantiate(&Exec, Graph, 0); }},
      {"cudaGraphLaunch", [&] { return cudaGraphLaunch(Exec, Stream1); }},
      {"cudaGraphExecDestroy", [&] { return cudaGraphExecDestroy(Exec); }},
      {"cudaDeviceSynchronize", [&] { return cudaDeviceSynchronize(); }},
      {"cudaHostUnregister", [&] { return cudaHostUnregister(Host); }},
      {"cudaFreeArray", [&] { return cudaFreeArray(Array); }},
      {"cudaFree", [&] { return cudaFree(Device); }},
      {"cudaFree", [&] { return cudaFree(Managed); }},
      {"cudaFree", [&] { return cudaFree(Rows); }},
      {"cudaFree", [&] { return cudaFree(Pitched.ptr); }},
      {"cudaFreeHost", [&] { return cudaFreeHost(Pinned); }},
      {"cudaFreeAsync", [&] { return cudaFreeAsync(Async, Stream1); }},
  };
  constexpr int Codes = cudaErrorUnknown; // the last one
  constexpr size_t Objects = 8;           ///< that each round makes
  const auto Errors = [&] {
    std::vector<std::array<cudaError_t, 3>> Seen;
    for (int Code = 1; Code <= Codes; ++Code)
      for (const Step &S : Steps) {
        fake::fail(S.Function, Code);
        const cudaError_t Failed = S.Call(), Last = cudaGetLastError();
        Seen.push_back({Failed, Last, S.Call()});
      }
    return Seen;
  };
  begin(/*Profiled=*/false);
  const auto Plain = Errors();
  for (size_t I = 0; I < Plain.size(); ++I) {
    EXPECT_EQ(Plain[I][0], static_cast<int>(1 + I / Steps.size()));
    EXPECT_EQ(Plain[I][2], cudaSuccess);
  }
  begin(/*Profiled=*/true);
  settings().TheOptions.Profiles = ProfileChoice::Objects;
  EXPECT_EQ(Errors(), Plain);
  const profile::Profile P = finish();
  EXPECT_EQ(P.Objects.size(), Codes * Objects);
  EXPECT_TRUE(std::all_of(P.Objects.begin(), P.Objects.end(),
                          [](const auto &O) { return O.Released.has_value(); }));
}

} // namespace
} // namespace gmprof::host
