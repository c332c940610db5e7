//===- KernelAccessesTest.cpp - Which objects launches access -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel move(Out, In, N), whose clone sets hits as the test says.
//
//===----------------------------------------------------------------------===//

#include "../../profile/TestLog.h"
#include "HostTest.h"
#include "host/core/RuntimeApi.h"

namespace gmprof::host {
namespace {

using log::LaunchMode;

constexpr unsigned Reads = GMPROF_TOUCH_READS, Writes = GMPROF_TOUCH_WRITES;
constexpr unsigned FirstFlag = GMPROF_HIT_FIRST_FLAG;

/// One point where threadIdx.x < N, for N of at most 100.
const std::vector<gmprof_i64> BelowN = {
    0, 0, 0, 1, -1,  3, 1, 1, GMPROF_FACTOR_PARAMETER + 2, -1, 1, GMPROF_FACTOR_TID_X, -1,
    0, 1, 0, 0, 100, 1, 1, 1, GMPROF_FACTOR_PARAMETER + 2};

/// The access set of a launch: how it is known, then "id:reads,writes" of each object.
std::string accessesOf(const profile::Profile &P, size_t Launch) {
  const profile::AccessSet &Set = P.AccessSets.at(P.Launches.at(Launch).AccessSet);
  std::string Text = Set.Knowledge == log::AccessKnowledge::Exact      ? "exact"
                     : Set.Knowledge == log::AccessKnowledge::Possible ? "possible"
                     : Set.Knowledge == log::AccessKnowledge::Inferred ? "inferred"
                                                                       : "from parameters";
  for (const log::ObjectAccess &A : Set.Accesses)
    Text += " " + std::to_string(A.object) + ":" + std::to_string(A.reads) + "," +
            std::to_string(A.writes);
  return Text;
}

class KernelAccessesTest : public HostTest {
protected:
  void SetUp() override {
    HostTest::SetUp();
    settings().TheOptions.Profiles = ProfileChoice::Objects;
  }

  static test::DescriptorWriter describe() {
    test::DescriptorWriter D("move");
    D.Header.paramCount = 3;
    D.Header.modes = GMPROF_MODE_OBJECTS;
    D.pointer("Out", 4, 0, GMPROF_NONE);
    D.pointer("In", 4, 1, GMPROF_NONE);
    return D;
  }
  /// In is always read; Out is written if a thread sets the flag.
  static test::DescriptorWriter flagged() {
    test::DescriptorWriter D = describe();
    D.touch(1, Reads, GMPROF_TOUCH_ALWAYS);
    D.touch(0, Writes, GMPROF_TOUCH_FLAG, FirstFlag);
    D.Header.modes |= GMPROF_MODE_OBJECTS_CLONE;
    return D;
  }
  /// In holds pointers, which are followed and written through.
  static test::DescriptorWriter searched() {
    test::DescriptorWriter D = describe();
    D.touch(1, Reads, GMPROF_TOUCH_ALWAYS);
    D.touch(GMPROF_NONE, Writes, GMPROF_TOUCH_SEARCH);
    D.Header.modes |= GMPROF_MODE_OBJECTS_CLONE;
    return D;
  }

  /// Body is the clone's; null: there is none.
  fake::Function &addMove(const test::DescriptorWriter &D,
                          std::function<void(const fake::Launch &)> Body = nullptr) {
    std::vector<std::byte> Bytes = D.bytes();
    auto *Begin = reinterpret_cast<const char *>(Bytes.data());
    TheModule.Globals[GMPROF_KERNEL_DESC_PREFIX "move"].assign(Begin, Begin + Bytes.size());
    return addKernelOfOthers(std::move(Body));
  }
  /// Adds a kernel without a descriptor.
  fake::Function &addKernelOfOthers(std::function<void(const fake::Launch &)> Body = nullptr) {
    fake::Function Original;
    Original.Name = "move";
    Original.Params = {sizeof(void *), sizeof(void *), sizeof(int)};
    if (Body) {
      fake::Function Clone = Original;
      Clone.Params.push_back(sizeof(GmprofObjectsLaunch));
      Clone.Body = std::move(Body);
      Clone.Name = "move" GMPROF_OBJECTS_CLONE_SUFFIX;
      TheModule.add(Clone);
    }
    fake::Function &F = TheModule.add(Original);
    fake::registerKernel(&StubA, F);
    return F;
  }

  /// Sets a hit as this block would.
  static void hit(const fake::Launch &L, size_t At, unsigned Block = 0) {
    const auto P = L.arg<GmprofObjectsLaunch>(3);
    reinterpret_cast<char *>(P.hits)[((Block & (P.replicas - 1)) << P.replicaShift) + At] = 1;
  }
  static void hitAddress(const fake::Launch &L, uint64_t Address, unsigned Kinds) {
    const auto P = L.arg<GmprofObjectsLaunch>(3);
    auto *Ranges = reinterpret_cast<const GmprofObjectRange *>(P.objects);
    for (unsigned I = 0; I < P.objectCount; ++I)
      if (Address - Ranges[I].base < Ranges[I].bytes) {
        if (Kinds & Reads)
          hit(L, P.objectHits + 2 * I);
        if (Kinds & Writes)
          hit(L, P.objectHits + 2 * I + 1);
        return;
      }
    hit(L, GMPROF_HIT_OUTSIDE);
  }

  static uint64_t allocate(size_t Bytes) {
    void *Pointer = nullptr;
    EXPECT_EQ(cudaMalloc(&Pointer, Bytes), cudaSuccess);
    return reinterpret_cast<uint64_t>(Pointer);
  }
  static void move(uint64_t To, uint64_t From, int N, cudaStream_t Stream = nullptr,
                   dim3 Grid = 2) {
    void *Args[] = {&To, &From, &N};
    EXPECT_EQ(cudaLaunchKernel(&StubA, Grid, 32, Args, 0, Stream), cudaSuccess);
  }
  static std::string last() { return fake::launches().back().What->Name; }
};

TEST_F(KernelAccessesTest, AccessesThatTheLaunchDetermines) {
  test::DescriptorWriter D = describe();
  D.touch(1, Reads, GMPROF_TOUCH_FORM, 0, BelowN);
  D.touch(0, Writes, GMPROF_TOUCH_FORM, 0, BelowN);
  addMove(D);
  uint64_t Out = allocate(1000), In = allocate(1000);
  move(Out, In, 5);
  move(Out, In, 0);
  move(Out, In, 101); // its closed forms do not hold
  move(In, In, 5);
  move(12, In, 5); // no object
  move(Out, In, 5);
  EXPECT_EQ(last(), "move") << "the program's own kernel";
  profile::Profile P = finish();
  EXPECT_EQ(P.Launches.at(0).Mode, LaunchMode::Objects);
  EXPECT_EQ(accessesOf(P, 0), "exact 1:0,1 2:1,0");
  EXPECT_EQ(accessesOf(P, 1), "exact") << "no element, no access";
  EXPECT_EQ(accessesOf(P, 2), "possible 1:1,1 2:1,1");
  EXPECT_EQ(accessesOf(P, 3), "exact 2:1,1");
  EXPECT_EQ(accessesOf(P, 4), "exact 2:1,0");
  EXPECT_EQ(P.Launches[5].AccessSet, P.Launches[0].AccessSet) << "written once";
}

TEST_F(KernelAccessesTest, EachLaunchHasItsOwnHits) {
  addMove(flagged(), [](const fake::Launch &L) {
    if (L.arg<int>(2) % 3 == 0)
      hit(L, FirstFlag, L.arg<int>(2));
  });
  uint64_t Out = allocate(1000), In = allocate(1000);
  for (int I = 0; I < 1000; ++I)
    move(Out, In, I, I % 2 ? Stream1 : Stream2, 100);
  EXPECT_EQ(last(), "move__gm_objects");
  profile::Profile P = finish();
  ASSERT_EQ(P.Launches.size(), 1000u);
  for (int I = 0; I < 1000; ++I)
    EXPECT_EQ(accessesOf(P, I), I % 3 == 0 ? "exact 1:0,1 2:1,0" : "exact 2:1,0") << I;
  EXPECT_EQ(P.Launches[0].Mode, LaunchMode::Objects);
  EXPECT_EQ(P.Launches[0].Context, 0u);
  EXPECT_EQ(P.Gaps.size(), 0u);
}

TEST_F(KernelAccessesTest, HitsThatSayNothingNew) {
  test::DescriptorWriter D = flagged();
  D.touch(0, Writes, GMPROF_TOUCH_FORM, 0, BelowN);
  addMove(D, [](const fake::Launch &) {});
  uint64_t Out = allocate(1000), In = allocate(1000);
  move(Out, In, 5);
  EXPECT_EQ(last(), "move") << "it is written anyway";
  move(Out, In, 0);
  EXPECT_EQ(last(), "move__gm_objects");
  move(12, In, 0);
  EXPECT_EQ(last(), "move") << "there is no object";
  profile::Profile P = finish();
  EXPECT_EQ(accessesOf(P, 0), "exact 1:0,1 2:1,0");
  EXPECT_EQ(accessesOf(P, 1), "exact 2:1,0");
  EXPECT_EQ(accessesOf(P, 2), "exact 2:1,0");
}

TEST_F(KernelAccessesTest, CloneThatCannotRun) {
  addMove(flagged(), [](const fake::Launch &) {});
  function("move__gm_objects").Attributes[CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK] = 16;
  uint64_t Out = allocate(1000), In = allocate(1000);
  move(Out, In, 5);
  profile::Profile P = finish();
  EXPECT_EQ(last(), "move");
  EXPECT_EQ(P.Launches.at(0).Mode, LaunchMode::Objects);
  EXPECT_EQ(accessesOf(P, 0), "possible 1:1,1 2:1,0");
  EXPECT_EQ(P.Launches[0].Reason, "its clone has too many registers for 32 threads per block");
}

TEST_F(KernelAccessesTest, OtherProfilesDoNotLook) {
  settings().TheOptions.Profiles = ProfileChoice::Shared;
  addMove(flagged(), [](const fake::Launch &L) { hit(L, FirstFlag); });
  uint64_t Out = allocate(1000), In = allocate(1000);
  move(Out, In, 5);
  EXPECT_EQ(last(), "move");
  EXPECT_EQ(accessesOf(finish(), 0), "possible 1:1,1 2:1,0");
}

TEST_F(KernelAccessesTest, PointersFromMemory) {
  uint64_t Far = 0;
  addMove(searched(), [&](const fake::Launch &L) { hitAddress(L, Far + 8, Writes); });
  uint64_t Out = allocate(1000), In = allocate(1000);
  Far = allocate(16);
  move(Out, In, 5);
  Far = 0x1000;
  move(Out, In, 5);
  Far = allocate(32) + 16;
  move(Out, In, 5);
  profile::Profile P = finish();
  EXPECT_EQ(accessesOf(P, 0), "exact 2:1,0 3:0,1");
  EXPECT_EQ(accessesOf(P, 1), "exact 2:1,0");
  EXPECT_EQ(accessesOf(P, 2), "exact 2:1,0 4:0,1") << "allocated in between";
  ASSERT_EQ(P.Gaps.size(), 1u);
  EXPECT_EQ(P.Gaps[0].What, "launches whose accesses are not all known");
  EXPECT_EQ(P.Gaps[0].Count, 1u);
}

TEST_F(KernelAccessesTest, UnfollowedPointersFromMemory) {
  test::DescriptorWriter D = searched();
  D.Header.modes &= ~GMPROF_MODE_OBJECTS_CLONE;
  addMove(D);
  uint64_t Out = allocate(1000), In = allocate(1000);
  move(Out, In, 5);
  EXPECT_EQ(accessesOf(finish(), 0), "inferred 1:1,1 2:1,1");
}

TEST_F(KernelAccessesTest, CodeThatWasNotCompiledByThePlugin) {
  test::DescriptorWriter D = searched();
  addMove(D, [](const fake::Launch &L) { hit(L, GMPROF_HIT_NOT_FOLLOWED); });
  uint64_t Out = allocate(1000), In = allocate(1000);
  move(Out, In, 5);
  EXPECT_EQ(accessesOf(finish(), 0), "inferred 2:1,0");
}

TEST_F(KernelAccessesTest, PartsOfPools) {
  uint64_t Far = 0;
  addMove(searched(), [&](const fake::Launch &L) { hitAddress(L, Far, Reads | Writes); });
  uint64_t Slab = allocate(4096), In = allocate(1000);
  Pools &All = Session::current()->pools();
  const uint64_t Pool = All.create(Slab, 4096, nullptr);
  All.allocate(Pool, Slab + 256, 256, "a", nullptr);
  All.allocate(Pool, Slab + 512, 256, "b", nullptr);
  Far = Slab + 300;
  move(0, Slab + 700, 5); // In is b, a is found
  Far = Slab + 255;
  move(0, In, 5);
  Far = Slab + 768;
  move(0, In, 5);
  All.release(Pool, Slab + 256, nullptr);
  Far = Slab + 300;
  move(0, In, 5);
  profile::Profile P = finish();
  EXPECT_EQ(accessesOf(P, 0), "exact 3:1,1 4:1,0");
  EXPECT_EQ(accessesOf(P, 1), "exact 1:1,1 2:1,0") << "in front of the first part";
  EXPECT_EQ(accessesOf(P, 2), "exact 1:1,1 2:1,0") << "behind the last";
  EXPECT_EQ(accessesOf(P, 3), "exact 1:1,1 2:1,0") << "no part any more";
}

TEST_F(KernelAccessesTest, KernelsOfOthers) {
  addKernelOfOthers();
  allocate(64);
  uint64_t Out = allocate(1000), In = allocate(1000);
  move(Out + 8, In, 5);
  EXPECT_EQ(accessesOf(finish(), 0), "from parameters 2:1,1 3:1,1");
}

TEST_F(KernelAccessesTest, KernelsOfOthersFindAddressesInMemory) {
  addKernelOfOthers();
  const uint64_t Row = allocate(1000), Table = allocate(8), Other = allocate(1000);
  move(Table, Table, 5);
  EXPECT_EQ(cudaMemcpy(reinterpret_cast<void *>(Table), &Row, sizeof(Row), cudaMemcpyHostToDevice),
            cudaSuccess);
  move(Table, Table, 5);
  EXPECT_EQ(cudaFree(reinterpret_cast<void *>(Row)), cudaSuccess);
  move(Table, Other, 5);
  profile::Profile P = finish();
  EXPECT_EQ(accessesOf(P, 0), "from parameters 2:1,1");
  EXPECT_EQ(accessesOf(P, 1), "from parameters 1:1,1 2:1,1");
  EXPECT_EQ(accessesOf(P, 2), "from parameters 2:1,1 3:1,1");
}

// The memory may contain addresses that were not observed.
TEST_F(KernelAccessesTest, KernelsOfOthersWithMemoryOfTheHost) {
  addKernelOfOthers();
  void *Pinned = nullptr;
  EXPECT_EQ(cudaMallocHost(&Pinned, 64), cudaSuccess);
  const uint64_t Out = allocate(1000);
  move(Out, reinterpret_cast<uint64_t>(Pinned), 5);
  EXPECT_EQ(accessesOf(finish(), 0), "inferred 1:1,1 2:1,1");
}

TEST_F(KernelAccessesTest, KernelsOfOthersWithLessThanAnAddressOfTheHost) {
  addKernelOfOthers();
  void *Flag = nullptr, *Address = nullptr;
  EXPECT_EQ(cudaMallocHost(&Flag, 7), cudaSuccess);
  EXPECT_EQ(cudaMallocHost(&Address, 8), cudaSuccess);
  const uint64_t Out = allocate(1000);
  move(Out, reinterpret_cast<uint64_t>(Flag), 5);
  move(Out, reinterpret_cast<uint64_t>(Address), 5);
  profile::Profile P = finish();
  EXPECT_EQ(accessesOf(P, 0), "from parameters 1:1,1 3:1,1");
  EXPECT_EQ(accessesOf(P, 1), "inferred 2:1,1 3:1,1");
}

/// Launches like nvcc's launch code.
TEST_F(KernelAccessesTest, KernelsByTheirHandle) {
  fake::Function &Kernel = addKernelOfOthers();
  uint64_t Out = allocate(1000), In = allocate(1000);
  int N = 3;
  void *Args[] = {&Out, &In, &N};
  move(Out, Out, 1);
  const auto Handle = reinterpret_cast<cudaKernel_t>(fake::addToLibrary(nullptr, Kernel));
  EXPECT_EQ(__cudaLaunchKernel(Handle, 1, 32, Args, 0, nullptr), cudaSuccess);
  profile::Profile P = finish();
  ASSERT_EQ(P.Launches.size(), 2u);
  EXPECT_EQ(P.Kernels.at(P.Launches[1].Kernel).Name, "move");
  EXPECT_EQ(accessesOf(P, 1), "from parameters 1:1,1 2:1,1");
}

TEST_F(KernelAccessesTest, KernelsThatSayNothingOfObjects) {
  test::DescriptorWriter D = describe();
  D.Header.modes = 0; // not selected when it was compiled
  addMove(D);
  uint64_t Out = allocate(1000), In = allocate(1000);
  move(Out, In, 5);
  EXPECT_EQ(accessesOf(finish(), 0), "from parameters 1:1,1 2:1,1");
}

TEST_F(KernelAccessesTest, Textures) {
  test::DescriptorWriter D = describe();
  D.touch(0, Writes, GMPROF_TOUCH_ALWAYS);
  D.touch(1, Reads | GMPROF_TOUCH_TEXTURE, GMPROF_TOUCH_FORM, 0, BelowN);
  addMove(D);
  uint64_t Out = allocate(1000), Linear = allocate(1000);
  cudaArray_t Array = nullptr;
  const cudaChannelFormatDesc Element = {32, 0, 0, 0, cudaChannelFormatKindFloat};
  EXPECT_EQ(cudaMallocArray(&Array, &Element, 16, 4, 0), cudaSuccess);
  cudaResourceDesc OfArray = {}, OfMemory = {}, OfUnknown = {};
  OfArray.resType = cudaResourceTypeArray;
  OfArray.res.array.array = Array;
  OfMemory.resType = cudaResourceTypeLinear;
  OfMemory.res.linear.devPtr = reinterpret_cast<void *>(Linear);
  OfUnknown.resType = cudaResourceTypeLinear;
  OfUnknown.res.linear.devPtr = reinterpret_cast<void *>(64);
  cudaTextureObject_t First = 0, Second = 0, Third = 0;
  EXPECT_EQ(cudaCreateTextureObject(&First, &OfArray, nullptr, nullptr), cudaSuccess);
  EXPECT_EQ(cudaCreateTextureObject(&Second, &OfMemory, nullptr, nullptr), cudaSuccess);
  move(Out, First, 5);
  move(Out, Second, 5);
  move(Out, Second, 0);
  move(Out, 3, 5); // another library made it
  EXPECT_EQ(cudaCreateTextureObject(&Third, &OfUnknown, nullptr, nullptr), cudaSuccess);
  move(Out, First, 5);
  move(Out, 3, 5);
  EXPECT_EQ(cudaDestroyTextureObject(Third), cudaSuccess);
  EXPECT_EQ(cudaDestroyTextureObject(First), cudaSuccess);
  move(Out, First, 5);
  profile::Profile P = finish();
  EXPECT_EQ(accessesOf(P, 0), "exact 1:0,1 3:1,0");
  EXPECT_EQ(accessesOf(P, 1), "exact 1:0,1 2:1,0");
  EXPECT_EQ(accessesOf(P, 2), "exact 1:0,1");
  EXPECT_EQ(accessesOf(P, 3), "possible 1:0,1 2:1,1 3:1,1") << "one of those that there are";
  EXPECT_EQ(accessesOf(P, 4), "exact 1:0,1 3:1,0");
  EXPECT_EQ(accessesOf(P, 5), "inferred 1:0,1") << "or what nobody knows";
  EXPECT_EQ(accessesOf(P, 6), "possible 1:0,1 2:1,1");
}

TEST_F(KernelAccessesTest, SetsAreKeptUpToANumber) {
  AccessSets &Sets = Session::begin()->accessSets();
  auto Find = [&](uint64_t Object) {
    const log::ObjectAccess Access = {Object, 1, 0};
    return Sets.find({&Access, 1}, log::AccessKnowledge::Exact);
  };
  for (uint32_t Round = 0; Round < 2; ++Round)
    for (uint32_t I = 1; I <= AccessSets::MostKept; ++I)
      ASSERT_EQ(Find(I), I);
  EXPECT_EQ(Sets.accesses(0), std::nullopt);
  ASSERT_TRUE(Sets.accesses(7));
  EXPECT_EQ(Sets.accesses(7)->front().object, 7u);
  EXPECT_EQ(Sets.accesses(AccessSets::MostKept + 1), std::nullopt);
  // One more, and they are others.
  EXPECT_EQ(Find(5000000), AccessSets::MostKept + 1);
  EXPECT_EQ(Sets.accesses(7), std::nullopt);
  EXPECT_EQ(Sets.accesses(AccessSets::MostKept + 1)->front().object, 5000000u);
  EXPECT_EQ(Find(7), AccessSets::MostKept + 2);
  profile::Profile P = finish();
  ASSERT_EQ(P.AccessSets.size(), AccessSets::MostKept + 2);
  EXPECT_EQ(P.AccessSets.back().Accesses.front().object, 7u);
}

TEST_F(KernelAccessesTest, GraphsReplayHits) {
  addMove(flagged(), [](const fake::Launch &L) { hit(L, FirstFlag); });
  uint64_t Out = allocate(1000), In = allocate(1000);
  cudaStreamBeginCapture(Stream1, cudaStreamCaptureModeGlobal);
  move(Out, In, 5, Stream1);
  move(In, Out, 5, Stream1);
  cudaGraph_t Graph = nullptr;
  cudaGraphExec_t Exec = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(Stream1, &Graph), cudaSuccess);
  EXPECT_EQ(cudaGraphInstantiate(&Exec, Graph, 0), cudaSuccess);
  for (int I = 0; I < 3; ++I)
    EXPECT_EQ(cudaGraphLaunch(Exec, Stream1), cudaSuccess);
  profile::Profile P = finish();
  ASSERT_EQ(P.Launches.size(), 2u);
  EXPECT_EQ(accessesOf(P, 0), "exact 1:0,1 2:1,0");
  EXPECT_EQ(accessesOf(P, 1), "exact 1:1,0 2:0,1");
  EXPECT_EQ(P.Gaps.size(), 0u);
}

} // namespace
} // namespace gmprof::host
