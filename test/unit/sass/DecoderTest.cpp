//===- DecoderTest.cpp - Encodings of machine code ------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sass/InstructionDecoder.h"

#include "llvm/ADT/StringExtras.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace llvm;

namespace gmprof::sass {
namespace {

using Space = MemorySpace;
using Operation = MemoryOperation;

/// An instruction, the text that nvdisasm prints for it, and its fields.
struct Disassembled {
  unsigned Architecture;
  uint64_t High, Low;
  StringRef Text;
  unsigned Bytes;
  Space InSpace;
  Operation Does;
};

const Disassembled Instructions[] = {
    {75, 0x000000000c1eed00, 0x00000004ff047981, "LDG.E.128.SYS R4, [UR4]", 16, Space::Global,
     Operation::Load},
    {75, 0x00016200001e6500, 0x0000000002077381, "LDG.E.U16.CONSTANT.SYS R7, [R2]", 2,
     Space::Global, Operation::Load},
    {75, 0x001f2800081e6900, 0x000000060e007981, "LDG.E.CONSTANT.SYS R0, [R14.U32+UR6]", 4,
     Space::Global, Operation::Load},
    {75, 0x000000000c1e6f00, 0x00000004ff047981, "LDG.E.U.128.CONSTANT.SYS R4, [UR4]", 16,
     Space::Global, Operation::Load},
    {75, 0x00000000001e4d24, 0x0000000090807381, "LDG.E.LTC128B.128.CONSTANT.GPU R128, [R144], P3",
     16, Space::Global, Operation::Load},
    {75, 0x00000000085eed00, 0x00000012fc007981, "LDG.E.NA.128.SYS R0, [R252.U32+UR18]", 16,
     Space::Global, Operation::Load},
    {86, 0x00000000002ee920, 0x00000000bcbe2381, "@P2 LDG.E.EL.LTC128B.STRONG.GPU R190, [R188]", 4,
     Space::Global, Operation::Load},
    {86, 0x000000200c1e9300, 0x0000000416167981, "LDG.E.S8.CONSTANT R22, desc[UR4][R22.64]", 1,
     Space::Global, Operation::Load},
    {86, 0x000000200c1e1700, 0x0000000416237981, "LDG.E.S16 R35, desc[UR4][R22.64]", 2,
     Space::Global, Operation::Load},
    {86, 0x000f22000c1e9b00, 0x0000000404047981, "LDG.E.64.CONSTANT R4, [R4.64]", 8, Space::Global,
     Operation::Load},
    {86, 0x000000000c1e0b00, 0x0000000406500981, "@P0 LDG.E.64 R80, [R6.64+UR4]", 8, Space::Global,
     Operation::Load},
    {90, 0x000ea2000c1e9d00, 0x0000000c12047981, "LDG.E.128.CONSTANT R4, desc[UR12][R18.64]", 16,
     Space::Global, Operation::Load},
    {90, 0x000ea2000c2e1d00, 0x0000000408087981, "LDG.E.EL.128 R8, desc[UR4][R8.64]", 16,
     Space::Global, Operation::Load},
    {86, 0x000000200c1f5900, 0x00000004181a7981, "LDG.E.STRONG.SYS R26, desc[UR4][R24.64]", 4,
     Space::Global, Operation::Load},
    {75, 0x000000000c114100, 0x0000200414237980, "LD.E.U8.STRONG.GPU R35, [R20.64+UR4+0x20]", 1,
     Space::Generic, Operation::Load},
    {75, 0x000000000c116900, 0x0000040cff037980, "LD.E.STRONG.SYS R3, [UR12+0x4]", 4,
     Space::Generic, Operation::Load},
    {86, 0x000000000010a800, 0x0000000402077980, "LD.STRONG.SM R7, [R2+0x4]", 4, Space::Generic,
     Operation::Load},
    {86, 0x000000200c10fb00, 0x0001000818167980, "LD.E.64.STRONG.GPU R22, desc[UR8][R24.64+0x100]",
     8, Space::Generic, Operation::Load},
    {75, 0x000000000010e915, 0xfffffa0010007385, "ST.E.SYS [R16+-0x600], R21", 4, Space::Generic,
     Operation::Store},
    {86, 0x000000200c10fd08, 0x0002000c10007985, "ST.E.128.STRONG.GPU desc[UR8][R16.64+0x200], R12",
     16, Space::Generic, Operation::Store},
    {75, 0x000000000810ea04, 0x0000000cff009985, "@!P1 ST.64.SYS [UR4], R12", 8, Space::Generic,
     Operation::Store},
    {75, 0x0001e2000c10e906, 0x0000000f0c007986, "STG.E.SYS [R12.64+UR6], R15", 4, Space::Global,
     Operation::Store},
    {86, 0x000000200c001b04, 0x000000ac90003986, "@P3 STG.E.EF.64 desc[UR4][R144.64], R172", 8,
     Space::Global, Operation::Store},
    {86, 0x1400000008500b1c, 0x00000002e1001986, "@P1 STG.E.NA.64 [R225.U32+UR28], R2", 8,
     Space::Global, Operation::Store},
    {90, 0x0001e8000c101104, 0x0000000a06007986, "STG.E.U8 desc[UR4][R6.64], R10", 1, Space::Global,
     Operation::Store},
    {75, 0x0000000000114300, 0x0000181b0e007386, "STG.E.S8.STRONG.GPU [R14+0x18], R27", 1,
     Space::Global, Operation::Store},
    {75, 0x0010620000005800, 0x0000000007097984, "LDS.U R9, [R7.X4]", 4, Space::Shared,
     Operation::Load},
    {75, 0x000fe20000001c00, 0xffffe00025147984, "LDS.U.128 R20, [R37+-0x20]", 16, Space::Shared,
     Operation::Load},
    {90, 0x00afe80000000c00, 0xffffe00003107984, "LDS.128 R16, [R3+-0x20]", 16, Space::Shared,
     Operation::Load},
    {90, 0x000e620008000a00, 0x00000004ff027984, "LDS.64 R2, [UR4]", 8, Space::Shared,
     Operation::Load},
    {86, 0x0000000000000200, 0x000000000d7d7984, "LDS.S8 R125, [R13]", 1, Space::Shared,
     Operation::Load},
    {86, 0x0000000000000400, 0x0000420015071984, "@P1 LDS.U16 R7, [R21+0x42]", 2, Space::Shared,
     Operation::Load},
    {75, 0x0000000008000800, 0x00000008c7d87984, "LDS R216, [R199+UR8]", 4, Space::Shared,
     Operation::Load},
    {90, 0x0041e20008000a04, 0x00000008ff008988, "@!P0 STS.64 [UR4], R8", 8, Space::Shared,
     Operation::Store},
    {86, 0x000000000000cc00, 0x0002001c05007388, "STS.128 [R5.X16+0x200], R28", 16, Space::Shared,
     Operation::Store},
    {75, 0x0000000000000000, 0x000100141d007388, "STS.U8 [R29+0x100], R20", 1, Space::Shared,
     Operation::Store},
    {90, 0x000ea20000300800, 0x0000680001f27983, "LDL.LU R242, [R1+0x68]", 4, Space::Local,
     Operation::Load},
    {75, 0x0000000000100600, 0x00001c0001767983, "LDL.S16 R118, [R1+0x1c]", 2, Space::Local,
     Operation::Load},
    {75, 0x000fe60000100800, 0x000004ff0100d387, "@!P5 STL [R1+0x4], RZ", 4, Space::Local,
     Operation::Store},
    {86, 0x0000000008100009, 0x00000011ff007987, "STL.U8 [UR9], R17", 1, Space::Local,
     Operation::Store},
    {86, 0x0000000000000000, 0x000000000505783b, "LDSM.16.M88 R5, [R5]", 4, Space::Shared,
     Operation::MatrixLoad},
    {86, 0x0000000008004000, 0x00000006ff23783b, "LDSM.16.MT88 R35, [UR6]", 4, Space::Shared,
     Operation::MatrixLoad},
    {86, 0x0000000000000100, 0x00000000f322783b, "LDSM.16.M88.2 R34, [R243]", 8, Space::Shared,
     Operation::MatrixLoad},
    {90, 0x000e620008000200, 0x000000070010783b, "LDSM.16.M88.4 R16, [R0+UR7]", 16, Space::Shared,
     Operation::MatrixLoad},
    {90, 0x004fe20000000200, 0x0000005802007844, "STSM.16.M88.4 [R2], R88", 16, Space::Shared,
     Operation::MatrixStore},
    {86, 0x000000200810e9c8, 0x0000000502ff798a,
     "ATOM.E.ADD.F16x2.RN.STRONG.GPU P0, RZ, desc[UR8][R2.64], R5", 4, Space::Generic,
     Operation::Atomic},
    {75, 0x0000000009114b48, 0x000000ffff04798a, "ATOM.E.MAX.S64.STRONG.GPU P0, R4, [UR8], RZ", 8,
     Space::Generic, Operation::Atomic},
    {86, 0x000000000012e416, 0x000000140210738b, "ATOM.CAS.64.STRONG.GPU P1, R16, [R2], R20, R22",
     8, Space::Generic, Operation::Atomic},
    {86, 0x00000020081f43d4, 0x0000000c0a1f798a,
     "ATOM.E.ADD.S32.STRONG.SYS PT, R31, desc[UR20][R10.64], R12", 4, Space::Generic,
     Operation::Atomic},
    {75, 0x00000000001f450a, 0x00000008100a73a9,
     "ATOMG.E.CAS.64.STRONG.GPU PT, R10, [R16], R8, R10", 8, Space::Global, Operation::Atomic},
    {90, 0x002ee200081ee1c4, 0x0000000b020309a8,
     "@P0 ATOMG.E.ADD.STRONG.GPU PT, R3, desc[UR4][R2.64], R11", 4, Space::Global,
     Operation::Atomic},
    {86, 0x000000200c1f41c6, 0x0000000702ff79a8,
     "ATOMG.E.EXCH.STRONG.SYS PT, RZ, desc[UR6][R2.64], R7", 4, Space::Global, Operation::Atomic},
    {75, 0x002ea800081f4144, 0x00000000ff0709a8, "@P0 ATOMG.E.ADD.STRONG.GPU PT, R7, [UR4], R0", 4,
     Space::Global, Operation::Atomic},
    {75, 0x000000000180c406, 0x003000040206738d, "ATOMS.CAST.SPIN.64 R6, [R2.X16+0x3000], R4, R6",
     8, Space::Shared, Operation::Atomic},
    {86, 0x0000000000800200, 0x00500810ffff138c, "@P1 ATOMS.MIN.S32 RZ, [0x5008], R16", 4,
     Space::Shared, Operation::Atomic},
    {86, 0x0000000000000037, 0x000000363707738d, "ATOMS.CAS R7, [R55], R54, R55", 4, Space::Shared,
     Operation::Atomic},
    {80, 0x0001ec000d00003f, 0x0000000009ff7f8c, "ATOMS.POPC.INC.32 RZ, [R9+URZ]", 4, Space::Shared,
     Operation::Atomic},
    {90, 0x0001e8000d800004, 0x0000000014ff7f8c, "ATOMS.POPC.INC.32 RZ, [R20+UR4]", 4,
     Space::Shared, Operation::Atomic},
    {86, 0x0000000000000200, 0x0000040502ff038c, "@P0 ATOMS.ADD.S32 RZ, [R2+0x4], R5", 4,
     Space::Shared, Operation::Atomic},
    {75, 0x000000000c116104, 0xfffffc07ff00098e, "@P0 RED.E.ADD.STRONG.SYS [UR4+-0x4], R7", 4,
     Space::Global, Operation::Reduction},
    {86, 0x000000200f90e184, 0x000028110200098e,
     "@P0 RED.E.XOR.STRONG.GPU desc[UR4][R2.64+0x28], R17", 4, Space::Global, Operation::Reduction},
    {90, 0x0003e4000c10f386, 0x0000000f0c0079a6,
     "REDG.E.ADD.F32.FTZ.RN.STRONG.GPU desc[UR6][R12.64], R15", 4, Space::Global,
     Operation::Reduction},
    {90, 0x0011f4000c10ff84, 0x00000004020079a6,
     "REDG.E.ADD.F64.RN.STRONG.GPU desc[UR4][R2.64], R4", 8, Space::Global, Operation::Reduction},
    {90, 0x008fe2000c10e186, 0x000000050600098e, "@P0 REDG.E.ADD.STRONG.GPU desc[UR6][R6.64], R5",
     4, Space::Global, Operation::Reduction},
    {90, 0x000fe20008901c52, 0x00000000062d7fae, "LDGSTS.E.BYPASS.128 [R45], desc[UR18][R6.64], P1",
     16, Space::Global, Operation::AsyncCopy},
    {86, 0x0000002009101d4c, 0x0900080094907fae,
     "LDGSTS.E.BYPASS.LTC128B.128 [R144+0x9000], desc[UR12][R148.64+-0x800], P2", 16, Space::Global,
     Operation::AsyncCopy},
    {86, 0x0000000008120b48, 0x00300000287d7fae,
     "LDGSTS.E.LTC128B.64 [R125+0x300], [R40.64+UR8], P0", 8, Space::Global, Operation::AsyncCopy},
    {86, 0x000000000b920949, 0x000000007c673dae, "@P3 LDGSTS.E.LTC128B [R103+UR9], [R124.64]", 4,
     Space::Global, Operation::AsyncCopy},
    {86, 0x0000002008921858, 0x002200002c297fae, "LDGSTS.E [R41+0x220], desc[UR24][R44.64], P1", 4,
     Space::Global, Operation::AsyncCopy},
    {90, 0x000fe20000000800, 0x00000a00ff017b82, "LDC R1, c[0x0][0x28]", 4, Space::Constant,
     Operation::Load},
    {75, 0x0000000000000a00, 0x00c000001110cb82, "@!P4 LDC.64 R16, c[0x3][R17]", 8, Space::Constant,
     Operation::Load},
    {75, 0x0000000000000200, 0x00006000ff027b82, "LDC.S8 R2, c[0x0][0x180]", 1, Space::Constant,
     Operation::Load},
    {90, 0x000fe20000000000, 0x0000880000047ab9, "ULDC.U8 UR4, c[0x0][0x220]", 1, Space::Constant,
     Operation::Load},
    {86, 0x0000000008000a00, 0x000080000e167abb, "ULDC.64 UR22, c[0x0][UR14+0x200]", 8,
     Space::Constant, Operation::Load},
    {86, 0x0000000008000a04, 0x00000000ff0099b0, "@!P1 ARRIVES.LDGSTSBAR.64 [UR4]", 8,
     Space::Shared, Operation::Barrier},
    {90, 0x0044e40008000100, 0x0180000c103fa5b2, "@!UP2 SYNCS.EXCH.64 URZ, [UR16+0x18000], UR12", 8,
     Space::Shared, Operation::Barrier},
    {90, 0x000ea20008000149, 0x01800004ff0075a7,
     "SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR9+0x18000], R4", 8, Space::Shared, Operation::Barrier},
    {90, 0x0005e20008000010, 0x01800004ffff09a7, "@P0 SYNCS.ARRIVE.TRANS64 RZ, [UR16+0x18000], R4",
     8, Space::Shared, Operation::Barrier},
    {90, 0x0000000000000800, 0x00000000fffff984, "@!PT LDS RZ, [RZ]", 4, Space::Shared,
     Operation::Load},
};

/// Returns the text of an address as nvdisasm prints it, without sizes and zero registers.
std::string textOf(const MemoryAddress &A) {
  std::vector<std::string> Parts;
  if (A.Register)
    Parts.push_back("R" + std::to_string(*A.Register) +
                    (A.Scale == 1 ? "" : ".X" + std::to_string(A.Scale)));
  if (A.Uniform)
    Parts.push_back("UR" + std::to_string(*A.Uniform));
  if (A.Offset != 0)
    Parts.push_back((A.Offset < 0 ? "-0x" : "0x") +
                    utohexstr(std::abs(int64_t(A.Offset)), /*LowerCase=*/true));
  return join(Parts, "+");
}

/// Returns the addresses in a text of nvdisasm, in the form of textOf.
std::vector<std::string> addressesIn(StringRef Text) {
  std::vector<std::string> Found;
  while (Text.contains('[')) {
    auto [Before, Rest] = Text.split('[');
    auto [Address, After] = Rest.split(']');
    Text = After;
    if (Before.ends_with("desc") || Before.ends_with("c"))
      continue;
    std::vector<std::string> Parts;
    SmallVector<StringRef> Split;
    Address.split(Split, '+');
    for (StringRef Part : Split) {
      Part.consume_back(".64");
      Part.consume_back(".U32");
      if (Part != "RZ" && Part != "URZ")
        Parts.push_back(Part.str());
    }
    Found.push_back(join(Parts, "+"));
  }
  return Found;
}

TEST(Decoder, AgreesWithNvdisasm) {
  for (const Disassembled &D : Instructions) {
    SCOPED_TRACE("sm_" + std::to_string(D.Architecture) + " " + D.Text.str());
    const auto M = decodeMemoryInstruction({D.Low, D.High}, D.Architecture);
    ASSERT_TRUE(M);
    StringRef Text = D.Text;
    Guard Executes = Guard::Always;
    if (Text.starts_with("@")) {
      Executes = Text.starts_with("@!PT") ? Guard::Never : Guard::Predicate;
      Text = Text.split(' ').second;
    }
    auto [Mnemonic, Operands] = Text.split(' ');
    // A predicate behind the addresses decides, too.
    const bool HasAddresses = Operands.contains("]");
    const StringRef Behind = HasAddresses ? Operands.rsplit(']').second : "";
    if (Behind.starts_with(", P") && Executes == Guard::Always)
      Executes = Guard::Predicate;
    if (D.Does == Operation::Barrier)
      Mnemonic = Mnemonic.split('.').first;

    EXPECT_EQ(M->Mnemonic, Mnemonic);
    EXPECT_EQ(M->Bytes, D.Bytes);
    EXPECT_EQ(M->Space, D.InSpace);
    EXPECT_EQ(M->Operation, D.Does);
    EXPECT_EQ(M->Executes, Executes);
    const std::vector<std::string> Addresses = addressesIn(Operands);
    ASSERT_FALSE(Addresses.empty());
    EXPECT_EQ(textOf(M->Address), Addresses.back());
    EXPECT_EQ(textOf(M->Destination), D.Does == Operation::AsyncCopy ? Addresses.front() : "");
  }
}

/// A PTX statement, and the instruction that ptxas of CUDA 13.0 makes of it.
struct Compiled {
  unsigned Architecture;
  uint64_t High, Low;
  StringRef Ptx;
  unsigned Bytes;
  Space InSpace;
  Operation Does;
};

TEST(Decoder, AgreesWithPtx) {
  const Compiled Statements[] = {
      {90, 0x000000000c10f784, 0x00000008020079a6, "red.global.add.v4.f32", 16, Space::Global,
       Operation::Reduction},
      {90, 0x000000000c10f584, 0x00000008020079a6, "red.global.add.v2.f32", 8, Space::Global,
       Operation::Reduction},
      {90, 0x000000000c10eb84, 0x00000008020079a6, "red.global.add.noftz.v4.bf16x2", 16,
       Space::Global, Operation::Reduction},
      {90, 0x000000000c10e384, 0x00000008020079a6, "red.global.add.noftz.v2.f16x2", 8,
       Space::Global, Operation::Reduction},
      {90, 0x000000000c10e584, 0x00000004020079a6, "red.global.add.noftz.v8.f16", 16, Space::Global,
       Operation::Reduction},
      {90, 0x000000000c10e784, 0x00000008020079a6, "red.global.add.noftz.bf16x2", 4, Space::Global,
       Operation::Reduction},
      {90, 0x000000000d10e784, 0x000008040200798e, "red.global.max.s64", 8, Space::Global,
       Operation::Reduction},
      {80, 0x000000000d10eb84, 0x000008040200798e, "red.global.max.s64", 8, Space::Global,
       Operation::Reduction},
      {90, 0x00000000081ef7c4, 0x00000008020879a3, "atom.global.add.v4.f32", 16, Space::Global,
       Operation::Atomic},
      {90, 0x00000000081effc4, 0x00000804020479a3, "atom.global.add.f64", 8, Space::Global,
       Operation::Atomic},
      {90, 0x000000000810f3c4, 0x00000404080579a2, "atom.add.f32", 4, Space::Generic,
       Operation::Atomic},
      {90, 0x00000000001ee90c, 0x00001008020873a9, "atom.global.cas.b128", 16, Space::Global,
       Operation::Atomic},
      {90, 0x000000000c1ee9c4, 0x00001004020479a8, "atom.global.exch.b128", 16, Space::Global,
       Operation::Atomic},
      {90, 0x000000000000080c, 0x000010080508738d, "atom.shared.cas.b128", 16, Space::Shared,
       Operation::Atomic},
      {90, 0x0000000008015d7f, 0x00000000020879a5, "multimem.ld_reduce.global.add.v4.f32", 16,
       Space::Global, Operation::Load},
      {90, 0x000000000801417f, 0x00000000020979a4, "multimem.ld_reduce.global.add.u32", 4,
       Space::Global, Operation::Load},
      {90, 0x000000000881457f, 0x00000000020479a4, "multimem.ld_reduce.global.min.u64", 8,
       Space::Global, Operation::Load},
      {90, 0x000000000c000c3f, 0x000000040c007dbd, "st.async.shared::cluster.v4.u32", 16,
       Space::DistributedShared, Operation::Store},
      {90, 0x000000000c000a3f, 0x0000000408007dbd, "st.async.shared::cluster.u64", 8,
       Space::DistributedShared, Operation::Store},
      {90, 0x000000000800053f, 0x0000000408007dbe, "red.async.shared::cluster.add.u64", 8,
       Space::DistributedShared, Operation::Reduction},
      {90, 0x0000000008000204, 0x00000008060073ba, "cp.async.bulk.shared::cluster.global", 0,
       Space::Global, Operation::BulkCopy},
      {90, 0x0000000008000404, 0x00000006050073ba, "cp.async.bulk.global.shared::cta", 0,
       Space::Global, Operation::BulkCopy},
      {90, 0x0000000008000604, 0x00000006070073ba, "cp.async.bulk.shared::cluster.shared::cta", 0,
       Space::DistributedShared, Operation::BulkCopy},
      {90, 0x0000000008000404, 0x00000006050073bb, "cp.reduce.async.bulk.global.shared::cta", 0,
       Space::Global, Operation::BulkReduction},
      {90, 0x0000000008000004, 0x00000000060073bc, "cp.async.bulk.prefetch.L2.global", 0,
       Space::Global, Operation::BulkPrefetch},
      {90, 0x0000000008008000, 0x00000008040075b4, "cp.async.bulk.tensor.2d.shared::cluster.global",
       0, Space::Global, Operation::BulkCopy},
      {90, 0x0000000008008000, 0x00000008040073b5, "cp.async.bulk.tensor.2d.global.shared::cta", 0,
       Space::Global, Operation::BulkCopy},
      {90, 0x0000000008000818, 0x00000000081879f0, "wgmma.mma_async.m64n8k16.f32.f16.f16", 0,
       Space::Shared, Operation::MatrixMultiply},
      {90, 0x0000000000800100, 0x000000400200798f, "prefetch.global.L2", 0, Space::Global,
       Operation::CacheControl},
      {90, 0x0000000000000000, 0x0000000000007990, "prefetch.local.L1", 0, Space::Local,
       Operation::CacheControl},
      {75, 0x00000000019e01ff, 0x30005e0008097b60, "tex.2d.v4.f32.f32, one of its values", 4,
       Space::Texture, Operation::Load},
      {75, 0x00000000009e09ff, 0x10005eff08087b66, "tex.1d.v4.s32.s32, two of its values", 8,
       Space::Texture, Operation::Load},
      {80, 0x00000000001ead00, 0x70005e0008087b99, "suld.b.2d.v4.b32", 16, Space::Surface,
       Operation::Load},
      {90, 0x000000000810ab00, 0x7000060a08007f9d, "sust.b.2d.v2.b32", 8, Space::Surface,
       Operation::Store},
      {75, 0x0000000000116100, 0x70005e0a0800759f, "sured.b.add.2d.u32", 4, Space::Surface,
       Operation::Reduction},
  };
  for (const Compiled &C : Statements) {
    SCOPED_TRACE("sm_" + std::to_string(C.Architecture) + " " + C.Ptx.str());
    const auto M = decodeMemoryInstruction({C.Low, C.High}, C.Architecture);
    ASSERT_TRUE(M);
    EXPECT_EQ(M->Bytes, C.Bytes);
    EXPECT_EQ(M->Space, C.InSpace);
    EXPECT_EQ(M->Operation, C.Does);
  }
}

TEST(Decoder, NamesOperationsOfAtomics) {
  // The instruction that ptxas of CUDA 13.0 generates for the PTX statement on sm_90.
  const auto Expect = [](StringRef Ptx, uint64_t High, uint64_t Low, StringRef Mnemonic) {
    SCOPED_TRACE(Ptx.str());
    const auto M = decodeMemoryInstruction({Low, High}, 90);
    ASSERT_TRUE(M);
    EXPECT_THAT(M->Mnemonic, testing::StartsWith(Mnemonic.str()));
    EXPECT_EQ(M->InL1, Eviction::Normal);
  };
  Expect("red.global.min.v2.f16x2", 0x0d10e384, 0x00000008020079a6, "REDG.E.MIN.F16x4");
  Expect("red.global.max.v4.bf16x2", 0x0e10eb84, 0x00000008020079a6, "REDG.E.MAX.BF16x8");
  Expect("red.global.max.u32", 0x0d10e184, 0x000000080200798e, "REDG.E.MAX.STRONG");
  Expect("atom.global.or.b32", 0x0b1ee1c4, 0x00000008020979a8, "ATOMG.E.OR.STRONG");
  Expect("atom.shared.inc.u32", 0x09800004, 0x0000040c0909798c, "ATOMS.INC");
  Expect("multimem.ld_reduce.min.v4.f16x2", 0x0901457f, 0x00000000020879a5, "LDGMC.E.MIN.F16x8");
  Expect("multimem.ld_reduce.min.u64", 0x0881457f, 0x00000000020479a4, "LDGMC.E.MIN.64");
  Expect("multimem.ld_reduce.and.b32", 0x0a81417f, 0x00000000020979a4, "LDGMC.E.AND.STRONG");
  Expect("multimem.ld_reduce.add.acc::f32.v4.bf16x2", 0x0b014b7f, 0x00000000020879a5,
         "LDGMC.E.ADD.ACC32.BF16x8");
}

/// The cache operators of ld.global.u32 and st.global.u32, and what ptxas of CUDA 13.0 makes of
/// them.
struct Cached {
  unsigned Architecture;
  uint64_t High;
  StringRef Ptx;
  MemoryOrder Order;
  Eviction InL1;
  unsigned PrefetchBytes;
  bool BypassesL1;
};

TEST(Decoder, ReadsCacheOperators) {
  const Cached Loads[] = {
      {75, 0x001ee900, "ld", MemoryOrder::Weak, Eviction::Normal, 0, false},
      {75, 0x001f0900, "ld.ca", MemoryOrder::StrongBlock, Eviction::Normal, 0, false},
      {75, 0x001f4900, "ld.cg", MemoryOrder::StrongGpu, Eviction::Normal, 0, true},
      {75, 0x001f6900, "ld.cv", MemoryOrder::StrongSystem, Eviction::Normal, 0, true},
      {75, 0x001e6900, "ld.nc", MemoryOrder::Constant, Eviction::Normal, 0, false},
      {75, 0x001fe900, "ld.mmio", MemoryOrder::Mmio, Eviction::Normal, 0, true},
      {75, 0x005e6920, "ld.nc.L1::no_allocate.L2::128B", MemoryOrder::Constant,
       Eviction::NoAllocate, 128, false},
      {90, 0x0c1e1900, "ld", MemoryOrder::Weak, Eviction::Normal, 0, false},
      {90, 0x0c1eb900, "ld.ca", MemoryOrder::StrongBlock, Eviction::Normal, 0, false},
      {90, 0x0c1ef900, "ld.cg", MemoryOrder::StrongGpu, Eviction::Normal, 0, true},
      {90, 0x0c0e1900, "ld.cs", MemoryOrder::Weak, Eviction::First, 0, false},
      {90, 0x0c3e1900, "ld.lu", MemoryOrder::Weak, Eviction::LastUse, 0, false},
      {90, 0x0c1f5900, "ld.cv", MemoryOrder::StrongSystem, Eviction::Normal, 0, true},
      {90, 0x0c1e9900, "ld.nc", MemoryOrder::Constant, Eviction::Normal, 0, false},
      {90, 0x0c2e1900, "ld.L1::evict_last", MemoryOrder::Weak, Eviction::Last, 0, false},
      {90, 0x0c4e1900, "ld.L1::evict_unchanged", MemoryOrder::Weak, Eviction::Unchanged, 0, false},
      {90, 0x0c5e1900, "ld.L1::no_allocate", MemoryOrder::Weak, Eviction::NoAllocate, 0, false},
      {90, 0x0c1e1910, "ld.L2::64B", MemoryOrder::Weak, Eviction::Normal, 64, false},
      {90, 0x0c1e1930, "ld.L2::256B", MemoryOrder::Weak, Eviction::Normal, 256, false},
      {90, 0x081f8900, "ld.mmio", MemoryOrder::Mmio, Eviction::Normal, 0, true},
  };
  for (const Cached &C : Loads) {
    SCOPED_TRACE("sm_" + std::to_string(C.Architecture) + " " + C.Ptx.str());
    const auto M = decodeMemoryInstruction({0x0000100402007981, C.High}, C.Architecture);
    ASSERT_TRUE(M);
    EXPECT_EQ(M->Order, C.Order);
    EXPECT_EQ(M->InL1, C.InL1);
    EXPECT_EQ(M->PrefetchBytes, C.PrefetchBytes);
    EXPECT_EQ(M->bypassesL1(), C.BypassesL1);
    EXPECT_EQ(M->Bytes, 4U);
    EXPECT_EQ(M->Address.Offset, 16);
  }
  // st.global.L1::no_allocate.u32
  const auto Store = decodeMemoryInstruction({0x0000100802007986, 0x0c501904}, 90);
  ASSERT_TRUE(Store);
  EXPECT_EQ(Store->InL1, Eviction::NoAllocate);
  // cp.async.cg.shared.global of 16 bytes, and cp.async.ca of 4
  const auto Bypassing = decodeMemoryInstruction({0x0004008002097fae, 0x0b901c44}, 90);
  const auto Caching = decodeMemoryInstruction({0x0004008002097fae, 0x0b921844}, 90);
  ASSERT_TRUE(Bypassing && Caching);
  EXPECT_TRUE(Bypassing->bypassesL1());
  EXPECT_FALSE(Caching->bypassesL1());
}

TEST(Decoder, KnowsWhatAccessesNoMemory) {
  // IMAD.MOV.U32 R1, RZ, RZ, c[0x0][0x28]
  const Instruction Move = {0x00000a00ff017624, 0x00000000078e00ff};
  EXPECT_TRUE(accessesNoMemory(Move));
  EXPECT_FALSE(decodeMemoryInstruction(Move, 75));
  // setmaxnreg.dec.sync.aligned.u32 40
  EXPECT_TRUE(accessesNoMemory({0x00000028000079c8, 0x080e0500}));
  // No operation has these codes: neither memory nor none.
  for (uint64_t Code : {0x000, 0x1e0, 0x1ff}) {
    EXPECT_FALSE(accessesNoMemory({Code | 0x7000, 0}));
    EXPECT_FALSE(decodeMemoryInstruction({Code | 0x7000, 0}, 90));
  }
  // REDG of a type that is not known
  EXPECT_FALSE(decodeMemoryInstruction({0x00000008020079a6, 0x0c10ed84}, 90));
  EXPECT_FALSE(accessesNoMemory({0x00000008020079a6, 0x0c10ed84}));
}

TEST(Decoder, ReadsBranches) {
  const auto Expect = [](unsigned Architecture, uint64_t Low, uint64_t High, bool EndsBlock,
                         int64_t Target, bool IsIndirect) {
    SCOPED_TRACE(utohexstr(Low));
    const ControlFlow Flow = controlFlow({Low, High}, Architecture);
    EXPECT_EQ(Flow.EndsBlock, EndsBlock);
    EXPECT_EQ(Flow.Target, Target);
    EXPECT_EQ(Flow.IsIndirect, IsIndirect);
  };
  Expect(75, 0x00000aa000000947, 0x03800000, true, 0xab0, false);  // @P0 BRA
  Expect(75, 0xfffffea000006947, 0x0383ffff, true, -0x150, false); // @P6 BRA
  Expect(75, 0xfffffff000007947, 0x0383ffff, true, 0, false);      // BRA to itself
  Expect(90, 0x0000000800980947, 0x03800000, true, 0xa70, false);  // @P0 BRA
  Expect(90, 0xfffffffc00a06947, 0x0383ffff, true, -0x170, false); // @P6 BRA
  Expect(90, 0xfffffffc00fc7947, 0x0383ffff, true, 0, false);      // BRA to itself
  Expect(90, 0x0000000000447944, 0x03c00000, true, 0x120, false);  // CALL.REL.NOINC
  Expect(90, 0x0000075000007945, 0x03800000, false, 0x760, false); // BSSY B0
  Expect(90, 0x000000003c087348, 0x03c00000, true, 0x30, false);   // WARPSYNC.COLLECTIVE R60
  Expect(90, 0x0000000000007948, 0x03800000, true, 0, false);      // WARPSYNC.ALL
  Expect(90, 0x0000000000007941, 0x03800000, true, 0, false);      // BSYNC B0
  Expect(90, 0x000000000000794d, 0x03800000, true, 0, false);      // EXIT
  Expect(90, 0xfffffffc06bc7949, 0x0383ffff, true, 0, true);       // BRX R6
  Expect(90, 0x0000000000007918, 0x00000000, false, 0, false);     // NOP
}

} // namespace
} // namespace gmprof::sass
