//===- Engine.h - Execution of device code on the CPU -----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Boundary between the CPU device's two halves. engine/ executes kernels: it knows device code,
// warps and barriers, and nothing of the CUDA API. api/ is libcudart: memory, streams, events,
// graphs, and nothing of LLVM.
//
// Device memory is host memory. A shared-memory pointer is the real address of the block's window,
// which lies below 4 GiB, so generic, shared and 32-bit shared addresses are the same number.
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

/// Dimensions and attributes of a launch.
struct LaunchConfig {
  Dim3 Grid, Block;
  std::optional<Dim3> Cluster; ///< in blocks; divides the grid
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

/// Cause and place of a kernel's failure.
struct Fault {
  FaultKind Kind;
  std::string Kernel;
  Dim3 Block, Thread; ///< indices, from 0
  uint64_t Address = 0;
  std::string Message; ///< one line, complete: what, where, what to do
};

/// Error of loading a module, or of a construct that the CPU device lacks. One line that names the
/// kernel and the construct.
struct LoadError {
  std::string Message;
};

/// Lookup of allocations for the engine's fault messages; implemented by api/.
class MemoryMap {
public:
  virtual ~MemoryMap() = default;
  /// Returns the location of an access relative to an allocation ("16 bytes beyond the 1024-byte
  /// allocation at 0x… (cudaMalloc)"), or an empty string. Bytes: its size, 0 if unknown.
  virtual std::string describe(uint64_t Address, uint64_t Bytes) const = 0;
};

/// Makes the accesses of kernels fault from End, where an object ends, to the next multiple of 256,
/// or permits them again. Safe for concurrent use on different objects.
void guardPadding(uint64_t End, bool Guarded);

/// Device module: one or several files of bitcode, PTX or LLVM IR, linked together.
class Module {
public:
  virtual ~Module() = default;
  /// Loads the files, whose kind their contents tell; texts need no null character. Name is that of
  /// the module in messages.
  static std::variant<std::unique_ptr<Module>, LoadError>
  load(std::span<const std::span<const char>> Code, const std::string &Name);

  /// Returns a kernel or variable by its mangled name; null if there is none.
  virtual const KernelInfo *kernel(const std::string &Name) = 0;
  virtual const GlobalInfo *global(const std::string &Name) = 0;
  /// Returns the mangled names of all kernels, in order.
  virtual std::vector<std::string> kernels() = 0;

  /// Runs a kernel to its end, on all cores. Args[i] points to parameter i's value, as for
  /// cudaLaunchKernel. Safe for concurrent use. Output of device printf goes to stdout, whole
  /// blocks in block order.
  virtual std::variant<std::monostate, Fault, LoadError> run(const KernelInfo &Kernel,
                                                             const LaunchConfig &Config,
                                                             const void *const *Args,
                                                             const MemoryMap &Memory) = 0;
};

} // namespace gmprof::cpu

#endif // GMPROF_CPU_ENGINE_H
