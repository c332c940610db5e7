//===- MachineCodeTest.cpp - Functions, blocks and lines of cubins --------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sass/MachineCode.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ObjectYAML/yaml2obj.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/YAMLTraits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace llvm;
using testing::ElementsAre;

namespace gmprof::sass {
namespace {

using Words = std::vector<uint64_t>;

// Instructions of sm_90: the lower half, then the upper one.
const Words LoadGlobal = {0x0000000402007981, 0x0c1e1900};  // LDG.E R0, desc[UR4][R2.64]
const Words LoadShared4 = {0x0000000003107984, 0x00000c00}; // LDS.128 R16, [R3]
const Words Unknown = {0x00000000000071e0, 0};
const Words Nop = {0x0000000000007918, 0};
const Words Exit = {0x000000000000794d, 0x03800000};
const Words BranchOverOne = {0x0000000000040947, 0x03800000};  // @P0 BRA, by 0x10 bytes
const Words IndirectBranch = {0xfffffffc06bc7949, 0x0383ffff}; // BRX

std::string code(std::initializer_list<Words> Instructions) {
  std::string Bytes;
  for (const Words &Each : Instructions)
    for (uint64_t Word : Each)
      Bytes.append(reinterpret_cast<const char *>(&Word), sizeof(Word));
  return Bytes;
}

/// The contents of a cubin with one kernel.
struct Cubin {
  unsigned Flags = 0xa005a04; ///< sm_90
  unsigned AbiVersion = 8;
  std::string Code = {};
  std::string Lines = {};     ///< .debug_line, if not empty
  unsigned Address = 0;       ///< offset in Lines that the kernel's address belongs to
  std::string Symbols = {};   ///< more symbols, as YAML
  std::string Info = {};      ///< .nv.info.kernel, if not empty
  std::string InfoOfAll = {}; ///< .nv.info, if not empty

  std::string bytes() const {
    std::string Yaml = R"(--- !ELF
FileHeader:
  Class: ELFCLASS64
  Data: ELFDATA2LSB
  OSABI: 0x41
  ABIVersion: )" + std::to_string(AbiVersion) +
                       R"(
  Type: ET_EXEC
  Machine: EM_CUDA
Sections:
  - Name: .text.kernel
    Type: SHT_PROGBITS
    Flags: [ SHF_ALLOC, SHF_EXECINSTR ]
    Content: )" + toHex(Code) +
                       "\n";
    if (!Lines.empty())
      Yaml += R"(  - Name: .debug_line
    Type: SHT_PROGBITS
    Content: )" +
              toHex(Lines) +
              R"(
  - Name: .rela.debug_line
    Type: SHT_RELA
    Link: .symtab
    Info: .debug_line
    Relocations:
      - Offset: )" +
              std::to_string(Address) + R"(
        Symbol: kernel
        Type: 0x2
)";
    if (!Info.empty())
      Yaml += R"(  - Name: .nv.info.kernel
    Type: 0x70000000
    Info: 1
    Content: )" +
              toHex(Info) + "\n";
    if (!InfoOfAll.empty())
      Yaml += "  - Name: .nv.info\n    Type: 0x70000000\n    Content: " + toHex(InfoOfAll) + "\n";
    Yaml += R"(Symbols:
  - Name: kernel
    Type: STT_FUNC
    Section: .text.kernel
    Binding: STB_GLOBAL
    Size: )" +
            std::to_string(Code.size()) + "\n    Other: [ 0x10 ]\n" + Symbols;
    SmallString<0> Storage;
    raw_svector_ostream Stream(Storage);
    yaml::Input Input(Yaml);
    EXPECT_TRUE(yaml::convertYAML(Input, Stream,
                                  [](const Twine &Message) { ADD_FAILURE() << Message.str(); }));
    constexpr unsigned FlagsAt = 48;
    std::string Bytes = Storage.str().str();
    if (Bytes.size() > FlagsAt)
      support::endian::write32le(&Bytes[FlagsAt], Flags);
    return Bytes;
  }

  MachineCode read() const {
    Expected<MachineCode> Code = readMachineCode(bytes());
    if (Code)
      return std::move(*Code);
    ADD_FAILURE() << toString(Code.takeError());
    return {};
  }

  std::string error() const {
    Expected<MachineCode> Code = readMachineCode(bytes());
    return Code ? "none" : toString(Code.takeError());
  }
};

/// A line program of DWARF 2 with the files /source/a.cu and b.h of the directory /source.
struct LineProgram {
  std::string Program;

  LineProgram &append(std::initializer_list<unsigned> Bytes) {
    for (unsigned B : Bytes)
      Program += static_cast<char>(B);
    return *this;
  }
  /// Begins the sequence of the kernel.
  LineProgram &begin() { return append({0, 9, 2, 0, 0, 0, 0, 0, 0, 0, 0}); }
  LineProgram &file(unsigned Number) { return append({4, Number}); }
  LineProgram &line(int Change) { return append({3, static_cast<unsigned>(Change) & 0x7f}); }
  LineProgram &advance(unsigned Bytes) { return append({2, Bytes}); }
  LineProgram &row() { return append({1}); }
  LineProgram &inlined(unsigned Row) { return append({0, 3, 0x90, Row, 0}); }
  LineProgram &end() { return append({0, 1, 1}); }

  static std::string header(unsigned Version = 2) {
    std::string Header = {1, 1, -5, 14, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1};
    Header += std::string("/source\0\0a.cu\0\1\0\0b.h\0\1\0\0\0", 25);
    std::string Bytes(10, 0);
    support::endian::write16le(&Bytes[4], Version);
    support::endian::write32le(&Bytes[6], Header.size());
    return Bytes + Header;
  }
  std::string bytes(unsigned Version = 2) const {
    std::string Bytes = header(Version) + Program;
    support::endian::write32le(Bytes.data(), Bytes.size() - 4);
    return Bytes;
  }
  /// Offset of the address in the section, if begin() was called first.
  static unsigned address() { return header().size() + 3; }
};

std::string places(const MachineCode &Code, const MemoryInstruction &I) {
  std::string Text;
  for (const SourcePlace &P : I.Places)
    Text += (Text.empty() ? "" : " < ") + Code.Files[P.File] + ":" + std::to_string(P.Line);
  return Text;
}

TEST(MachineCode, ReadsInstructionsOfAKernel) {
  const MachineCode Code =
      Cubin{.Code = code({Nop, LoadGlobal, LoadShared4, Unknown, Exit})}.read();
  EXPECT_EQ(Code.Architecture, 90U);
  EXPECT_FALSE(Code.HasLines);
  ASSERT_EQ(Code.Functions.size(), 1U);
  const Function &F = Code.Functions[0];
  EXPECT_TRUE(F.isKernel());
  EXPECT_EQ(F.Name, "kernel");
  EXPECT_EQ(F.Bytes, 5 * 16U);
  ASSERT_EQ(F.Instructions.size(), 2U);
  EXPECT_EQ(F.Instructions[0].Offset, 16U);
  EXPECT_EQ(F.Instructions[0].Mnemonic, "LDG.E");
  EXPECT_EQ(F.Instructions[1].Offset, 32U);
  EXPECT_EQ(F.Instructions[1].Bytes, 16U);
  EXPECT_TRUE(F.Instructions[1].Places.empty());
  EXPECT_THAT(F.UnknownOpcodes, ElementsAre(std::pair(0x1e0, 1)));
}

TEST(MachineCode, SplitsBlocksAtBranchesAndTargets) {
  const Function F =
      Cubin{.Code = code({LoadGlobal, BranchOverOne, LoadGlobal, LoadGlobal, Exit, Nop})}
          .read()
          .Functions.at(0);
  EXPECT_THAT(F.Blocks, ElementsAre(0, 0x20, 0x30, 0x50));
  ASSERT_EQ(F.Instructions.size(), 3U);
  EXPECT_EQ(F.Instructions[0].Block, 0U);
  EXPECT_EQ(F.Instructions[1].Block, 1U);
  EXPECT_EQ(F.Instructions[2].Block, 2U);
}

TEST(MachineCode, ReadsTargetsOfIndirectBranches) {
  Cubin C{.Code = code({IndirectBranch, Nop, Nop, Nop, Exit})};
  // Nothing says where the branch leads: each instruction is a block.
  EXPECT_THAT(C.read().Functions.at(0).Blocks, ElementsAre(0, 0x10, 0x20, 0x30, 0x40));
  // Attribute 0x1c of 4 bytes, then 0x34: the branch at 0 has the target 0x30.
  C.Info = std::string("\4\x1c\4\0\x40\0\0\0\4\x34\x10\0\0\0\0\0\0\0\0\0\1\0\0\0\x30\0\0\0", 28);
  EXPECT_THAT(C.read().Functions.at(0).Blocks, ElementsAre(0, 0x10, 0x30));
}

TEST(MachineCode, ReadsTheFrameOfAThread) {
  // Attributes of the symbols 1 (kernel) and 2: the frame (0x11), and another one (0x12).
  const std::string Frames("\4\x11\x8\0\1\0\0\0\x8\1\0\0"
                           "\4\x12\x8\0\1\0\0\0\x20\0\0\0"
                           "\4\x11\x8\0\2\0\0\0\x10\0\0\0",
                           36);
  const std::string Symbols = R"(  - Name: $kernel$callee
    Type: STT_FUNC
    Section: .text.kernel
    Value: 0x10
)";
  const MachineCode Code =
      Cubin{.Code = code({Exit, Exit}), .Symbols = Symbols, .InfoOfAll = Frames}.read();
  ASSERT_EQ(Code.Functions.size(), 2u);
  EXPECT_EQ(Code.Functions[0].Name, "kernel");
  EXPECT_EQ(Code.Functions[0].FrameBytes, 264u);
  EXPECT_EQ(Code.Functions[1].Name, "callee");
  EXPECT_EQ(Code.Functions[1].FrameBytes, 16u);
  EXPECT_EQ((Cubin{.Code = code({Exit})}.read().Functions[0].FrameBytes), 0u);
}

TEST(MachineCode, SeparatesFunctionsInTheSectionOfAKernel) {
  const MachineCode Code = Cubin{.Code = code({LoadGlobal, Exit, LoadShared4, Exit}),
                                 .Symbols = R"(  - Name: $kernel$_Z6calleePf
    Type: STT_FUNC
    Section: .text.kernel
    Value: 0x20
    Size: 0x20
)"}
                               .read();
  ASSERT_EQ(Code.Functions.size(), 2U);
  EXPECT_EQ(Code.Functions[0].Bytes, 0x20U);
  const Function &Callee = Code.Functions[1];
  EXPECT_EQ(Callee.Name, "_Z6calleePf");
  EXPECT_EQ(Callee.Kernel, "kernel");
  EXPECT_FALSE(Callee.isKernel());
  EXPECT_EQ(Callee.Offset, 0x20U);
  ASSERT_EQ(Callee.Instructions.size(), 1U);
  EXPECT_EQ(Callee.Instructions[0].Offset, 0x20U);
  EXPECT_EQ(Callee.Instructions[0].Block, 0U);
}

TEST(MachineCode, ReadsLinesAndInlinedCalls) {
  LineProgram P;
  P.begin().line(9).row();                         // a.cu:10
  P.advance(16).line(10).row();                    // row 2: a.cu:20
  P.inlined(2).file(2).line(-13).row();            // row 3: b.h:7, at the same instruction
  P.inlined(3).line(-4).row();                     // row 4: b.h:3
  P.inlined(0).file(1).line(18).advance(16).row(); // a.cu:21
  P.advance(32).end();
  const MachineCode Code = Cubin{.Code = code({LoadGlobal, LoadGlobal, LoadGlobal, LoadGlobal}),
                                 .Lines = P.bytes(),
                                 .Address = LineProgram::address()}
                               .read();
  EXPECT_TRUE(Code.HasLines);
  const Function &F = Code.Functions.at(0);
  ASSERT_EQ(F.Instructions.size(), 4U);
  EXPECT_EQ(places(Code, F.Instructions[0]), "/source/a.cu:10");
  EXPECT_EQ(places(Code, F.Instructions[1]), "/source/b.h:3 < /source/b.h:7 < /source/a.cu:20");
  EXPECT_EQ(places(Code, F.Instructions[2]), "/source/a.cu:21");
  EXPECT_EQ(places(Code, F.Instructions[3]), "/source/a.cu:21");
}

TEST(MachineCode, ReportsMalformedLineTables) {
  const auto ErrorOf = [](const std::string &Lines) {
    return Cubin{.Code = code({Exit}), .Lines = Lines, .Address = LineProgram::address()}.error();
  };
  EXPECT_EQ(ErrorOf(LineProgram().begin().row().end().bytes()), "none");
  EXPECT_EQ(ErrorOf(LineProgram().begin().row().bytes()), "line table: a sequence has no end");
  EXPECT_EQ(ErrorOf(LineProgram().begin().file(3).row().end().bytes()),
            "line table: file 3 is not in the list of files");
  EXPECT_EQ(ErrorOf(LineProgram().begin().inlined(1).row().end().bytes()),
            "line table: the call of an inlined function is a later row");
  EXPECT_EQ(ErrorOf(LineProgram().begin().append({0, 99, 1}).bytes()),
            "line table: an extended opcode has 99 bytes");
  EXPECT_EQ(ErrorOf(LineProgram().begin().append({0, 1, 0x90, 1, 0}).bytes()),
            "line table: an extended opcode is longer than it states");
  EXPECT_EQ(ErrorOf(LineProgram().begin().row().end().bytes(5)),
            "line table: version 5 is not known");
  std::string Header = LineProgram().begin().row().end().bytes();
  Header[6] -= 2;
  EXPECT_EQ(ErrorOf(Header), "line table: the header of a program is longer than it states");
  std::string Long = LineProgram().begin().row().end().bytes();
  Long[0] += 1;
  EXPECT_EQ(ErrorOf(Long), "line table: the program at offset 0 ends behind the section");
}

TEST(MachineCode, NamesTheArchitecture) {
  const std::string Code = code({Exit});
  EXPECT_EQ((Cubin{.Flags = 0x00500550, .AbiVersion = 7, .Code = Code}.read().Architecture), 80U);
  EXPECT_EQ((Cubin{.Flags = 0x0a004b04, .AbiVersion = 8, .Code = Code}.read().Architecture), 75U);
  EXPECT_EQ((Cubin{.Flags = 0x00340534, .AbiVersion = 7, .Code = Code}.error()),
            "the machine code of sm_52 is not known, only that of sm_70 to sm_90");
  EXPECT_EQ((Cubin{.Flags = 0x06006402, .AbiVersion = 8, .Code = Code}.error()),
            "the machine code of sm_100 is not known, only that of sm_70 to sm_90");
}

TEST(MachineCode, ReportsWhatIsMalformed) {
  EXPECT_EQ(Cubin{.Code = code({Exit}) + "1"}.error(),
            ".text.kernel has 17 bytes, which are no sequence of instructions");
  EXPECT_EQ((Cubin{.Code = code({Exit}), .Symbols = R"(  - Name: far
    Type: STT_FUNC
    Section: .text.kernel
    Value: 0x10
)"}
                 .error()),
            "the function far begins outside of .text.kernel");
  Cubin Truncated{.Code = code({IndirectBranch, Exit})};
  Truncated.Info = std::string("\4\x34\x10\0\0\0\0\0", 8);
  EXPECT_THAT(Truncated.error(), testing::StartsWith(".nv.info.kernel is malformed"));

  const std::string Bytes = Cubin{.Code = code({Exit})}.bytes();
  std::string Other = Bytes;
  Other[18] = 62; // EM_X86_64
  Expected<MachineCode> OtherMachine = readMachineCode(Other);
  ASSERT_FALSE(OtherMachine);
  EXPECT_EQ(toString(OtherMachine.takeError()), "not machine code of an NVIDIA GPU");
  for (size_t Size = 0; Size < Bytes.size(); ++Size) {
    Expected<MachineCode> Part = readMachineCode(StringRef(Bytes).take_front(Size));
    EXPECT_FALSE(Part) << Size;
    consumeError(Part.takeError());
  }
}

} // namespace
} // namespace gmprof::sass
