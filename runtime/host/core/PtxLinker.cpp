//===- PtxLinker.cpp - PTX to machine code by the driver's linker ---------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/core/PtxLinker.h"
#include "host/core/DriverApi.h"
#include "host/interpose/DriverHooks.h"
#include <array>
#include <cstring>
#include <string_view>

namespace gmprof::host {

template <typename Function> static Function find(const char *Name) {
  return reinterpret_cast<Function>(
      driverEntryPoint(Name, 12000, CU_GET_PROC_ADDRESS_LEGACY_STREAM));
}

PtxLinker::PtxLinker()
    : Create(find<decltype(Create)>("cuLinkCreate")),
      AddData(find<decltype(AddData)>("cuLinkAddData")),
      Complete(find<decltype(Complete)>("cuLinkComplete")),
      Destroy(find<decltype(Destroy)>("cuLinkDestroy")) {}

const PtxLinker &PtxLinker::get() {
  static const PtxLinker &Instance = *[] {
    const auto *New = new PtxLinker; // the worker may outlive static destruction
    if (*New)
      (void)New->compile(".version 7.0\n.target sm_52\n.address_size 64\n");
    return New;
  }();
  return Instance;
}

Result<std::string> PtxLinker::compile(const std::string &Ptx) const {
  std::array<char, 1024> Messages = {};
  CUjit_option Options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *Values[] = {Messages.data(), reinterpret_cast<void *>(Messages.size())};
  CUlinkState Link = nullptr;
  CUresult Failure = Create(std::size(Options), Options, Values, &Link);
  if (Failure != CUDA_SUCCESS)
    return Error{describe(Failure)};
  void *Cubin = nullptr;
  size_t Bytes = 0;
  Failure = AddData(Link, CU_JIT_INPUT_PTX, const_cast<char *>(Ptx.c_str()), Ptx.size() + 1,
                    "clone.ptx", 0, nullptr, nullptr);
  if (Failure == CUDA_SUCCESS)
    Failure = Complete(Link, &Cubin, &Bytes);
  Result<std::string> Code =
      Failure == CUDA_SUCCESS
          ? Result<std::string>(std::string(static_cast<const char *>(Cubin), Bytes))
          : Error{""};
  Destroy(Link);
  if (Code)
    return Code;
  const std::string_view Log(Messages.data(), ::strnlen(Messages.data(), Messages.size()));
  return Error{describe(Failure) +
               (Log.empty() ? "" : ": " + std::string(Log.substr(0, Log.find('\n'))))};
}

} // namespace gmprof::host
