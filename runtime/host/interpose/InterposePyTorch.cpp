//===- InterposePyTorch.cpp - Tensors in slabs ----------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PyTorch allocates slabs, keeps them, and cuts tensors from them. Its allocator tells PyTorch's
// own profiler of each tensor by a function of libc10.so, which its CUDA part calls through the
// dynamic linker. Interposed, it makes them parts of pools (Pools.h), as a program does that uses
// gmprof/gmprof.h. It also tells when it finds no memory for a tensor, be it that CUDA has none or
// that the program limits PyTorch's share (set_per_process_memory_fraction).
//
//===----------------------------------------------------------------------===//

#include "host/core/Export.h"
#include "host/core/Session.h"
#include "host/interpose/DriverHooks.h"
#include <dlfcn.h>

using namespace gmprof::host;

namespace c10 {

/// PyTorch's type c10::Device.
struct Device {
  int8_t Type, Index;
};
/// Receives allocations and releases of PyTorch. Bytes is negative for a release.
__attribute__((visibility("default"))) void reportMemoryUsageToProfiler(void *Tensor, int64_t Bytes,
                                                                        size_t Allocated,
                                                                        size_t Reserved, Device Of);
__attribute__((visibility("default"))) void
reportOutOfMemoryToProfiler(int64_t Bytes, size_t Allocated, size_t Reserved, Device Of);

} // namespace c10

namespace {

constexpr int8_t Cuda = 1;

constexpr char UsageSymbol[] = "_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE",
               OutOfMemorySymbol[] = "_ZN3c1027reportOutOfMemoryToProfilerElmmNS_6DeviceE",
               Allocate[] = "CUDACachingAllocator::malloc";

/// Returns PyTorch's own function. The caller has loaded its library.
template <typename Function> Function *plainFunction(Function *, const char *Symbol) {
  void *Library = dlopen("libc10.so", RTLD_LAZY | RTLD_NOLOAD);
  return reinterpret_cast<Function *>(Library ? realDlsym()(Library, Symbol) : nullptr);
}

/// Returns the session that records PyTorch's memory on this device; null: none.
Session *sessionOf(c10::Device Device) {
  Session *S = Device.Type == Cuda && !Inside::now() ? Session::current() : nullptr;
  return S && S->needs().Parts ? S : nullptr;
}

/// Returns the pool of the slab in which the tensor begins; 0 if it does not lie in slabs. The
/// parts of an expandable segment are slabs that follow each other.
uint64_t poolOf(Session &S, uint64_t Tensor, uint64_t Bytes) {
  const std::optional<LiveObject> Slab = S.objects().find(Tensor);
  std::optional<LiveObject> Last = Slab;
  while (Last && Bytes > Last->Address + Last->Bytes - Tensor)
    Last = S.objects().find(Last->Address + Last->Bytes);
  return Last ? S.pools().ofObject(*Slab, "slab of PyTorch") : 0;
}

void allocated(Session &S, uint64_t Tensor, uint64_t Bytes, const void *Caller) {
  if (const uint64_t Pool = poolOf(S, Tensor, Bytes))
    S.pools().allocate(Pool, Tensor, Bytes, nullptr, Caller, Allocate);
}

void released(Session &S, uint64_t Tensor, const void *Caller) {
  const std::optional<LiveObject> Part = S.pools().find(Tensor);
  if (Part && Part->Kind == gmprof::log::ObjectKind::Pool)
    S.pools().release(poolOf(S, Tensor, Part->Bytes), Tensor, Caller, "CUDACachingAllocator::free");
}

} // namespace

void c10::reportMemoryUsageToProfiler(void *Tensor, int64_t Bytes, size_t Allocated,
                                      size_t Reserved, Device Of) {
  static const auto Plain = plainFunction(&c10::reportMemoryUsageToProfiler, UsageSymbol);
  if (Session *S = sessionOf(Of)) {
    Inside Guard;
    const auto Address = reinterpret_cast<uint64_t>(Tensor);
    if (Bytes > 0)
      allocated(*S, Address, static_cast<uint64_t>(Bytes), GMPROF_CALLER);
    else
      released(*S, Address, GMPROF_CALLER);
  }
  if (Plain)
    Plain(Tensor, Bytes, Allocated, Reserved, Of);
}

void c10::reportOutOfMemoryToProfiler(int64_t Bytes, size_t Allocated, size_t Reserved, Device Of) {
  static const auto Plain = plainFunction(&c10::reportOutOfMemoryToProfiler, OutOfMemorySymbol);
  if (Session *S = sessionOf(Of)) {
    Inside Guard;
    S->readings().failed({Allocate, GMPROF_CALLER, gmprof::log::ObjectKind::Device, 0, 0,
                          static_cast<uint64_t>(Bytes), Of.Index});
  }
  if (Plain)
    Plain(Bytes, Allocated, Reserved, Of);
}
