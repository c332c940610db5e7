//===- ArchitectureTest.cpp - Tests of architecture files -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cache/Architecture.h"
#include <gtest/gtest.h>

using namespace gmprof;
using namespace gmprof::cache;

namespace {

/// Returns the description of a small GPU with one part of its text replaced.
std::string with(const std::string &Old, const std::string &New) {
  std::string Text = R"({
    "schema": "gmprof.cache-architecture/1", "name": "tiny", "device": "none",
    "sms": 2, "warps_per_sm": 4, "blocks_per_sm": 3, "unified_kb": 8, "shared_kb": [0, 4],
    "shared_reserved_per_block": 1024,
    "l1": {"reserved_kb": 1, "sets": 1, "replacement": "lru", "fills_free_first": true,
           "hash": "modulo", "stores": "allocate", "counts_store_hits": true,
           "atomics_invalidate": true, "local_write_back": false, "pass_bytes": 0},
    "l2": {"kb": 16, "line_bytes": 128, "ways": 4, "slices": 2, "partitions": 1,
           "replicates": false, "tpc_partitions": [], "coalesced_requests": 0, "replacement": "tree_plru", "fills_free_first": true,
           "hash": "mixed", "fetch_bytes": 64, "fills_partial_writes": false,
           "counts_write_allocates": true, "counts_missing_sectors": false},
    "sources": {}})";
  const size_t At = Text.find(Old);
  EXPECT_NE(At, std::string::npos) << Old;
  return Text.replace(At, Old.size(), New);
}
std::string errorOf(const std::string &Old, const std::string &New) {
  const Result<Architecture> A = parseArchitecture(with(Old, New), "tiny.json");
  return A ? "" : A.error();
}
std::string because(const std::string &Why) {
  return "'tiny.json' describes no architecture: " + Why;
}

TEST(Architecture, EveryMember) {
  const Result<Architecture> A = parseArchitecture(with("tiny", "tiny"), "tiny.json");
  ASSERT_TRUE(A) << A.error();
  EXPECT_EQ(A->Name, "tiny");
  EXPECT_EQ(A->Sms, 2U);
  EXPECT_EQ(A->WarpsPerSm, 4U);
  EXPECT_EQ(A->SharedKb, (std::vector<uint32_t>{0, 4}));
  EXPECT_EQ(A->l1Lines(0), 56U); // 7 KB
  EXPECT_EQ(A->l1Lines(4), 24U);
  EXPECT_EQ(A->L1.Policy, Replacement::Lru);
  EXPECT_EQ(A->L2.Policy, Replacement::TreePlru);
  EXPECT_EQ(A->L2.FetchBytes, 64U);
  EXPECT_EQ(A->L2.sets(), 16U);
  EXPECT_TRUE(A->L2.CountsWriteAllocates);
  EXPECT_FALSE(A->L2.CountsMissingSectors);
}

TEST(Architecture, SharedMemoryThatBlocksNeed) {
  const Result<Architecture> A = parseArchitecture(with("tiny", "tiny"), "tiny.json");
  ASSERT_TRUE(A);
  EXPECT_EQ(A->sharedKbFor(0, 1, 1), 4U); // each block has 1 KB for the system
  EXPECT_EQ(A->sharedKbFor(1024, 2, 1), 4U);
  EXPECT_EQ(A->sharedKbFor(4096, 2, 1), 4U);
}

// Shared memory sizes that an H200's driver was measured to choose for blocks of one warp.
TEST(Architecture, SharedMemoryThatAnH200Sets) {
  const Result<Architecture> A = readArchitecture("sm_90");
  ASSERT_TRUE(A);
  const std::pair<uint32_t, uint32_t> Seen[] = {{0, 32},    {1, 64},   {7, 228},   {31, 228},
                                                {63, 196},  {99, 228}, {131, 132}, {163, 164},
                                                {195, 196}, {227, 228}};
  for (const auto &[BlockKb, Kb] : Seen)
    EXPECT_EQ(A->sharedKbFor(BlockKb * 1024, 0, 1), Kb) << BlockKb;
  EXPECT_EQ(A->l1Lines(32), 1736U);
}

TEST(Architecture, RefusesImpossibleParameters) {
  EXPECT_EQ(errorOf("\"sms\": 2", "\"sms\": 0"),
            because("a GPU has at least one SM, and an SM one block and one warp"));
  EXPECT_EQ(errorOf("[0, 4]", "[0, 7]"),
            because("7 KB of shared memory and 1 KB reserved leave nothing of 8 KB for L1"));
  EXPECT_EQ(errorOf("[0, 4]", "[4, 0]"),
            because("shared_kb must list at least one size, in ascending order"));
  EXPECT_EQ(errorOf("\"sets\": 1", "\"sets\": 5"),
            because("beside 0 KB of shared memory L1 has 56 lines, which are no 5 sets of up to "
                    "32768 ways"));
  EXPECT_EQ(errorOf("\"ways\": 4", "\"ways\": 3"),
            because("16 KB of L2 are no whole number of sets: 1 x 2 slices of 3 ways of 128 "
                    "bytes"));
  EXPECT_EQ(errorOf("\"ways\": 4", "\"ways\": 64"), because("L2 has 1 to 32 ways, not 64"));
  EXPECT_EQ(errorOf("\"line_bytes\": 128", "\"line_bytes\": 96"),
            because("lines of L2 have 64 or 128 bytes, not 96"));
  EXPECT_EQ(errorOf("\"fetch_bytes\": 64", "\"fetch_bytes\": 256"),
            because("L2 cannot fetch 256 bytes of a line of 128"));
  EXPECT_EQ(errorOf("\"tpc_partitions\": []", "\"tpc_partitions\": [1]"),
            because("tpc_partitions must say of pairs of SMs which partition of L2 they are in"));
  EXPECT_EQ(errorOf("\"replicates\": false", "\"replicates\": true"),
            because("an L2 of one partition cannot replicate what another one holds"));
}

TEST(Architecture, BadFiles) {
  EXPECT_EQ(errorOf("{", ""), because("it is no JSON"));
  EXPECT_EQ(errorOf("architecture/1", "architecture/2"),
            because("its schema is 'gmprof.cache-architecture/2', and known is "
                    "'gmprof.cache-architecture/1'"));
  EXPECT_EQ(errorOf("\"sms\": 2,", ""), because("it lacks 'sms'"));
  EXPECT_EQ(errorOf("\"sms\": 2", "\"sms\": -2"), because("it: 'sms' is not a whole number"));
  EXPECT_EQ(errorOf("\"sms\": 2", "\"sms\": 5000000000"),
            because("it: 'sms' is not a whole number"));
  EXPECT_EQ(errorOf("\"pass_bytes\"", "\"passbytes\""), because("l1 lacks 'pass_bytes'"));
  EXPECT_EQ(errorOf("\"sources\": {}", "\"sources\": {}, \"l3\": {}"),
            because("it has an unknown member 'l3'"));
  EXPECT_EQ(errorOf("\"stores\": \"allocate\"", "\"stores\": \"\""),
            because("l1: 'stores' is '', not one of allocate, update, invalidate"));
}

TEST(Architecture, InstalledFilesAreRead) {
  EXPECT_EQ(architectureNames(),
            (std::vector<std::string>{"sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90"}));
  for (const std::string &Name : architectureNames()) {
    const Result<Architecture> A = readArchitecture(Name);
    ASSERT_TRUE(A) << A.error();
    EXPECT_EQ(A->Name, Name);
  }
  // Values of the paper: 57 KB, and Equation 2 with 32-byte lines in four sets.
  const Result<Architecture> Turing = readArchitecture("sm_75");
  EXPECT_EQ(Turing->l1Lines(32), 456U);
  EXPECT_EQ(57U * 1024 / (32 * 4), 456U);
}

TEST(Architecture, UnknownNames) {
  EXPECT_EQ(readArchitecture("sm_99").error(),
            "no architecture is called 'sm_99': known are sm_70, sm_75, sm_80, sm_86, sm_89, "
            "sm_90, and files that end in .json");
  EXPECT_EQ(readArchitecture("/nowhere.json").error(), "cannot read '/nowhere.json'");
}

} // namespace
