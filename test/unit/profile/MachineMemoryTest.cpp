//===- MachineMemoryTest.cpp - Decodes instructions of machine code -------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/MachineMemory.h"
#include "TestLog.h"
#include "profile/KernelDescriptor.h"
#include <functional>
#include <gtest/gtest.h>

using namespace gmprof;
using namespace gmprof::test;

namespace {

/// A kernel with a store to an array in local memory, inlined, and a spill.
struct Example {
  DescriptorWriter D{"_Z1kPf", "sub/app.cu", 7};

  Example() {
    D.Header.directory = D.string("/src");
    D.Header.frameBytes = 264;
    const gmprof_u32 A = D.variable("a", "float[64]", 4, 256, 9, GMPROF_VARIABLE_LOCAL);
    D.instructions(GMPROF_INSTRUCTION_LOCAL_STORE, A, 11, 4, 3, GMPROF_INDEX_RUN_TIME).inlinedAt =
        D.inlined("f", 20);
    D.instructions(GMPROF_INSTRUCTION_LOCAL_LOAD, GMPROF_NONE, 0, 8, 1, GMPROF_INDEX_SPILL);
    D.instructions(GMPROF_INSTRUCTION_CONSTANT_LOAD, GMPROF_NONE, 12, 4, 1, GMPROF_INDEX_RUN_TIME)
        .laneStride = gmprof_u32(-4);
  }
};

Result<std::optional<profile::MachineMemory>> decode(const DescriptorWriter &D) {
  const std::vector<std::byte> Bytes = D.bytes();
  const Result<profile::Descriptor> Desc = decodeDescriptor(Bytes);
  return Desc ? decodeMachineMemory(Bytes, *Desc) : Error{Desc.error()};
}

std::string errorWith(const std::function<void(GmprofInstructionDesc &)> &Change) {
  DescriptorWriter D("_Z1kPf");
  Change(D.instructions(GMPROF_INSTRUCTION_LOCAL_LOAD, GMPROF_NONE, 8, 4, 1, GMPROF_INDEX_UNKNOWN));
  const auto Decoded = decode(D);
  return Decoded ? "none" : Decoded.error();
}

} // namespace

TEST(MachineMemoryTest, DecodesInstructions) {
  const auto Decoded = decode(Example().D);
  ASSERT_TRUE(Decoded) << Decoded.error();
  ASSERT_TRUE(*Decoded);
  const profile::MachineMemory &M = **Decoded;
  EXPECT_EQ(M.Architecture, 90u);
  EXPECT_EQ(M.FrameBytes, 264u);
  ASSERT_EQ(M.Instructions.size(), 3u);
  EXPECT_EQ(M.Instructions[2].LaneStride, -4);
  const profile::CodeInstruction &Store = M.Instructions[0], &Load = M.Instructions[1];
  EXPECT_EQ(Store.Kind, GMPROF_INSTRUCTION_LOCAL_STORE);
  EXPECT_EQ(Store.Variable, 0u);
  EXPECT_EQ(Store.Source.File, "/src/sub/app.cu");
  EXPECT_EQ(Store.Source.Line, 11u);
  EXPECT_EQ(Store.Function, "_Z1kPf");
  EXPECT_EQ(Store.InlinedAt, 0u);
  EXPECT_EQ(Store.Bytes, 4u);
  EXPECT_EQ(Store.Count, 3u);
  EXPECT_EQ(Store.Index, GMPROF_INDEX_RUN_TIME);
  EXPECT_EQ(Load.Kind, GMPROF_INSTRUCTION_LOCAL_LOAD);
  EXPECT_EQ(Load.Variable, profile::None);
  EXPECT_EQ(Load.InlinedAt, profile::None);
  EXPECT_EQ(Load.Index, GMPROF_INDEX_SPILL);
}

TEST(MachineMemoryTest, HasNothingOfUnknownMachineCode) {
  const auto Decoded = decode(DescriptorWriter("_Z1kPf"));
  ASSERT_TRUE(Decoded) << Decoded.error();
  EXPECT_FALSE(*Decoded);
}

TEST(MachineMemoryTest, ReportsWhatIsInvalid) {
  const std::string Begin = "its descriptor is invalid: ";
  EXPECT_EQ(errorWith([](auto &I) {}), "none");
  EXPECT_EQ(errorWith([](auto &I) { I.kind = 4; }), Begin + "an instruction is of unknown kind");
  EXPECT_EQ(errorWith([](auto &I) { I.index = 5; }), Begin + "an instruction is of unknown kind");
  EXPECT_EQ(errorWith([](auto &I) { I.variable = 0; }),
            Begin + "an instruction accesses a variable that it does not have");
  EXPECT_EQ(errorWith([](auto &I) { I.inlinedAt = 0; }),
            Begin + "an instruction is in an inlined call that it does not have");
  EXPECT_EQ(errorWith([](auto &I) { I.file = 1000; }), Begin + "a name lies outside its strings");
  EXPECT_EQ(errorWith([](auto &I) { I.function = 1000; }),
            Begin + "a name lies outside its strings");
  DescriptorWriter D("_Z1kPf");
  D.Header.machineCode = 90;
  std::vector<std::byte> Bytes = D.bytes();
  const Result<profile::Descriptor> Desc = decodeDescriptor(Bytes);
  ASSERT_TRUE(Desc) << Desc.error();
  GmprofKernelDesc Header;
  std::memcpy(&Header, Bytes.data(), sizeof(Header));
  Header.instructionCount = 1000;
  std::memcpy(Bytes.data(), &Header, sizeof(Header));
  EXPECT_EQ(decodeMachineMemory(Bytes, *Desc).error(), Begin + "an array lies outside it");
}
