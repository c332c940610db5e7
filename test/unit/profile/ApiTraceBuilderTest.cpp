//===- ApiTraceBuilderTest.cpp - Builds API traces from profiles ----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ApiTraceParts.h"
#include "TestCalls.h"
#include <gtest/gtest.h>

using namespace gmprof;
using namespace gmprof::test;
using namespace gmprof::profile;

TEST(ApiTraceBuilderTest, TheLifeOfAnObject) {
  TestCalls C;
  uint64_t A = C.allocate(64);
  C.Objects[0].Name = "a";
  C.Objects[0].Made.CallPath = 3;
  C.copy("cudaMemcpy", 16, C.in(A, 8), C.host()).CallPath = 4;
  C.launch({A}, {A});
  C.Launches[0].CallPath = 5;
  C.copy("cudaMemcpy", 64, C.host(), C.in(A));
  C.release(A);
  ApiTrace T = buildApiTrace(C);
  EXPECT_EQ(names(T), (Names{"cudaMalloc", "cudaMemcpy", "k()", "cudaMemcpy", "cudaFree"}));
  EXPECT_EQ(T.Apis[0].Kind, ApiKind::Allocation);
  EXPECT_EQ(T.Apis[0].TimeNs, 100u);
  EXPECT_EQ(T.Apis[0].EndNs, 150u);
  EXPECT_EQ(T.Apis[0].CallPath, 3u);
  EXPECT_EQ(T.Apis[0].Thread, 1u);
  EXPECT_EQ(T.Apis[0].Object, 0u);
  EXPECT_EQ(T.Apis[0].Launch, None);
  EXPECT_EQ(T.Apis[1].Kind, ApiKind::Copy);
  EXPECT_EQ(T.Apis[1].CallPath, 4u);
  EXPECT_EQ(accesses(T.Apis[1]), (Accesses{{0, false, true, 8, 16}}));
  EXPECT_EQ(T.Apis[2].Kind, ApiKind::Launch);
  EXPECT_EQ(T.Apis[2].CallPath, 5u);
  EXPECT_EQ(T.Apis[2].Launch, 0u);
  EXPECT_EQ(T.Apis[2].TimeNs, 300u);
  EXPECT_EQ(T.Apis[2].EndNs, 0u);
  EXPECT_FALSE(T.Apis[2].Inferred);
  EXPECT_EQ(accesses(T.Apis[2]), (Accesses{{0, true, false, 0, 0}, {0, false, true, 0, 0}}));
  EXPECT_EQ(accesses(T.Apis[3]), (Accesses{{0, true, false, 0, 64}}));
  EXPECT_EQ(T.Apis[4].Kind, ApiKind::Release);
  EXPECT_EQ(T.Apis[4].TimeNs, 500u);
  EXPECT_EQ(T.Apis[4].EndNs, 550u);
  for (const Api &Each : T.Apis)
    EXPECT_TRUE(Each.After.empty());
  ASSERT_EQ(T.Objects.size(), 1u);
  EXPECT_EQ(T.Objects[0].Id, A);
  EXPECT_EQ(T.Objects[0].Name, "a");
  EXPECT_EQ(T.Objects[0].Bytes, 64u);
  EXPECT_EQ(T.Objects[0].Allocation, 0u);
  EXPECT_EQ(T.Objects[0].Release, 4u);
}

TEST(ApiTraceBuilderTest, UnknownAccessesOfALaunchAreInferred) {
  TestCalls C;
  uint64_t A = C.allocate(64);
  C.launch({}, {});
  C.launch({A}, {A});
  C.AccessSets[1].Knowledge = log::AccessKnowledge::Inferred;
  C.launch({}, {});
  C.Launches[2].AccessSet = None;
  ApiTrace T = buildApiTrace(C);
  EXPECT_FALSE(T.Apis[1].Inferred);
  EXPECT_TRUE(T.Apis[2].Inferred);
  EXPECT_EQ(T.Apis[2].Accesses.size(), 2u);
  EXPECT_TRUE(T.Apis[3].Inferred);
  EXPECT_TRUE(T.Apis[3].Accesses.empty());
}

TEST(ApiTraceBuilderTest, AccessesThatDataDecidesAndThatWereNotMade) {
  TestCalls C;
  const uint64_t A = C.allocate(64), B = C.allocate(64);
  C.launch({A}, {});
  C.AccessSets.push_back({log::AccessKnowledge::Possible, {{A, 1, 1}, {B, 1, 1}}});
  C.Launches[0].PossibleSet = 1;
  const ApiTrace T = buildApiTrace(C);
  ASSERT_EQ(T.Skipped.size(), 1u);
  EXPECT_EQ(T.Skipped[0].Api, 2u);
  EXPECT_EQ(T.Skipped[0].Object, 1u);
}

TEST(ApiTraceBuilderTest, ParametersMayBoundAllAccesses) {
  TestCalls C;
  const uint64_t A = C.allocate(64);
  C.launch({A}, {A});
  C.launch({}, {});
  C.AccessSets[0].Knowledge = log::AccessKnowledge::FromParameters;
  const ApiTrace T = buildApiTrace(C);
  EXPECT_TRUE(T.Apis[1].FromParameters);
  EXPECT_FALSE(T.Apis[1].Inferred);
  EXPECT_EQ(T.Apis[1].Accesses.size(), 2u);
  EXPECT_FALSE(T.Apis[2].FromParameters);
}

// Another thread reuses the memory before the first thread's release has returned.
TEST(ApiTraceBuilderTest, ThreadsAreInTheOrderOfTheirCalls) {
  TestCalls C;
  uint64_t A = C.allocate(64);
  uint64_t B = C.by(2).allocate(64);
  C.by(1).release(A);
  C.Objects[A - 1].Released->BeginNs = C.Objects[A - 1].Released->TimeNs = 220;
  C.Objects[B - 1].Made.TimeNs = C.Objects[B - 1].Made.EndNs = 240;
  ApiTrace T = buildApiTrace(C);
  EXPECT_EQ(names(T), (Names{"cudaMalloc", "cudaFree", "cudaMalloc"}));
  EXPECT_EQ(T.Objects[0].Release, 1u);
  EXPECT_EQ(T.Objects[1].Allocation, 2u);
  EXPECT_EQ(T.Apis[2].Thread, 2u);
}

TEST(ApiTraceBuilderTest, CallsOfOneTimeAreInTheOrderOfTheirRecords) {
  TestCalls C;
  uint64_t A = C.allocate(64);
  C.launch({A}, {});
  C.upload(A);
  C.launch({A}, {});
  C.Objects[0].Made.TimeNs = C.Launches[0].TimeNs = C.Copies[0].BeginNs = C.Launches[1].TimeNs = 7;
  EXPECT_EQ(names(buildApiTrace(C)), (Names{"cudaMalloc", "k()", "cudaMemcpyAsync", "k()"}));
}

TEST(ApiTraceBuilderTest, VariablesAreNotAllocated) {
  TestCalls C;
  uint64_t A = C.allocate(64);
  uint64_t Table = C.object(ObjectKind::Constant, 16, "");
  uint64_t Sum = C.object(ObjectKind::GlobalVariable, 8, "");
  C.launch({A, Table}, {Sum});
  C.Launches[0].TimeNs = 1; // variables are recorded during the launch
  C.Objects[0].Made.TimeNs = 0;
  ApiTrace T = buildApiTrace(C);
  EXPECT_EQ(names(T), (Names{"cudaMalloc", "k()"}));
  ASSERT_EQ(T.Objects.size(), 3u);
  EXPECT_EQ(T.Objects[0].Id, Table);
  EXPECT_EQ(T.Objects[0].Kind, ObjectKind::Constant);
  EXPECT_EQ(T.Objects[1].Id, Sum);
  EXPECT_EQ(T.Objects[2].Id, A);
  EXPECT_EQ(T.Apis[0].Object, 2u);
  EXPECT_EQ(accesses(T.Apis[1]),
            (Accesses{{2, true, false, 0, 0}, {0, true, false, 0, 0}, {1, false, true, 0, 0}}));
}

TEST(ApiTraceBuilderTest, CopiesCoverTheirRange) {
  TestCalls C;
  uint64_t A = C.allocate(1000), B = C.allocate(2000);
  uint64_t Texture = C.object(ObjectKind::Device, 96, "cudaMallocArray");
  C.copy("cudaMemcpy", 10, C.in(A, 5), C.in(B, 7));
  // Three rows of 16 bytes: packed in B, 32 bytes apart in A.
  Copy &Rows = C.copy("cudaMemcpy2D", 16, C.in(A, 64), C.in(B, 16));
  Rows.Rows = 3;
  Rows.To.pitch = 32;
  Rows.From.pitch = 16;
  // Two slices of three such rows: packed in B, with a gap between the slices in A.
  Copy &Slices = C.copy("cudaMemcpy3D", 16, C.in(A), C.in(B));
  Slices.Rows = 3;
  Slices.Slices = 2;
  Slices.To.pitch = Slices.From.pitch = 16;
  Slices.To.slicePitch = 64;
  Slices.From.slicePitch = 48;
  Copy &All = C.copy("cudaMemcpy2DToArray", 32, {Texture, 0, 0, 0, 0, 1}, C.host());
  All.Rows = 3;
  Copy &Part = C.copy("cudaMemcpy2DFromArray", 32, C.host(), {Texture, 0, 0, 0, 0, 1});
  Part.Rows = 2;
  C.set(A);
  ApiTrace T = buildApiTrace(C);
  ASSERT_EQ(T.Apis.size(), 9u);
  EXPECT_EQ(accesses(T.Apis[3]), (Accesses{{1, true, false, 7, 10}, {0, false, true, 5, 10}}));
  EXPECT_EQ(accesses(T.Apis[4]), (Accesses{{1, true, false, 16, 48}, {0, false, true, 0, 0}}));
  EXPECT_EQ(accesses(T.Apis[5]), (Accesses{{1, true, false, 0, 96}, {0, false, true, 0, 0}}));
  EXPECT_EQ(accesses(T.Apis[6]), (Accesses{{2, false, true, 0, 96}}));
  EXPECT_EQ(accesses(T.Apis[7]), (Accesses{{2, true, false, 0, 0}}));
  EXPECT_EQ(T.Apis[8].Kind, ApiKind::Set);
  EXPECT_EQ(accesses(T.Apis[8]), (Accesses{{0, false, true, 0, 1000}}));
}

TEST(ApiTraceBuilderTest, CopiesThatAreNoGpuApis) {
  TestCalls C;
  C.copy("cudaMemcpy", 10, C.host(), C.host());
  uint64_t A = C.allocate(16);
  C.copy("cudaMemcpy", 0, C.in(A), C.host());
  C.copy("cudaMemcpy", 4, {}, C.host()); // to unknown device memory
  EXPECT_EQ(names(buildApiTrace(C)), (Names{"cudaMalloc", "cudaMemcpy"}));
}

TEST(ApiTraceBuilderTest, AfterItsReleaseAnObjectIsNotAccessed) {
  TestCalls C;
  uint64_t A = C.allocate(16);
  C.release(A);
  C.launch({A}, {});
  C.upload(A);
  ApiTrace T = buildApiTrace(C);
  ASSERT_EQ(T.Apis.size(), 4u);
  EXPECT_TRUE(T.Apis[2].Accesses.empty());
  EXPECT_TRUE(T.Apis[3].Accesses.empty());
}

TEST(ApiTraceBuilderTest, MemoryOfTheHostIsInNoStream) {
  TestCalls C;
  uint64_t H = C.object(ObjectKind::Pinned, 16, "cudaMallocHost");
  uint64_t M = C.object(ObjectKind::Managed, 16, "cudaMallocManaged");
  C.release(H, "cudaFreeHost");
  C.release(M, "");
  ApiTrace T = buildApiTrace(C);
  EXPECT_EQ(T.Apis[0].Stream, NoStream);
  EXPECT_EQ(T.Apis[1].Stream, 0u);
  EXPECT_EQ(T.Apis[2].Stream, NoStream);
  EXPECT_EQ(T.Apis[3].Stream, NoStream); // end inferred, in an unknown stream
}

TEST(ApiTraceBuilderTest, StreamsAreNumbered) {
  TestCalls C;
  C.launch({}, {}, 0xb0);
  C.create(0xa0);
  C.launch({}, {}, 0xa0);
  C.launch({}, {}, 1); // cudaStreamLegacy
  C.launch({}, {}, 2); // cudaStreamPerThread
  C.by(2).launch({}, {}, 2);
  C.launch({}, {}, 2);
  C.order(OrderKind::StreamDestroyed, 0xa0);
  C.create(0xa0, false, 1);
  C.launch({}, {}, 0xa0); // the stream's device, whatever device is current
  C.launch({}, {}, 0, 1);
  std::vector<std::pair<uint64_t, uint32_t>> Streams;
  for (const Api &A : buildApiTrace(C).Apis)
    Streams.emplace_back(A.Stream, A.Device);
  EXPECT_EQ(Streams, (std::vector<std::pair<uint64_t, uint32_t>>{
                         {1, 0}, {2, 0}, {0, 0}, {3, 0}, {4, 0}, {4, 0}, {5, 1}, {0, 1}}));
}

TEST(ApiTraceBuilderTest, CopiesWithTheHost) {
  TestCalls C;
  uint64_t A = C.allocate(64), B = C.allocate(64);
  uint64_t Pinned = C.object(ObjectKind::Pinned, 64, "cudaMallocHost");
  C.upload(A);
  C.download(A);
  C.set(A);
  C.copy("cudaMemcpy", 64, C.in(B), C.in(A));
  C.copy("cudaMemcpy", 64, {Pinned, 16, 0, 0, 1, 0}, C.in(A));
  C.copy("cudaMemcpy", 64, C.in(B), {}); // from memory of the device that is not known
  C.copy("cudaMemcpy", 32, C.in(B), {0, 0x5000, 0, 0, 1, 0});
  C.Copies.back().RowBytes = 8;
  C.Copies.back().Rows = 4;
  C.Copies.back().From.pitch = 100;
  ApiTrace T = buildApiTrace(C);
  EXPECT_EQ(Api(T.Apis[5]).Host.Bytes, 0u); // a set
  const HostRange ToPinned = Api(T.Apis[7]).Host, Rows = Api(T.Apis[9]).Host;
  EXPECT_EQ(ToPinned.Object, Pinned);
  EXPECT_EQ(ToPinned.Begin, 16u);
  EXPECT_EQ(ToPinned.Bytes, 64u);
  EXPECT_TRUE(ToPinned.Writes);
  EXPECT_EQ(Rows.Object, 0u);
  EXPECT_EQ(Rows.Begin, 0x5000u);
  EXPECT_EQ(Rows.end(), 0x5000u + 3 * 100 + 8);
  EXPECT_FALSE(Rows.Writes);
  std::vector<bool> WithHost;
  for (const Api &A : T.Apis)
    WithHost.push_back(A.WithHost);
  EXPECT_EQ(WithHost,
            (std::vector<bool>{false, false, false, true, true, false, false, true, false, true}));
}

// Pool allocations and releases are calls in the order of the default stream, and wait for no other
// work.
TEST(ApiTraceBuilderTest, PartsOfPools) {
  TestCalls C;
  uint64_t Slab = C.allocate(100);
  C.create(7, true);
  uint64_t Part = C.object(ObjectKind::Pool, 10, "gmprof_alloc");
  C.Objects[Part - 1].Parent = Slab;
  C.launch({Part}, {}, 7);
  C.release(Part, "gmprof_free");
  ApiTrace T = buildApiTrace(C);
  EXPECT_EQ(names(T), (Names{"cudaMalloc", "gmprof_alloc", "k()", "gmprof_free"}));
  EXPECT_EQ(T.Objects[0].Parent, std::nullopt);
  EXPECT_EQ(T.Objects[1].Parent, 0u);
  EXPECT_EQ(T.Apis[3].Stream, 0u);
  EXPECT_EQ(T.Objects[1].Release, 3u);
}
