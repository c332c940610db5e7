//===- Engine.h - Runs device bitcode on the CPU ----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The boundary of the CPU device's two halves. engine/ executes kernels: it
// knows bitcode, warps, barriers and nothing of the CUDA API. api/ is libcudart:
// memory, streams, events, graphs, and nothing of LLVM.
//
// Addresses: device memory is host memory. A shared-memory pointer is the real
// address of the block's window, which lies below 4 GiB, so that generic,
// shared and 32-bit shared addresses are one and the same number.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_ENGINE_H
#define GMPROF_CPU_ENGINE_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace gmprof::cpu {

struct Dim3 {
  unsigned X = 1, Y = 1, Z = 1;
};

struct LaunchConfig {
  Dim3 Grid, Block;
  std::optional<Dim3> Cluster; ///< in blocks, of which a grid has a whole number
  size_t DynamicShared = 0;
  bool Cooperative = false;

  unsigned clusterSize() const { return Cluster ? Cluster->X * Cluster->Y * Cluster->Z : 1; }
};

struct ParamInfo {
  size_t Offset, Bytes; ///< in PTX parameter space
};

struct KernelInfo {
  std::string Name; ///< mangled
  std::vector<ParamInfo> Params;
  size_t StaticShared = 0;
  unsigned MaxThreads = 1024;
  std::optional<Dim3> Cluster; ///< of __cluster_dims__
};

struct GlobalInfo {
  void *Address = nullptr;
  size_t Bytes = 0;
  bool Constant = false; ///< in constant memory
};

enum class FaultKind {
  IllegalAddress,    ///< cudaErrorIllegalAddress
  MisalignedAddress, ///< cudaErrorMisalignedAddress
  Trap,              ///< cudaErrorLaunchFailure: __trap(), illegal instruction
  Assert,            ///< cudaErrorAssert
  Deadlock,          ///< cudaErrorLaunchFailure: a barrier or collective that can never complete
  StackOverflow,     ///< cudaErrorLaunchFailure
};

/// Why a kernel stopped.
struct Fault {
  FaultKind Kind;
  std::string Kernel;
  Dim3 Block, Thread; ///< indices, from 0
  uint64_t Address = 0;
  std::string Message; ///< one line, complete: what, where, what to do
};

/// A module could not be loaded or uses something the CPU device lacks. One
/// line that names the kernel and the construct.
struct LoadError {
  std::string Message;
};

/// What the engine asks of the memory half, for its fault messages.
class MemoryMap {
public:
  virtual ~MemoryMap() = default;
  /// "16 bytes beyond the 1024-byte allocation at 0x… (cudaMalloc)", or empty.
  virtual std::string describe(uint64_t Address) const = 0;
};

/// A device module: one or several bitcode files linked together.
class Module {
public:
  virtual ~Module() = default;
  static std::variant<std::unique_ptr<Module>, LoadError>
  load(std::span<const std::span<const char>> Bitcode, const std::string &Name);

  /// Null if there is no such kernel or variable.
  virtual const KernelInfo *kernel(const std::string &Name) = 0;
  virtual const GlobalInfo *global(const std::string &Name) = 0;

  /// Runs a kernel to its end, on all cores. Args[i] points to parameter i's
  /// value, as for cudaLaunchKernel. Callable from several threads at a time.
  /// Output of device printf goes to stdout, whole blocks in block order.
  virtual std::variant<std::monostate, Fault, LoadError> run(const KernelInfo &Kernel,
                                                             const LaunchConfig &Config,
                                                             const void *const *Args,
                                                             const MemoryMap &Memory) = 0;
};

} // namespace gmprof::cpu

#endif // GMPROF_CPU_ENGINE_H
