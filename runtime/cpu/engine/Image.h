//===- Image.h - Loaded device module ---------------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and links the code of a device module, allocates and initialises its variables, and
// describes its kernels. Shared variables have no address of their own: each kernel has a layout of
// those that it can reach.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_ENGINE_IMAGE_H
#define GMPROF_CPU_ENGINE_IMAGE_H

#include "cpu/Engine.h"
#include "cpu/engine/Memory.h"

#include <map>
#include <unordered_map>

namespace gmprof::cpu {

/// Offsets of a kernel's shared variables in the block's shared memory, in bytes.
struct SharedLayout {
  std::map<std::string, uint64_t> Offsets; ///< includes extern variables
  uint64_t StaticBytes = 0;
  uint64_t DynamicOffset = 0; ///< start of dynamic shared memory
};

/// Loaded module, independent of an LLVMContext.
class Image {
public:
  Image() = default;
  ~Image();
  Image(const Image &) = delete;
  Image &operator=(const Image &) = delete;

  static std::variant<std::unique_ptr<Image>, LoadError>
  load(std::span<const std::span<const char>> Code, const std::string &Name);

  struct Kernel {
    KernelInfo Info;
    SharedLayout Shared;
    /// The kernel may call the targets of FunctionPointers.
    bool UsesFunctionTable = false;
  };

  /// Pointer to a function in the initial value of a variable.
  struct FunctionPointer {
    char *Place;
    std::string Function;
  };

  std::string Name;
  std::string Bitcode; ///< the linked module; every global has a name
  std::map<std::string, Kernel> Kernels;
  std::map<std::string, GlobalInfo> Variables;         ///< variables of the program
  std::unordered_map<std::string, uint64_t> Addresses; ///< all globals except shared variables
  std::vector<FunctionPointer> FunctionPointers;
  SharedLayout FunctionTableShared; ///< shared variables reachable from FunctionPointers
  Mapping Constants, Globals;

  /// Guards the padding behind a variable, as long as the module is loaded.
  void guard(uint64_t End);

private:
  std::vector<uint64_t> GuardedEnds;
};

} // namespace gmprof::cpu

#endif // GMPROF_CPU_ENGINE_IMAGE_H
