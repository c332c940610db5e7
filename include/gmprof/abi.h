//===- abi.h - Contract between pass, device, host and CPU device ---------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Defines what the compiler pass, the device hooks, the host runtime and the CPU device agree on:
// symbol names, the descriptor that the pass emits into the device module for each kernel, and the
// launch parameter that the host runtime passes to a kernel's clone.
//
// Plain C types only: the file is included by device code without the standard
// library. Every field has the same size and offset on the host and on the
// device. Change GMPROF_ABI_VERSION with any change of layout or meaning.
//
// Fields are listed once, in X-macros (as in compiler-rt's
// InstrProfData.inc), so that the pass can build the same struct as an LLVM
// constant:   GMPROF_FIELD(C type, name)
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_ABI_H
#define GMPROF_ABI_H

#include "gmprof/abi/bitcode.h"
#include "gmprof/abi/cache.h"
#include "gmprof/abi/descriptor.h"
#include "gmprof/abi/forms.h"
#include "gmprof/abi/global.h"
#include "gmprof/abi/heat.h"
#include "gmprof/abi/kinds.h"
#include "gmprof/abi/objects.h"
#include "gmprof/abi/placement.h"
#include "gmprof/abi/requests.h"
#include "gmprof/abi/shared.h"
#include "gmprof/abi/sites.h"
#include "gmprof/abi/symbols.h"
#include "gmprof/abi/types.h"

#endif // GMPROF_ABI_H
