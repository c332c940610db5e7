//===- HostCode.h - Instrumented host code ----------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code compiled with gmprof-clang++ --gmprof-host-accesses looks up a table of pages before it
// accesses memory, and reports accesses to pages that the table marks (pass/host/HostAccesses.h).
// Each executable and library has such a table, and a list of its instrumented functions.
//
// This is reliable only if all code that may access the memory is instrumented. HostCode therefore
// compares the lists with the symbols of the program's files: all functions must be listed, except
// those that the C compiler adds to each program. Libraries that are not linked with the CUDA
// runtime make no copies of their own; memory passed to them counts as used (HostWatch.h).
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_SYNC_HOSTCODE_H
#define GMPROF_HOST_SYNC_HOSTCODE_H

#include <cstdint>
#include <string>

namespace gmprof::host {

class HostCode {
public:
  /// Registers the table and functions of an executable or library, which calls this when it is
  /// loaded.
  static void add(uint8_t *Table, const uint64_t *First, const uint64_t *End);
  /// Returns whether any code is instrumented.
  static bool any();
  /// Returns whether the whole program is instrumented. Checked on the first call.
  static bool whole();
  /// Returns a function or file that is not instrumented, if whole() is false.
  static const std::string &missing();
  static bool has(uint64_t Function);

  /// Marks pages in the tables, or removes one mark of each. The caller holds a lock.
  static void watch(uint64_t FirstPage, uint64_t EndPage, bool On);
};

} // namespace gmprof::host

#endif // GMPROF_HOST_SYNC_HOSTCODE_H
