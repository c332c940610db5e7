//===- fake-jit-link.cpp - A libnvJitLink that joins its inputs -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cubin is an ELF header and the inputs behind it. With -ptx, the PTX is a line for each input,
// which must be LTO-IR; the LTO-IR "none" has none.
//
//===----------------------------------------------------------------------===//

#include <cstring>
#include <elf.h>
#include <fstream>
#include <iterator>
#include <string>

struct Linker {
  bool MakesPtx = false;
  std::string Result;
};
using Handle = Linker *;
constexpr int Success = 0, CompileError = 5;

static std::string cubinOf(const std::string &Inputs) {
  Elf64_Ehdr Header = {};
  std::memcpy(Header.e_ident, ELFMAG, SELFMAG);
  Header.e_shoff = sizeof(Header) + Inputs.size();
  return std::string(reinterpret_cast<const char *>(&Header), sizeof(Header)) + Inputs;
}

extern "C" {
int nvJitLinkCreate(Handle *To, unsigned Count, const char **Options) {
  *To = new Linker;
  for (unsigned I = 0; I < Count; ++I)
    (*To)->MakesPtx |= std::string(Options[I]) == "-ptx";
  return Success;
}
int nvJitLinkDestroy(Handle *Of) {
  delete *Of;
  *Of = nullptr;
  return Success;
}
int nvJitLinkAddData(Handle To, int, const void *Data, size_t Bytes, const char *) {
  const std::string Input(static_cast<const char *>(Data), Bytes);
  if (To->MakesPtx && !Input.starts_with("\xed\x43\x4e\x7f"))
    return CompileError;
  To->Result += To->MakesPtx ? ".version 9.0 // of " + Input.substr(4) + "\n" : Input;
  return Success;
}
int nvJitLinkAddFile(Handle To, int Type, const char *Name) {
  std::ifstream In(Name, std::ios::binary);
  const std::string Data(std::istreambuf_iterator<char>(In), {});
  return nvJitLinkAddData(To, Type, Data.data(), Data.size(), Name);
}
int nvJitLinkComplete(Handle Of) {
  if (!Of->MakesPtx)
    Of->Result = cubinOf(Of->Result);
  return Of->MakesPtx && Of->Result.find("none") != std::string::npos ? CompileError : Success;
}
int nvJitLinkGetLinkedCubinSize(Handle Of, size_t *Bytes) {
  *Bytes = Of->Result.size();
  return Success;
}
int nvJitLinkGetLinkedCubin(Handle Of, void *Cubin) {
  std::memcpy(Cubin, Of->Result.data(), Of->Result.size());
  return Success;
}
int nvJitLinkGetLinkedPtxSize(Handle Of, size_t *Bytes) {
  *Bytes = Of->Result.size() + 1;
  return Success;
}
int nvJitLinkGetLinkedPtx(Handle Of, char *Ptx) {
  std::strcpy(Ptx, Of->Result.c_str());
  return Success;
}

// The names that nvJitLink.h calls.
#define VERSIONED(name)                                                                            \
  decltype(nvJitLink##name) __nvJitLink##name##_13_0 __attribute__((alias("nvJitLink" #name)));
VERSIONED(Create)
VERSIONED(Destroy)
VERSIONED(AddData)
VERSIONED(AddFile)
VERSIONED(Complete)
VERSIONED(GetLinkedCubinSize)
VERSIONED(GetLinkedCubin)
VERSIONED(GetLinkedPtxSize)
VERSIONED(GetLinkedPtx)
}
