//===- jit-link.cpp - Links with nvJitLink --------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Links files, whose types are told by their names, after the options. With LIBRARY the functions
// are looked up in this file. MAIN: type and name of the function, of a library.
//
//===----------------------------------------------------------------------===//

#include <cstdio>
#include <dlfcn.h>
#include <fstream>
#include <iterator>
#include <nvJitLink.h>
#include <string>
#include <vector>

static std::string contentOf(const std::string &Name) {
  std::ifstream In(Name, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(In), {});
}

static nvJitLinkInputType typeOf(const std::string &Name) {
  return Name.ends_with(".ptx")   ? NVJITLINK_INPUT_PTX
         : Name.ends_with(".lto") ? NVJITLINK_INPUT_LTOIR
                                  : NVJITLINK_INPUT_ANY;
}

#ifdef LIBRARY
#define CALL(name)                                                                                 \
  reinterpret_cast<decltype(&name)>(dlsym(dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL), #name))
#else
#define CALL(name) name
#endif

#ifndef MAIN
#define MAIN int main
#endif

MAIN(int Count, char **Arguments) {
  std::vector<const char *> Options;
  std::vector<std::string> Inputs;
  for (const char *A : std::vector<const char *>(Arguments + 1, Arguments + Count))
    if (A[0] == '-')
      Options.push_back(A);
    else
      Inputs.push_back(A);
  // Programs test this to decide whether to load the library.
  std::printf("in the program: %s\n", dlsym(RTLD_DEFAULT, "nvJitLinkCreate") ? "yes" : "no");
  nvJitLinkHandle Link = nullptr;
  int Errors = CALL(nvJitLinkCreate)(&Link, Options.size(), Options.data()) != NVJITLINK_SUCCESS;
  for (size_t I = 0; I < Inputs.size(); ++I) {
    const std::string Data = contentOf(Inputs[I]);
    const nvJitLinkInputType Type = typeOf(Inputs[I]);
    const nvJitLinkResult Added =
        I % 2 == 0 ? CALL(nvJitLinkAddData)(Link, Type, Data.data(), Data.size(), nullptr)
                   : CALL(nvJitLinkAddFile)(Link, Type, Inputs[I].c_str());
    Errors += Added != NVJITLINK_SUCCESS;
  }
  size_t Bytes = 0;
  Errors += CALL(nvJitLinkComplete)(Link) != NVJITLINK_SUCCESS;
  Errors += CALL(nvJitLinkGetLinkedCubinSize)(Link, &Bytes) != NVJITLINK_SUCCESS;
  std::string Cubin(Bytes, '\0');
  Errors += CALL(nvJitLinkGetLinkedCubin)(Link, Cubin.data()) != NVJITLINK_SUCCESS;
  Errors += CALL(nvJitLinkDestroy)(&Link) != NVJITLINK_SUCCESS || Link;
  std::ofstream("linked.cubin", std::ios::binary) << Cubin;
  std::printf("%d errors\n", Errors);
  return 0;
}
