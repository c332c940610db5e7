//===- DeviceCode.h - Reader of device code ---------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_ENGINE_DEVICECODE_H
#define GMPROF_CPU_ENGINE_DEVICECODE_H

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace gmprof::cpu {

/// Reads bitcode, PTX or LLVM IR, which its contents tell apart. Name is that of bitcode in
/// messages. A lifted module is simplified.
llvm::Expected<std::unique_ptr<llvm::Module>>
readDeviceCode(llvm::StringRef Code, const std::string &Name, llvm::LLVMContext &Context);

} // namespace gmprof::cpu

#endif // GMPROF_CPU_ENGINE_DEVICECODE_H
