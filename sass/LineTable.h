//===- LineTable.h - Source lines of machine code ---------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ptxas writes line programs of DWARF 2 to 4 with two extended opcodes of its own: 0x90 (inlined
// call) has two ULEB128 numbers, the row of the call, counted from 1 in its sequence (0: none), and
// the offset of the callee's name in .debug_str; 0x91 has the latter alone. LLVM's reader skips
// both, and with them the calls.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_SASS_LINETABLE_H
#define GMPROF_SASS_LINETABLE_H

#include "MachineCode.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Object/ELF.h"

namespace gmprof::sass {

using Elf = llvm::object::ELFFile<llvm::object::ELF64LE>;

class LineTable {
public:
  /// Lines of the source, or of the PTX that ptxas compiled.
  enum class Kind : uint8_t { Source, Ptx };

  /// Reads the section .debug_line or .nv_debug_line_sass, if there is one.
  static llvm::Expected<LineTable> read(const Elf &File, Kind Of);

  bool empty() const { return Sequences.empty(); }

  /// Returns the places of the instruction at Offset of a section; see MemoryInstruction::Places.
  /// PTX has one file, 0.
  std::vector<SourcePlace> places(uint32_t Section, uint64_t Offset) const;

  /// Returns the files that places refer to, and leaves none.
  std::vector<std::string> takeFiles() { return std::move(Files); }

private:
  struct Row {
    uint64_t Offset;
    SourcePlace Place;
    uint64_t Call; ///< index of the row of the call that is inlined here, plus 1
  };
  /// Rows of ascending offsets, up to End.
  struct Sequence {
    uint64_t End = 0;
    std::vector<Row> Rows;
  };
  /// The value of a relocated address.
  struct Address {
    uint32_t Section = 0;
    uint64_t Offset = 0;
  };
  class Program;

  uint32_t fileIndex(llvm::StringRef Path);

  std::map<uint32_t, std::vector<Sequence>> Sequences; ///< by section
  std::vector<std::string> Files;
  llvm::StringMap<uint32_t> FileIndices;
};

} // namespace gmprof::sass

#endif // GMPROF_SASS_LINETABLE_H
