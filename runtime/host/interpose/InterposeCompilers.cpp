//===- InterposeCompilers.cpp - Compilers that the program calls ----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs that compile at run time load machine code. GMProf remembers the PTX that it was made
// of: from the driver's linker and NVRTC, which are interposed, and from Triton's hook. What
// programs have ptxas compile is remembered in that process (core/Startup.cpp).
//
//===----------------------------------------------------------------------===//

#include "host/interpose/InterposeCompilers.h"
#include "host/core/Export.h"
#include "host/core/Session.h"
#include "host/instrument/CompiledFiles.h"
#include "host/interpose/DriverHooks.h"
#include <dlfcn.h>

using namespace gmprof;
using namespace gmprof::host;

//===----------------------------------------------------------------------===//
// The linker of the driver
//===----------------------------------------------------------------------===//

namespace {

/// The PTX that was added to the links in progress, with a null character behind each input.
class LinkInputs {
public:
  void add(CUlinkState Link, std::string_view Ptx) {
    const std::lock_guard<std::mutex> Guard(Lock);
    (ByLink[Link] += Ptx) += '\0';
  }
  std::string of(CUlinkState Link) {
    const std::lock_guard<std::mutex> Guard(Lock);
    const auto It = ByLink.find(Link);
    return It == ByLink.end() ? "" : It->second;
  }
  void forget(CUlinkState Link) {
    const std::lock_guard<std::mutex> Guard(Lock);
    ByLink.erase(Link);
  }

private:
  std::mutex Lock;
  std::unordered_map<CUlinkState, std::string> ByLink;
};

LinkInputs &linkInputs() {
  static auto &All = *new LinkInputs; // also used at exit
  return All;
}

void addInput(cudaError_t Error, CUlinkState Link, CUjitInputType Type, std::string_view Data) {
  if (Error == cudaSuccess && Type == CU_JIT_INPUT_PTX && settings().Enabled)
    linkInputs().add(Link, Data.substr(0, Data.find('\0')));
}

} // namespace

GMPROF_INTERPOSE_DRIVER(cuLinkAddData_v2,
                        (CUlinkState Link, CUjitInputType Type, void *Data, size_t Bytes,
                         const char *Name, unsigned Count, CUjit_option *Options, void **Values)) {
  const cudaError_t Error =
      GMPROF_REAL_DRIVER(cuLinkAddData_v2, Link, Type, Data, Bytes, Name, Count, Options, Values);
  addInput(Error, Link, Type, {static_cast<const char *>(Data), Bytes});
  return static_cast<CUresult>(Error);
}

GMPROF_INTERPOSE_DRIVER(cuLinkAddFile_v2, (CUlinkState Link, CUjitInputType Type, const char *Name,
                                           unsigned Count, CUjit_option *Options, void **Values)) {
  const cudaError_t Error =
      GMPROF_REAL_DRIVER(cuLinkAddFile_v2, Link, Type, Name, Count, Options, Values);
  if (Error == cudaSuccess && Type == CU_JIT_INPUT_PTX)
    addInput(Error, Link, Type, contentOfFile(Name));
  return static_cast<CUresult>(Error);
}

GMPROF_INTERPOSE_DRIVER(cuLinkComplete, (CUlinkState Link, void **Cubin, size_t *Bytes)) {
  const cudaError_t Error = GMPROF_REAL_DRIVER(cuLinkComplete, Link, Cubin, Bytes);
  if (std::string Inputs = linkInputs().of(Link);
      Error == cudaSuccess && Cubin && Bytes && !Inputs.empty())
    moduleImages().compiledAndKept({static_cast<const char *>(*Cubin), *Bytes}, std::move(Inputs));
  return static_cast<CUresult>(Error);
}

GMPROF_INTERPOSE_DRIVER(cuLinkDestroy, (CUlinkState Link)) {
  linkInputs().forget(Link);
  return static_cast<CUresult>(GMPROF_REAL_DRIVER(cuLinkDestroy, Link));
}

//===----------------------------------------------------------------------===//
// Triton
//===----------------------------------------------------------------------===//

/// Called by python/sitecustomize.py before Triton loads a cubin that came from a file.
extern "C" __attribute__((visibility("default"))) void gmprof_compiled_file(const char *Cubin) {
  if (settings().Enabled)
    rememberNeighbours(Cubin, moduleImages());
}

//===----------------------------------------------------------------------===//
// NVRTC
//===----------------------------------------------------------------------===//

namespace {

// NVRTC's functions return 0 if they succeed.
using Program = struct NvrtcProgram *;
using GetSize = int (*)(Program, size_t *);
using GetContent = int (*)(Program, char *);
std::atomic<void *> RealGetCubin;

/// Returns the size of one of the results of a compilation; 0 if there is none.
size_t sizeOf(void *Library, const char *Function, Program Of) {
  const auto Size = reinterpret_cast<GetSize>(realDlsym()(Library, Function));
  size_t Bytes = 0;
  return Size && Size(Of, &Bytes) == 0 ? Bytes : 0;
}

/// Returns the PTX of a compilation; empty if there is none.
std::string ptxOf(void *Library, Program Of) {
  const auto Content = reinterpret_cast<GetContent>(realDlsym()(Library, "nvrtcGetPTX"));
  std::string Ptx(sizeOf(Library, "nvrtcGetPTXSize", Of), '\0');
  if (!Content || Content(Of, Ptx.data()) != 0)
    return "";
  Ptx.resize(Ptx.find_last_not_of('\0') + 1);
  return Ptx;
}

} // namespace

extern "C" __attribute__((visibility("default"))) int nvrtcGetCUBIN(Program Of, char *Cubin) {
  void *Real = RealGetCubin.load(std::memory_order_acquire);
  if (!Real)
    Real = realDlsym()(RTLD_NEXT, "nvrtcGetCUBIN");
  constexpr int InternalError = 11;
  if (!Real)
    return InternalError;
  const int Error = reinterpret_cast<GetContent>(Real)(Of, Cubin);
  Dl_info Info = {};
  if (Error != 0 || !settings().Enabled || !dladdr(Real, &Info))
    return Error;
  if (void *Library = dlopen(Info.dli_fname, RTLD_LAZY | RTLD_NOLOAD)) {
    if (std::string Ptx = ptxOf(Library, Of); !Ptx.empty())
      moduleImages().compiledAndKept({Cubin, sizeOf(Library, "nvrtcGetCUBINSize", Of)},
                                     std::move(Ptx));
    dlclose(Library);
  }
  return Error;
}

void *gmprof::host::interposedNvrtc(void *Real) {
  if (!Real)
    return nullptr;
  RealGetCubin.store(Real, std::memory_order_release);
  return reinterpret_cast<void *>(&nvrtcGetCUBIN);
}
