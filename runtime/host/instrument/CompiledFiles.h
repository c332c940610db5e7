//===- CompiledFiles.h - PTX beside machine code on disk --------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_INSTRUMENT_COMPILEDFILES_H
#define GMPROF_HOST_INSTRUMENT_COMPILEDFILES_H

#include "host/instrument/ModuleImages.h"
#include <optional>
#include <string>
#include <vector>

namespace gmprof {

/// Returns the content of a file; empty if it cannot be read.
std::string contentOfFile(const std::string &Name);

/// A section of an ELF file that has bytes there.
struct FileSection {
  uint64_t Address, Offset, Bytes;
};

/// Returns a section of an ELF file; nothing if it is missing or malformed.
std::optional<FileSection> findSection(const std::string &File, std::string_view Name);

/// Returns the content of a section of an ELF file; empty if there is none.
std::string sectionOfFile(const std::string &File, std::string_view Name);

/// Remembers the PTX that lies beside a file NAME.cubin, which the program loads next: Triton and
/// torch.compile leave NAME.ptx and NAME.ttir there. Parameters get the names that Triton's IR has.
void rememberNeighbours(const std::string &Cubin, ModuleImages &Images);

/// Returns whether a command runs ptxas.
bool isPtxas(const std::vector<std::string> &Command);

/// Remembers the PTX and the cubin of a command of ptxas, which has ended: programs such as XLA run
/// it, load the cubin and remove both files.
void rememberPtxas(const std::vector<std::string> &Command, ModuleImages &Images);

} // namespace gmprof

#endif // GMPROF_HOST_INSTRUMENT_COMPILEDFILES_H
