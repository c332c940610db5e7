//===- HostCode.h - Code of the program that says what it accesses -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What gmprof-clang++ --gmprof-host-accesses compiles looks into a table of pages before it
// accesses memory, and says what it accesses where the table tells it to
// (pass/host/HostAccesses.h). Each executable and library has such a table, and a list of its
// functions that do that.
//
// That is only good for something if all code does that which may access the memory: the program's
// own. So the lists are compared with the symbols of the files: all functions have to be in
// them, but for those that the C compiler adds to each program. Libraries that are not linked with
// the CUDA runtime cannot have copied anything; what they are given is a use (HostWatch.h).
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_SYNC_HOSTCODE_H
#define GMPROF_HOST_SYNC_HOSTCODE_H

#include <cstdint>
#include <string>

namespace gmprof::host {

class HostCode {
public:
  /// Called by the executable or library when it is loaded.
  static void add(uint8_t *Table, const uint64_t *First, const uint64_t *End);
  /// Whether there is such code at all.
  static bool any();
  /// Whether all of the program is such code, as found out at the first question.
  static bool whole();
  /// If not: a function or file that is not.
  static const std::string &missing();
  static bool has(uint64_t Function);

  /// Watches pages, or not any longer, as often. Needs a lock around it.
  static void watch(uint64_t FirstPage, uint64_t EndPage, bool On);
};

} // namespace gmprof::host

#endif // GMPROF_HOST_SYNC_HOSTCODE_H
