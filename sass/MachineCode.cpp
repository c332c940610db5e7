//===- MachineCode.cpp - Memory instructions of cubins --------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MachineCode.h"

#include "InstructionDecoder.h"
#include "LineTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/DataExtractor.h"
#include "llvm/Support/Endian.h"

using namespace llvm;

namespace gmprof::sass {

namespace {

constexpr unsigned OldestArchitecture = 70, NewestArchitecture = 90;
constexpr uint8_t KernelFlag = 0x10; // STO_CUDA_ENTRY of a symbol's st_other

/// Returns the instruction at an offset, a multiple of its size.
Instruction instructionAt(ArrayRef<uint8_t> Code, uint64_t Offset) {
  return {support::endian::read64le(&Code[Offset]), support::endian::read64le(&Code[Offset + 8])};
}

/// Returns the name in the source of a function that is in the section of a kernel:
/// $KERNEL$NAME, or $__internal_N_$NAME for functions of CUDA.
StringRef sourceName(StringRef Symbol) {
  if (!Symbol.consume_front("$"))
    return Symbol;
  return Symbol.split('$').second;
}

class Reader {
public:
  explicit Reader(const Elf &File) : File(File) {}

  Expected<MachineCode> read() {
    if (Error E = readArchitecture())
      return E;
    Expected<Elf::Elf_Shdr_Range> Found = File.sections();
    if (!Found)
      return Found.takeError();
    Sections = *Found;
    if (Error E = readSymbols())
      return E;
    if (Error E = readAttributes())
      return E;
    Expected<LineTable> Source = LineTable::read(File, LineTable::Kind::Source);
    if (!Source)
      return Source.takeError();
    SourceLines = std::move(*Source);
    Expected<LineTable> Ptx = LineTable::read(File, LineTable::Kind::Ptx);
    if (!Ptx)
      return Ptx.takeError();
    PtxLines = std::move(*Ptx);
    Result.HasLines = !SourceLines.empty();
    for (const auto [Index, S] : enumerate(Sections))
      if (S.sh_type == ELF::SHT_PROGBITS && S.sh_flags & ELF::SHF_EXECINSTR)
        if (Error E = readSection(Index, S))
          return E;
    Result.Files = SourceLines.takeFiles();
    return std::move(Result);
  }

private:
  struct Symbol {
    StringRef Name;
    uint64_t Offset;
    bool IsKernel;
    uint32_t Number; ///< in the table of symbols
  };

  Error readArchitecture() {
    const Elf::Elf_Ehdr &Header = File.getHeader();
    if (Header.e_machine != ELF::EM_CUDA)
      return createStringError("not machine code of an NVIDIA GPU");
    const unsigned Flags = Header.e_flags;
    Result.Architecture = Header.e_ident[ELF::EI_ABIVERSION] >= ELF::ELFABIVERSION_CUDA_V2
                              ? (Flags & ELF::EF_CUDA_SM_MASK) >> ELF::EF_CUDA_SM_OFFSET
                              : Flags & ELF::EF_CUDA_SM;
    if (Result.Architecture < OldestArchitecture || Result.Architecture > NewestArchitecture)
      return createStringError("the machine code of sm_" + Twine(Result.Architecture) +
                               " is not known, only that of sm_" + Twine(OldestArchitecture) +
                               " to sm_" + Twine(NewestArchitecture));
    return Error::success();
  }

  Error readSymbols() {
    for (const Elf::Elf_Shdr &S : Sections) {
      if (S.sh_type != ELF::SHT_SYMTAB)
        continue;
      Expected<Elf::Elf_Sym_Range> Range = File.symbols(&S);
      if (!Range)
        return Range.takeError();
      Expected<StringRef> Names = File.getStringTableForSymtab(S);
      if (!Names)
        return Names.takeError();
      for (const auto &[Number, Each] : enumerate(*Range)) {
        if (Each.getType() != ELF::STT_FUNC)
          continue;
        Expected<StringRef> Name = Each.getName(*Names);
        if (!Name)
          return Name.takeError();
        Symbols[Each.st_shndx].push_back({*Name, Each.st_value, (Each.st_other & KernelFlag) != 0,
                                          static_cast<uint32_t>(Number)});
      }
    }
    return Error::success();
  }

  /// Reads the targets of indirect branches from .nv.info.FUNCTION, and the frames of all functions
  /// from .nv.info: attributes of a byte of format, a byte of kind, and two bytes of value, or of
  /// size in front of a value. The value of a frame is the number of a symbol, and bytes.
  Error readAttributes() {
    constexpr uint8_t Sized = 4, FrameSize = 0x11, IndirectBranchTargets = 0x34;
    for (const Elf::Elf_Shdr &S : Sections) {
      Expected<StringRef> Name = File.getSectionName(S);
      if (!Name)
        return Name.takeError();
      const bool OfAll = *Name == ".nv.info";
      if (!OfAll && !Name->starts_with(".nv.info."))
        continue;
      Expected<ArrayRef<uint8_t>> Bytes = File.getSectionContents(S);
      if (!Bytes)
        return Bytes.takeError();
      const DataExtractor Data(toStringRef(*Bytes), true, 8);
      DataExtractor::Cursor C(0);
      while (C && !Data.eof(C)) {
        const uint8_t Format = Data.getU8(C), Kind = Data.getU8(C);
        const uint64_t Value = Data.getU16(C);
        if (Format != Sized)
          continue;
        const uint64_t End = C.tell() + Value;
        if (OfAll && Kind == FrameSize && Value >= 8) {
          const uint32_t Symbol = Data.getU32(C);
          Frames[Symbol] = Data.getU32(C);
        } else if (!OfAll && Kind == IndirectBranchTargets)
          readTargets(Data, C, End, IndirectTargets[S.sh_info]);
        if (C && C.tell() <= End)
          Data.skip(C, End - C.tell());
      }
      if (Error E = C.takeError())
        return joinErrors(createStringError(*Name + " is malformed"), std::move(E));
    }
    return Error::success();
  }

  using BranchTargets = std::map<uint64_t, std::vector<uint64_t>>;

  /// Reads branches: their offset, 4 bytes that are 0, a count, and as many offsets.
  static void readTargets(const DataExtractor &Data, DataExtractor::Cursor &C, uint64_t End,
                          BranchTargets &Targets) {
    while (C && C.tell() < End) {
      const uint32_t Branch = Data.getU32(C);
      Data.getU32(C);
      const uint32_t Count = Data.getU32(C);
      for (uint32_t I = 0; I < Count && C && C.tell() < End; ++I)
        Targets[Branch].push_back(Data.getU32(C));
    }
  }

  Error readSection(uint32_t Index, const Elf::Elf_Shdr &S) {
    Expected<StringRef> Name = File.getSectionName(S);
    if (!Name)
      return Name.takeError();
    Expected<ArrayRef<uint8_t>> Code = File.getSectionContents(S);
    if (!Code)
      return Code.takeError();
    if (Code->empty())
      return Error::success();
    if (Code->size() % Instruction::Bytes != 0 || Code->size() > UINT32_MAX)
      return createStringError(*Name + " has " + Twine(Code->size()) +
                               " bytes, which are no sequence of instructions");

    std::vector<Symbol> &Starts = Symbols[Index];
    for (const Symbol &Each : Starts)
      if (Each.Offset >= Code->size() || Each.Offset % Instruction::Bytes != 0)
        return createStringError("the function " + Each.Name + " begins outside of " + *Name);
    // If several symbols have the same offset, the function is named after the kernel's symbol.
    sort(Starts, [](const Symbol &A, const Symbol &B) {
      return std::tuple(A.Offset, !A.IsKernel, A.Name) < std::tuple(B.Offset, !B.IsKernel, B.Name);
    });
    Starts.erase(
        llvm::unique(Starts, [](const Symbol &A, const Symbol &B) { return A.Offset == B.Offset; }),
        Starts.end());
    if (Starts.empty() || Starts.front().Offset != 0)
      Starts.insert(Starts.begin(), {Name->substr(StringRef(".text.").size()), 0, false, 0});

    const StringRef Kernel = Starts.front().IsKernel ? Starts.front().Name : "";
    const std::vector<bool> Leaders = blockLeaders(*Code, Index, Starts);
    for (const auto [I, Start] : enumerate(Starts)) {
      Function F;
      F.Name = sourceName(Start.Name);
      F.Kernel = Kernel;
      F.Offset = Start.Offset;
      F.Bytes = (I + 1 == Starts.size() ? Code->size() : Starts[I + 1].Offset) - Start.Offset;
      if (const auto Frame = Frames.find(Start.Number); Frame != Frames.end())
        F.FrameBytes = Frame->second;
      readFunction(F, *Code, Index, Leaders);
      Result.Functions.push_back(std::move(F));
    }
    return Error::success();
  }

  /// Returns which instructions of a section begin a basic block.
  std::vector<bool> blockLeaders(ArrayRef<uint8_t> Code, uint32_t Index,
                                 ArrayRef<Symbol> Starts) const {
    const uint64_t Count = Code.size() / Instruction::Bytes;
    std::vector<bool> Leaders(Count);
    const auto Lead = [&](uint64_t Offset) {
      if (Offset < Code.size())
        Leaders[Offset / Instruction::Bytes] = true;
    };
    for (const Symbol &S : Starts)
      Lead(S.Offset);
    for (uint64_t Offset = 0; Offset < Code.size(); Offset += Instruction::Bytes) {
      const ControlFlow Flow = controlFlow(instructionAt(Code, Offset), Result.Architecture);
      if (Flow.EndsBlock)
        Lead(Offset + Instruction::Bytes);
      if (Flow.Target != 0)
        Lead(Offset + Flow.Target);
      if (!Flow.IsIndirect)
        continue;
      const std::vector<uint64_t> *Targets = indirectTargets(Index, Offset);
      if (!Targets) // It may lead anywhere.
        return std::vector<bool>(Count, true);
      for_each(*Targets, Lead);
    }
    return Leaders;
  }

  /// Returns the targets of an indirect branch; null if the cubin does not list them.
  const std::vector<uint64_t> *indirectTargets(uint32_t Section, uint64_t Branch) const {
    const auto OfSection = IndirectTargets.find(Section);
    if (OfSection == IndirectTargets.end())
      return nullptr;
    const auto Found = OfSection->second.find(Branch);
    return Found == OfSection->second.end() ? nullptr : &Found->second;
  }

  void readFunction(Function &F, ArrayRef<uint8_t> Code, uint32_t Section,
                    const std::vector<bool> &Leaders) const {
    for (uint32_t Offset = F.Offset; Offset < F.Offset + F.Bytes; Offset += Instruction::Bytes) {
      if (Leaders[Offset / Instruction::Bytes])
        F.Blocks.push_back(Offset);
      const Instruction I = instructionAt(Code, Offset);
      std::optional<MemoryInstruction> M = decodeMemoryInstruction(I, Result.Architecture);
      if (!M) {
        if (!accessesNoMemory(I))
          ++F.UnknownOpcodes[I.opcode()];
        continue;
      }
      M->Offset = Offset;
      M->Block = F.Blocks.size() - 1;
      M->Places = SourceLines.places(Section, Offset);
      if (const std::vector<SourcePlace> Ptx = PtxLines.places(Section, Offset); !Ptx.empty())
        M->PtxLine = Ptx.front().Line;
      F.Instructions.push_back(std::move(*M));
    }
  }

  const Elf &File;
  Elf::Elf_Shdr_Range Sections;
  std::map<uint32_t, std::vector<Symbol>> Symbols;   ///< functions, by section
  std::map<uint32_t, BranchTargets> IndirectTargets; ///< by section
  std::map<uint32_t, uint32_t> Frames;               ///< bytes, by symbol
  LineTable SourceLines, PtxLines;
  MachineCode Result;
};

} // namespace

Expected<MachineCode> readMachineCode(StringRef Cubin) {
  Expected<Elf> File = Elf::create(Cubin);
  if (!File)
    return File.takeError();
  return Reader(*File).read();
}

} // namespace gmprof::sass
