//===- MemorySnapshotTest.cpp - Snapshots of PyTorch's memory -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// test/report/snapshot.test reads snapshots that Python has pickled; these are damaged ones.
//
//===----------------------------------------------------------------------===//

#include "report/files/MemorySnapshot.h"
#include "report/views/SnapshotView.h"
#include <gtest/gtest.h>
#include <initializer_list>
#include <utility>
#include <vector>

using namespace gmprof;

namespace {

/// Pickled values, without the protocol and the end.
std::string integer(int64_t Value) {
  std::string Bytes("\x8a\x08", 2);
  for (int I = 0; I < 8; ++I)
    Bytes += static_cast<char>(static_cast<uint64_t>(Value) >> (8 * I));
  return Bytes;
}
std::string text(const std::string &Value) {
  return std::string("\x8c") + static_cast<char>(Value.size()) + Value;
}
std::string list(const std::vector<std::string> &Elements) {
  std::string Bytes = "](";
  for (const std::string &Each : Elements)
    Bytes += Each;
  return Bytes + "e";
}
std::string dictionary(const std::vector<std::pair<std::string, std::string>> &Members) {
  std::string Bytes = "}(";
  for (const auto &[Key, Value] : Members)
    Bytes += text(Key) + Value;
  return Bytes + "u";
}

std::string block(int64_t Size, const std::string &State = "active_allocated") {
  return dictionary({{"size", integer(Size)}, {"state", text(State)}});
}
std::string segment(int64_t Address, int64_t Size, const std::string &Blocks) {
  return dictionary(
      {{"address", integer(Address)}, {"total_size", integer(Size)}, {"blocks", Blocks}});
}
std::string event(const std::string &Action, int64_t Address, int64_t Size) {
  return dictionary(
      {{"action", text(Action)}, {"addr", integer(Address)}, {"size", integer(Size)}});
}
std::string snapshot(const std::string &Segments, const std::string &Events = list({})) {
  return "\x80\x04" + dictionary({{"segments", Segments}, {"device_traces", list({Events})}}) + ".";
}

std::string errorOf(const std::string &Data) {
  const Result<MemorySnapshot> S = parseMemorySnapshot(Data, "f");
  const std::string Prefix = "'f' is no snapshot of PyTorch's memory: ";
  if (S)
    return "none";
  return S.error().starts_with(Prefix) ? S.error().substr(Prefix.size()) : S.error();
}

constexpr int64_t At = 4096, KiB = 1024;
const std::string Whole = list({segment(At, 4 * KiB, list({block(4 * KiB)}))});

} // namespace

TEST(MemorySnapshotTest, RefusesOtherPickles) {
  EXPECT_EQ(errorOf("\x80\x04N."), "it holds no dictionary");
  EXPECT_EQ(errorOf("\x80\x04}."), "it has no list of segments");
  EXPECT_EQ(errorOf(snapshot(list({}))),
            "'f' has no memory: PyTorch's caching allocator had allocated none, or another "
            "allocator was in use");
  EXPECT_EQ(errorOf(snapshot(list({"N"}))), "segments[0] has no address");
  EXPECT_EQ(errorOf(snapshot(list({segment(0, 1, list({}))}))),
            "segments[0].address is not an integer from 1 to 9223090561878065151");
  EXPECT_EQ(errorOf(snapshot(list({segment(At, int64_t(1) << 60, list({}))}))),
            "segments[0].total_size is not an integer from 1 to 281474976710656");
  EXPECT_EQ(errorOf(snapshot(list({segment(At, 1, "N")}))), "segments[0] has no list of blocks");
  EXPECT_EQ(errorOf(snapshot(list({segment(At, 2, list({block(1)}))}))),
            "the blocks of segments[0] do not fill it");
  EXPECT_EQ(errorOf(snapshot(list({segment(At, 2, list({block(1), block(2)}))}))),
            "segments[0].blocks[1] is not where the block before it, or the segment, ends");
  EXPECT_EQ(errorOf(snapshot(list({segment(At, 2, list({block(2, "lost")}))}))),
            "segments[0].blocks[0].state is 'lost'");
  EXPECT_EQ(errorOf(snapshot(
                list({segment(At, 2, list({block(2)})), segment(At + 1, 2, list({block(2)}))}))),
            "segments[1] overlaps another segment");
  EXPECT_EQ(errorOf(snapshot(Whole, "N")), "device_traces[0] is no list");
  EXPECT_EQ(errorOf(snapshot(Whole, list({"}"}))), "device_traces[0][0] has no action");
  EXPECT_EQ(errorOf(snapshot(Whole, list({event("alloc", 0, 1)}))),
            "device_traces[0][0].addr is not an integer from 1 to 9223090561878065151");
  EXPECT_EQ(errorOf(snapshot(Whole)), "none");
}

// A list of 100 blocks is kept, and is that of 200 segments: 20,000 blocks in 7,000 bytes.
TEST(MemorySnapshotTest, RefusesListsThatMultiply) {
  std::string Segments = "](";
  for (int64_t I = 0; I < 200; ++I)
    Segments += dictionary({{"address", integer(At + 100 * I)},
                            {"total_size", integer(100)},
                            {"blocks", std::string("h\x01", 2)}});
  std::string OneBlock = block(1) + "\x94"; // value 0
  std::string List = "](";
  for (int I = 0; I < 100; ++I)
    List += I == 0 ? OneBlock : std::string("h\x00", 2);
  List += "e\x94"; // value 1
  const std::string Data = "\x80\x04}(" + text("kept") + List + text("segments") + Segments + "eu.";
  EXPECT_LT(Data.size(), 20000u);
  EXPECT_EQ(errorOf(Data), "it refers to the same blocks, events or frames again and again");
}

// Frees were not recorded (skip_actions), so tensors end where others take their place, or at the
// end if the snapshot does not have them.
TEST(MemorySnapshotTest, EventsThatDoNotAgreeAreCounted) {
  const Result<MemorySnapshot> S = parseMemorySnapshot(
      snapshot(list({segment(At, 4 * KiB, list({block(1 * KiB), block(3 * KiB, "inactive")}))}),
               list({event("alloc", At, 2 * KiB), event("alloc", At + KiB, KiB),
                     event("alloc", At, KiB)})),
      "f");
  ASSERT_TRUE(S) << S.error();
  EXPECT_EQ(S->Events, 3u);
  EXPECT_EQ(S->Unmatched, 2u); // the first tensor gives way to the second, which is gone at the end
  const summary::Summary V = snapshotSummary(*S, std::nullopt);
  ASSERT_EQ(V.memory->devices.size(), 1u);
  const summary::MemoryAccount &End = V.memory->devices[0].accounts.back();
  EXPECT_EQ(End.moment, "end");
  ASSERT_EQ(End.rows.size(), 2u);
  EXPECT_EQ(End.rows[0].owner, "cached");
  EXPECT_EQ(End.rows[0].bytes, 3072u);
  EXPECT_EQ(End.rows[1].owner, "tensors");
  EXPECT_EQ(End.rows[1].bytes, 1024u);
}
