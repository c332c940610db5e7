//===- KernelModule.h - The module that a kernel was loaded from *- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Profiles ask it for a kernel's clones and for the module's variables. It lives while the kernel
// is loaded.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_LAUNCH_KERNELMODULE_H
#define GMPROF_HOST_LAUNCH_KERNELMODULE_H

#include "host/core/Device.h"
#include "host/launch/KernelClones.h"
#include "host/objects/Objects.h"
#include "profile/Profile.h"
#include <optional>

namespace gmprof::host {

class ClonesOnDemand;
struct Kernel;

class KernelModule {
public:
  KernelModule(Device &D, Objects &Live, ClonesOnDemand &OnDemand, Kernel &K)
      : D(D), Live(Live), OnDemand(OnDemand), K(K) {}

  /// Reads the kernel's descriptor to Bytes, followed by those of the device functions that it may
  /// call if WithFunctions. Returns an error, or an empty string.
  std::string readDescriptor(bool WithFunctions, std::vector<std::byte> &Bytes,
                             std::optional<profile::Descriptor> &Desc) const;

  /// Finds the clone with this suffix, whose additional parameter has ParameterBytes. Loads a
  /// compiled one; one that is made on demand is left for loadClone. Returns an error, or an empty
  /// string.
  std::string findClone(const char *Suffix, size_t ParameterBytes, Clone &To) const;
  /// Loads the function of a clone that findClone has found, and sets all else of To. Wait: it must
  /// not be made in the background.
  Result<CUfunction> loadClone(Clone &To, bool Wait) const;
  /// Finds a kernel among the hooks, beside compiled clones or else in a module of its own. Returns
  /// an error, or an empty string.
  std::string findHookKernel(const char *Name, CUfunction &To) const;
  /// Returns true if the module has the kernel's descriptor.
  bool hasDescriptor() const;

  /// Records the descriptor's module variables as objects. Returns their addresses by variable, 0
  /// for others.
  std::vector<uint64_t> recordVariables(const profile::Descriptor &Desc) const;
  /// Records all variables of the program's modules: pointers from memory may lead to any of them.
  void recordAllVariables() const;

  /// Returns the sizes of the kernel's parameters; empty if the driver does not tell.
  std::vector<size_t> paramSizes() const { return paramSizes(D.api(), kernel()); }
  static std::vector<size_t> paramSizes(const DriverApi &Api, CUfunction Function);
  /// Returns an attribute of the program's kernel, or 0.
  int attribute(CUfunction_attribute Attribute) const {
    return attribute(D.api(), kernel(), Attribute);
  }
  static int attribute(const DriverApi &Api, CUfunction Function, CUfunction_attribute Attribute);

private:
  CUfunction kernel() const;
  CUfunction findFunction(CUmodule Module, const std::string &Name) const;
  std::string readBytes(const std::string &Symbol, std::vector<std::byte> &To) const;
  void addFunctions(std::vector<std::string> Names, std::vector<std::byte> &Bytes) const;
  std::vector<std::string> registeredVariables() const;
  uint64_t recordVariable(const std::string &Symbol, const std::string &Name,
                          log::ObjectKind Kind) const;

  Device &D;
  Objects &Live;
  ClonesOnDemand &OnDemand;
  Kernel &K;
};

} // namespace gmprof::host

#endif // GMPROF_HOST_LAUNCH_KERNELMODULE_H
