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

using Visitor = function_ref<llvm::Error(StringRef Cubin)>;

/// Visits the cubins of fat binaries.
llvm::Error visitFatBinaries(StringRef FatBinaries, Visitor Visit) {
  const Result<std::vector<FatBinaryEntry>> Entries = fatBinaryEntries(FatBinaries);
  if (!Entries)
    return createStringError(Entries.error());
  for (const FatBinaryEntry &E : *Entries) {
    if (E.Is != FatBinaryEntry::Kind::Elf)
      continue;
    const Result<std::string> Content = contentOf(E);
    if (!Content)
      return createStringError(Content.error());
    if (llvm::Error Failed = Visit(*Content))
      return Failed;
  }
  return llvm::Error::success();
}

/// Visits the cubins of the sections of a name. Returns whether there is a section.
Expected<bool> visitSections(const Elf &Object, StringRef Section, Visitor Visit) {
  Expected<Elf::Elf_Shdr_Range> Sections = Object.sections();
  if (!Sections)
    return Sections.takeError();
  bool Found = false;
  for (const Elf::Elf_Shdr &S : *Sections) {
    Expected<StringRef> Name = Object.getSectionName(S);
    if (!Name)
      return Name.takeError();
    if (*Name != Section)
      continue;
    Found = true;
    Expected<ArrayRef<uint8_t>> Bytes = Object.getSectionContents(S);
    if (!Bytes)
      return Bytes.takeError();
    if (llvm::Error E = visitFatBinaries(toStringRef(*Bytes), Visit))
      return E;
  }
  return Found;
}

llvm::Error visitCubins(StringRef File, Visitor Visit) {
  if (File.size() < sizeof(uint32_t))
    return llvm::Error::success();
  const ImageKind Kind = imageKind(File.data());
  if (Kind == ImageKind::FatBinary)
    return visitFatBinaries(File, Visit);
  if (Kind != ImageKind::Elf)
    return llvm::Error::success();
  Expected<Elf> Object = Elf::create(File);
  if (!Object)
    return Object.takeError();
  if (Object->getHeader().e_machine == ELF::EM_CUDA)
    return Visit(File);
  // The second one holds relocatable device code. A linked program has both.
  for (StringRef Section : {".nv_fatbin", "__nv_relfatbin"})
    if (Expected<bool> Found = visitSections(*Object, Section, Visit); !Found)
      return Found.takeError();
    else if (*Found)
      break;
  return llvm::Error::success();
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
  Stream << formatv(", sm_{0}: {1} bytes, basic blocks: {2}, memory instructions: {3}",
                    Code.Architecture, F.Bytes, F.Blocks.size(), F.Instructions.size());
  if (F.FrameBytes != 0)
    Stream << formatv(", local memory of a thread: {0} bytes", F.FrameBytes);
  Stream << "\n";

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
  unsigned Cubins = 0, Functions = 0;
  std::map<std::string, unsigned> Failures; // by message, of cubins that cannot be read
  const auto Print = [&](StringRef Cubin) -> llvm::Error {
    Expected<MachineCode> Code = readMachineCode(Cubin);
    if (!Code) {
      ++Failures[toString(Code.takeError())];
      return llvm::Error::success();
    }
    ++Cubins;
    for (const Function &F : Code->Functions)
      if (Kernel.empty() || F.Kernel == Kernel) {
        print(Stream, *Code, F);
        ++Functions;
      }
    return llvm::Error::success();
  };
  if (llvm::Error E = visitCubins(File, Print))
    return E;
  if (Cubins == 0)
    return createStringError(Failures.empty() ? "it contains no machine code of a GPU"
                                              : Failures.begin()->first);
  for (const auto &[Message, Count] : Failures)
    Stream << "\nCubins that were not read: " << Count << ": " << Message << "\n";
  if (Functions == 0 && !Kernel.empty())
    return createStringError("it has no kernel " + Kernel);
  return llvm::Error::success();
}

} // namespace gmprof::instrument
