//===- CallPaths.cpp - Where in the program a call was made ---------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/CallPaths.h"
#include <algorithm>
#include <climits>
#include <cstdlib>
#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <link.h>

namespace gmprof::host {
namespace {

using Unwinder = int (*)(void **, int);

Unwinder findUnwinder() {
  // Never unloaded: other threads may be in it.
  void *Library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
  void *Found = Library ? dlsym(Library, "unw_backtrace") : nullptr;
  return Found ? reinterpret_cast<Unwinder>(Found) : backtrace;
}

std::string hexadecimal(const unsigned char *Bytes, size_t Count) {
  static constexpr char Digits[] = "0123456789abcdef";
  std::string Text;
  for (size_t I = 0; I < Count; ++I) {
    Text += Digits[Bytes[I] >> 4];
    Text += Digits[Bytes[I] & 15];
  }
  return Text;
}

std::string buildId(const dl_phdr_info &Info, const ElfW(Phdr) & Notes) {
  constexpr size_t Alignment = 4;
  auto *At = reinterpret_cast<const unsigned char *>(Info.dlpi_addr + Notes.p_vaddr);
  const unsigned char *End = At + Notes.p_memsz;
  auto Padded = [](size_t Bytes) { return (Bytes + Alignment - 1) / Alignment * Alignment; };
  while (size_t(End - At) > sizeof(ElfW(Nhdr))) {
    auto *Note = reinterpret_cast<const ElfW(Nhdr) *>(At);
    const unsigned char *Name = At + sizeof(*Note);
    size_t Left = size_t(End - Name);
    size_t NameBytes = Padded(Note->n_namesz), Bytes = Padded(Note->n_descsz);
    if (NameBytes > Left || Bytes > Left - NameBytes)
      break;
    if (Note->n_type == NT_GNU_BUILD_ID && Note->n_namesz == 4 && std::equal(Name, Name + 4, "GNU"))
      return hexadecimal(Name + NameBytes, Note->n_descsz);
    At = Name + NameBytes + Bytes;
  }
  return "";
}

struct Scan {
  std::vector<ImageFacts> Found;
  unsigned long long Loads, Unloads; ///< in: those of the last scan
};

/// A callback of dl_iterate_phdr.
int visitImage(dl_phdr_info *Info, size_t, void *Context) {
  auto &S = *static_cast<Scan *>(Context);
  if (Info->dlpi_adds == S.Loads && Info->dlpi_subs == S.Unloads)
    return 1;
  ImageFacts Image;
  uint64_t Begin = UINT64_MAX, End = 0;
  for (int I = 0; I < Info->dlpi_phnum; ++I) {
    const ElfW(Phdr) &Header = Info->dlpi_phdr[I];
    if (Header.p_type == PT_LOAD) {
      Begin = std::min<uint64_t>(Begin, Header.p_vaddr);
      End = std::max<uint64_t>(End, Header.p_vaddr + Header.p_memsz);
    } else if (Header.p_type == PT_NOTE && Image.BuildId.empty()) {
      Image.BuildId = buildId(*Info, Header);
    }
  }
  // The executable has no name here; the kernel's own library has no file.
  char Path[PATH_MAX];
  if (Begin < End && realpath(*Info->dlpi_name ? Info->dlpi_name : "/proc/self/exe", Path)) {
    Image.Path = Path;
    Image.Address = Info->dlpi_addr + Begin;
    Image.Bytes = End - Begin;
    Image.Offset = Begin;
    S.Found.push_back(std::move(Image));
  }
  return 0;
}

} // namespace

void CallPaths::updateImages() {
  Scan S = {{}, Loads, Unloads};
  if (dl_iterate_phdr(visitImage, &S) != 0)
    return;
  auto Counts = [](dl_phdr_info *Info, size_t, void *Context) {
    auto &To = *static_cast<Scan *>(Context);
    To.Loads = Info->dlpi_adds;
    To.Unloads = Info->dlpi_subs;
    return 1;
  };
  dl_iterate_phdr(Counts, &S);
  Loads = S.Loads;
  Unloads = S.Unloads;
  for (ImageFacts &Image : S.Found) {
    auto [It, New] = Images.try_emplace(Image.Address, Image);
    if (!New && It->second == Image)
      continue;
    // The same addresses are other places now.
    if (!New)
      Paths.clear();
    It->second = Image;
    Log.image(Image);
  }
}

uint32_t CallPaths::find(const void *Caller) {
  if (Depth == 0 || !Caller)
    return 0;
  // Before the caller come a few functions of ours.
  constexpr unsigned Own = 16;
  void *Frames[MaxDepth + Own];
  int Count = unwind(Frames, static_cast<int>(std::min(Depth, MaxDepth) + Own));
  void **End = Frames + Count;
  void **Begin = std::find(Frames, End, Caller);
  if (Begin == End) {
    // Code without unwinding tables: that is as far as it goes.
    Begin = Frames;
    *Begin = const_cast<void *>(Caller);
    End = Begin + 1;
  }
  return add({Begin, static_cast<size_t>(End - Begin)});
}

uint32_t CallPaths::findOutside() {
  static const std::pair<Address, Address> Own = [] {
    Scan S = {{}, ~0ull, ~0ull};
    dl_iterate_phdr(visitImage, &S);
    const auto Here = reinterpret_cast<Address>(&findUnwinder);
    for (const ImageFacts &Image : S.Found)
      if (Here >= Image.Address && Here - Image.Address < Image.Bytes)
        return std::pair(Image.Address, Image.Address + Image.Bytes);
    return std::pair(Address(0), Address(0));
  }();
  if (Depth == 0)
    return 0;
  constexpr unsigned Functions = 16;
  void *Frames[MaxDepth + Functions];
  void **End = Frames + unwind(Frames, static_cast<int>(std::min(Depth, MaxDepth) + Functions));
  void **Begin = std::find_if(Frames, End, [](void *Frame) {
    const auto At = reinterpret_cast<Address>(Frame);
    return At < Own.first || At >= Own.second;
  });
  return add({Begin, static_cast<size_t>(End - Begin)});
}

int CallPaths::unwind(void **Frames, int Most) {
  static const Unwinder Unwind = findUnwinder();
  return std::max(Unwind(Frames, Most), 0);
}

uint32_t CallPaths::add(std::span<void *const> Frames) {
  size_t Kept = std::min<size_t>(Frames.size(), Depth);
  if (Kept == 0)
    return 0;
  std::string_view Key(reinterpret_cast<const char *>(Frames.data()), Kept * sizeof(void *));

  {
    std::shared_lock<std::shared_mutex> Guard(Lock);
    if (auto It = Paths.find(Key); It != Paths.end())
      return It->second;
  }
  std::unique_lock<std::shared_mutex> Guard(Lock);
  updateImages();
  auto [It, New] = Paths.try_emplace(std::string(Key), LastId + 1);
  if (New) {
    ++LastId;
    static_assert(sizeof(void *) == sizeof(uint64_t));
    Log.callPath(It->second, std::span(reinterpret_cast<const uint64_t *>(Frames.data()), Kept));
  }
  return It->second;
}

} // namespace gmprof::host
