//===- TensorMemoryTest.cpp - Tests of patterns of PyTorch's slabs --------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "analysis/objects/TensorMemory.h"
#include "TestTrace.h"
#include "analysis/CallingLibrary.h"
#include "analysis/objects/CachingAllocator.h"
#include "analysis/objects/ObjectInefficiencies.h"
#include <gtest/gtest.h>

using namespace gmprof::test;

namespace {

constexpr uint64_t MiB = uint64_t(1) << 20;

/// Slabs, and tensors in them that lines of train.py make.
struct Training : TestTrace {
  uint32_t slab(uint64_t Bytes) { return allocate("slab of PyTorch", Bytes); }
  uint32_t tensor(uint32_t Slab, uint64_t Bytes, unsigned Line = 1, uint32_t Device = 0) {
    const uint32_t Tensor = allocate("", Bytes, 0, Device);
    Objects[Tensor].Parent = Slab;
    Objects[Tensor].Kind = gmprof::log::ObjectKind::Pool;
    Apis.back().Name = "CUDACachingAllocator::malloc";
    Apis.back().CallPath = Line;
    while (Places.size() <= Line)
      Places.emplace_back("train.py:" + std::to_string(Places.size()));
    return Tensor;
  }
  /// Launches that access the tensor, one after the other.
  void use(uint32_t Tensor, unsigned Times = 1, uint64_t Stream = 0) {
    for (unsigned I = 0; I < Times; ++I)
      launch("kernel", {Tensor}, {Tensor}, Stream);
  }
  std::vector<ObjectInefficiency> found(const std::string &Pattern, bool HasGraphs = false) const {
    ObjectMemoryOptions Options;
    Options.HasGraphs = HasGraphs;
    std::vector<ObjectInefficiency> Found;
    for (const ObjectInefficiency &I : objectMemory(*this, Options).Found)
      if (I.Found.Pattern == Pattern)
        Found.push_back(I);
    return Found;
  }
};

/// Two tensors of 6 MiB share a slab of 20 MiB with one of 4 MiB between them. When the outer two
/// are gone, 16 MiB are free, but no 12 MiB in one piece.
Training fragmented(uint64_t Stream = 0) {
  Training T;
  const uint32_t First = T.slab(20 * MiB);
  const uint32_t A = T.tensor(First, 6 * MiB), B = T.tensor(First, 4 * MiB),
                 C = T.tensor(First, 6 * MiB);
  T.use(A);
  T.use(C);
  T.release(A);
  T.release(C);
  const uint32_t Second = T.slab(12 * MiB);
  const uint32_t D = T.tensor(Second, 12 * MiB, 7);
  T.use(B);
  T.use(D, 1, Stream);
  return T;
}

} // namespace

TEST(CachingAllocatorTest, TakesSlabsOfTheKindsOfPyTorch) {
  CachingAllocator A(false);
  A.allocate(1, 1); // 512 of 2 MiB
  EXPECT_EQ(A.reserved(), 2 * MiB);
  A.allocate(2, MiB); // the last small size
  EXPECT_EQ(A.reserved(), 2 * MiB);
  A.allocate(3, MiB); // 1 MiB - 512 bytes are left
  EXPECT_EQ(A.reserved(), 4 * MiB);
  A.allocate(4, MiB + 1);
  EXPECT_EQ(A.reserved(), 24 * MiB);
  A.allocate(5, 10 * MiB); // fits behind it
  EXPECT_EQ(A.reserved(), 24 * MiB);
  A.allocate(6, 11 * MiB); // of its own, in multiples of 2 MiB
  EXPECT_EQ(A.reserved(), 36 * MiB);
}

TEST(CachingAllocatorTest, MergesNeighboursOfOneSlab) {
  CachingAllocator A(false);
  A.allocate(1, 6 * MiB);
  A.allocate(2, 6 * MiB);
  A.allocate(3, 8 * MiB);
  EXPECT_EQ(A.reserved(), 20 * MiB);
  A.release(1);
  A.release(3);
  A.allocate(4, 9 * MiB); // 6 and 8 MiB are apart
  EXPECT_EQ(A.reserved(), 40 * MiB);
  A.release(2);
  A.allocate(5, 20 * MiB); // the whole first slab
  EXPECT_EQ(A.reserved(), 40 * MiB);
  A.release(5);
  A.release(4);
  A.release(4);            // is gone already
  A.allocate(6, 22 * MiB); // slabs are not merged
  EXPECT_EQ(A.reserved(), 62 * MiB);
}

TEST(CachingAllocatorTest, TakesTheSmallestBlockAndKeepsARestOfAMebibyte) {
  CachingAllocator A(false);
  A.allocate(1, 12 * MiB);
  A.allocate(2, 14 * MiB);
  EXPECT_EQ(A.reserved(), 26 * MiB);
  A.release(1);
  A.release(2);
  A.allocate(3, 11 * MiB); // in the block of 12 MiB, of which 1 MiB stays with it
  A.allocate(4, 14 * MiB);
  EXPECT_EQ(A.reserved(), 26 * MiB);
}

TEST(CachingAllocatorTest, ExpandableSegmentsGrowAtTheirEnd) {
  CachingAllocator A(true);
  A.allocate(1, 6 * MiB);
  EXPECT_EQ(A.reserved(), 20 * MiB);
  A.allocate(2, 4 * MiB);
  A.allocate(3, 6 * MiB); // 4 MiB are left at the end
  A.release(1);
  A.release(3); // 10 MiB at the end
  A.allocate(4, 12 * MiB);
  EXPECT_EQ(A.reserved(), 40 * MiB);
  A.allocate(5, 6 * MiB);  // the block at the front
  A.allocate(6, 18 * MiB); // exactly the end
  EXPECT_EQ(A.reserved(), 40 * MiB);
  A.allocate(7, 1);
  EXPECT_EQ(A.reserved(), 42 * MiB);
}

// 32 MiB of slabs. Expandable: 20 MiB hold 6, 4 and 6 MiB, whose end of 10 MiB becomes 12 by 20
// more.
TEST(TensorMemoryTest, FragmentationThatExpandableSegmentsDoNotLessenIsNoFinding) {
  EXPECT_TRUE(fragmented().found("fragmented_cache").empty());
}

/// Batches of growing size: each new batch needs a slab of its own, as those of the smaller ones
/// are too small.
static Training growingBatches(uint64_t Stream = 0) {
  Training T;
  uint32_t Before = 0;
  for (uint64_t Size = 20; Size <= 26; Size += 2) {
    if (Size > 20)
      T.release(Before);
    const uint32_t Slab = T.slab(Size * MiB);
    Before = T.tensor(Slab, Size * MiB, 3);
    T.use(Before, 1, Size == 26 ? Stream : 0);
  }
  return T;
}

TEST(TensorMemoryTest, GrowingBatchesFragmentTheCache) {
  const Training T = growingBatches();
  const std::vector<ObjectInefficiency> Found = T.found("fragmented_cache");
  ASSERT_EQ(Found.size(), 1u);
  // 20 + 22 + 24 + 26 MiB of slabs; one slab that grows by 20 MiB takes 40.
  EXPECT_EQ(Found[0].Found.BytesSaved, 52 * MiB);
  EXPECT_EQ(Found[0].Found.Level, Severity::Medium);
  EXPECT_EQ(T.Objects[Found[0].Object].Bytes, 26 * MiB);
  EXPECT_EQ(number(Found[0], "tensor_bytes"), 26 * MiB);
  EXPECT_EQ(number(Found[0], "free_bytes"), 66 * MiB);
  EXPECT_EQ(number(Found[0], "slabs"), 2u); // 20 MiB are too few for 22
  EXPECT_EQ(number(Found[0], "bytes_of_all"), 50 * MiB);
  EXPECT_EQ(number(Found[0], "peak_of_slabs_bytes"), 92 * MiB);
  EXPECT_EQ(number(Found[0], "peak_after_bytes"), 40 * MiB);
  EXPECT_EQ(Found[0].Found.Message,
            "PyTorch allocates a slab of 26 MiB for a tensor of 26 MiB, although 66 MiB of its "
            "cached memory are free, in pieces that are too small. 1 more slab has the same cause, "
            "50 MiB in all.");
  EXPECT_EQ(Found[0].Found.Suggestion,
            "Set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True: the slabs then take 40 MiB "
            "instead of 92 MiB (replay of the recorded tensors).");
}

// The model puts a tensor into a free block where the run took another slab, so that its 32 or 92
// MiB are less than the recorded ones. What it saves is that much less certain.
TEST(TensorMemoryTest, SavingsWithinTheErrorOfTheModelAreNoFinding) {
  Training T = fragmented();
  T.use(T.tensor(T.slab(16 * MiB), 4 * MiB));
  EXPECT_TRUE(T.found("fragmented_cache").empty()); // 40 instead of 48 MiB, with an error of 16
  Training Large = growingBatches();
  Large.use(Large.tensor(Large.slab(40 * MiB), 12 * MiB));
  const std::vector<ObjectInefficiency> Found = Large.found("fragmented_cache");
  ASSERT_EQ(Found.size(), 1u);
  EXPECT_EQ(Found[0].Found.BytesSaved, 52 * MiB); // 40 instead of 132 MiB, with an error of 40
  EXPECT_EQ(number(Found[0], "peak_after_bytes"), 80 * MiB);
}

TEST(TensorMemoryTest, SeveralStreamsAndGraphsHaveBlocksOfTheirOwn) {
  EXPECT_TRUE(growingBatches(5).found("fragmented_cache").empty());
  EXPECT_TRUE(growingBatches().found("fragmented_cache", true).empty());
}

TEST(TensorMemoryTest, SlabsForMoreThanIsFreeAreNoFragmentation) {
  Training T;
  for (uint64_t Size = 20; Size <= 24; Size += 2) {
    const uint32_t Slab = T.slab(Size * MiB);
    T.use(T.tensor(Slab, Size * MiB));
  }
  EXPECT_TRUE(T.found("fragmented_cache").empty());
}

TEST(TensorMemoryTest, OtherPoolsAreNotOfPyTorch) {
  Training T = growingBatches();
  for (uint32_t I = 0; I < T.Apis.size(); ++I)
    if (std::as_const(T.Apis)[I].Name == "CUDACachingAllocator::malloc")
      T.Apis[I].Name = "gmprof_alloc";
  EXPECT_TRUE(T.found("fragmented_cache").empty());
}

/// A start that needs 60 MiB in slabs of 20 MiB, then steps that need a tensor of Bytes in the
/// first.
static Training startAndSteps(uint64_t Bytes, unsigned Steps) {
  Training T;
  uint32_t Slabs[3], Tensors[3];
  for (unsigned I = 0; I < 3; ++I) {
    Slabs[I] = T.slab(20 * MiB);
    Tensors[I] = T.tensor(Slabs[I], 20 * MiB);
  }
  for (const uint32_t Tensor : Tensors)
    T.use(Tensor);
  for (const uint32_t Tensor : Tensors) {
    T.release(Tensor);
    T.Apis.back().CallPath = 1;
  }
  for (unsigned I = 0; I < Steps; ++I) {
    const uint32_t Tensor = T.tensor(Slabs[0], Bytes, 2);
    T.use(Tensor);
    T.release(Tensor);
  }
  return T;
}

TEST(TensorMemoryTest, SlabsThatTheStepsDoNotNeedAreAnOversizedCache) {
  const Training T = startAndSteps(8 * MiB, 4);
  const std::vector<ObjectInefficiency> Found = T.found("oversized_cache");
  ASSERT_EQ(Found.size(), 1u);
  EXPECT_EQ(Found[0].Found.BytesSaved, 0u); // the peak was before
  EXPECT_EQ(Found[0].Found.Level, Severity::Info);
  EXPECT_EQ(number(Found[0], "bytes"), 40 * MiB);
  EXPECT_EQ(number(Found[0], "slab_bytes"), 60 * MiB);
  EXPECT_EQ(number(Found[0], "needed_bytes"), 8 * MiB);
  EXPECT_EQ(number(Found[0], "later_tensors"), 4u);
  EXPECT_EQ(Found[0].Found.Message,
            "PyTorch keeps 60 MiB in slabs, of which 40 MiB hold no tensor after train.py:1 until "
            "the end. The tensors take at most 8 MiB from then on.");
  EXPECT_EQ(Found[0].Found.Suggestion,
            "If other libraries or processes need the memory, call torch.cuda.empty_cache() after "
            "train.py:1: it frees 40 MiB, and the rest of the run does not need them again. It "
            "waits for the GPU.");
}

TEST(TensorMemoryTest, ACacheThatIsEmptyAtTheEndOnlyIsNotOversized) {
  EXPECT_TRUE(startAndSteps(8 * MiB, 0).found("oversized_cache").empty());
}

TEST(TensorMemoryTest, ACacheThatIsReleasedIsNotOversized) {
  Training T = startAndSteps(8 * MiB, 0);
  for (uint32_t Slab : {2u, 4u}) // torch.cuda.empty_cache()
    T.release(Slab);
  for (unsigned I = 0; I < 4; ++I)
    T.release(T.tensor(0, 8 * MiB));
  EXPECT_TRUE(T.found("oversized_cache").empty());
}

/// A model of 40 MiB and steps whose line 9 has a temporary tensor of Bytes, in Slab.
static Training stepsWithTemporary(uint64_t Bytes, unsigned Uses) {
  Training T;
  const uint32_t OfModel = T.slab(40 * MiB), OfTemporaries = T.slab(std::max(Bytes, 20 * MiB));
  const uint32_t Model = T.tensor(OfModel, 40 * MiB);
  for (unsigned I = 0; I < 3; ++I) {
    const uint32_t Temporary = T.tensor(OfTemporaries, Bytes, 9);
    T.use(Model);
    T.use(Temporary, Uses);
    T.release(Temporary);
  }
  return T;
}

TEST(TensorMemoryTest, ATemporaryTensorMakesThePeak) {
  const Training T = stepsWithTemporary(60 * MiB, 2);
  const std::vector<ObjectInefficiency> Found = T.found("temporary_peak");
  ASSERT_EQ(Found.size(), 1u);
  EXPECT_EQ(Found[0].Found.BytesSaved, 60 * MiB);
  EXPECT_EQ(number(Found[0], "bytes"), 60 * MiB);
  EXPECT_EQ(number(Found[0], "tensors"), 1u);
  EXPECT_EQ(number(Found[0], "peak_bytes"), 100 * MiB);
  EXPECT_EQ(number(Found[0], "peak_without_bytes"), 40 * MiB);
  EXPECT_EQ(Found[0].Found.Message,
            "Temporary tensors of train.py:9 make 60 MiB of the 100 MiB that all tensors take at "
            "the peak. Without them the peak is 40 MiB.");
  EXPECT_EQ(Found[0].Found.Suggestion,
            "If the rows or batches that train.py:9 works on do not depend on each other, process "
            "them one part after the other: the slabs take up to 60 MiB less (replay without these "
            "tensors).");
}

TEST(TensorMemoryTest, SmallOrLongLivedTensorsMakeNoPeakOfTemporaries) {
  EXPECT_TRUE(stepsWithTemporary(4 * MiB, 2).found("temporary_peak").empty());
  EXPECT_TRUE(stepsWithTemporary(60 * MiB, 32).found("temporary_peak").empty());
}

// Without the temporary tensor another line of the same step has the same peak.
TEST(TensorMemoryTest, ATemporaryTensorThatLowersNoPeakIsInnocent) {
  Training T;
  const uint32_t Slab = T.slab(60 * MiB);
  for (unsigned Line : {4u, 9u}) {
    const uint32_t Temporary = T.tensor(Slab, 60 * MiB, Line);
    T.use(Temporary);
    T.release(Temporary);
  }
  EXPECT_TRUE(T.found("temporary_peak").empty());
}

namespace {

/// A tensor of 12 MiB is freed after another one, in a slab of its own, was used.
Training freedLate() {
  Training T;
  const uint32_t A = T.tensor(T.slab(12 * MiB), 12 * MiB, 3);
  T.use(A);
  const uint32_t B = T.tensor(T.slab(12 * MiB), 12 * MiB, 4);
  T.use(B, 2);
  T.release(A);
  T.release(B);
  T.PoolOfSlab = poolsOfSlabs(T);
  return T;
}

} // namespace

TEST(TensorMemoryTest, TensorsOfAllSlabsHaveOnePeak) {
  const Training T = freedLate();
  EXPECT_EQ(T.PoolOfSlab, (std::vector<uint32_t>{0, 1, 0, 3}));
  const ObjectMemory M = objectMemory(T);
  const auto Late = std::ranges::find(M.Found, std::string("late_deallocation"),
                                      [](const auto &I) { return I.Found.Pattern; });
  ASSERT_NE(Late, M.Found.end());
  EXPECT_EQ(Late->Object, 1u);
  EXPECT_EQ(Late->Found.BytesSaved, 12 * MiB); // of 24 MiB
  EXPECT_EQ(number(*Late, "tensors_peak_bytes"), 24 * MiB);
  EXPECT_EQ(Late->Found.Level, Severity::High);
  // Then the second tensor gets the first one's slab.
  EXPECT_EQ(M.Devices.at(0).PeakBytes, 24 * MiB);
  EXPECT_EQ(M.Devices.at(0).PeakBytesAfter, 12 * MiB);
  ASSERT_EQ(M.Pools.size(), 2u);
  EXPECT_EQ(M.Pools[0].PeakBytes, 12 * MiB);
}

TEST(TensorMemoryTest, PyTorchsOwnReleasesAndAllocationsAreNotTheProgramsToMove) {
  for (bool Within : {false, true}) {
    Training T = freedLate();
    T.Objects[1].ReleasedWithin = Within;
    // The other tensor is released behind this one, by the program.
    std::vector<uint32_t> Late;
    for (const ObjectInefficiency &I : T.found("late_deallocation"))
      Late.push_back(I.Object);
    EXPECT_EQ(Late, Within ? std::vector<uint32_t>{3} : std::vector<uint32_t>({1, 3}));
    Training Unused;
    const uint32_t Tensor = Unused.tensor(Unused.slab(2 * MiB), MiB);
    Unused.Objects[Tensor].AllocatedWithin = Within;
    Unused.release(Tensor);
    EXPECT_EQ(Unused.found("unused_allocation").size(), Within ? 0u : 1u);
  }
}

TEST(TensorMemoryTest, CallsOfTheBackwardPassAndOfOperators) {
  const auto Path = [](const std::string &Function) {
    gmprof::profile::CallPath P;
    P.Frames.resize(2);
    P.Frames[0].Function = Function;
    P.Frames[1].Function = "main";
    return P;
  };
  EXPECT_TRUE(isOfBackwardPass(Path("torch::autograd::Engine::evaluate_function(int)")));
  EXPECT_TRUE(isWithinPyTorch(Path("torch::autograd::Engine::evaluate_function(int)")));
  EXPECT_FALSE(isOfBackwardPass(Path("at::_ops::add_Tensor::call(at::Tensor const&)")));
  EXPECT_TRUE(isWithinPyTorch(Path("at::_ops::add_Tensor::call(at::Tensor const&)")));
  EXPECT_FALSE(isWithinPyTorch(Path("torch::autograd::THPVariable_clear(THPVariable*)")));
}

TEST(TensorMemoryTest, CallsOfTheCompiler) {
  const auto Path = [](const std::string &File) {
    gmprof::profile::CallPath P;
    P.Frames.resize(3);
    P.Frames[1].Source.File = "/v/site-packages/torch/" + File;
    P.Frames[2].Source.File = "train.py";
    return P;
  };
  for (const char *File : {"_dynamo/convert_frame.py", "_inductor/select_algorithm.py",
                           "_inductor/runtime/benchmarking.py"})
    EXPECT_TRUE(isOfCompiler(Path(File))) << File;
  // Compiled code runs in these.
  for (const char *File : {"_dynamo/eval_frame.py", "_inductor/output_code.py",
                           "_inductor/runtime/triton_heuristics.py"})
    EXPECT_FALSE(isOfCompiler(Path(File))) << File;
}

// Weights, states of the optimizer and inputs are idle in each step: they cannot be recomputed.
TEST(TensorMemoryTest, OnlyTensorsThatAreIdleOnceCanBeRecomputed) {
  const auto Suggestion = [](unsigned Steps) {
    Training T;
    const uint32_t Tensor = T.tensor(T.slab(2 * MiB), MiB);
    T.launch("forward", {}, {Tensor});
    for (unsigned Step = 0; Step < Steps; ++Step) {
      T.launch("x", {}, {});
      T.launch("y", {}, {});
      T.launch("backward", {Tensor}, {});
    }
    T.release(Tensor);
    const auto Found = T.found("temporary_idleness");
    return Found.size() == 1 ? Found[0].Found.Suggestion : "";
  };
  const std::string Copy =
      "Free it in between: copy it to a host buffer of its own and back right before `backward`";
  EXPECT_EQ(Suggestion(1), Copy + ", or recompute it (torch.utils.checkpoint).");
  EXPECT_EQ(Suggestion(2), Copy + ".");
}

TEST(TensorMemoryTest, KernelsOfLibrariesByName) {
  for (const char *Name : {"void at::native::reduce_kernel<512, 1>(float)", "cub::Kernel(int)",
                           "cudnn_generated_fort_native_sdpa", "sm80_xmma_gemm_f32f32_f32f32",
                           "ncclDevKernel_AllReduce_Sum_f32_RING_LL(int)"})
    EXPECT_TRUE(isLibraryKernel(Name)) << Name;
  for (const char *Name : {"attention(float*)", "atan(float*)", "my::at::kernel()", "reduce"})
    EXPECT_FALSE(isLibraryKernel(Name)) << Name;
}

// The change moves the release of a tensor, and leaves out another.
TEST(TensorMemoryTest, ReplaysWithOtherLifetimes) {
  const Training T = freedLate();
  const TensorMemory M = TensorMemory::of(T).at(0);
  const auto Reserved = [&](const ResidencyChange &Change) {
    return M.replay(/*Expandable=*/false, Change).back().Bytes;
  };
  EXPECT_EQ(Reserved({}), 24 * MiB);
  EXPECT_EQ(Reserved({{1, {{1, 3, 12 * MiB}}}}), 12 * MiB);
  EXPECT_EQ(Reserved({{3, {}}}), 12 * MiB);
  // 4 MiB come from a slab of 20 MiB, whose rest has place for the 12 MiB of the other tensor.
  EXPECT_EQ(Reserved({{1, {{1, 7, 4 * MiB}}}}), 20 * MiB);
  EXPECT_EQ(M.replayOf(false, [](uint32_t Tensor) { return Tensor == 1; }).back().Bytes, 12 * MiB);
}
