//===- TraceFuzzer.cpp - Fuzzes the reader of traces --------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cache/TraceReader.h"
#include <sys/mman.h>
#include <unistd.h>

using namespace gmprof::cache;

/// A trace is refused, or each of its items can be read; also if more of it might come.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  const int File = memfd_create("trace", MFD_CLOEXEC);
  if (File < 0 || write(File, Data, Size) != static_cast<ssize_t>(Size))
    __builtin_trap();
  const std::string Path = "/proc/self/fd/" + std::to_string(File);
  for (const auto &[AcceptsIncomplete, Grows] :
       {std::pair(false, false), std::pair(true, false), std::pair(true, true)})
    if (auto Reader = TraceReader::open(Path, AcceptsIncomplete)) {
      (*Reader)->setGrowing(Grows);
      for (auto Item = (*Reader)->next(); Item && !std::holds_alternative<TraceEnd>(*Item) &&
                                          !std::holds_alternative<TracePause>(*Item);
           Item = (*Reader)->next())
        if (auto *Chunk = std::get_if<RequestChunk>(&*Item)) {
          std::vector<Request> Requests;
          (void)(*Reader)->unpack(*Chunk, Requests);
        }
    }
  close(File);
  return 0;
}
