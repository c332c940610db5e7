//===- MachineCodeListing.cpp - Prints memory instructions ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MachineCodeListing.h"

#include "host/instrument/FatBinary.h"
#include "sass/MachineCode.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace gmprof::instrument {

namespace {

using namespace sass;
using Elf = object::ELFFile<object::ELF64LE>;

/// Appends the cubins of fat binaries.
llvm::Error appendCubins(StringRef FatBinaries, std::vector<std::string> &Cubins) {
  const Result<std::vector<FatBinaryEntry>> Entries = fatBinaryEntries(FatBinaries);
  if (!Entries)
    return createStringError(Entries.error());
  for (const FatBinaryEntry &E : *Entries) {
    if (E.Is != FatBinaryEntry::Kind::Elf)
      continue;
    Result<std::string> Content = contentOf(E);
    if (!Content)
      return createStringError(Content.error());
    Cubins.push_back(std::move(*Content));
  }
  return llvm::Error::success();
}

/// Appends the cubins of the sections of a name.
llvm::Error appendCubins(const Elf &Object, StringRef Section, std::vector<std::string> &Cubins) {
  Expected<Elf::Elf_Shdr_Range> Sections = Object.sections();
  if (!Sections)
    return Sections.takeError();
  for (const Elf::Elf_Shdr &S : *Sections) {
    Expected<StringRef> Name = Object.getSectionName(S);
    if (!Name)
      return Name.takeError();
    if (*Name != Section)
      continue;
    Expected<ArrayRef<uint8_t>> Bytes = Object.getSectionContents(S);
    if (!Bytes)
      return Bytes.takeError();
    if (llvm::Error E = appendCubins(toStringRef(*Bytes), Cubins))
      return E;
  }
  return llvm::Error::success();
}

Expected<std::vector<std::string>> cubinsOf(StringRef File) {
  std::vector<std::string> Cubins;
  if (File.size() < sizeof(uint32_t))
    return createStringError("it contains no machine code of a GPU");
  switch (imageKind(File.data())) {
  case ImageKind::FatBinary:
    if (llvm::Error E = appendCubins(File, Cubins))
      return E;
    break;
  case ImageKind::Elf: {
    Expected<Elf> Object = Elf::create(File);
    if (!Object)
      return Object.takeError();
    if (Object->getHeader().e_machine == ELF::EM_CUDA) {
      Cubins.push_back(File.str());
      break;
    }
    if (llvm::Error E = appendCubins(*Object, ".nv_fatbin", Cubins))
      return E;
    // Relocatable device code that is not linked.
    if (Cubins.empty())
      if (llvm::Error E = appendCubins(*Object, "__nv_relfatbin", Cubins))
        return E;
    break;
  }
  case ImageKind::Wrapper:
  case ImageKind::Text:
    break;
  }
  if (Cubins.empty())
    return createStringError("it contains no machine code of a GPU");
  return Cubins;
}

std::string text(const MemoryAddress &A) {
  SmallVector<std::string, 3> Parts;
  if (A.Register)
    Parts.push_back("R" + std::to_string(*A.Register) +
                    (A.Scale == 1 ? "" : ".X" + std::to_string(A.Scale)));
  if (A.Uniform)
    Parts.push_back("UR" + std::to_string(*A.Uniform));
  if (A.Offset != 0 || Parts.empty())
    Parts.push_back(formatv("{0}{1:x}", A.Offset < 0 ? "-" : "", std::abs(int64_t(A.Offset))));
  return "[" + join(Parts, "+") + "]";
}

/// Returns the address as nvdisasm prints it, apart from descriptors.
std::string operands(const MemoryInstruction &I) {
  switch (I.Operation) {
  case MemoryOperation::AsyncCopy:
    return text(I.Destination) + ", " + text(I.Address);
  case MemoryOperation::MatrixMultiply:
  case MemoryOperation::BulkCopy:
  case MemoryOperation::BulkReduction:
  case MemoryOperation::BulkPrefetch:
    return "";
  default:
    return I.Space == MemorySpace::Texture || I.Space == MemorySpace::Surface ? ""
                                                                              : text(I.Address);
  }
}

std::string text(const MachineCode &Code, ArrayRef<SourcePlace> Places) {
  std::string Text;
  for (const SourcePlace &P : Places) {
    if (!Text.empty())
      Text += ", inlined at ";
    Text += (Code.Files[P.File] + ":" + Twine(P.Line)).str();
  }
  return Text;
}

void print(raw_ostream &Stream, const MachineCode &Code, const Function &F) {
  Stream << "\n" << (F.isKernel() ? "Kernel " : "Function ") << F.Name;
  if (!F.isKernel() && !F.Kernel.empty())
    Stream << " of kernel " << F.Kernel;
  Stream << formatv(", sm_{0}: {1} bytes, basic blocks: {2}, memory instructions: {3}\n",
                    Code.Architecture, F.Bytes, F.Blocks.size(), F.Instructions.size());

  constexpr StringLiteral Guards[] = {"", "@P ", "@!PT "};
  std::vector<std::string> Texts;
  size_t Width = 0;
  for (const MemoryInstruction &I : F.Instructions) {
    std::string &Text = Texts.emplace_back(Guards[unsigned(I.Executes)].str() + I.Mnemonic);
    if (const std::string Address = operands(I); !Address.empty())
      Text += " " + Address;
    Width = std::max(Width, Text.size());
  }
  if (!Texts.empty())
    Stream << "  offset  block  PTX line  bytes  instruction\n";
  for (const auto &[I, Text] : zip(F.Instructions, Texts)) {
    const auto OrDash = [](uint32_t N) { return N == 0 ? "-" : std::to_string(N); };
    Stream << formatv("  {0,6}  {1,5}  {2,8}  {3,5}  ", utohexstr(I.Offset, /*LowerCase=*/true),
                      I.Block, OrDash(I.PtxLine), OrDash(I.Bytes));
    if (I.Places.empty())
      Stream << Text << "\n";
    else
      Stream << left_justify(Text, Width) << "  " << text(Code, I.Places) << "\n";
  }
  for (const auto &[Opcode, Count] : F.UnknownOpcodes)
    Stream << formatv("  unknown opcode {0:x}: {1} times\n", Opcode, Count);
}

} // namespace

llvm::Error printMachineCode(raw_ostream &Stream, StringRef File, StringRef Kernel) {
  Expected<std::vector<std::string>> Cubins = cubinsOf(File);
  if (!Cubins)
    return Cubins.takeError();
  bool Printed = false;
  for (const std::string &Cubin : *Cubins) {
    Expected<MachineCode> Code = readMachineCode(Cubin);
    if (!Code)
      return Code.takeError();
    for (const Function &F : Code->Functions) {
      if (!Kernel.empty() && F.Kernel != Kernel)
        continue;
      print(Stream, *Code, F);
      Printed = true;
    }
  }
  if (!Printed && !Kernel.empty())
    return createStringError("it has no kernel " + Kernel);
  return llvm::Error::success();
}

} // namespace gmprof::instrument
