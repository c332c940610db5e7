//===- CallPaths.cpp - Call paths by number -------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/objects/CallPaths.h"
#include "host/python/PythonStacks.h"
#include "host/sync/ThreadStacks.h"
#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <unwind.h>

namespace gmprof::host {
namespace {

uint64_t newGeneration() {
  static std::atomic<uint64_t> Last{0};
  return Last.fetch_add(1, std::memory_order_relaxed) + 1;
}

uint64_t read(uint64_t Address) { return *reinterpret_cast<const uint64_t *>(Address); }

/// The call paths of a thread, and where their return addresses are on its stack: a tree, because
/// operations of a library differ in a few functions of long paths. A path that is called again has
/// the same addresses at the same positions.
class KnownPaths {
public:
  static constexpr uint32_t Unknown = UINT32_MAX;

  /// Returns the number of the path whose innermost address is at First; Unknown if it is new, or
  /// if several ones fit.
  uint32_t find(uint64_t First, uint64_t Generation) const {
    if (Generation != Of)
      return Unknown;
    uint32_t At = Roots[rootOf(First, read(First))];
    while (At != None && (Nodes[At].Distance != First || Nodes[At].Address != read(First)))
      At = Nodes[At].Next;
    for (uint64_t Place = First; At != None;) {
      uint32_t Fits = None;
      unsigned Number = Nodes[At].Id != Unknown;
      for (uint32_t Each = Nodes[At].Child; Each != None; Each = Nodes[Each].Next)
        if (read(Place + Nodes[Each].Distance) == Nodes[Each].Address) {
          Fits = Each;
          ++Number;
        }
      if (Number != 1)
        return Unknown;
      if (Fits == None)
        return Nodes[At].Id;
      Place += Nodes[Fits].Distance;
      At = Fits;
    }
    return Unknown;
  }

  /// Adds a path. Places: increasing.
  void add(std::span<const uint64_t> Addresses, std::span<const uint64_t> Places, uint32_t Id,
           uint64_t Generation) {
    if (Generation != Of || Nodes.size() + Addresses.size() > MostNodes) {
      Nodes.clear();
      Roots.fill(None);
      Of = Generation;
    }
    uint32_t At = childOf(Roots[rootOf(Places[0], Addresses[0])], Addresses[0], Places[0]);
    for (size_t I = 1; I < Addresses.size(); ++I) {
      uint32_t First = Nodes[At].Child;
      const uint32_t Child = childOf(First, Addresses[I], Places[I] - Places[I - 1]);
      Nodes[At].Child = First;
      At = Child;
    }
    Nodes[At].Id = Id;
  }

private:
  static constexpr uint32_t None = UINT32_MAX;
  static constexpr size_t MostNodes = 65536;
  struct Node {
    uint64_t Address;
    uint64_t Distance; ///< from the function that it calls; of a root, the position
    uint32_t Child = None, Next = None;
    uint32_t Id = Unknown; ///< of the path that ends here
  };

  static size_t rootOf(uint64_t First, uint64_t Return) {
    return ((First >> 3 ^ Return) * 0x9E3779B97F4A7C15u) >> 58;
  }
  /// Returns the node among First and its siblings, to which it may add it.
  uint32_t childOf(uint32_t &First, uint64_t Address, uint64_t Distance) {
    for (uint32_t Each = First; Each != None; Each = Nodes[Each].Next)
      if (Nodes[Each].Address == Address && Nodes[Each].Distance == Distance)
        return Each;
    Nodes.push_back({Address, Distance, None, First});
    return First = static_cast<uint32_t>(Nodes.size() - 1);
  }

  std::vector<Node> Nodes;
  std::array<uint32_t, 64> Roots;
  uint64_t Of = 0; ///< CallPaths::Generation; no path has 0
};

/// Paths of this thread. Allocated: a library that is loaded late gets little thread-local storage.
thread_local constinit KnownPaths *Known = nullptr;

/// Deletes the paths at the thread's end; later destructors of the thread may make calls, which
/// allocate others.
void deleteKnown(void *Paths) {
  delete static_cast<KnownPaths *>(Paths);
  Known = nullptr;
}

KnownPaths &knownPaths() {
  if (!Known) {
    static const pthread_key_t AtEnd = [] {
      pthread_key_t Key = 0;
      pthread_key_create(&Key, deleteKnown);
      return Key;
    }();
    Known = new KnownPaths;
    pthread_setspecific(AtEnd, Known);
  }
  return *Known;
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
  unsigned long long Loads, Unloads; ///< in: values of the last scan
};

/// Handles one library for dl_iterate_phdr.
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
    // The addresses of known paths mean different code from now on.
    if (!New) {
      Paths.clear();
      Generation.store(newGeneration(), std::memory_order_release);
    }
    It->second = Image;
    if (Log)
      Log->image(Image);
  }
}

/// A walk of the stack, from the interposed function's return address on. libgcc walks it:
/// libunwind's unw_step is slower, and its unw_backtrace can crash after a library was unloaded.
struct CallPaths::Walk {
  uint64_t First; ///< position of that address on the stack
  unsigned Most;
  unsigned Count = 0;
  bool Regular = true; ///< each address is below the frame that it returns to
  uint64_t Addresses[MaxDepth];
  uint64_t Places[MaxDepth];

  /// Handles one frame for _Unwind_Backtrace.
  static _Unwind_Reason_Code visit(_Unwind_Context *Context, void *To) {
    auto &W = *static_cast<Walk *>(To);
    const uint64_t Address = _Unwind_GetIP(Context);
    // On x86-64 a call leaves its return address right below the caller's frame.
    const uint64_t Place = _Unwind_GetCFA(Context) - sizeof(Address);
    if (W.Count == 0 && Place != W.First)
      return _URC_NO_REASON; // functions of GMProf
    if (Address == 0)
      return _URC_END_OF_STACK;
    W.Regular = W.Regular && Place >= W.First && read(Place) == Address;
    W.Addresses[W.Count] = Address;
    W.Places[W.Count] = Place;
    return ++W.Count == W.Most ? _URC_END_OF_STACK : _URC_NO_REASON;
  }
};

CallPaths::CallPaths(Recorder *Log, unsigned Depth)
    : Log(Log), Depth(Depth), Generation(newGeneration()) {}

uint32_t CallPaths::findNative(const void *Frame) {
  if (Depth == 0 || !Frame)
    return 0;
  const uint64_t First = reinterpret_cast<uint64_t>(Frame) + sizeof(void *);
  const uint64_t Now = Generation.load(std::memory_order_acquire);
  KnownPaths &OfThread = knownPaths();
  if (const uint32_t Id = OfThread.find(First, Now); Id != KnownPaths::Unknown)
    return Id;

  Walk W;
  W.First = First;
  W.Most = std::min(Depth, MaxDepth);
  _Unwind_Backtrace(Walk::visit, &W);
  if (W.Count == 0) {
    // Code without unwind tables ends the walk.
    W.Addresses[0] = read(First);
    W.Places[0] = First;
    W.Count = 1;
  }
  const uint32_t Id = add({W.Addresses, W.Count});
  if (W.Regular)
    OfThread.add({W.Addresses, W.Count}, {W.Places, W.Count}, Id, Now);
  return Id;
}

uint32_t CallPaths::findNativeOutside() {
  static const std::pair<Address, Address> Own = [] {
    Scan S = {{}, ~0ull, ~0ull};
    dl_iterate_phdr(visitImage, &S);
    const auto Here = reinterpret_cast<Address>(&newGeneration);
    for (const ImageFacts &Image : S.Found)
      if (Here >= Image.Address && Here - Image.Address < Image.Bytes)
        return std::pair(Image.Address, Image.Address + Image.Bytes);
    return std::pair(Address(0), Address(0));
  }();
  if (Depth == 0)
    return 0;
  constexpr unsigned Functions = 16;
  std::array<Address, MaxDepth + Functions> Frames;
  Address *End =
      Frames.data() + unwind(std::span(Frames).first(std::min(Depth, MaxDepth) + Functions));
  Address *Begin = std::find_if(Frames.data(), End,
                                [](Address At) { return At < Own.first || At >= Own.second; });
  return add({Begin, End});
}

size_t CallPaths::unwind(std::span<uint64_t> Frames) {
  struct Plain {
    std::span<uint64_t> Frames;
    size_t Count = 0;

    static _Unwind_Reason_Code visit(_Unwind_Context *Context, void *To) {
      auto &W = *static_cast<Plain *>(To);
      const uint64_t Address = _Unwind_GetIP(Context);
      if (Address == 0 || W.Count == W.Frames.size())
        return _URC_END_OF_STACK;
      W.Frames[W.Count++] = Address;
      return _URC_NO_REASON;
    }
  } W = {Frames};
  _Unwind_Backtrace(Plain::visit, &W);
  return W.Count;
}

uint32_t CallPaths::add(std::span<const uint64_t> Frames) {
  // Removes the frames of startThread(), which only some runs of a program have, so that paths are
  // equal in all runs.
  std::vector<uint64_t> Without;
  if (std::any_of(Frames.begin(), Frames.end(), ThreadStacks::beginsThread)) {
    Without.assign(Frames.begin(), Frames.end());
    std::erase_if(Without, ThreadStacks::beginsThread);
    Frames = Without;
  }
  Frames = Frames.first(std::min<size_t>(Frames.size(), Depth));
  if (Frames.empty())
    return 0;
  std::string_view Key(reinterpret_cast<const char *>(Frames.data()), Frames.size_bytes());
  {
    SharedLockGuard Guard(Lock);
    if (auto It = Paths.find(Key); It != Paths.end())
      return It->second;
  }
  PythonStacks::ofProcess().update();
  LockGuard Guard(Lock);
  updateImages();
  auto [It, New] = Paths.try_emplace(std::string(Key), LastId + 1);
  if (New) {
    ++LastId;
    if (Log)
      Log->callPath(It->second, Frames);
  }
  return It->second;
}

uint32_t CallPaths::withPython(uint32_t Native) {
  if (Native == 0)
    return 0;
  PythonStacks &Python = PythonStacks::ofProcess();
  const uint32_t Stack = Python.current();
  if (Stack == PythonStacks::None)
    return Native;
  const uint64_t Key = uint64_t(Native) << 32 | Stack;
  {
    SharedLockGuard Guard(Lock);
    if (auto It = PythonPaths.find(Key); It != PythonPaths.end())
      return It->second;
  }
  LockGuard Guard(Lock);
  auto [It, New] = PythonPaths.try_emplace(Key, Native);
  if (New && Stack == PythonStacks::Unknown) {
    if (Log)
      Log->gap("call paths", Python.whyUnknown(), 1);
  } else if (New) {
    It->second = ++LastId;
    recordPython(It->second, Native, Stack);
  }
  return It->second;
}

void CallPaths::recordPython(uint32_t Id, uint32_t Native, uint32_t Stack) {
  if (!Log)
    return;
  PythonStacks &Python = PythonStacks::ofProcess();
  if (Stacks.insert(Stack).second) {
    const std::vector<log::PythonFrame> Frames = Python.frames(Stack);
    for (const log::PythonFrame &F : Frames)
      if (Codes.insert(F.code).second) {
        const PythonCode Code = Python.code(F.code);
        Log->pythonCode(F.code, Code.File, Code.Function);
      }
    Log->pythonStack(Stack, Python.interpreter(), Frames);
  }
  Log->pythonPath(Id, Native, Stack);
}

std::string CallPaths::keyOf(uint32_t Id) {
  SharedLockGuard Guard(Lock);
  std::string OfPython;
  const auto WithPython = std::find_if(PythonPaths.begin(), PythonPaths.end(),
                                       [&](const auto &Path) { return Path.second == Id; });
  if (WithPython != PythonPaths.end()) {
    const auto Stack = static_cast<uint32_t>(WithPython->first);
    Id = static_cast<uint32_t>(WithPython->first >> 32);
    if (Stack != PythonStacks::Unknown) {
      PythonStacks &Python = PythonStacks::ofProcess();
      for (const log::PythonFrame &F : Python.frames(Stack)) {
        const PythonCode Code = Python.code(F.code);
        OfPython += Code.File + ':' + std::to_string(F.line) + ' ' + Code.Function + '|';
      }
    }
  }
  auto It =
      std::find_if(Paths.begin(), Paths.end(), [&](const auto &Path) { return Path.second == Id; });
  if (It == Paths.end())
    return "";
  std::vector<Address> Frames(It->first.size() / sizeof(Address));
  std::memcpy(Frames.data(), It->first.data(), It->first.size());
  std::string Key;
  for (Address Each : Frames) {
    Key += '|';
    auto After = Images.upper_bound(Each);
    if (After == Images.begin())
      continue;
    const ImageFacts &In = std::prev(After)->second;
    if (Each - In.Address < In.Bytes)
      Key += In.Path + '+' + std::to_string(Each - In.Address);
  }
  return Key + '|' + OfPython;
}

} // namespace gmprof::host
