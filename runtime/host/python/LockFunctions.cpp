//===- LockFunctions.cpp - Releases of the interpreter's lock -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/python/LockFunctions.h"
#include "host/core/RealSystem.h"
#include "host/python/PythonStacks.h"
#include <cstring>
#include <elf.h>
#include <link.h>
#include <set>
#include <span>

namespace gmprof::host {
namespace {

void *saveThread() {
  PythonStacks &Stacks = PythonStacks::ofProcess();
  const PythonApi &Python = *Stacks.api();
  uint32_t Stack = PythonStacks::None;
  // Only the thread that holds the lock may release it.
  if (!Python.IsFinalizing())
    if (void *Held = Python.CurrentState())
      Stack = Stacks.currentOf(Held);
  void *State = Python.SaveThread();
  Stacks.released(State, Stack);
  return State;
}

void restoreThread(void *State) {
  PythonStacks &Stacks = PythonStacks::ofProcess();
  Stacks.taken(State);
  Stacks.api()->RestoreThread(State);
}

void *replacementOf(const char *Name) {
  if (std::strcmp(Name, "PyEval_SaveThread") == 0)
    return reinterpret_cast<void *>(saveThread);
  if (std::strcmp(Name, "PyEval_RestoreThread") == 0)
    return reinterpret_cast<void *>(restoreThread);
  return nullptr;
}

/// Tables of an image that the dynamic linker uses.
struct DynamicTables {
  const ElfW(Sym) *Symbols = nullptr;
  const char *Names = nullptr;
  std::span<const ElfW(Rela)> Functions, Others;

  DynamicTables(ElfW(Addr) Base, const ElfW(Dyn) * Entry) {
    // glibc has added the base, but not for images that it cannot write.
    auto At = [Base](ElfW(Addr) Address) { return Address < Base ? Base + Address : Address; };
    const ElfW(Rela) *FirstFunction = nullptr, *FirstOther = nullptr;
    size_t FunctionBytes = 0, OtherBytes = 0, Relative = 0;
    for (; Entry->d_tag != DT_NULL; ++Entry) {
      const ElfW(Addr) Value = Entry->d_un.d_val;
      switch (Entry->d_tag) {
      case DT_SYMTAB:
        Symbols = reinterpret_cast<const ElfW(Sym) *>(At(Value));
        break;
      case DT_STRTAB:
        Names = reinterpret_cast<const char *>(At(Value));
        break;
      case DT_JMPREL:
        FirstFunction = reinterpret_cast<const ElfW(Rela) *>(At(Value));
        break;
      case DT_PLTRELSZ:
        FunctionBytes = Value;
        break;
      case DT_RELA:
        FirstOther = reinterpret_cast<const ElfW(Rela) *>(At(Value));
        break;
      case DT_RELASZ:
        OtherBytes = Value;
        break;
      case DT_RELACOUNT: // those without a symbol, which come first
        Relative = Value;
        break;
      default:
        break;
      }
    }
    if (FirstFunction)
      Functions = {FirstFunction, FunctionBytes / sizeof(ElfW(Rela))};
    if (FirstOther && Relative <= OtherBytes / sizeof(ElfW(Rela)))
      Others = {FirstOther + Relative, OtherBytes / sizeof(ElfW(Rela)) - Relative};
  }
};

/// Writes to a table that the dynamic linker may have made read-only.
void write(void **Slot, void *Value, const dl_phdr_info &Info) {
  const auto Address = reinterpret_cast<ElfW(Addr)>(Slot);
  const auto Page = static_cast<ElfW(Addr)>(sysconf(_SC_PAGESIZE));
  void *const Begin = reinterpret_cast<void *>(Address / Page * Page);
  bool ReadOnly = false;
  for (int I = 0; I < Info.dlpi_phnum; ++I) {
    const ElfW(Phdr) &Header = Info.dlpi_phdr[I];
    if (Header.p_type == PT_GNU_RELRO)
      ReadOnly = ReadOnly || Address - Info.dlpi_addr - Header.p_vaddr < Header.p_memsz;
  }
  if (ReadOnly && realSystem().mprotect(Begin, Page, PROT_READ | PROT_WRITE) != 0)
    return;
  __atomic_store_n(Slot, Value, __ATOMIC_RELEASE);
  if (ReadOnly)
    realSystem().mprotect(Begin, Page, PROT_READ);
}

/// Images that were looked at.
struct Seen {
  ElfW(Addr) Interpreter = 0; ///< an address in it
  std::set<ElfW(Addr)> Images;
  unsigned long long Loads = 0, Unloads = 0;
};

/// Handles one library for dl_iterate_phdr.
int visitImage(dl_phdr_info *Info, size_t, void *Context) {
  auto &Known = *static_cast<Seen *>(Context);
  if (Info->dlpi_subs != Known.Unloads)
    Known.Images.clear(); // another image may be at the same address
  else if (Info->dlpi_adds == Known.Loads)
    return 1;
  Known.Unloads = Info->dlpi_subs;
  if (!Known.Images.insert(Info->dlpi_addr).second)
    return 0;
  const ElfW(Dyn) *Dynamic = nullptr;
  for (int I = 0; I < Info->dlpi_phnum; ++I) {
    const ElfW(Phdr) &Header = Info->dlpi_phdr[I];
    const ElfW(Addr) Begin = Info->dlpi_addr + Header.p_vaddr;
    if (Header.p_type == PT_LOAD && Known.Interpreter - Begin < Header.p_memsz)
      return 0;
    if (Header.p_type == PT_DYNAMIC)
      Dynamic = reinterpret_cast<const ElfW(Dyn) *>(Begin);
  }
  if (!Dynamic)
    return 0;
  const DynamicTables Tables(Info->dlpi_addr, Dynamic);
  if (!Tables.Symbols || !Tables.Names)
    return 0;
  for (std::span<const ElfW(Rela)> Table : {Tables.Functions, Tables.Others})
    for (const ElfW(Rela) &Each : Table) {
      const uint64_t Type = ELF64_R_TYPE(Each.r_info);
      if (Type != R_X86_64_JUMP_SLOT && Type != R_X86_64_GLOB_DAT)
        continue;
      const char *Name = Tables.Names + Tables.Symbols[ELF64_R_SYM(Each.r_info)].st_name;
      if (void *Instead = replacementOf(Name))
        write(reinterpret_cast<void **>(Info->dlpi_addr + Each.r_offset), Instead, *Info);
    }
  return 0;
}

} // namespace

void redirectLockFunctions(const PythonApi &Of) {
  static Mutex Lock;
  static auto &Known = *new Seen;
  LockGuard Guard(Lock);
  Known.Interpreter = reinterpret_cast<ElfW(Addr)>(Of.SaveThread);
  dl_iterate_phdr(visitImage, &Known);
  dl_iterate_phdr(
      [](dl_phdr_info *Info, size_t, void *Context) {
        auto &To = *static_cast<Seen *>(Context);
        To.Loads = Info->dlpi_adds;
        To.Unloads = Info->dlpi_subs;
        return 1;
      },
      &Known);
}

} // namespace gmprof::host
