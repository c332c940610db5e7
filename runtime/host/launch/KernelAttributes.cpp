//===- KernelAttributes.cpp - Attributes that programs set ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/launch/KernelAttributes.h"
#include "host/launch/Kernels.h"
#include <algorithm>

namespace gmprof::host {

static constexpr CUfunction_attribute Copied[] = {
    CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
    CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH,
    CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT,
    CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH,
    CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED,
    CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE,
};

/// Returns true if the clone lacks the kernel's value of an attribute, which becomes Wanted.
static bool differs(const DriverApi &Api, CUfunction_attribute Attribute, const Kernel &K,
                    CUfunction Clone, int &Wanted) {
  int Has = 0;
  return Api.cuFuncGetAttribute(&Wanted, Attribute, K.Original) == CUDA_SUCCESS &&
         Api.cuFuncGetAttribute(&Has, Attribute, Clone) == CUDA_SUCCESS && Wanted != Has;
}

bool hasAttributes(const DriverApi &Api, CUfunction Clone, const Kernel &K) {
  return std::ranges::none_of(Copied, [&](CUfunction_attribute Attribute) {
    int Wanted = 0;
    return differs(Api, Attribute, K, Clone, Wanted);
  });
}

std::string copyAttributes(const DriverApi &Api, const Kernel &K, CUfunction Clone) {
  for (CUfunction_attribute Attribute : Copied) {
    int Wanted = 0;
    if (!differs(Api, Attribute, K, Clone, Wanted))
      continue;
    if (CUresult Error = Api.cuFuncSetAttribute(Clone, Attribute, Wanted))
      return "function attribute " + std::to_string(static_cast<int>(Attribute)) +
             " could not be copied to its clone: " + describe(Error);
  }
  if (K.CacheConfig >= 0 && Api.cuFuncSetCacheConfig)
    Api.cuFuncSetCacheConfig(Clone, static_cast<CUfunc_cache>(K.CacheConfig.load()));
  return "";
}

} // namespace gmprof::host
