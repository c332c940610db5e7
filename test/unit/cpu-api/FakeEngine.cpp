//===- FakeEngine.cpp - Kernels that tests control ------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeEngine.h"
#include "cpu/api/Tasks.h"
#include "gmprof/abi.h"
#include <cstring>
#include <map>
#include <mutex>
#include <set>

extern "C" {
void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **);
void __cudaUnregisterFatBinary(void **);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, uint3 *, uint3 *,
                            dim3 *, dim3 *, int *);
void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int);
}

namespace gmprof::cpu {

namespace {

constexpr std::string_view FakeBitcode = "BC\xc0\xde"
                                         "fake bitcode";

struct FakeKernel {
  KernelInfo Info;
  test::KernelBody Body;
};

std::map<std::string, FakeKernel> Kernels;
int Loaded = 0;
std::vector<std::string> LastFiles;
std::mutex GuardedMutex;
std::set<uint64_t> GuardedEnds;

class FakeModule final : public Module {
public:
  const KernelInfo *kernel(const std::string &Name) override {
    auto Found = Kernels.find(Name);
    return Found == Kernels.end() ? nullptr : &Found->second.Info;
  }
  const GlobalInfo *global(const std::string &Name) override {
    return Name == "counter" ? &Counter : nullptr;
  }
  std::vector<std::string> kernels() override {
    std::vector<std::string> Names;
    for (const auto &[Name, Kernel] : Kernels)
      Names.push_back(Name);
    return Names;
  }
  test::Outcome run(const KernelInfo &Kernel, const LaunchConfig &Config, const void *const *Args,
                    const MemoryMap &) override {
    return Kernels.at(Kernel.Name).Body(Config, Args);
  }

private:
  int Storage[4] = {1, 2, 3, 4};
  GlobalInfo Counter{Storage, sizeof Storage, false};
};

} // namespace

void guardPadding(uint64_t End, bool Guarded) {
  const std::lock_guard Lock(GuardedMutex);
  if (Guarded)
    GuardedEnds.insert(End);
  else
    GuardedEnds.erase(End);
}

std::variant<std::unique_ptr<Module>, LoadError>
Module::load(std::span<const std::span<const char>> Code, const std::string &Name) {
  std::vector<std::string> Files;
  for (std::span<const char> File : Code)
    Files.emplace_back(File.begin(), File.end());
  for (const std::string &File : Files)
    if (File != FakeBitcode && File.find(".version") == std::string::npos)
      return LoadError{Name + ": neither fake bitcode nor PTX"};
  ++Loaded;
  LastFiles = std::move(Files);
  return std::make_unique<FakeModule>();
}

} // namespace gmprof::cpu

namespace gmprof::test {

using namespace cpu;

namespace {

/// A fat binary as the compiler lays it out: an empty one followed by the record. It needs static
/// storage, because the library reads only what the loader mapped.
struct alignas(8) FatBinary {
  uint32_t Magic = 0xba55ed50;
  uint16_t Version = 1, HeaderBytes = 16;
  uint64_t Bytes = 5;
  char Contents[8] = "elf";
  uint64_t RecordMagic = GMPROF_BITCODE_MAGIC, RecordBytes = 16, RecordArchitecture = 90;
  char Record[16] = {'B', 'C', '\xc0', '\xde', 'f', 'a', 'k', 'e',
                     ' ', 'b', 'i',    't',    'c', 'o', 'd', 'e'};
  uint64_t NoOtherRecord[3] = {};
};

struct Wrapper {
  uint32_t Magic = 0x466243b1, Version = 1;
  const void *Data;
  void *Unused = nullptr;
};

FatBinary TheBinary;
Wrapper TheWrapper{.Data = &TheBinary};

} // namespace

void defineKernel(const std::string &Name, const std::vector<size_t> &ParameterBytes,
                  KernelBody Body, size_t StaticShared, unsigned MaxThreads,
                  std::optional<cpu::Dim3> Cluster) {
  FakeKernel &K = Kernels[Name];
  K.Info = {Name, {}, StaticShared, MaxThreads, Cluster};
  size_t Offset = 0;
  for (size_t Bytes : ParameterBytes) {
    Offset = (Offset + Bytes - 1) / Bytes * Bytes;
    K.Info.Params.push_back({Offset, Bytes});
    Offset += Bytes;
  }
  K.Body = std::move(Body);
}

int modulesLoaded() { return Loaded; }

bool isGuarded(const void *End) {
  const std::lock_guard Lock(GuardedMutex);
  return GuardedEnds.contains(reinterpret_cast<uint64_t>(End));
}
const std::vector<std::string> &filesOfLastModule() { return LastFiles; }

Program::Program() {
  Binary = __cudaRegisterFatBinary(&TheWrapper);
  auto Register = [&](char *Stub, const char *Name) {
    __cudaRegisterFunction(Binary, Stub, Stub, Name, -1, nullptr, nullptr, nullptr, nullptr,
                           nullptr);
  };
  Register(&Block, "block");
  Register(&Store, "store");
  Register(&Nothing, "nothing");
  Register(&Fail, "fail");
  Register(&Bounded, "bounded");
  Register(&Shared, "shared");
  Register(&Unknown, "unknown");
  __cudaRegisterVar(Binary, &Counter, &Counter, "counter", 0, CounterBytes, 0, 0);
  __cudaRegisterFatBinaryEnd(Binary);

  defineKernel("block", {}, [this](const LaunchConfig &, const void *const *) -> Outcome {
    Gate.wait();
    Ended = true;
    return {};
  });
  defineKernel("store", {8, 4}, [](const LaunchConfig &, const void *const *Args) -> Outcome {
    **static_cast<int *const *>(Args[0]) = *static_cast<const int *>(Args[1]);
    return {};
  });
  auto Nothing = [](const LaunchConfig &, const void *const *) -> Outcome { return {}; };
  defineKernel("nothing", {}, Nothing);
  defineKernel("bounded", {}, Nothing, 0, 64);
  defineKernel("shared", {}, Nothing, 4096);
  defineKernel("fail", {}, [](const LaunchConfig &, const void *const *) -> Outcome {
    return Fault{FaultKind::IllegalAddress, "fail", {}, {}, 16, "the kernel read 0x10"};
  });
}

Program::~Program() {
  open();
  cudaDeviceSynchronize();
  __cudaUnregisterFatBinary(Binary);
}

void Program::makeBusy(cudaStream_t Stream) {
  ASSERT_EQ(cudaLaunchKernel(&Block, 1, 1, nullptr, 0, Stream), cudaSuccess);
}

void Program::open() {
  if (!Opened.exchange(true))
    Gate.count_down();
}

cudaError_t Program::store(int *To, int Value, cudaStream_t Stream) {
  void *Arguments[] = {&To, &Value};
  return cudaLaunchKernel(&Store, 1, 1, Arguments, 0, Stream);
}

bool Program::waits(const std::function<void()> &Call) {
  std::atomic<bool> Returned{false};
  std::thread Caller([&] {
    Call();
    Returned = true;
  });
  // If only the busy kernel runs and nothing is ready, a waiting thread waits for that kernel.
  bool Waited = false;
  while (!Returned && !Waited) {
    cpu::api::Scheduler::Activity Now = cpu::api::scheduler().activity();
    Waited = Now.Running == 1 && Now.Ready == 0 && Now.WaitingThreads == 1;
    std::this_thread::yield();
  }
  open();
  Caller.join();
  return Waited;
}

} // namespace gmprof::test
