//===- ClonesOnDemand.h - Clones of kernels that lack them ------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel whose module has no clones is instrumented at its first launch: out of the bitcode, PTX
// or LLVM IR of that module (host/instrument/). Each clone is compiled before it is first launched,
// and loaded into the same context as a module of its own. In programs with many kernels, both
// steps are done in the background (CloneTime.h): until they are, launches run the program's own
// kernel, and do not count as launches that samples are taken of. The program's variables stay
// where they are: the clones reach them by address.
//
// All of this is done once for a kernel's code, however often the program loads the module
// (LoadedClones.h).
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_LAUNCH_CLONESONDEMAND_H
#define GMPROF_HOST_LAUNCH_CLONESONDEMAND_H

#include "host/core/Device.h"
#include "host/instrument/CloneSource.h"
#include "host/launch/CloneTime.h"
#include "host/launch/CloneWorker.h"
#include "host/launch/CodeLaunches.h"
#include "host/launch/LoadedClones.h"
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

namespace gmprof {
struct ModuleCode;
} // namespace gmprof

namespace gmprof::host {

struct Clone;
struct Kernel;

/// The clones on demand of a kernel's code. Kernels of one name share it if their modules have
/// equal code.
struct KernelOnDemand {
  InstrumentedKernel Instrumented;
  CodeForm Form = CodeForm::Ptx; ///< of the clones' code
  bool InBackground = false;     ///< launches do not wait for the clones
  std::string ModuleHash;        ///< ModuleCode::Hash of the kernel's module
  /// Names of the program's registered variables that are in modules with this code.
  std::vector<std::string> Registered;
  size_t RegisteredOf = 0; ///< moduleVariableCount() when they were found
};

class ClonesOnDemand {
public:
  static constexpr size_t MaxCodes = 8;

  ClonesOnDemand(Device &D, CloneSource &Source, CloneTime &Time)
      : D(D), Source(Source), Time(Time), Background(Source.settings()) {}

  /// Returns the kernel's clones for the profiles and its descriptor, and makes them for the first
  /// kernel with this code. Returns why there are none. Of kernels with one name, MaxCodes
  /// different ones get clones: cuDNN and XLA compile a module per shape, and instrumenting each
  /// would take longer than the program. Sets K.Launches to the launches of the code, and
  /// K.Awaits if the clones are made in the background. Wait: they must not be.
  Result<std::shared_ptr<KernelOnDemand>>
  instrument(Kernel &K, std::vector<std::string_view> Profiles, bool Wait);
  /// Returns the module of a clone of K.OnDemand. Compiles and loads it if no loaded one can run in
  /// K's place. Returns why that failed. Sets C.Loading if that is done in the background. Wait: it
  /// must not be.
  Result<CUmodule> load(const Kernel &K, Clone &C, bool Wait);
  /// Ends the making of clones in the background. Returns the number of kernels and clones that
  /// were not made.
  size_t finish();
  /// Returns true if other kernels run the clone that K runs.
  bool isShared(const Kernel &K, const std::string &Clone) const;
  /// Ends K's use of a clone.
  void release(const Kernel &K, const std::string &Clone);
  /// Unloads the clones that no kernel uses. Returns whether there were any.
  bool unloadUnused();

  /// Returns a kernel among the hooks, from a module of its own which is loaded at the first call:
  /// modules with clones do not have it, as compiling it takes longer than a small clone. Returns
  /// why there is none.
  Result<CUfunction> hookKernel(const std::string &Name);

private:
  using ResultOfCode = Result<std::shared_ptr<KernelOnDemand>>;

  /// A clone's module whose table of variables is empty.
  struct LoadedCode {
    CUmodule Module = nullptr;
    std::vector<std::string> Variables; ///< LoadedClone::Variables
  };
  using InstrumentJob = CloneJobFor<ResultOfCode>;
  using LoadJob = CloneJobFor<Result<LoadedCode>>;

  struct Code;
  struct CodesOfName;

  std::string make(Code &Of, CodesOfName &OfName, Kernel &K,
                   const std::shared_ptr<const ModuleCode> &Text,
                   std::vector<std::string_view> Profiles, bool Wait);
  ResultOfCode instrumentCode(CloneSource &By, const std::string &Name, const ModuleCode &Code,
                              std::vector<std::string_view> Profiles) const;
  Result<LoadedCode> compile(CloneSource &By, const KernelOnDemand &Of,
                             const std::string &Clone) const;
  Result<LoadedCode> compileInBackground(const Kernel &K, Clone &C);
  Result<CUmodule> loadCode(const std::string &Code) const;
  void unload(CUmodule Module) const;
  std::string architecture() const;
  const void *imageOf(const Kernel &K) const;
  Result<std::vector<uint64_t>> addressesOf(const std::vector<std::string> &Variables,
                                            const Kernel &K) const;
  std::string fillTable(CUmodule Clone, const std::vector<uint64_t> &Addresses) const;
  bool fits(const LoadedClone &Each, const std::string &Clone, const Kernel &K) const;

  Device &D;
  CloneSource &Source;
  CloneTime &Time;
  std::unordered_map<std::string, CUfunction> HookKernels;
  struct Code {
    std::shared_ptr<CodeLaunches> Launches;
    std::optional<ResultOfCode> Made;   ///< nothing: it is being made in the background
    std::shared_ptr<InstrumentJob> Job; ///< that makes it there; null: none does
  };
  struct CodesOfName {
    std::map<std::string, Code> ByHash; ///< ModuleCode::Hash
    size_t Made = 0;
  };
  std::unordered_map<std::string, CodesOfName> Codes; ///< by kernel name
  size_t NamesMade = 0;                               ///< those with clones
  LoadedClones Loaded{[this](CUmodule Module) { unload(Module); }};
  CloneSource Background; ///< of the worker: launches do not wait for its requests
  std::map<LoadedClones::Id, LoadJob *> Loading;
  std::vector<std::shared_ptr<LoadJob>> LoadJobs; ///< kept for Clone::Loading
  CloneWorker Worker;                             ///< after what its jobs use
};

} // namespace gmprof::host

#endif // GMPROF_HOST_LAUNCH_CLONESONDEMAND_H
