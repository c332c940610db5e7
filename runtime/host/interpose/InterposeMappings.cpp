//===- InterposeMappings.cpp - Memory of the C library --------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interposes the functions of the C library that unmap, move and protect memory
// (InterposeSystem.cpp).
//
//===----------------------------------------------------------------------===//

#include "host/interpose/SystemCalls.h"
#include "host/sync/FaultHandler.h"
#include "host/sync/PageProtections.h"
#include <cerrno>
#include <cstdarg>
#include <malloc.h>

using namespace gmprof::host;

namespace gmprof::host {
namespace {

void protects(const void *Memory, size_t Bytes, int Protection) {
  constexpr int Both = PROT_READ | PROT_WRITE;
  if (FaultHandler::prepared() && !Inside::now())
    PageProtections::set(number(Memory), Bytes, (Protection & Both) != Both);
}

/// Handles a block of malloc that is about to be freed or resized.
void blockGoes(const void *Caller, void *Block, bool Used) {
  if (!Block || !ofProgram())
    return;
  const int Saved = errno;
  // The block's size is stored in front of it, possibly in the same page.
  if (Used)
    reads(Caller, Block, 1);
  else
    goes(Block, 1);
  if (ofProgram()) {
    const size_t Bytes = malloc_usable_size(Block);
    if (Used)
      reads(Caller, Block, Bytes);
    else
      goes(Block, Bytes);
  }
  errno = Saved;
}

} // namespace
} // namespace gmprof::host

GMPROF_INTERPOSE void free(void *Memory) {
  blockGoes(nullptr, Memory, /*Used=*/false);
  if (realSystem().free)
    realSystem().free(Memory);
}

GMPROF_SYSTEM(void *, realloc, (void *Memory, size_t N), (Memory, N),
              blockGoes(Caller, Memory, /*Used=*/true))
GMPROF_SYSTEM(void *, reallocarray, (void *Memory, size_t N, size_t B), (Memory, N, B),
              blockGoes(Caller, Memory, /*Used=*/true))

#define GMPROF_SYSTEM_MMAP(Name, Offset)                                                           \
  GMPROF_INTERPOSE void *Name(void *At, size_t N, int Protection, int Flags, int F, Offset From) { \
    if (Flags & MAP_FIXED)                                                                         \
      goes(At, N);                                                                                 \
    void *Memory = realSystem().Name(At, N, Protection, Flags, F, From);                           \
    if (Memory != MAP_FAILED)                                                                      \
      protects(Memory, N, Protection);                                                             \
    return Memory;                                                                                 \
  }
GMPROF_SYSTEM_MMAP(mmap, off_t)
GMPROF_SYSTEM_MMAP(mmap64, off64_t)

GMPROF_SYSTEM(int, munmap, (void *Memory, size_t N), (Memory, N),
              (goes(Memory, N), protects(Memory, N, PROT_READ | PROT_WRITE)))

GMPROF_INTERPOSE void *mremap(void *Old, size_t OldBytes, size_t NewBytes, int Flags, ...) {
  va_list More;
  va_start(More, Flags);
  void *At = Flags & MREMAP_FIXED ? va_arg(More, void *) : nullptr;
  va_end(More);
  staysUnseen(Old, OldBytes);
  if (At)
    goes(At, NewBytes);
  const bool Limited =
      FaultHandler::prepared() && PageProtections::limited(number(Old), number(Old) + OldBytes);
  void *New = realSystem().mremap(Old, OldBytes, NewBytes, Flags, At);
  if (New != MAP_FAILED) {
    protects(Old, OldBytes, PROT_READ | PROT_WRITE);
    protects(New, NewBytes, Limited ? PROT_NONE : PROT_READ | PROT_WRITE);
  }
  return New;
}

GMPROF_SYSTEM(int, mprotect, (void *Memory, size_t N, int Protection), (Memory, N, Protection),
              (staysUnseen(Memory, N), protects(Memory, N, Protection)))
GMPROF_SYSTEM(int, pkey_mprotect, (void *Memory, size_t N, int Protection, int Key),
              (Memory, N, Protection, Key),
              (staysUnseen(Memory, N), protects(Memory, N, PROT_NONE)))

GMPROF_INTERPOSE int madvise(void *Memory, size_t N, int Advice) {
  constexpr int PopulateRead = 22, PopulateWrite = 23; // not in all headers
  if (Advice == MADV_DONTNEED || Advice == MADV_FREE || Advice == MADV_REMOVE)
    goes(Memory, N);
  else if (Advice == PopulateRead || Advice == PopulateWrite)
    staysUnseen(Memory, N);
  return realSystem().madvise(Memory, N, Advice);
}

GMPROF_SYSTEM(int, mlock, (const void *Memory, size_t N), (Memory, N), staysUnseen(Memory, N))
GMPROF_SYSTEM(int, mlock2, (const void *Memory, size_t N, unsigned Flags), (Memory, N, Flags),
              staysUnseen(Memory, N))
GMPROF_SYSTEM(int, mlockall, (int Flags), (Flags), staysUnseen(nullptr, SIZE_MAX))
