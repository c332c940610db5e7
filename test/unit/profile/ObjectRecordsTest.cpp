//===- ObjectRecordsTest.cpp - Objects and call paths in logs -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestLog.h"
#include "profile/ProfileBuilder.h"
#include <gtest/gtest.h>

using namespace gmprof;
using namespace gmprof::test;
using log::RecordKind;

namespace {

profile::Profile build(const LogBytes &Log) {
  auto Reader = EventLogReader::create(Log.Bytes, "log");
  auto P = buildProfile(*Reader, "log");
  EXPECT_TRUE(P) << P.error();
  return P ? *P : profile::Profile();
}

uint64_t damaged(const profile::Profile &P) {
  for (const profile::Gap &G : P.Gaps)
    if (G.What == "records" && G.Reason == "damaged")
      return G.Count;
  return 0;
}

/// Returns the payload of the single record that Write writes.
template <typename F> std::vector<std::byte> payload(F Write) {
  LogBytes Log;
  size_t Begin = Log.Bytes.size();
  Write(Log);
  log::RecordHeader Header;
  std::memcpy(&Header, &Log.Bytes[Begin], sizeof(Header));
  Begin += sizeof(Header);
  return {&Log.Bytes[Begin], &Log.Bytes[Begin] + Header.bytes};
}

} // namespace

TEST(ObjectRecordsTest, TellsTheLifeOfAnObject) {
  LogBytes Log;
  Log.run();
  Log.image("/app", 0x1000, 0x500);
  Log.callPath(7, {0x1100, 0x1200});
  Log.object({.CallPath = 7, .Name = "prices", .Stream = 3});
  Log.object({.Id = 2,
              .Address = 0x9000,
              .Bytes = 8,
              .Kind = log::ObjectKind::Constant,
              .Name = "table",
              .Api = "",
              .Device = 1});
  Log.image("/plugin", 0x9000, 0x100, 0x40);
  Log.callPath(3, {0x1300});
  Log.release(1, 1200000000, 3);
  profile::Profile P = build(Log);
  EXPECT_EQ(P.Gaps.size(), 0u);
  ASSERT_EQ(P.Objects.size(), 2u);
  const profile::Object &O = P.Objects[0];
  EXPECT_EQ(O.Id, 1u);
  EXPECT_EQ(O.Name, "prices");
  EXPECT_EQ(O.Made.Api, "cudaMalloc");
  EXPECT_EQ(O.Kind, log::ObjectKind::Device);
  EXPECT_EQ(O.Address, 0x7000u);
  EXPECT_EQ(O.Bytes, 256u);
  EXPECT_EQ(O.Made.TimeNs, 1100000000u);
  EXPECT_EQ(O.Made.Stream, 3u);
  EXPECT_EQ(O.Made.Thread, 77u);
  EXPECT_EQ(O.Made.CallPath, 0u);
  ASSERT_TRUE(O.Released);
  EXPECT_EQ(O.Released->Api, "cudaFree");
  EXPECT_EQ(O.Released->TimeNs, 1200000000u);
  EXPECT_EQ(O.Released->Thread, 78u);
  EXPECT_EQ(O.Released->CallPath, 1u);
  EXPECT_EQ(P.Objects[1].Name, "table");
  EXPECT_EQ(P.Objects[1].Made.Api, "");
  EXPECT_EQ(P.Objects[1].Device, 1u);
  EXPECT_EQ(P.Objects[1].Made.CallPath, profile::None);
  EXPECT_FALSE(P.Objects[1].Released);
  ASSERT_EQ(P.CallPaths.size(), 2u);
  EXPECT_EQ(P.CallPaths[0].Addresses, (std::vector<uint64_t>{0x1100, 0x1200}));
  EXPECT_EQ(P.CallPaths[0].ImageCount, 1u);
  EXPECT_EQ(P.CallPaths[1].ImageCount, 2u);
  ASSERT_EQ(P.Images.size(), 2u);
  EXPECT_EQ(P.Images[1].Path, "/plugin");
  EXPECT_EQ(P.Images[1].BuildId, "abcd");
  EXPECT_EQ(P.Images[1].Address, 0x9000u);
  EXPECT_EQ(P.Images[1].Bytes, 0x100u);
  EXPECT_EQ(P.Images[1].Offset, 0x40u);
}

TEST(ObjectRecordsTest, MemoryOfAGraphIsReleasedAfterEachLaunch) {
  LogBytes Log;
  Log.run();
  Log.object({.Id = 1, .Kind = log::ObjectKind::Graph});
  Log.object({.Id = 2, .Kind = log::ObjectKind::Graph});
  Log.release(1, 1200000000, 0, "cudaFreeAsync");
  Log.release(1, 1300000000, 0, "cudaFree");
  Log.release(2, 1400000000, 0, "cudaGraphAddMemFreeNode", /*InGraph=*/true);
  Log.release(2, 1500000000, 0, "cudaFree");
  profile::Profile P = build(Log);
  EXPECT_EQ(damaged(P), 0u);
  EXPECT_EQ(P.Objects[0].Released->Api, "cudaFree");
  EXPECT_EQ(P.Objects[1].Released->Api, "cudaGraphAddMemFreeNode");
  EXPECT_TRUE(P.Objects[1].Released->InGraph);
  ASSERT_EQ(P.GraphMemoryReleases.size(), 2u);
  EXPECT_EQ(P.GraphMemoryReleases[0].Object, 0u);
  EXPECT_EQ(P.GraphMemoryReleases[0].Event.Api, "cudaFreeAsync");
  EXPECT_EQ(P.GraphMemoryReleases[0].Event.TimeNs, 1200000000u);
  EXPECT_EQ(P.GraphMemoryReleases[1].Object, 1u);
  EXPECT_EQ(P.GraphMemoryReleases[1].Event.Api, "cudaFree");
}

TEST(ObjectRecordsTest, CallPathsMayBeLost) {
  LogBytes Log;
  Log.run();
  Log.object({.CallPath = 7});
  Log.release(1, 1200000000, 8);
  profile::Profile P = build(Log);
  EXPECT_EQ(damaged(P), 0u);
  EXPECT_EQ(P.Objects[0].Made.CallPath, profile::None);
  EXPECT_EQ(P.Objects[0].Released->CallPath, profile::None);
}

TEST(ObjectRecordsTest, CallPathsWithPythonFunctions) {
  LogBytes Log;
  Log.run();
  Log.image("/usr/bin/python3", 0x1000, 0x1000);
  Log.callPath(1, {0x1100, 0x1200});
  Log.pythonCode(1, "/src/train.py", "Model.forward");
  Log.pythonCode(2, "/src/train.py", "<module>");
  Log.pythonStack(1, 0x1800, {{1, 12}, {2, 40}});
  Log.pythonPath(2, 1, 1);
  Log.pythonStack(2, 0x1800, {});
  Log.pythonPath(3, 1, 2);
  Log.object({.CallPath = 2});
  Log.release(1, 1200000000, 1);
  profile::Profile P = build(Log);
  EXPECT_EQ(damaged(P), 0u);
  ASSERT_EQ(P.CallPaths.size(), 3u);
  EXPECT_EQ(P.Objects[0].Made.CallPath, 1u);
  EXPECT_EQ(P.Objects[0].Released->CallPath, 0u);
  EXPECT_EQ(P.CallPaths[0].Python, profile::None);
  const profile::CallPath &Path = P.CallPaths[1];
  EXPECT_EQ(Path.Addresses, (std::vector<uint64_t>{0x1100, 0x1200}));
  EXPECT_EQ(Path.ImageCount, 1u);
  const profile::PythonStack &Stack = P.PythonStacks.at(Path.Python);
  EXPECT_EQ(Stack.Interpreter, 0x1800u);
  ASSERT_EQ(Stack.Frames.size(), 2u);
  EXPECT_EQ(Stack.Frames[0].File, "/src/train.py");
  EXPECT_EQ(Stack.Frames[0].Function, "Model.forward");
  EXPECT_EQ(Stack.Frames[0].Line, 12u);
  EXPECT_EQ(Stack.Frames[1].Function, "<module>");
  EXPECT_EQ(Stack.Frames[1].Line, 40u);
  EXPECT_TRUE(P.PythonStacks.at(P.CallPaths[2].Python).Frames.empty());
}

TEST(ObjectRecordsTest, PythonPathsKeepWhatIsNotLost) {
  LogBytes Log;
  Log.run();
  Log.callPath(1, {0x1100});
  Log.pythonCode(1, "a.py", "f");
  Log.pythonStack(1, 0x1800, {{1, 3}});
  Log.pythonPath(2, 9, 1);
  Log.pythonPath(3, 1, 9);
  profile::Profile P = build(Log);
  EXPECT_EQ(damaged(P), 0u);
  ASSERT_EQ(P.CallPaths.size(), 3u);
  EXPECT_TRUE(P.CallPaths[1].Addresses.empty());
  EXPECT_EQ(P.CallPaths[1].Python, 0u);
  EXPECT_EQ(P.CallPaths[2].Addresses.size(), 1u);
  EXPECT_EQ(P.CallPaths[2].Python, profile::None);
}

TEST(ObjectRecordsTest, EveryTruncatedRecordIsDamaged) {
  const std::pair<RecordKind, std::vector<std::byte>> Whole[] = {
      {RecordKind::Object, payload([](LogBytes &L) { L.object({.Name = "a"}); })},
      {RecordKind::CallPath, payload([](LogBytes &L) { L.callPath(1, {1, 2}); })},
      {RecordKind::PythonCode, payload([](LogBytes &L) { L.pythonCode(1, "a.py", "f"); })},
      {RecordKind::PythonStack, payload([](LogBytes &L) { L.pythonStack(2, 1, {{9, 1}}); })},
      {RecordKind::PythonPath, payload([](LogBytes &L) { L.pythonPath(1, 2, 3); })},
      {RecordKind::Release, payload([](LogBytes &L) { L.release(9, 1); })},
      {RecordKind::Image, payload([](LogBytes &L) { L.image("/a", 1, 1); })}};
  for (const auto &[Kind, Payload] : Whole)
    for (size_t Bytes = 0; Bytes < Payload.size(); ++Bytes) {
      LogBytes Log;
      Log.run();
      Log.object({.Id = 9});
      Log.pythonCode(9, "a.py", "f");
      Log.record(Kind, {Payload.begin(), Payload.begin() + Bytes});
      profile::Profile P = build(Log);
      EXPECT_EQ(damaged(P), 1u) << Bytes;
      EXPECT_EQ(P.Objects.size(), 1u);
      EXPECT_FALSE(P.Objects[0].Released);
      EXPECT_TRUE(P.CallPaths.empty());
      EXPECT_TRUE(P.PythonStacks.empty());
      EXPECT_TRUE(P.Images.empty());
    }
}

TEST(ObjectRecordsTest, ContradictionsAreDamaged) {
  LogBytes Log;
  Log.run();
  Log.object({.Id = 1});
  Log.object({.Id = 1, .Bytes = 8});                              // duplicate id
  Log.object({.Id = 0});                                          // id 0
  Log.object({.Id = 2, .Kind = static_cast<log::ObjectKind>(9)}); // invalid kind
  Log.object({.Id = 2, .Bytes = (uint64_t(1) << 48) + 1}); // larger than any machine's memory
  Log.object({.Id = 2, .Address = UINT64_MAX - 254});      // wraps around the address space
  Log.release(5, 1);                                       // unknown object
  Log.release(1, 1);
  Log.release(1, 2); // duplicate
  Log.callPath(0, {1});
  Log.callPath(1, {1});
  Log.callPath(1, {2}); // duplicate id
  Log.pythonPath(0, 1, 1);
  Log.pythonPath(1, 1, 1); // the same
  Log.pythonCode(0, "a.py", "f");
  Log.pythonCode(1, "a.py", "f");
  Log.pythonCode(1, "b.py", "g"); // duplicate id
  Log.pythonStack(0, 1, {});
  Log.pythonStack(1, 1, {{2, 1}}); // unknown code
  Log.pythonStack(1, 1, {{1, 1}});
  Log.pythonStack(1, 1, {{1, 2}}); // duplicate id
  Log.json(RecordKind::Image, R"({"path": 5, "address": 1, "bytes": 1})");
  Log.json(RecordKind::Image, R"({"path": "/a", "bytes": 1})");
  Log.json(RecordKind::Image, R"([])");
  profile::Profile P = build(Log);
  EXPECT_EQ(damaged(P), 19u);
  ASSERT_EQ(P.Objects.size(), 1u);
  EXPECT_EQ(P.Objects[0].Bytes, 256u);
  EXPECT_EQ(P.Objects[0].Released->TimeNs, 1u);
  ASSERT_EQ(P.CallPaths.size(), 1u);
  ASSERT_EQ(P.PythonStacks.size(), 1u);
  EXPECT_EQ(P.PythonStacks[0].Frames.at(0).Line, 1u);
  EXPECT_TRUE(P.Images.empty());
}

TEST(ObjectRecordsTest, NamesThatTheProgramGives) {
  LogBytes Log;
  Log.run();
  Log.object({.Id = 1});
  Log.objectName(1, "first");
  Log.objectName(1, "weights");
  Log.objectName(2, "of nothing");
  profile::Profile P = build(Log);
  ASSERT_EQ(P.Objects.size(), 1u);
  EXPECT_EQ(P.Objects[0].Name, "weights");
  EXPECT_EQ(damaged(P), 1u);
}

TEST(ObjectRecordsTest, PartsOfPoolsHaveASlab) {
  LogBytes Log;
  Log.run();
  Log.object({.Id = 1});
  LogBytes::Object Part = {.Id = 2};
  Part.Kind = log::ObjectKind::Pool;
  Part.Parent = 1;
  Log.object(Part);
  profile::Profile P = build(Log);
  ASSERT_EQ(P.Objects.size(), 2u);
  EXPECT_EQ(P.Objects[0].Parent, 0u);
  EXPECT_EQ(P.Objects[1].Parent, 1u);
}
