//===- InterposeJitLink.cpp - The linker nvJitLink ------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// nvJitLink makes a cubin of PTX, cubins, fat binaries and LTO-IR. GMProf remembers the PTX of
// these inputs as the cubin's code. GMProf has nvJitLink compile LTO-IR to PTX in a second link
// with the same options, because LTO-IR is not documented.
//
// Each function has a name without a version, for dlsym, and one name for each version, which
// nvJitLink.h calls.
//
//===----------------------------------------------------------------------===//

#include "host/core/Export.h"
#include "host/core/Session.h"
#include "host/instrument/CompiledFiles.h"
#include "host/interpose/InterposeCompilers.h"
#include "profile/Mutex.h"
#include <algorithm>
#include <charconv>
#include <unordered_map>

using namespace gmprof;
using namespace gmprof::host;

namespace {

// nvJitLink.h
using Handle = struct NvJitLink *;
constexpr int Success = 0, InternalError = 6;
using CreateFunction = int(Handle *, uint32_t, const char *const *);
using DestroyFunction = int(Handle *);
using AddDataFunction = int(Handle, int, const void *, size_t, const char *);
using AddFileFunction = int(Handle, int, const char *);
using CompleteFunction = int(Handle);
using GetFunction = int(Handle, char *);

/// The options and the inputs of a link.
struct Link {
  struct Input {
    int Type; ///< nvJitLinkInputType
    std::string Data;
  };
  std::vector<std::string> Options;
  std::string Ptx; ///< of each input, with a null character behind it
  std::vector<Input> LtoIr;
};

/// The links in progress.
class Links {
public:
  template <typename Function> void change(Handle H, Function Change) {
    const LockGuard Guard(Lock);
    Change(ByHandle[H]);
  }
  Link of(Handle H) {
    const LockGuard Guard(Lock);
    return ByHandle[H];
  }
  void forget(Handle H) {
    const LockGuard Guard(Lock);
    ByHandle.erase(H);
  }

private:
  Mutex Lock;
  std::unordered_map<Handle, Link> ByHandle GMPROF_GUARDED_BY(Lock);
};

Links &links() {
  static auto &All = *new Links; // also used at exit
  return All;
}

/// Returns the architecture that the option -arch=sm_90 names; 0 if there is none.
unsigned architectureOf(const Link &L) {
  unsigned Number = 0;
  for (const std::string_view Option : L.Options)
    if (Option.starts_with("-arch="))
      if (const size_t Digits = Option.rfind('_'); Digits != std::string_view::npos)
        std::from_chars(Option.data() + Digits + 1, Option.data() + Option.size(), Number);
  return Number;
}

/// Returns whether an input is LTO-IR, or a fat binary with LTO-IR, which a link with the option
/// -lto takes before its PTX.
bool isLtoIr(std::string_view Data) {
  if (Data.starts_with("\xed\x43\x4e\x7f"))
    return true;
  if (Data.size() < sizeof(uint32_t) || imageKind(Data.data()) != ImageKind::FatBinary)
    return false;
  const Result<std::vector<FatBinaryEntry>> Entries = fatBinaryEntries(Data);
  return Entries && std::ranges::any_of(*Entries, [](const FatBinaryEntry &E) {
           return E.Is == FatBinaryEntry::Kind::Other;
         });
}

void addInput(Handle To, int Type, std::string_view Data) {
  links().change(To, [&](Link &L) {
    const bool Optimises = std::ranges::find(L.Options, "-lto") != L.Options.end();
    if (Optimises && isLtoIr(Data))
      L.LtoIr.push_back({Type, std::string(Data)});
    else if (const std::string Ptx = moduleImages().ptxOfInput(Data, architectureOf(L));
             !Ptx.empty())
      (L.Ptx += Ptx) += '\0';
  });
}

/// Returns the name of another function of the version that Name is of: nvJitLinkGetLinkedCubin.
std::string sibling(std::string Name, const char *Function) {
  constexpr std::string_view Known = "GetLinkedCubin";
  return Name.replace(Name.find(Known), Known.size(), Function);
}

/// Returns the PTX of the LTO-IR that was added to a link; empty if nvJitLink gives none.
/// GetLinkedCubin: the function and its name.
std::string ptxOfLtoIr(const void *GetLinkedCubin, const char *Name, const Link &L) {
  const auto Find = [&]<typename Function>(Function *&To, const char *Of) {
    To = reinterpret_cast<Function *>(functionBeside(GetLinkedCubin, sibling(Name, Of)));
    return To != nullptr;
  };
  CreateFunction *Create;
  DestroyFunction *Destroy;
  AddDataFunction *AddData;
  CompleteFunction *Complete;
  GetFunction *GetPtx;
  if (!Find(Create, "Create") || !Find(Destroy, "Destroy") || !Find(AddData, "AddData") ||
      !Find(Complete, "Complete") || !Find(GetPtx, "GetLinkedPtx"))
    return "";
  std::vector<const char *> Options = {"-ptx"};
  for (const std::string &Option : L.Options)
    Options.push_back(Option.c_str());
  Handle Second = nullptr;
  if (Create(&Second, static_cast<uint32_t>(Options.size()), Options.data()) != Success)
    return "";
  std::string Ptx;
  if (std::ranges::all_of(L.LtoIr,
                          [&](const Link::Input &I) {
                            return AddData(Second, I.Type, I.Data.data(), I.Data.size(), nullptr) ==
                                   Success;
                          }) &&
      Complete(Second) == Success)
    Ptx = textOfResult(reinterpret_cast<const void *>(GetPtx), sibling(Name, "GetLinkedPtxSize"),
                       Second);
  Destroy(&Second);
  return Ptx;
}

/// Remembers what a linked cubin was compiled from.
void remember(const void *GetLinkedCubin, const char *Name, Handle From, const char *Cubin) {
  Link L = links().of(From);
  const std::string_view Linked = {
      Cubin, sizeOfResult(GetLinkedCubin, sibling(Name, "GetLinkedCubinSize"), From)};
  if (!L.LtoIr.empty())
    L.Ptx += ptxOfLtoIr(GetLinkedCubin, Name, L);
  if (!L.Ptx.empty())
    moduleImages().compiledAndKept(Linked, std::move(L.Ptx));
  else if (!L.LtoIr.empty())
    moduleImages().compiledFromUnknown(
        Linked, "the module was linked from LTO-IR, of which nvJitLink gives no PTX: link PTX "
                "instead (nvrtcGetPTX, nvcc -ptx)");
}

/// Calls the function of the library that Name is of, if there is one.
template <typename Function, typename... Arguments> int call(const char *Name, Arguments... Given) {
  auto *Real = reinterpret_cast<Function *>(realCompilerFunction(Name));
  return Real ? Real(Given...) : InternalError;
}

int createLink(const char *Name, Handle *To, uint32_t Count, const char *const *Options) {
  const int Error = call<CreateFunction>(Name, To, Count, Options);
  if (Error == Success && settings().Enabled)
    links().change(*To, [&](Link &L) { L = {{Options, Options + Count}, {}, {}}; });
  return Error;
}

int destroyLink(const char *Name, Handle *Of) {
  if (Of)
    links().forget(*Of);
  return call<DestroyFunction>(Name, Of);
}

int addData(const char *Name, Handle To, int Type, const void *Data, size_t Bytes,
            const char *Input) {
  const int Error = call<AddDataFunction>(Name, To, Type, Data, Bytes, Input);
  if (Error == Success && settings().Enabled)
    addInput(To, Type, {static_cast<const char *>(Data), Bytes});
  return Error;
}

int addFile(const char *Name, Handle To, int Type, const char *File) {
  const int Error = call<AddFileFunction>(Name, To, Type, File);
  if (Error == Success && settings().Enabled)
    addInput(To, Type, contentOfFile(File));
  return Error;
}

int getLinkedCubin(const char *Name, Handle From, char *Cubin) {
  const int Error = call<GetFunction>(Name, From, Cubin);
  if (Error == Success && settings().Enabled)
    remember(realCompilerFunction(Name), Name, From, Cubin);
  return Error;
}

} // namespace

#define GMPROF_JIT_LINK(prefix, version)                                                           \
  GMPROF_INTERPOSE int prefix##Create##version(Handle *To, uint32_t Count,                         \
                                               const char *const *Options) {                       \
    return createLink(#prefix "Create" #version, To, Count, Options);                              \
  }                                                                                                \
  GMPROF_INTERPOSE int prefix##Destroy##version(Handle *Of) {                                      \
    return destroyLink(#prefix "Destroy" #version, Of);                                            \
  }                                                                                                \
  GMPROF_INTERPOSE int prefix##AddData##version(Handle To, int Type, const void *Data,             \
                                                size_t Bytes, const char *Input) {                 \
    return addData(#prefix "AddData" #version, To, Type, Data, Bytes, Input);                      \
  }                                                                                                \
  GMPROF_INTERPOSE int prefix##AddFile##version(Handle To, int Type, const char *File) {           \
    return addFile(#prefix "AddFile" #version, To, Type, File);                                    \
  }                                                                                                \
  GMPROF_INTERPOSE int prefix##GetLinkedCubin##version(Handle From, char *Cubin) {                 \
    return getLinkedCubin(#prefix "GetLinkedCubin" #version, From, Cubin);                         \
  }

GMPROF_JIT_LINK(nvJitLink, )
#define GMPROF_JIT_LINK_OF(version) GMPROF_JIT_LINK(__nvJitLink, version)
GMPROF_JIT_LINK_OF(_12_0)
GMPROF_JIT_LINK_OF(_12_1)
GMPROF_JIT_LINK_OF(_12_2)
GMPROF_JIT_LINK_OF(_12_3)
GMPROF_JIT_LINK_OF(_12_4)
GMPROF_JIT_LINK_OF(_12_5)
GMPROF_JIT_LINK_OF(_12_6)
GMPROF_JIT_LINK_OF(_12_7)
GMPROF_JIT_LINK_OF(_12_8)
GMPROF_JIT_LINK_OF(_12_9)
GMPROF_JIT_LINK_OF(_13_0)
GMPROF_JIT_LINK_OF(_13_1)
GMPROF_JIT_LINK_OF(_13_2)
GMPROF_JIT_LINK_OF(_13_3)
GMPROF_JIT_LINK_OF(_13_4)
