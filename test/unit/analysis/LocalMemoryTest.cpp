//===- LocalMemoryTest.cpp - Findings about local memory ------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HeatFindings.h"

using namespace gmprof;
using namespace gmprof::test;

namespace {

constexpr GmprofInstructionKind LocalLoad = GMPROF_INSTRUCTION_LOCAL_LOAD,
                                LocalStore = GMPROF_INSTRUCTION_LOCAL_STORE;

/// A launched kernel with 8 warps per block and machine code.
class Kernel : public HandMadeHeat {
public:
  Kernel() : HandMadeHeat(8, 4) {
    P.Kernels[0].Registers = 40;
    P.Machine[0].Architecture = 90;
  }

  /// Adds an array, and its bytes to the frame. Returns the variable's index.
  uint32_t array(const std::string &Name, unsigned ElementBytes, uint64_t Elements) {
    profile::Variable V;
    V.Name = Name;
    V.Kind = GMPROF_VARIABLE_LOCAL;
    V.ElementBytes = ElementBytes;
    V.Bytes = ElementBytes * Elements;
    V.Source = {"/src/k.cu", 7, 0};
    desc().Variables.push_back(V);
    P.Machine[0].FrameBytes += V.Bytes;
    return static_cast<uint32_t>(desc().Variables.size() - 1);
  }
  void add(GmprofInstructionKind Kind, uint32_t Variable, unsigned Line, unsigned Bytes,
           unsigned Count, GmprofIndex Index) {
    profile::CodeInstruction I;
    I.Kind = Kind;
    I.Variable = Variable;
    I.Source = {"/src/k.cu", Line, 0};
    I.Bytes = Bytes;
    I.Count = Count;
    I.Index = Index;
    P.Machine[0].Instructions.push_back(I);
  }
  std::vector<Finding> findings() { return localMemory(done()); }
  Finding only() {
    std::vector<Finding> Found = findings();
    EXPECT_EQ(Found.size(), 1u);
    return Found.empty() ? Finding() : Found.front();
  }
};

} // namespace

TEST(LocalMemoryTest, ReportsAnArrayWithAnIndexOfRunTime) {
  Kernel K;
  const uint32_t A = K.array("a", 4, 32);
  K.add(LocalStore, A, 0, 4, 32, GMPROF_INDEX_CONSTANT);
  K.add(LocalLoad, A, 9, 4, 5, GMPROF_INDEX_RUN_TIME);
  K.add(LocalStore, A, 9, 4, 5, GMPROF_INDEX_RUN_TIME);
  const Finding F = K.only();
  EXPECT_EQ(F.Pattern, "local_memory");
  EXPECT_EQ(F.Kind, "run_time_index");
  EXPECT_EQ(F.Object, "a");
  EXPECT_EQ(std::get<std::string>(F.Evidence.back().second), "a");
  EXPECT_EQ(F.ObjectBytes, 128u);
  EXPECT_EQ(F.Source.Line, 7u);
  EXPECT_EQ(F.Level, Severity::Medium);
  EXPECT_EQ(whole(F, "local_loads"), 5u);
  EXPECT_EQ(whole(F, "local_stores"), 37u);
  EXPECT_EQ(whole(F, "narrow_instructions"), 0u);
  EXPECT_EQ(whole(F, "frame_bytes"), 128u);
  EXPECT_EQ(whole(F, "threads_per_block"), 256u);
  EXPECT_EQ(F.Message, "128 bytes of `a` per thread are in local memory, with 5 loads and 37 "
                       "stores in the machine code (ideal 0): an index is known at run time only "
                       "(k.cu:9).");
  // 128 bytes for each of 256 threads.
  EXPECT_EQ(F.Suggestion,
            "Keep `a` in shared memory, 32 KiB per block with the number of the thread as the last "
            "index, provided that no block has more than 256 threads and that the kernel gains "
            "more than it loses by fewer blocks per SM.");
}

TEST(LocalMemoryTest, CountsNarrowInstructions) {
  Kernel K;
  const uint32_t A = K.array("a", 1, 249);
  K.add(LocalStore, A, 0, 1, 249, GMPROF_INDEX_CONSTANT);
  K.add(LocalLoad, A, 9, 1, 1, GMPROF_INDEX_RUN_TIME);
  const Finding F = K.only();
  EXPECT_EQ(whole(F, "narrow_instructions"), 250u);
  EXPECT_EQ(F.Message, "249 bytes of `a` per thread are in local memory, with 1 load and 249 "
                       "stores in the machine code (ideal 0), 250 of 1 or 2 bytes: an index is "
                       "known at run time only (k.cu:9).");
  // 249 * 256 bytes do not fit 48 KiB.
  EXPECT_EQ(F.Suggestion, "Give `a` fewer bytes per thread, provided that its values fit: shared "
                          "memory has no room for 62 KiB per block.");
}

TEST(LocalMemoryTest, KeepsFewElementsInRegisters) {
  Kernel K;
  const uint32_t A = K.array("a", 4, 16);
  K.add(LocalLoad, A, 9, 4, 1, GMPROF_INDEX_RUN_TIME);
  const Finding F = K.only();
  EXPECT_EQ(F.Level, Severity::Low);
  EXPECT_EQ(F.Suggestion, "Keep `a` in registers: replace the index by comparisons in a fully "
                          "unrolled loop over its 16 elements (if (i == index) …).");
  Kernel Larger;
  Larger.add(LocalLoad, Larger.array("a", 4, 17), 9, 4, 1, GMPROF_INDEX_RUN_TIME);
  EXPECT_TRUE(Larger.only().Suggestion.starts_with("Keep `a` in shared memory"));
}

// An SM with 2048 threads has 128 bytes of L1 for each.
TEST(LocalMemoryTest, FramesThatFillL1AreOfMediumSeverity) {
  for (const uint64_t Elements : {31, 32}) {
    Kernel K;
    K.add(LocalLoad, K.array("a", 4, Elements), 9, 4, 1, GMPROF_INDEX_RUN_TIME);
    EXPECT_EQ(K.only().Level, Elements == 32 ? Severity::Medium : Severity::Low);
  }
}

// The array has no name; an array of the program without one, in a kernel without names, is not it.
TEST(LocalMemoryTest, KnowsTheArrayOfTrigonometricFunctions) {
  for (const bool IsFloat : {true, false})
    for (const bool HasNames : {true, false}) {
      Kernel K;
      const uint32_t A = IsFloat ? K.array("local memory", 4, 7) : K.array("local memory", 8, 5);
      K.array(HasNames ? "x" : "argument 1", 4, 1);
      K.add(LocalStore, A, 9, 4, 7, GMPROF_INDEX_LOOP);
      K.add(LocalLoad, A, 11, 4, 3, GMPROF_INDEX_RUN_TIME);
      const Finding F = K.only();
      EXPECT_EQ(F.Kind, HasNames ? "math_library" : "run_time_index");
      if (!HasNames)
        continue;
      EXPECT_EQ(F.Level, Severity::Info);
      EXPECT_EQ(F.Message, IsFloat
                               ? "sinf, cosf or tanf of CUDA's math library (k.cu:9, 11) keep 28 "
                                 "bytes per thread in local memory, with 3 loads and 7 stores in "
                                 "the machine code (ideal 0)."
                               : "sin, cos or tan of CUDA's math library (k.cu:9, 11) keep 40 "
                                 "bytes per thread in local memory, with 3 loads and 7 stores in "
                                 "the machine code (ideal 0).");
      EXPECT_EQ(F.Suggestion,
                IsFloat ? "They access it for arguments above 105,615 only: reduce such arguments "
                          "first, or pass multiples of pi to sinpif and cospif."
                        : "They access it for arguments above 2,147,483,648 only: reduce such "
                          "arguments first, or pass multiples of pi to sinpi and cospi.");
    }
}

TEST(LocalMemoryTest, UnrollsLoopsIfTheArrayFitsInRegisters) {
  Kernel K;
  const uint32_t A = K.array("a", 4, 64);
  K.add(LocalLoad, A, 9, 4, 2, GMPROF_INDEX_LOOP);
  K.add(LocalStore, A, 8, 4, 2, GMPROF_INDEX_LOOP);
  const Finding F = K.only();
  EXPECT_EQ(F.Kind, "loop_index");
  EXPECT_EQ(F.Message, "256 bytes of `a` per thread are in local memory, with 2 loads and 2 stores "
                       "in the machine code (ideal 0): the loops over it are not completely "
                       "unrolled (k.cu:8, 9).");
  EXPECT_EQ(F.Suggestion, "Unroll these loops completely (#pragma unroll): their indices become "
                          "constants, so that `a` can be in registers.");
  K.P.Kernels[0].Registers = 191;
  EXPECT_TRUE(K.only().Suggestion.starts_with("Unroll these loops"));
  // 64 registers beside 192 are more than 255.
  K.P.Kernels[0].Registers = 192;
  EXPECT_TRUE(K.only().Suggestion.starts_with("Give `a` fewer bytes per thread"));
}

TEST(LocalMemoryTest, ReportsSpills) {
  Kernel K;
  K.P.Machine[0].FrameBytes = 48;
  K.add(LocalStore, profile::None, 8, 4, 12, GMPROF_INDEX_SPILL);
  K.add(LocalLoad, profile::None, 9, 8, 6, GMPROF_INDEX_SPILL);
  const Finding F = K.only();
  EXPECT_EQ(F.Kind, "spill");
  EXPECT_EQ(F.Object, "");
  EXPECT_EQ(F.Source.Line, 5u);
  EXPECT_EQ(F.Message, "ptxas spills registers: 48 bytes per thread in local memory, with 6 loads "
                       "and 12 stores in the machine code (ideal 0).");
  EXPECT_TRUE(F.Suggestion.starts_with("Allow more than 40 registers per thread"));
  K.P.Kernels[0].Registers = 255;
  EXPECT_TRUE(K.only().Suggestion.starts_with("Split the kernel"));
}

TEST(LocalMemoryTest, ReportsNothingWithoutACause) {
  // Constant indices, as of a struct whose address is passed to a function.
  Kernel Constant;
  Constant.add(LocalStore, Constant.array("a", 4, 8), 8, 4, 8, GMPROF_INDEX_CONSTANT);
  EXPECT_TRUE(Constant.findings().empty());
  // Registers that a function saves, or a kernel that is not optimised.
  Kernel Unknown;
  Unknown.add(LocalStore, profile::None, 8, 4, 8, GMPROF_INDEX_UNKNOWN);
  Unknown.add(LocalStore, Unknown.array("a", 4, 8), 8, 4, 8, GMPROF_INDEX_UNKNOWN);
  EXPECT_TRUE(Unknown.findings().empty());
  // Other memory.
  Kernel Other;
  Other.add(GMPROF_INSTRUCTION_CONSTANT_LOAD, profile::None, 8, 4, 8, GMPROF_INDEX_RUN_TIME);
  Other.add(GMPROF_INSTRUCTION_TEXTURE_FETCH, profile::None, 8, 0, 8, GMPROF_INDEX_UNKNOWN);
  EXPECT_TRUE(Other.findings().empty());
  // A kernel that is never launched.
  Kernel Idle;
  Idle.add(LocalLoad, Idle.array("a", 4, 8), 8, 4, 8, GMPROF_INDEX_RUN_TIME);
  Idle.P.Launches = {};
  EXPECT_TRUE(localMemory(Idle.P).empty());
  // A run of another profile.
  Kernel Shared;
  Shared.add(LocalLoad, Shared.array("a", 4, 8), 8, 4, 8, GMPROF_INDEX_RUN_TIME);
  Shared.P.TheRun.Profiles = {"shared"};
  EXPECT_TRUE(Shared.findings().empty());
}
