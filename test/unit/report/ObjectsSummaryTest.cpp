//===- ObjectsSummaryTest.cpp - Objects of global memory in summary.json --===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/builder/ObjectsSummary.h"
#include "report/builder/SummaryBuilder.h"
#include "report/model/SummaryJson.h"
#include <gtest/gtest.h>

using namespace gmprof;
using log::ObjectKind;

namespace {

constexpr uint64_t Second = 1'000'000'000;

/// Times are in seconds since the start; Released 0: not.
profile::Object object(uint64_t Id, uint64_t Bytes, uint64_t Made, uint64_t Released,
                       ObjectKind Kind = ObjectKind::Device, uint32_t Device = 0) {
  profile::Object O;
  O.Id = Id;
  O.Kind = Kind;
  O.Bytes = Bytes;
  O.Address = 0x1000 * Id;
  O.Device = Device;
  O.Made.Api = "cudaMalloc";
  O.Made.TimeNs = O.Made.EndNs = (10 + Made) * Second;
  O.Made.Thread = 7;
  if (Released != 0) {
    O.Released = O.Made;
    O.Released->Api = "cudaFree";
    O.Released->TimeNs = O.Released->BeginNs = (10 + Released) * Second;
  }
  return O;
}

profile::Profile profileOf(const std::vector<profile::Object> &Objects) {
  profile::Profile P;
  P.TheRun.SteadyStartNs = 10 * Second;
  P.TheRun.Ended = true;
  P.Objects = Objects;
  return P;
}

summary::Summary summarize(const profile::Profile &P) { return buildSummary(P).Content; }

profile::Frame frame(const std::string &Function, const std::string &File, unsigned Line) {
  profile::Frame F;
  F.Function = Function;
  F.Source = {File, Line, 0};
  F.Image = "/app";
  return F;
}

} // namespace

TEST(ObjectsSummaryTest, TellsTheLifeOfEach) {
  profile::Profile P = profileOf({object(1, 100, 1, 3), object(2, 8, 2, 0, ObjectKind::Constant)});
  P.Objects[0].Name = "prices";
  P.Objects[0].Made.Stream = 5;
  P.CallPaths.resize(1);
  P.CallPaths[0].Frames = {frame("cudaMalloc<float>", "/cuda/include/cuda_runtime.h", 9),
                           frame("main", "/src/a.cu", 42)};
  P.Objects[0].Made.CallPath = 0;
  summary::Summary S = summarize(P);
  ASSERT_EQ(S.objects.size(), 2u);
  const summary::Object &O = S.objects[0];
  EXPECT_EQ(O.id, 0u);
  EXPECT_EQ(O.name, "prices");
  EXPECT_EQ(O.kind, "device");
  EXPECT_EQ(O.bytes, 100u);
  EXPECT_EQ(O.address, 0x1000u);
  EXPECT_EQ(O.device, 0u);
  EXPECT_EQ(O.kernel, std::nullopt);
  EXPECT_EQ(O.released, true);
  ASSERT_TRUE(O.alloc && O.free && O.source);
  EXPECT_EQ(O.alloc->api, "cudaMalloc");
  EXPECT_EQ(O.alloc->seconds, 1.0);
  EXPECT_EQ(O.alloc->thread, 7u);
  EXPECT_EQ(O.alloc->stream, 5u);
  EXPECT_EQ(O.alloc->call_path, 0u);
  EXPECT_EQ(O.source->file, "/src/a.cu");
  EXPECT_EQ(O.source->line, 42u);
  EXPECT_EQ(O.free->api, "cudaFree");
  EXPECT_EQ(O.free->seconds, 3.0);
  EXPECT_EQ(O.free->stream, std::nullopt);
  EXPECT_EQ(O.free->call_path, std::nullopt);
  EXPECT_FALSE(O.free->source);
  ASSERT_EQ(S.call_paths.size(), 1u);
  ASSERT_EQ(S.call_paths[0].size(), 1u);
  EXPECT_EQ(S.frames.at(S.call_paths[0][0]).function, "main");
  // A variable is never released.
  EXPECT_EQ(S.objects[1].kind, "constant");
  EXPECT_EQ(S.objects[1].released, std::nullopt);
  EXPECT_FALSE(S.objects[1].alloc);

  Result<summary::Summary> Again = parseSummary(toJson(S), "again");
  ASSERT_TRUE(Again) << Again.error();
  EXPECT_EQ(toJson(*Again), toJson(S));
}

TEST(ObjectsSummaryTest, NothingIsNull) {
  summary::Summary S = summarize(profileOf({}));
  EXPECT_FALSE(S.memory);
  EXPECT_TRUE(S.objects.empty());
}

TEST(ObjectsSummaryTest, PathsThatReadTheSameAreOne) {
  profile::Profile P = profileOf({object(1, 1, 1, 0), object(2, 1, 1, 0), object(3, 1, 1, 0)});
  P.CallPaths.resize(3);
  for (uint32_t I = 0; I < 3; ++I) {
    P.CallPaths[I].Frames = {frame("main", "/src/a.cu", I == 2 ? 6 : 5)};
    P.CallPaths[I].Frames[0].Address = I;
    P.Objects[I].Made.CallPath = I;
  }
  summary::Summary S = summarize(P);
  EXPECT_EQ(S.call_paths.size(), 2u);
  EXPECT_EQ(S.objects[0].alloc->call_path, S.objects[1].alloc->call_path);
  // Functions without a name are distinguished by address.
  for (uint32_t I = 0; I < 3; ++I)
    P.CallPaths[I].Frames[0].Function = "";
  EXPECT_EQ(summarize(P).call_paths.size(), 3u);
}

TEST(ObjectsSummaryTest, KeepsTheLargestOfManyObjects) {
  std::vector<profile::Object> Objects;
  for (uint64_t I = 1; I <= ObjectsSummary::MaxObjects + 10; ++I)
    Objects.push_back(object(I, I <= 10 ? 1 : 2, I, 0));
  profile::Profile P = profileOf(Objects);
  summary::Summary S;
  ObjectsSummary Builder(P, S);
  Builder.build();
  EXPECT_EQ(S.objects.size(), ObjectsSummary::MaxObjects);
  EXPECT_EQ(S.memory->objects, ObjectsSummary::MaxObjects + 10);
  EXPECT_EQ(S.memory->objects_omitted, 10u);
  EXPECT_EQ(S.objects.front().address, 0x1000u * 11);
  // A kernel used one of the others.
  EXPECT_EQ(Builder.indexOf(11), 0u);
  EXPECT_EQ(Builder.indexOf(3), ObjectsSummary::MaxObjects);
  EXPECT_EQ(Builder.indexOf(3), ObjectsSummary::MaxObjects);
  EXPECT_EQ(S.objects.back().bytes, 1u);
  EXPECT_EQ(S.memory->objects_omitted, 9u);
  // The record of this one was lost.
  EXPECT_EQ(Builder.indexOf(99'999), ObjectsSummary::MaxObjects + 1);
  EXPECT_EQ(S.memory->objects_omitted, 9u);
}

// Each step of a training makes the same tensors.
TEST(ObjectsSummaryTest, KeepsAFewOfThePartsThatAreAlike) {
  std::vector<profile::Object> Objects = {object(1, 4096, 1, 0)};
  for (uint64_t I = 2; I <= 11; ++I) {
    Objects.push_back(object(I, 256, I, 0, ObjectKind::Pool));
    Objects.back().Parent = 1;
  }
  Objects.push_back(object(12, 512, 12, 0, ObjectKind::Pool)); // of another size
  Objects.push_back(object(13, 256, 13, 0, ObjectKind::Pool));
  Objects.back().Name = "weights";
  for (uint64_t I = 14; I <= 23; ++I) // no parts
    Objects.push_back(object(I, 256, I, 0));
  profile::Profile P = profileOf(Objects);
  summary::Summary S;
  ObjectsSummary Builder(P, S);
  Builder.build();
  std::vector<uint64_t> Addresses;
  for (const summary::Object &O : S.objects)
    Addresses.push_back(*O.address / 0x1000);
  EXPECT_EQ(Addresses,
            (std::vector<uint64_t>{1, 2, 3, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23}));
  EXPECT_EQ(S.memory->objects, 23u);
  EXPECT_EQ(S.memory->objects_omitted, 8u);
  EXPECT_EQ(Builder.listed(3), 2u);
  EXPECT_EQ(Builder.listed(4), std::nullopt);
  EXPECT_EQ(Builder.indexOf(4), 15u); // a finding is about it
  EXPECT_EQ(Builder.listed(4), 15u);
  EXPECT_EQ(S.memory->objects_omitted, 7u);
}

TEST(ObjectsSummaryTest, ListsObjectsWithoutElementAnalysis) {
  profile::Profile P = profileOf(
      {object(1, 1024, 1, 0), object(2, 512, 1, 0), object(3, 256, 2, 0, ObjectKind::Pool),
       object(4, 256, 2, 0, ObjectKind::Pool), object(5, 64, 2, 0, ObjectKind::Graph)});
  P.Objects.change(2, [](profile::Object &O) { O.Parent = 2; });
  P.Objects.change(3, [](profile::Object &O) { O.Parent = 2; });
  P.TheRun.Profiles = {"objects"};
  EXPECT_TRUE(summarize(P).coverage.gaps.empty());
  P.TheRun.Profiles = {"elements"};
  const summary::Coverage C = summarize(P).coverage;
  ASSERT_EQ(C.gaps.size(), 1u);
  EXPECT_EQ(C.gaps[0].what, "objects");
  EXPECT_EQ(C.gaps[0].count, 4u) << "the slab, its two parts, and the graph's";
  EXPECT_FALSE(C.whole);
  // The first one alone.
  profile::Profile Alone = profileOf({object(1, 1024, 1, 0)});
  Alone.TheRun.Profiles = {"elements"};
  EXPECT_TRUE(summarize(Alone).coverage.gaps.empty());
}
