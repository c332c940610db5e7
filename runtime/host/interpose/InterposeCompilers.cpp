//===- InterposeCompilers.cpp - Compilers that the program calls ----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs that compile at run time load machine code. GMProf remembers the PTX that it was made
// of: from the driver's linker, NVRTC and nvJitLink (InterposeJitLink.cpp), which are interposed,
// and from Triton's hook. What programs have ptxas compile is remembered in that process
// (core/Startup.cpp).
//
//===----------------------------------------------------------------------===//

#include "host/interpose/InterposeCompilers.h"
#include "host/core/Export.h"
#include "host/core/Session.h"
#include "host/instrument/CompiledFiles.h"
#include "host/instrument/ParameterNames.h"
#include "host/interpose/DriverHooks.h"
#include "profile/Mutex.h"
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <vector>

using namespace gmprof;
using namespace gmprof::host;

//===----------------------------------------------------------------------===//
// Functions of compilers' libraries
//===----------------------------------------------------------------------===//

namespace {

/// The functions of the libraries, by their names.
class RealFunctions {
public:
  void *find(const std::string &Name) {
    const LockGuard Guard(Lock);
    const auto It = ByName.find(Name);
    return It == ByName.end() ? nullptr : It->second;
  }
  /// Returns the function of this name, which is Found unless another one is known.
  void *add(const std::string &Name, void *Found) {
    const LockGuard Guard(Lock);
    return ByName.emplace(Name, Found).first->second;
  }

private:
  Mutex Lock; // never held while a library is searched
  std::unordered_map<std::string, void *> ByName GMPROF_GUARDED_BY(Lock);
};

RealFunctions &realFunctions() {
  static auto &All = *new RealFunctions; // also used at exit
  return All;
}

/// Returns the function of a loaded library whose file's name begins with Library, which only some
/// libraries of the program may see.
void *findInLoaded(const char *Library, const std::string &Name) {
  std::pair<std::string_view, std::vector<std::string>> Files = {Library, {}};
  dl_iterate_phdr(
      [](dl_phdr_info *Info, size_t, void *To) {
        auto &[Begin, All] = *static_cast<decltype(Files) *>(To);
        const std::string_view File = Info->dlpi_name;
        if (File.substr(File.rfind('/') + 1).starts_with(Begin))
          All.emplace_back(File);
        return 0;
      },
      &Files);
  for (const std::string &File : Files.second)
    if (void *Loaded = dlopen(File.c_str(), RTLD_LAZY | RTLD_NOLOAD)) {
      void *Found = realDlsym()(Loaded, Name.c_str());
      dlclose(Loaded);
      if (Found)
        return Found;
    }
  return nullptr;
}

} // namespace

void *gmprof::host::functionBeside(const void *Function, const std::string &Name) {
  Dl_info Info = {};
  void *Library =
      dladdr(Function, &Info) ? dlopen(Info.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
  if (!Library)
    return nullptr;
  void *Found = realDlsym()(Library, Name.c_str());
  dlclose(Library);
  return Found;
}

void *gmprof::host::lookedUpInCompiler(const char *Name, void *Found) {
  void *Ours = functionBeside(reinterpret_cast<const void *>(&lookedUpInCompiler), Name);
  if (!Ours)
    return Found;
  if (Found == Ours)
    Found = realDlsym()(RTLD_NEXT, Name);
  return Found && realFunctions().add(Name, Found) == Found ? Ours : Found;
}

void *gmprof::host::realCompilerFunction(const std::string &Name) {
  if (void *Known = realFunctions().find(Name))
    return Known;
  void *Found = realDlsym()(RTLD_NEXT, Name.c_str());
  if (!Found)
    Found = findInLoaded(Name.starts_with("nvrtc") ? "libnvrtc.so" : "libnvJitLink.so", Name);
  return Found ? realFunctions().add(Name, Found) : nullptr;
}

//===----------------------------------------------------------------------===//
// The linker of the driver
//===----------------------------------------------------------------------===//

namespace {

/// The PTX that was added to the links in progress, with a null character behind each input.
class LinkInputs {
public:
  void add(CUlinkState Link, std::string_view Ptx) {
    const LockGuard Guard(Lock);
    (ByLink[Link] += Ptx) += '\0';
  }
  std::string of(CUlinkState Link) {
    const LockGuard Guard(Lock);
    const auto It = ByLink.find(Link);
    return It == ByLink.end() ? "" : It->second;
  }
  void forget(CUlinkState Link) {
    const LockGuard Guard(Lock);
    ByLink.erase(Link);
  }

private:
  Mutex Lock;
  std::unordered_map<CUlinkState, std::string> ByLink GMPROF_GUARDED_BY(Lock);
};

LinkInputs &linkInputs() {
  static auto &All = *new LinkInputs; // also used at exit
  return All;
}

bool mayHavePtx(CUjitInputType Type) {
  return Type == CU_JIT_INPUT_PTX || Type == CU_JIT_INPUT_CUBIN;
}

void addInput(CUlinkState Link, std::string_view Data) {
  if (const std::string Ptx = moduleImages().ptxOfInput(Data); !Ptx.empty())
    linkInputs().add(Link, Ptx);
}

} // namespace

GMPROF_INTERPOSE_DRIVER(cuLinkAddData_v2,
                        (CUlinkState Link, CUjitInputType Type, void *Data, size_t Bytes,
                         const char *Name, unsigned Count, CUjit_option *Options, void **Values)) {
  const cudaError_t Error =
      GMPROF_REAL_DRIVER(cuLinkAddData_v2, Link, Type, Data, Bytes, Name, Count, Options, Values);
  if (Error == cudaSuccess && mayHavePtx(Type) && settings().Enabled)
    addInput(Link, {static_cast<const char *>(Data), Bytes});
  return static_cast<CUresult>(Error);
}

GMPROF_INTERPOSE_DRIVER(cuLinkAddFile_v2, (CUlinkState Link, CUjitInputType Type, const char *Name,
                                           unsigned Count, CUjit_option *Options, void **Values)) {
  const cudaError_t Error =
      GMPROF_REAL_DRIVER(cuLinkAddFile_v2, Link, Type, Name, Count, Options, Values);
  if (Error == cudaSuccess && mayHavePtx(Type) && settings().Enabled)
    addInput(Link, contentOfFile(Name));
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
// Triton and CuPy
//===----------------------------------------------------------------------===//

/// Called by python/sitecustomize.py before Triton loads a cubin that came from a file.
extern "C" __attribute__((visibility("default"))) void gmprof_compiled_file(const char *Cubin) {
  if (settings().Enabled)
    rememberNeighbours(Cubin, moduleImages());
}

/// Called by python/sitecustomize.py before this thread loads a module whose source text is in
/// File, at Line if Verbatim, and after it: File is null then.
extern "C" __attribute__((visibility("default"))) void
gmprof_source_place(const char *File, unsigned Line, int Verbatim) {
  SourcePlace::ofThread() = File ? SourcePlace{File, Line, Verbatim != 0} : SourcePlace();
}

/// Called by python/sitecustomize.py after CuPy compiled CUDA C++ source. The functions of NVRTC do
/// not tell the source: programs may have several libraries of that name, whose programs cannot be
/// told apart, so the ones that take a source are not interposed.
extern "C" __attribute__((visibility("default"))) void
gmprof_compiled_source(const char *Code, size_t Bytes, const char *Source) {
  if (!settings().Enabled)
    return;
  const std::string_view Compiled(Code, Bytes); // a cubin, or PTX that the driver links
  const std::string Ptx = moduleImages().ptxOfInput(Compiled);
  const ParameterNames Names = parameterNamesOfSource(Ptx, Source);
  if (Names.empty())
    return;
  if (Compiled.starts_with(ELFMAG))
    moduleImages().compiledAndKept(Compiled, withParameterNames(Ptx, Names));
  else
    moduleImages().named(Compiled, withParameterNames(Ptx, Names));
}

//===----------------------------------------------------------------------===//
// NVRTC
//===----------------------------------------------------------------------===//

using Program = struct NvrtcProgram *;

extern "C" __attribute__((visibility("default"))) int nvrtcGetCUBIN(Program Of, char *Cubin) {
  void *Real = realCompilerFunction("nvrtcGetCUBIN");
  constexpr int InternalError = 11;
  if (!Real)
    return InternalError;
  const int Error = reinterpret_cast<int (*)(Program, char *)>(Real)(Of, Cubin);
  if (Error != 0 || !settings().Enabled)
    return Error;
  std::string Ptx = textOfResult(functionBeside(Real, "nvrtcGetPTX"), "nvrtcGetPTXSize", Of);
  if (!Ptx.empty())
    moduleImages().compiledAndKept({Cubin, sizeOfResult(Real, "nvrtcGetCUBINSize", Of)},
                                   std::move(Ptx));
  return Error;
}
