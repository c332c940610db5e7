//===- InterposeHostCode.cpp - Calls of instrumented host code ------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions that instrumented host code calls (pass/host/HostAccesses.h). They preserve all
// registers, since they are called between any two instructions of the program.
//
//===----------------------------------------------------------------------===//

#include "host/core/Export.h"
#include "host/core/Session.h"
#include "host/sync/HostCode.h"
#include "host/sync/HostWatch.h"
#include <cerrno>

using namespace gmprof::host;

GMPROF_INTERPOSE void __gmprof_host_code(uint8_t *Table, const uint64_t *First,
                                         const uint64_t *End) {
  HostCode::add(Table, First, End);
}

GMPROF_INTERPOSE __attribute__((preserve_most)) void
__gmprof_host_access(const void *Address, uint64_t Bytes, uint32_t Store) {
  HostWatch *W = HostWatch::active();
  const auto Begin = reinterpret_cast<uint64_t>(Address);
  if (!W || !W->mayBeWatchedByCode(Begin, Bytes) || Inside::now())
    return;
  const int Saved = errno;
  W->accessed(GMPROF_CALLER, Begin, Bytes, Store != 0);
  errno = Saved;
}

GMPROF_INTERPOSE __attribute__((preserve_most)) void
__gmprof_host_argument(const void *Address, uint64_t Bytes, uint32_t Stores, const void *Function) {
  // Bytes that count as accessed if the size of the pointer's target is unknown.
  constexpr uint64_t AtMost = 4096;
  HostWatch *W = HostWatch::active();
  const auto Begin = reinterpret_cast<uint64_t>(Address);
  if (Bytes == 0)
    Bytes = AtMost;
  if (!W || !W->mayBeWatchedByCode(Begin, Bytes) || Inside::now() ||
      HostCode::has(reinterpret_cast<uint64_t>(Function)))
    return;
  const int Saved = errno;
  W->givenToCode(GMPROF_CALLER, Begin, Bytes, Stores != 0);
  errno = Saved;
}
