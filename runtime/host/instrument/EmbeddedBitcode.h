//===- EmbeddedBitcode.h - Finds a program's device bitcode -----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler plugin stores device bitcode behind a fat binary or, under -fgpu-rdc, in a section
// of the object (docs/architecture.md). Neither has a symbol, so reads are bounded by the segments
// that the loader mapped.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_INSTRUMENT_EMBEDDEDBITCODE_H
#define GMPROF_HOST_INSTRUMENT_EMBEDDEDBITCODE_H

#include "host/instrument/BitcodeRecords.h"
#include "profile/Result.h"

namespace gmprof {

/// Returns the file that the loader mapped at an address, "/proc/self/exe" for the program; empty
/// if none is mapped there.
std::string loadedFile(const void *Address);
/// Returns what to call a module of the file in messages: a library by its name; "the module", if
/// it is the program or no file.
std::string moduleName(const std::string &File);

/// Returns the records behind a fat binary, or behind the one that a wrapper points to. They point
/// into the program.
std::vector<BitcodeRecord> bitcodeBehind(const void *FatBinary);

/// Returns the section of records in the file that the loader mapped at an address; empty if it has
/// none.
std::string bitcodeSection(const void *Address);

/// Returns the highest architecture of some records; 0 if there are none.
unsigned newestArchitecture(const std::vector<BitcodeRecord> &Records);

/// Returns the bitcode of the records of an architecture, one string per translation unit.
Result<std::vector<std::string>> bitcodeOf(const std::vector<BitcodeRecord> &Records,
                                           unsigned Architecture);

} // namespace gmprof

#endif // GMPROF_HOST_INSTRUMENT_EMBEDDEDBITCODE_H
