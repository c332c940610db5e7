//===- HostCode.cpp - Instrumented host code ------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/sync/HostCode.h"
#include "host/sync/PageProtections.h"
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <iterator>
#include <link.h>
#include <string_view>
#include <vector>

namespace gmprof::host {
namespace {

constexpr size_t TableSize = 4096; ///< and a byte for all of it
constexpr size_t MostTables = 64;

/// The table and functions of an executable or library.
struct Part {
  uint8_t *Table;
  std::vector<uint64_t> Functions; ///< sorted

  bool has(uint64_t Function) const {
    return std::binary_search(Functions.begin(), Functions.end(), Function);
  }
};

/// Parts are never removed; readers, such as signal handlers, take no lock.
std::array<std::atomic<const Part *>, MostTables> Parts = {};
std::atomic<size_t> PartCount{0};
/// Number of watched pages that share each entry of the tables, and the sum of all.
std::array<uint32_t, TableSize> Counts = {};
uint64_t Sum = 0;

const Part *findPart(const auto &Is) {
  for (size_t I = 0; I < PartCount.load(std::memory_order_acquire) && I < MostTables; ++I)
    if (const Part *P = Parts[I].load(std::memory_order_acquire); P && Is(*P))
      return P;
  return nullptr;
}

struct Image {
  uint64_t Base, Begin, End;
  std::string Path;
  bool UsesCuda = false;
};

bool usesCuda(const dl_phdr_info &Info) {
  const char *Names = nullptr;
  std::vector<uint64_t> Needed;
  for (int I = 0; I < Info.dlpi_phnum; ++I) {
    if (Info.dlpi_phdr[I].p_type != PT_DYNAMIC)
      continue;
    const auto *D = reinterpret_cast<const Elf64_Dyn *>(Info.dlpi_addr + Info.dlpi_phdr[I].p_vaddr);
    for (; D->d_tag != DT_NULL; ++D) {
      if (D->d_tag == DT_STRTAB)
        Names = reinterpret_cast<const char *>(D->d_un.d_ptr);
      else if (D->d_tag == DT_NEEDED)
        Needed.push_back(D->d_un.d_val);
    }
  }
  return Names && std::any_of(Needed.begin(), Needed.end(), [&](uint64_t Offset) {
           return std::string_view(Names + Offset).starts_with("libcudart.so");
         });
}

int addImage(dl_phdr_info *Info, size_t, void *To) {
  auto &All = *static_cast<std::vector<Image> *>(To);
  Image I = {Info->dlpi_addr, ~uint64_t(0), 0, Info->dlpi_name, false};
  for (int S = 0; S < Info->dlpi_phnum; ++S) {
    const ElfW(Phdr) &Segment = Info->dlpi_phdr[S];
    if (Segment.p_type != PT_LOAD)
      continue;
    I.Begin = std::min(I.Begin, I.Base + Segment.p_vaddr);
    I.End = std::max(I.End, I.Base + Segment.p_vaddr + Segment.p_memsz);
  }
  if (All.empty())
    I.Path = "/proc/self/exe";
  I.UsesCuda = usesCuda(*Info);
  All.push_back(std::move(I));
  return 0;
}

/// Returns whether compilers and linkers add this function to each program.
bool isOfEveryProgram(std::string_view Name) {
  static constexpr std::array<std::string_view, 14> Names = {"_start",
                                                             "_init",
                                                             "_fini",
                                                             "_dl_relocate_static_pie",
                                                             "deregister_tm_clones",
                                                             "register_tm_clones",
                                                             "__do_global_dtors_aux",
                                                             "frame_dummy",
                                                             "__libc_csu_init",
                                                             "__libc_csu_fini",
                                                             "atexit",
                                                             "at_quick_exit",
                                                             "__clang_call_terminate",
                                                             "__stack_chk_fail_local"};
  return std::find(Names.begin(), Names.end(), Name) != Names.end() ||
         Name.starts_with("__gmprof") || Name.starts_with(".cuda.") ||
         Name.starts_with(".offloading");
}

/// Returns a function of the file that is not instrumented; empty if there is none.
std::string otherFunction(const Image &I, const Part &P) {
  std::ifstream File(I.Path, std::ios::binary);
  const std::string Bytes{std::istreambuf_iterator<char>(File), {}};
  auto At = [&]<typename T>(uint64_t Offset, T &To) {
    if (Offset > Bytes.size() || Bytes.size() - Offset < sizeof(T))
      return false;
    std::memcpy(&To, Bytes.data() + Offset, sizeof(T));
    return true;
  };
  Elf64_Ehdr Header;
  if (!At(0, Header))
    return I.Path + ", which cannot be read";
  for (unsigned S = 0; S < Header.e_shnum; ++S) {
    Elf64_Shdr Section, Strings;
    if (!At(Header.e_shoff + S * sizeof(Section), Section) || Section.sh_type != SHT_SYMTAB ||
        !At(Header.e_shoff + Section.sh_link * sizeof(Strings), Strings))
      continue;
    Elf64_Sym Symbol;
    for (uint64_t Offset = 0; Offset < Section.sh_size; Offset += sizeof(Symbol)) {
      if (!At(Section.sh_offset + Offset, Symbol) || ELF64_ST_TYPE(Symbol.st_info) != STT_FUNC ||
          Symbol.st_shndx == SHN_UNDEF)
        continue;
      const uint64_t Name = Strings.sh_offset + Symbol.st_name;
      const char *Text = Name < Bytes.size() ? Bytes.c_str() + Name : "";
      if (!P.has(I.Base + Symbol.st_value) && !isOfEveryProgram(Text))
        return Text;
    }
    return "";
  }
  return I.Path + ", which has no symbols";
}

std::string findMissing() {
  std::vector<Image> Images;
  dl_iterate_phdr(addImage, &Images);
  for (size_t I = 0; I < Images.size(); ++I) {
    const Part *P = findPart([&](const Part &Each) {
      const auto Table = reinterpret_cast<uint64_t>(Each.Table);
      return Table >= Images[I].Begin && Table < Images[I].End;
    });
    if (P) {
      if (std::string Other = otherFunction(Images[I], *P); !Other.empty())
        return Other;
    } else if (I == 0 || (Images[I].UsesCuda && !Images[I].Path.ends_with("/libgmprof.so"))) {
      return I == 0 ? "the program" : Images[I].Path;
    }
  }
  return "";
}

} // namespace

void HostCode::add(uint8_t *Table, const uint64_t *First, const uint64_t *End) {
  auto *P = new Part{Table, {First, End}};
  std::sort(P->Functions.begin(), P->Functions.end());
  const size_t Number = PartCount.fetch_add(1);
  if (Number < MostTables)
    Parts[Number].store(P, std::memory_order_release);
  else
    delete P;
}

bool HostCode::any() { return PartCount.load(std::memory_order_relaxed) != 0; }

const std::string &HostCode::missing() {
  static const std::string &Found = *new std::string(findMissing());
  return Found;
}

bool HostCode::whole() { return any() && PartCount <= MostTables && missing().empty(); }

bool HostCode::has(uint64_t Function) {
  return findPart([&](const Part &P) { return P.has(Function); }) != nullptr;
}

void HostCode::watch(uint64_t FirstPage, uint64_t EndPage, bool On) {
  const uint64_t PageCount = std::min<uint64_t>((EndPage - FirstPage) / PageBytes, TableSize);
  auto Set = [&](size_t Entry, bool Value) {
    findPart([&](const Part &P) {
      std::atomic_ref<uint8_t>(P.Table[Entry]).store(Value ? 1 : 0, std::memory_order_relaxed);
      return false;
    });
  };
  for (uint64_t I = 0; I < PageCount; ++I) {
    const size_t Entry = (FirstPage / PageBytes + I) % TableSize;
    Counts[Entry] += On ? 1 : -1;
    Sum += On ? 1 : -1;
    if (Counts[Entry] == (On ? 1 : 0))
      Set(Entry, On);
  }
  if (Sum == (On ? PageCount : 0))
    Set(TableSize, On);
}

} // namespace gmprof::host
