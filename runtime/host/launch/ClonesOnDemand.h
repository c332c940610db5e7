//===- ClonesOnDemand.h - Clones of kernels that lack them ------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel whose module has no clones is instrumented at its first launch: out of the bitcode, PTX
// or LLVM IR of that module (host/instrument/). Each clone is compiled before it is first launched,
// and loaded into the same context as a module of its own.
// The program's variables stay where they are: the clones reach them by address.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_LAUNCH_CLONESONDEMAND_H
#define GMPROF_HOST_LAUNCH_CLONESONDEMAND_H

#include "host/core/Device.h"
#include "host/instrument/CloneSource.h"
#include "host/launch/CloneTime.h"
#include <set>
#include <string>
#include <unordered_map>

namespace gmprof::host {

struct Kernel;

/// The clones of a kernel that are made on demand.
struct KernelOnDemand {
  InstrumentedKernel Instrumented;
  CodeForm Form = CodeForm::Ptx; ///< of the clones' code
  std::string ModuleHash;        ///< ModuleCode::Hash of the kernel's module
  std::vector<CUmodule> Loaded;  ///< modules of clones
};

class ClonesOnDemand {
public:
  static constexpr size_t MaxCodes = 8;

  ClonesOnDemand(Device &D, CloneSource &Source, CloneTime &Time)
      : D(D), Source(Source), Time(Time) {}

  /// Makes the kernel's clones for the profiles and its descriptor. Returns why there are none. Of
  /// kernels with one name, MaxCodes different ones get clones: cuDNN and XLA compile a module per
  /// shape, and instrumenting each would take longer than the program.
  Result<KernelOnDemand> instrument(const Kernel &K, std::vector<std::string_view> Profiles);
  /// Compiles a clone of K.OnDemand and loads its module. Returns why that failed.
  Result<CUmodule> load(Kernel &K, const std::string &Clone);
  /// Unloads the modules of a kernel's clones.
  void unload(KernelOnDemand &Made);

  /// Returns a kernel among the hooks, from a module of its own which is loaded at the first call:
  /// modules with clones do not have it, as compiling it takes longer than a small clone. Returns
  /// why there is none.
  Result<CUfunction> hookKernel(const std::string &Name);

private:
  Result<CUmodule> loadCode(const std::string &Code) const;
  std::string architecture() const;
  const void *imageOf(const Kernel &K) const;
  std::string fillTable(CUmodule Made, const std::vector<std::string> &Variables,
                        const Kernel &K) const;

  Device &D;
  CloneSource &Source;
  CloneTime &Time;
  std::unordered_map<std::string, CUfunction> HookKernels;
  std::unordered_map<std::string, std::set<std::string>> Codes; ///< by kernel name: module hashes
};

} // namespace gmprof::host

#endif // GMPROF_HOST_LAUNCH_CLONESONDEMAND_H
