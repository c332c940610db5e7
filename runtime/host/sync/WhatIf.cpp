//===- WhatIf.cpp - Runs the program with some calls left out -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/sync/WhatIf.h"
#include "host/core/RuntimeApi.h"
#include "host/core/Session.h"
#include "host/interpose/DriverHooks.h"
#include "profile/JsonText.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <pthread.h>
#include <unistd.h>

namespace gmprof::host {

std::atomic<WhatIf *> WhatIf::Active{nullptr};

WhatIf::WhatIf(WhatIfPlan From) : Plan(std::move(From)), Paths(nullptr, Plan.Depth) {
  for (const WhatIfPlan::Place &P : Plan.Places)
    Places.emplace_back(P);
}

std::string WhatIf::begin(const std::string &PlanPath) {
  std::ifstream File(PlanPath);
  const std::string Text((std::istreambuf_iterator<char>(File)), {});
  std::optional<WhatIfPlan> Plan = parseWhatIfPlan(Text);
  if (!Plan)
    return "'" + PlanPath + "' is no plan of gmprof whatif";
  auto *New = new WhatIf(std::move(*Plan));
  if (New->Plan.movesWaits())
    LateWaits::begin({New->Plan.KernelsAccessManaged, New->Plan.KernelsAccessPinned},
                     settings().DeviceKind == "cpu");
  // Calls of a forked child do not count.
  pthread_atfork(nullptr, nullptr, [] { Active.store(nullptr, std::memory_order_release); });
  Active.store(New, std::memory_order_release);
  return "";
}

WhatIf::Place *WhatIf::placeOf(const char *Api, uint32_t Path) {
  LockGuard Guard(Lock);
  auto [It, New] = ByPath.try_emplace(Path, nullptr);
  if (!New)
    return It->second;
  const std::string Key = Paths.keyOf(Path);
  for (Place &P : Places)
    if (P.Of.Api == Api && P.Of.Key == Key)
      It->second = &P;
  return It->second;
}

WhatIf::Instead WhatIf::instead(const char *Api, const void *Caller) {
  if (!Caller ||
      std::none_of(Places.begin(), Places.end(), [&](const Place &P) { return P.Of.Api == Api; }))
    return Instead::AsItIs;
  Place *P = placeOf(Api, Paths.find(Caller));
  if (!P)
    return Instead::AsItIs;
  const uint64_t Number = P->Calls.fetch_add(1, std::memory_order_relaxed);
  const std::vector<WhatIfPlan::Range> &Ranges = P->Of.Ranges;
  auto It = std::partition_point(Ranges.begin(), Ranges.end(),
                                 [&](const WhatIfPlan::Range &R) { return R.Last < Number; });
  const Instead Do = It == Ranges.end() || It->First > Number ? Instead::AsItIs : It->Do;
  Done[static_cast<size_t>(Do)].fetch_add(1, std::memory_order_relaxed);
  return Do;
}

void WhatIf::started() {
  if (StartNs.load(std::memory_order_relaxed) != 0)
    return;
  uint64_t None = 0;
  if (!StartNs.compare_exchange_strong(None, steadyNs()))
    return;
  on_exit(
      [](int, void *) {
        if (WhatIf *W = active())
          W->finish();
      },
      nullptr);
}

/// Loads the driver directly: the program may be linked without a loadable libcudart.
const DriverApi &WhatIf::driver() {
  static const DriverApi Api = [] {
    DriverApi Loaded;
    Loaded.load();
    return Loaded;
  }();
  return Api;
}

cudaError_t WhatIf::wait(cudaStream_t Stream) {
  return static_cast<cudaError_t>(driver().cuStreamSynchronize
                                      ? driver().cuStreamSynchronize(Stream)
                                      : CUDA_ERROR_NOT_SUPPORTED);
}

//===----------------------------------------------------------------------===//
// Kept memory
//===----------------------------------------------------------------------===//

cudaError_t WhatIf::copy(const TransferCall &Made, FunctionRef<cudaError_t()> Plain,
                         FunctionRef<cudaError_t()> Async, FunctionRef<Transfer()> What) {
  const cudaStream_t Stream = Made.Stream;
  const Instead Do = instead(Made.Api, Made.Caller);
  LateWaits *Late = LateWaits::active();
  if (Late)
    Late->transferring(What(), Stream,
                       Made.Async || Do == Instead::NoWait || Do == Instead::WaitLate);
  if (Plan.Verify && (Do == Instead::NoCopy || Do == Instead::NoCopyButWait))
    check(What(), Stream);
  switch (Do) {
  case Instead::AsItIs: {
    cudaError_t Error = Plain();
    if (Late && !Made.Async)
      Late->waited(log::CallKind::Copy, Stream);
    return Error;
  }
  case Instead::NoWait:
    return Async();
  case Instead::WaitLate: {
    cudaError_t Error = Async();
    const bool Now = Error == cudaSuccess && waitsNow(log::CallKind::StreamSynchronized, Stream);
    return Now ? wait(Stream) : Error;
  }
  case Instead::NoCopy:
    return cudaSuccess;
  case Instead::NoCopyButWait:
    return wait(Stream);
  }
  return Plain();
}

bool WhatIf::keep(const char *Name, void *Handle) {
  // Page-locked memory is scarcer.
  constexpr size_t MostKept = 4096, MostPinned = 64;
  Kept K;
  K.Handle = Handle;
  static constexpr struct {
    const char *Name;
    bool Pinned;
    cudaError_t (*Release)(void *);
  } Functions[] = {
      {"cudaFree", false, [](void *Pointer) { return GMPROF_REAL(cudaFree, Pointer); }},
      {"cudaFreeHost", true, [](void *Pointer) { return GMPROF_REAL(cudaFreeHost, Pointer); }},
      {"cuMemFree", false,
       [](void *Pointer) {
         return GMPROF_REAL_DRIVER(cuMemFree_v2, reinterpret_cast<CUdeviceptr>(Pointer));
       }},
      {"cuMemFreeHost", true,
       [](void *Pointer) { return GMPROF_REAL_DRIVER(cuMemFreeHost, Pointer); }}};
  const auto *Of = std::find_if(std::begin(Functions), std::end(Functions),
                                [&](const auto &F) { return std::strcmp(F.Name, Name) == 0; });
  if (Of == std::end(Functions))
    return false;
  const bool Pinned = Of->Pinned;
  K.Release = Of->Release;
  K.Device = driver().currentDevice();
  bool Full = false;
  {
    LockGuard Guard(Lock);
    if (auto It = Sizes.find(Handle); It != Sizes.end())
      K.Bytes = It->second;
    AllKept.push_back(K);
    Full = AllKept.size() > (Pinned ? MostPinned : MostKept);
  }
  if (Full)
    giveBack();
  return true;
}

bool WhatIf::reuse(void **Pointer, size_t Bytes) {
  if (!Plan.Reuse || Bytes == 0)
    return false;
  const int Device = driver().currentDevice();
  LockGuard Guard(Lock);
  // Reuses the memory used last, which is most likely in caches.
  auto It = std::find_if(AllKept.rbegin(), AllKept.rend(),
                         [&](const Kept &K) { return K.Bytes == Bytes && K.Device == Device; });
  if (It == AllKept.rend())
    return false;
  *Pointer = It->Handle;
  AllKept.erase(std::next(It).base());
  ++Counted.Reused;
  return true;
}

void WhatIf::allocated(const void *Pointer, size_t Bytes) {
  if (!Plan.Reuse)
    return;
  LockGuard Guard(Lock);
  Sizes[Pointer] = Bytes;
}

void WhatIf::released(const void *Pointer) {
  if (!Plan.Reuse)
    return;
  LockGuard Guard(Lock);
  Sizes.erase(Pointer);
}

bool WhatIf::giveBack() {
  std::vector<Kept> All;
  {
    LockGuard Guard(Lock);
    All.swap(AllKept);
    Counted.GivenBack += !All.empty();
    for (const Kept &K : All)
      Sizes.erase(K.Handle);
  }
  for (const Kept &K : All)
    K.Release(K.Handle);
  return !All.empty();
}

void WhatIf::forgetKept() {
  LockGuard Guard(Lock);
  AllKept.clear();
  Sizes.clear();
}

//===----------------------------------------------------------------------===//
// Left-out copies
//===----------------------------------------------------------------------===//

/// Reads the bytes of a side from any memory; returns nothing if they cannot be read.
static std::optional<std::vector<char>> bytesOf(const Transfer &T, const TransferSide &Side) {
  const void *Begin = Side.Pointer;
  if (Side.Is == TransferSide::What::Array || Side.Opaque)
    return std::nullopt;
  if (Side.Is == TransferSide::What::Variable) {
    void *OnDevice = nullptr;
    if (GMPROF_REAL(cudaGetSymbolAddress, &OnDevice, Side.Pointer) != cudaSuccess)
      return std::nullopt;
    Begin = OnDevice;
  }
  std::vector<char> Bytes(T.RowBytes * T.Rows * T.Slices);
  for (uint64_t Row = 0; Row < T.Rows * T.Slices; ++Row) {
    const char *From = static_cast<const char *>(Begin) + Side.Offset +
                       Row / T.Rows * Side.SlicePitch + Row % T.Rows * Side.Pitch;
    if (GMPROF_REAL_DRIVER(cuMemcpy, reinterpret_cast<CUdeviceptr>(Bytes.data() + Row * T.RowBytes),
                           reinterpret_cast<CUdeviceptr>(From), T.RowBytes) != cudaSuccess)
      return std::nullopt;
  }
  return Bytes;
}

/// Checks whether the destination already holds the bytes that the copy would bring.
void WhatIf::check(const Transfer &T, cudaStream_t Stream) {
  std::optional<std::vector<char>> To, From;
  if (wait(Stream) == cudaSuccess) {
    To = bytesOf(T, T.To);
    From = bytesOf(T, T.From);
  }
  LockGuard Guard(Lock);
  if (To && From) {
    ++Counted.Checked;
    Counted.Differ += *To != *From;
  } else {
    ++Counted.NotChecked;
    GMPROF_REAL(cudaGetLastError);
  }
}

//===----------------------------------------------------------------------===//
// The end
//===----------------------------------------------------------------------===//

void WhatIf::finish() {
  Inside Guard;
  LateWaits *Late = LateWaits::active();
  if (Late)
    Late->finish();
  Counts Now; // without what is given back below
  {
    LockGuard Guard(Lock);
    Now = Counted;
  }
  giveBack();
  std::vector<uint64_t> Calls;
  for (const Place &P : Places)
    Calls.push_back(P.Calls.load());
  std::vector<JsonText::Member> Instead;
  for (const auto &[Name, Do] : WhatIfPlan::InsteadNames)
    Instead.emplace_back(Name, Done[static_cast<size_t>(Do)].load());
  std::vector<JsonText::Member> Result = {
      {"seconds", static_cast<double>(steadyNs() - StartNs.load()) / 1e9},
      {"calls", JsonText::array(Calls)},
      {"reused", Now.Reused},
      {"given_back", Now.GivenBack},
      {"checked", Now.Checked},
      {"differ", Now.Differ},
      {"not_checked", Now.NotChecked},
      {"instead", JsonText::object(Instead)}};
  if (Late) {
    const LateWaits::Counts C = Late->end();
    const std::vector<JsonText::Member> AtOnce(C.AtOnce.begin(), C.AtOnce.end());
    Result.emplace_back("late", JsonText::object({{"put_off", C.PutOff},
                                                  {"uses", C.Uses},
                                                  {"at_once", JsonText::object(AtOnce)},
                                                  {"gave_up", C.GaveUp}}));
  }
  std::ofstream(Plan.ResultPath + "-" + std::to_string(getpid()))
      << JsonText::object(Result).str() << '\n';
}

} // namespace gmprof::host
