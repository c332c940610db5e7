//===- gmprof-kernel.cpp - Runs one kernel on arrays ----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The program that `gmprof kernel` starts, on the CPU device:
//
//   gmprof-kernel check|profile FILE ENTRY GRID BLOCK SHARED OUTPUT ARGUMENT...
//
// ENTRY, BLOCK and OUTPUT may be empty. `check` prints what the kernel did, and writes arrays;
// `profile` does neither, because the same launch has been checked. The kernel's module is loaded
// with the driver, as Triton does it, so that the recorder sees it.
//
// Exit status: 0, 1 if the kernel fails, 2 for invalid arguments.
//
//===----------------------------------------------------------------------===//

#include "gmprof/gmprof.h"
#include "tool/kernel/KernelArgument.h"
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

using namespace gmprof;
using namespace gmprof::kernel;

namespace {

constexpr int Failed = 1, Usage = 2;

int fail(int Status, const std::string &Message) {
  std::fprintf(stderr, "gmprof kernel: %s\n", Message.c_str());
  return Status;
}

using Size = std::array<unsigned, 3>;

/// Decodes "X", "X,Y" or "X,Y,Z", of positive numbers.
std::optional<Size> sizeOf(const std::string &Text) {
  Size Dimensions = {1, 1, 1};
  char *At = const_cast<char *>(Text.c_str());
  for (unsigned &D : Dimensions) {
    if (*At < '0' || *At > '9')
      return std::nullopt;
    const unsigned long Value = std::strtoul(At, &At, 10);
    if (Value == 0 || Value > 0x7fffffff)
      return std::nullopt;
    D = static_cast<unsigned>(Value);
    if (*At == 0)
      return Dimensions;
    if (*At++ != ',')
      return std::nullopt;
  }
  return std::nullopt;
}

std::string text(const Size &S) {
  return std::to_string(S[0]) + "," + std::to_string(S[1]) + "," + std::to_string(S[2]);
}

template <typename Signature> Signature *driver(const char *Name) {
  void *Function = nullptr;
  cudaDriverEntryPointQueryResult Status = {};
  cudaGetDriverEntryPointByVersion(Name, &Function, 12000, cudaEnableDefault, &Status);
  return reinterpret_cast<Signature *>(Function);
}
#define DRIVER(Name) driver<decltype(Name)>(#Name)

class Launch {
public:
  int prepare(char **Argv);
  int run();

private:
  int findKernel(const std::string &Code);
  int decodeArguments(char **Argv);
  int readBack();
  std::string outputOf(const KernelArgument &A) const;

  bool Profiled = false;
  std::string File, Code, Entry, OutputFolder;
  Size Grid = {}, Block = {};
  unsigned Shared = 0;
  KernelSignature Kernel;
  std::vector<KernelArgument> Arguments;
};

std::string listOf(const std::vector<KernelSignature> &Kernels) {
  std::string List;
  for (const KernelSignature &K : Kernels)
    List += "\n  " + K.text();
  return List;
}

int Launch::findKernel(const std::string &Code) {
  Result<std::vector<KernelSignature>> Kernels = kernelsOf(Code, File);
  if (!Kernels)
    return fail(Usage, Kernels.error());
  if (Kernels->empty())
    return fail(Usage, "'" + File + "' has no kernel");
  if (Entry.empty() && Kernels->size() > 1)
    return fail(Usage,
                "'" + File + "' has several kernels; name one with --entry:" + listOf(*Kernels));
  for (KernelSignature &K : *Kernels)
    if (Entry.empty() || K.Name == Entry) {
      Kernel = K;
      return 0;
    }
  return fail(Usage,
              "'" + File + "' has no kernel '" + Entry + "'; its kernels are:" + listOf(*Kernels));
}

int Launch::decodeArguments(char **Argv) {
  std::vector<std::string> Texts;
  for (; *Argv; ++Argv)
    Texts.emplace_back(*Argv);
  if (Texts.size() < Kernel.leastArguments() || Texts.size() > Kernel.Parameters.size())
    return fail(Usage, Kernel.text() + " has " + std::to_string(Kernel.leastArguments()) +
                           " parameters, but " + std::to_string(Texts.size()) +
                           (Texts.size() == 1 ? " argument (--arg) was passed"
                                              : " arguments (--arg) were passed"));
  std::set<std::string> Outputs;
  for (size_t I = 0; I < Kernel.Parameters.size(); ++I) {
    const Parameter &P = Kernel.Parameters[I];
    if (I >= Texts.size()) {
      Arguments.push_back({std::string(P.Bytes, '\0'), {}, {}, {}});
      continue;
    }
    Result<KernelArgument> A = decodeArgument(Texts[I], P);
    if (!A)
      return fail(Usage, A.error().starts_with("'") ? A.error()
                                                    : "parameter " + std::to_string(I) + " of " +
                                                          Kernel.text() + " " + A.error());
    const std::string Output = A->Array ? outputOf(*A) : "";
    if (!Output.empty() && !Outputs.insert(Output).second)
      return fail(Usage, "two arrays would be written to '" + Output +
                             "': name other files with --arg inout:FILE.npy:OUTPUT.npy");
    Arguments.push_back(std::move(*A));
  }
  return 0;
}

int Launch::prepare(char **Argv) {
  Profiled = std::strcmp(Argv[1], "profile") == 0;
  File = Argv[2];
  Entry = Argv[3];
  OutputFolder = Argv[7];
  std::ifstream In(File, std::ios::binary);
  if (!In)
    return fail(Usage, "'" + File + "' cannot be read: " + std::strerror(errno));
  Code.assign(std::istreambuf_iterator<char>(In), {});
  if (const int Status = findKernel(Code))
    return Status;

  const std::optional<Size> G = sizeOf(Argv[4]);
  if (!G)
    return fail(Usage, "--grid is X, X,Y or X,Y,Z with positive numbers, not '" +
                           std::string(Argv[4]) + "'");
  Grid = *G;
  std::optional<Size> B = Kernel.Block;
  if (*Argv[5] && !(B = sizeOf(Argv[5])))
    return fail(Usage, "--block is X, X,Y or X,Y,Z with positive numbers, not '" +
                           std::string(Argv[5]) + "'");
  if (!B)
    return fail(Usage, Kernel.Name + " does not say its block size (.reqntid): pass --block");
  if (Kernel.Block && *B != *Kernel.Block)
    return fail(Usage, Kernel.Name + " was compiled for blocks of " + text(*Kernel.Block) +
                           " threads, not " + text(*B));
  Block = *B;
  Shared = static_cast<unsigned>(std::strtoul(Argv[6], nullptr, 10));
  return decodeArguments(Argv + 8);
}

/// Returns where an array is to be written; empty if nowhere.
std::string Launch::outputOf(const KernelArgument &A) const {
  if (!A.Output.empty() || OutputFolder.empty())
    return A.Output;
  return OutputFolder + "/" + std::filesystem::path(A.File).filename().string();
}

/// Copies arrays back, says which have changed, and writes these.
int Launch::readBack() {
  for (KernelArgument &A : Arguments) {
    if (!A.Array || A.Array->Elements.empty())
      continue;
    void *Memory = nullptr;
    std::memcpy(&Memory, A.Value.data(), sizeof(Memory));
    const std::string Before = A.Array->Elements;
    if (cudaMemcpy(A.Array->Elements.data(), Memory, Before.size(), cudaMemcpyDeviceToHost))
      return fail(Failed, "the arrays cannot be read back");
    size_t Elements = 1, Changed = 0;
    for (const uint64_t D : A.Array->Shape)
      Elements *= D;
    const size_t Bytes = Before.size() / Elements;
    for (size_t I = 0; I < Before.size(); I += Bytes)
      Changed += Before.compare(I, Bytes, A.Array->Elements, I, Bytes) != 0;
    // A file that is named is written in any case.
    const std::string Output = Changed || !A.Output.empty() ? outputOf(A) : "";
    if (!OutputFolder.empty()) {
      std::error_code Ignored; // writing says why it fails
      std::filesystem::create_directories(OutputFolder, Ignored);
    }
    if (!Output.empty())
      if (const std::string Error = writeNpy(Output, *A.Array); !Error.empty())
        return fail(Failed, Error);
    if (Changed || !Output.empty())
      std::fprintf(stderr, "gmprof kernel: %zu of %zu elements of %s changed%s%s\n", Changed,
                   Elements, A.File.c_str(), Output.empty() ? "" : ", written to ", Output.c_str());
  }
  return 0;
}

int Launch::run() {
  CUmodule Module = nullptr;
  CUfunction Function = nullptr;
  if (cudaFree(nullptr) || DRIVER(cuModuleLoadData)(&Module, Code.c_str()) ||
      DRIVER(cuModuleGetFunction)(&Function, Module, Kernel.Name.c_str()))
    return fail(Failed, "'" + File + "' cannot be loaded");
  constexpr unsigned SharedWithoutOptIn = 48 << 10;
  if (Shared > SharedWithoutOptIn &&
      DRIVER(cuFuncSetAttribute)(Function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                 static_cast<int>(Shared)))
    return fail(Usage, "blocks cannot have " + std::to_string(Shared) + " bytes of shared memory");
  std::vector<void *> Values, Allocations;
  for (KernelArgument &A : Arguments) {
    if (A.Array) {
      void *Memory = nullptr;
      const std::string &Elements = A.Array->Elements;
      if (!Elements.empty() &&
          (cudaMalloc(&Memory, Elements.size()) ||
           cudaMemcpy(Memory, Elements.data(), Elements.size(), cudaMemcpyHostToDevice)))
        return fail(Failed, "there is no device memory for '" + A.File + "'");
      gmprof_name(Memory, std::filesystem::path(A.File).stem().c_str());
      A.Value.assign(reinterpret_cast<const char *>(&Memory), sizeof(Memory));
      Allocations.push_back(Memory);
    }
    Values.push_back(A.Value.data());
  }
  CUresult Error = DRIVER(cuLaunchKernel)(Function, Grid[0], Grid[1], Grid[2], Block[0], Block[1],
                                          Block[2], Shared, nullptr, Values.data(), nullptr);
  if (Error == CUDA_SUCCESS)
    Error = static_cast<CUresult>(cudaDeviceSynchronize());
  if (Error != CUDA_SUCCESS) {
    const char *Why = "";
    DRIVER(cuGetErrorString)(Error, &Why);
    return fail(Failed, Kernel.Name + " failed: " + Why +
                            (Shared == 0 && Kernel.UsesDynamicShared
                                 ? "; it uses dynamic shared memory: pass its bytes with --shared"
                                 : ""));
  }
  const int Status = Profiled ? 0 : readBack();
  for (void *Memory : Allocations)
    cudaFree(Memory);
  return Status;
}

} // namespace

int main(int Argc, char **Argv) {
  if (Argc < 8)
    return fail(Usage, "this program is started by 'gmprof kernel'");
  Launch L;
  if (const int Status = L.prepare(Argv))
    return Status;
  return L.run();
}
