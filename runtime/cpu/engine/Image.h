//===- Image.h - A device module as it was loaded ------------- -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Links the bitcode of a device module, gives its variables memory and their
// initial values, and describes its kernels. Shared variables have no address
// of their own: each kernel lays out those that it can reach.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_ENGINE_IMAGE_H
#define GMPROF_CPU_ENGINE_IMAGE_H

#include "cpu/Engine.h"
#include "cpu/engine/Memory.h"

#include <map>
#include <unordered_map>

namespace gmprof::cpu {

/// Where a kernel's shared variables lie, in bytes from the start of the block's
/// shared memory.
struct SharedLayout {
  std::map<std::string, uint64_t> Offsets; ///< extern ones too
  uint64_t StaticBytes = 0;
  uint64_t DynamicOffset = 0; ///< where dynamic shared memory starts
};

class Image {
public:
  static std::variant<std::unique_ptr<Image>, LoadError>
  load(std::span<const std::span<const char>> Bitcode, const std::string &Name);

  struct Kernel {
    KernelInfo Info;
    SharedLayout Shared;
    /// May call what FunctionPointers point to.
    bool UsesFunctionTable = false;
  };

  /// A pointer to a function in the initial value of a variable.
  struct FunctionPointer {
    char *Place;
    std::string Function;
  };

  std::string Name;
  std::string Bitcode; ///< all of it, linked; every global has a name
  std::map<std::string, Kernel> Kernels;
  std::map<std::string, GlobalInfo> Variables;         ///< of the program
  std::unordered_map<std::string, uint64_t> Addresses; ///< of all globals but shared ones
  std::vector<FunctionPointer> FunctionPointers;
  SharedLayout FunctionTableShared; ///< shared variables that FunctionPointers reach
  Mapping Constants, Globals;
};

} // namespace gmprof::cpu

#endif // GMPROF_CPU_ENGINE_IMAGE_H
