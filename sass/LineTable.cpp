//===- LineTable.cpp - Source lines of machine code -----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LineTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/DataExtractor.h"
#include "llvm/Support/Path.h"

#include <unordered_map>

using namespace llvm;

namespace gmprof::sass {

namespace {

constexpr unsigned InlinedCall = 0x90; // DW_LNE_NVIDIA_inlined_call

Error malformed(const Twine &What) { return createStringError("line table: " + What); }

} // namespace

/// Interprets the line programs of a section.
class LineTable::Program {
public:
  using Relocations = std::unordered_map<uint64_t, Address>;

  Program(LineTable &Table, Kind Of, StringRef Section, const Relocations &Addresses)
      : Table(Table), Of(Of), Section(Section),
        Data(Section, /*IsLittleEndian=*/true, /*AddressSize=*/8), Addresses(Addresses) {}

  Error run() {
    uint64_t Begin = 0;
    while (Begin < Section.size()) {
      DataExtractor::Cursor C(Begin);
      const uint64_t Length = Data.getU32(C);
      if (!C)
        return C.takeError();
      if (Length > Section.size() - C.tell())
        return malformed("the program at offset " + Twine(Begin) + " ends behind the section");
      const uint64_t End = C.tell() + Length;
      // A program may not read the next one's bytes.
      Data = DataExtractor(Section.take_front(End), true, 8);
      if (Error E = readUnit(C))
        return joinErrors(std::move(E), C.takeError());
      if (!C)
        return C.takeError();
      Data = DataExtractor(Section, true, 8);
      Begin = End;
    }
    return Error::success();
  }

private:
  struct State {
    Address At;
    uint64_t File = 1, Line = 1, Call = 0;
  };

  Error readUnit(DataExtractor::Cursor &C) {
    const unsigned Version = Data.getU16(C);
    const uint64_t HeaderLength = Data.getU32(C);
    const uint64_t Header = C.tell();
    MinimumLength = Data.getU8(C);
    if (Version >= 4)
      Data.getU8(C); // operations per instruction
    Data.getU8(C);   // the default of is_stmt
    LineBase = llvm::SignExtend32<8>(Data.getU8(C));
    LineRange = Data.getU8(C);
    OpcodeBase = Data.getU8(C);
    if (!C)
      return Error::success();
    if (Version < 2 || Version > 4)
      return malformed("version " + Twine(Version) + " is not known");
    if (LineRange == 0 || OpcodeBase == 0)
      return malformed("the header of a program is malformed");
    OperandCounts.assign(OpcodeBase, 0);
    for (unsigned Opcode = 1; Opcode < OpcodeBase; ++Opcode)
      OperandCounts[Opcode] = Data.getU8(C);
    readFiles(C);
    if (!C)
      return Error::success();
    if (HeaderLength > Data.size() - Header)
      return malformed("the header of a program ends behind it");
    if (C.tell() > Header + HeaderLength)
      return malformed("the header of a program is longer than it states");
    Data.skip(C, Header + HeaderLength - C.tell());
    return interpret(C);
  }

  void readFiles(DataExtractor::Cursor &C) {
    std::vector<StringRef> Directories;
    while (C) {
      const StringRef Directory = Data.getCStrRef(C);
      if (Directory.empty())
        break;
      Directories.push_back(Directory);
    }
    Files.clear();
    while (C) {
      const StringRef Name = Data.getCStrRef(C);
      if (Name.empty())
        break;
      const uint64_t Directory = Data.getULEB128(C);
      Data.getULEB128(C); // time
      Data.getULEB128(C); // bytes
      SmallString<128> Path;
      if (Directory != 0 && Directory <= Directories.size() && !sys::path::is_absolute(Name))
        Path = Directories[Directory - 1];
      sys::path::append(Path, Name);
      Files.push_back(Table.fileIndex(Path));
    }
  }

  Error interpret(DataExtractor::Cursor &C) {
    Rows.clear();
    State S;
    while (C && C.tell() < Data.size()) {
      const unsigned Opcode = Data.getU8(C);
      if (Opcode >= OpcodeBase) {
        const unsigned Adjusted = Opcode - OpcodeBase;
        S.At.Offset += uint64_t(Adjusted / LineRange) * MinimumLength;
        S.Line += LineBase + static_cast<int>(Adjusted % LineRange);
        if (Error E = addRow(S))
          return E;
        continue;
      }
      switch (Opcode) {
      case 0:
        if (Error E = extended(C, S))
          return E;
        break;
      case dwarf::DW_LNS_copy:
        if (Error E = addRow(S))
          return E;
        break;
      case dwarf::DW_LNS_advance_pc:
        S.At.Offset += Data.getULEB128(C) * MinimumLength;
        break;
      case dwarf::DW_LNS_advance_line:
        S.Line += Data.getSLEB128(C);
        break;
      case dwarf::DW_LNS_set_file:
        S.File = Data.getULEB128(C);
        break;
      case dwarf::DW_LNS_const_add_pc:
        S.At.Offset += uint64_t((255 - OpcodeBase) / LineRange) * MinimumLength;
        break;
      case dwarf::DW_LNS_fixed_advance_pc:
        S.At.Offset += Data.getU16(C);
        break;
      default:
        for (unsigned I = 0; I < OperandCounts[Opcode]; ++I)
          Data.getULEB128(C);
      }
    }
    if (C && !Rows.empty())
      return malformed("a sequence has no end");
    return Error::success();
  }

  Error extended(DataExtractor::Cursor &C, State &S) {
    const uint64_t Length = Data.getULEB128(C);
    const uint64_t Begin = C.tell();
    if (!C)
      return Error::success();
    if (Length == 0 || Length > Data.size() - Begin)
      return malformed("an extended opcode has " + Twine(Length) + " bytes");
    switch (Data.getU8(C)) {
    case dwarf::DW_LNE_end_sequence:
      endSequence(S);
      S = State();
      break;
    case dwarf::DW_LNE_set_address: {
      const uint64_t Operand = C.tell();
      const uint64_t Value = Data.getU64(C);
      const auto Found = Addresses.find(Operand);
      // Without a relocation, the function was removed by the linker.
      S.At = Found == Addresses.end() ? Address{0, Value} : Found->second;
      break;
    }
    case InlinedCall:
      S.Call = Data.getULEB128(C);
      break;
    default:
      break;
    }
    if (C && C.tell() > Begin + Length)
      return malformed("an extended opcode is longer than it states");
    if (C)
      Data.skip(C, Begin + Length - C.tell());
    return Error::success();
  }

  Error addRow(const State &S) {
    if (Rows.empty())
      SequenceSection = S.At.Section;
    else if (S.At.Section != SequenceSection)
      return malformed("a sequence has several sections");
    const bool HasFile = Of == Kind::Source;
    if (HasFile && (S.File == 0 || S.File > Files.size()))
      return malformed("file " + Twine(S.File) + " is not in the list of files");
    if (S.Call > Rows.size())
      return malformed("the call of an inlined function is a later row");
    if (!Rows.empty() && S.At.Offset < Rows.back().Offset)
      return malformed("the offsets of a sequence descend");
    const SourcePlace Place = {HasFile ? Files[S.File - 1] : 0, static_cast<uint32_t>(S.Line)};
    Rows.push_back({S.At.Offset, Place, S.Call});
    return Error::success();
  }

  void endSequence(const State &S) {
    if (!Rows.empty() && SequenceSection != 0)
      Table.Sequences[SequenceSection].push_back({S.At.Offset, std::move(Rows)});
    Rows.clear();
  }

  LineTable &Table;
  const Kind Of;
  const StringRef Section;
  DataExtractor Data;
  const Relocations &Addresses;

  unsigned MinimumLength = 1, LineRange = 1, OpcodeBase = 1;
  int LineBase = 0;
  std::vector<uint8_t> OperandCounts;
  std::vector<uint32_t> Files; ///< of the program, as indices of Table.Files
  std::vector<Row> Rows;       ///< of the sequence
  uint32_t SequenceSection = 0;
};

uint32_t LineTable::fileIndex(StringRef Path) {
  const auto [Entry, IsNew] = FileIndices.try_emplace(Path, Files.size());
  if (IsNew)
    Files.push_back(Path.str());
  return Entry->second;
}

Expected<LineTable> LineTable::read(const Elf &File, Kind Of) {
  const StringRef Wanted = Of == Kind::Source ? ".debug_line" : ".nv_debug_line_sass";
  LineTable Table;
  Expected<Elf::Elf_Shdr_Range> Sections = File.sections();
  if (!Sections)
    return Sections.takeError();
  uint32_t Lines = 0; // the index of the section
  for (const auto [Index, S] : enumerate(*Sections)) {
    Expected<StringRef> Name = File.getSectionName(S);
    if (!Name)
      return Name.takeError();
    if (*Name == Wanted)
      Lines = Index;
  }
  if (Lines == 0)
    return Table;
  Expected<ArrayRef<uint8_t>> Bytes = File.getSectionContents((*Sections)[Lines]);
  if (!Bytes)
    return Bytes.takeError();
  const StringRef Section = toStringRef(*Bytes);

  Program::Relocations Addresses;
  for (const Elf::Elf_Shdr &S : *Sections) {
    const bool HasAddend = S.sh_type == ELF::SHT_RELA;
    if ((!HasAddend && S.sh_type != ELF::SHT_REL) || S.sh_info != Lines)
      continue;
    Expected<const Elf::Elf_Shdr *> Symbols = File.getSection(S.sh_link);
    if (!Symbols)
      return Symbols.takeError();
    const auto Add = [&](uint64_t Offset, uint32_t Symbol, uint64_t Addend) -> Error {
      Expected<const Elf::Elf_Sym *> Target = File.getSymbol(*Symbols, Symbol);
      if (!Target)
        return Target.takeError();
      Addresses[Offset] = {(*Target)->st_shndx, (*Target)->st_value + Addend};
      return Error::success();
    };
    if (HasAddend) {
      Expected<Elf::Elf_Rela_Range> Relocations = File.relas(S);
      if (!Relocations)
        return Relocations.takeError();
      for (const Elf::Elf_Rela &R : *Relocations)
        if (Error E = Add(R.r_offset, R.getSymbol(false), R.r_addend))
          return E;
    } else {
      Expected<Elf::Elf_Rel_Range> Relocations = File.rels(S);
      if (!Relocations)
        return Relocations.takeError();
      for (const Elf::Elf_Rel &R : *Relocations) {
        uint64_t Offset = R.r_offset;
        const uint64_t Addend = DataExtractor(Section, true, 8).getU64(&Offset);
        if (Error E = Add(R.r_offset, R.getSymbol(false), Addend))
          return E;
      }
    }
  }
  if (Error E = Program(Table, Of, Section, Addresses).run())
    return E;
  return Table;
}

std::vector<SourcePlace> LineTable::places(uint32_t Section, uint64_t Offset) const {
  std::vector<SourcePlace> Places;
  const auto OfSection = Sequences.find(Section);
  if (OfSection == Sequences.end())
    return Places;
  for (const Sequence &S : OfSection->second) {
    if (Offset >= S.End || Offset < S.Rows.front().Offset)
      continue;
    // If several rows have the same offset, the last row applies.
    const auto Next =
        upper_bound(S.Rows, Offset, [](uint64_t O, const Row &R) { return O < R.Offset; });
    const Row *R = &*std::prev(Next);
    Places.push_back(R->Place);
    while (R->Call != 0) {
      R = &S.Rows[R->Call - 1];
      Places.push_back(R->Place);
    }
    break;
  }
  return Places;
}

} // namespace gmprof::sass
