//===- Launch.h - Launches a kernel's clone in its place --------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch runs the kernel's clone if the launch is in the sample and its profile plans
// so (LaunchProfiler.h). In every other case, and whenever the driver refuses the
// clone, the program's own kernel is launched by the very call that the program
// made; so errors are the program's errors. Launches that cannot succeed are left
// to that call from the start.
//
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_LAUNCH_LAUNCH_H
#define GMPROF_HOST_LAUNCH_LAUNCH_H

#include "host/launch/LaunchProfiler.h"

namespace gmprof::host {

struct DeviceState;
struct Options;
class Session;

/// Returns what is known, before this launch, of the objects that it accesses.
std::shared_ptr<const LaunchObjects> objectsOf(Session &S, const DeviceState &D, const Kernel &K,
                                               const LaunchRequest &R);

/// Decides how to run this launch of the kernel. Number: 1, 2, … of the kernel's launches.
LaunchPlan planLaunch(DeviceState &D, const Options &O, const LaunchToPlan &L, uint64_t Number);

/// The program's call.
class PlainCall {
public:
  template <typename Callable>
  PlainCall(const Callable &Call)
      : Function([](const void *C) { return (*static_cast<const Callable *>(C))(); }),
        Context(&Call) {}
  cudaError_t operator()() const { return Function(Context); }

private:
  cudaError_t (*Function)(const void *);
  const void *Context;
};

/// Returns the arguments of the program's kernel, then the clone's own.
std::vector<void *> cloneArgs(const Kernel &K, void **Args, CloneParameter &Parameter);

/// Launches the clone or calls Plain. Caller: GMPROF_CALLER of the interposed function.
cudaError_t launchKernel(const void *Caller, LaunchRequest R, PlainCall Plain);

/// Returns the record of a launch, but for its mode and context.
log::LaunchRecord launchRecord(Session &S, const DeviceState &D, const Kernel &K,
                               const LaunchRequest &R, const LaunchObjects &Objects);

} // namespace gmprof::host

#endif // GMPROF_HOST_LAUNCH_LAUNCH_H
