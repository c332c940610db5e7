//===- SharedKernel.h - What is known of shared memory at a launch *- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For the shared-memory profile, launches differ by configuration and by the
// integers that closed forms depend on. Launches that agree in these are one case,
// which one record in the log describes: whoever reads the log computes what closed
// forms say of it.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_SHARED_SHAREDKERNEL_H
#define GMPROF_HOST_SHARED_SHAREDKERNEL_H

#include "host/launch/KernelArguments.h"
#include "host/record/Recorder.h"
#include "profile/Mutex.h"
#include <map>

namespace gmprof::host {

class SharedKernel {
public:
  SharedKernel(const profile::Descriptor &Desc, std::vector<size_t> ParamBytes)
      : Params(Desc, std::move(ParamBytes), {}), Forms(Desc.SharedForms, Desc.ParamCount) {}

  bool hasForms() const { return !Forms.Usable || !Forms.Forms.empty(); }
  /// Returns the number of the launch's case in the log; 0 if closed forms do not hold or there are
  /// too many cases. Args: the kernel's arguments.
  uint64_t caseOf(uint32_t Kernel, const std::array<uint32_t, 3> &Grid,
                  const std::array<uint32_t, 3> &Block, uint32_t DynamicShared, void **Args,
                  bool InGraph, Recorder &Log);

private:
  KernelArguments Params;
  KernelForms Forms;
  Mutex Lock;
  std::map<std::vector<uint64_t>, uint64_t> Cases GMPROF_GUARDED_BY(Lock);
};

} // namespace gmprof::host

#endif // GMPROF_HOST_SHARED_SHAREDKERNEL_H
