//===- KernelsTest.cpp - Tests of reading modules -------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostTest.h"

namespace gmprof::host {
namespace {

using log::LaunchMode;
using Change = std::function<void(DescriptorImage &)>;

class KernelsTest : public HostTest {
protected:
  /// Launches a kernel whose descriptor was changed so: it must run as if there
  /// were no profiling. Returns why it is not profiled.
  std::string reasonWith(const Change &C) {
    addKernel(&StubA, "add");
    DescriptorImage D("add");
    C(D);
    setDescriptor("add", D);
    return reason();
  }
  std::string reason() {
    EXPECT_EQ(launch(&StubA, 5), cudaSuccess);
    EXPECT_EQ(Out, 10);
    profile::Profile P = finish();
    EXPECT_EQ(P.Launches.size(), 1u);
    EXPECT_EQ(P.Shared.size(), 0u);
    if (P.Launches.size() == 1)
      EXPECT_EQ(P.Launches[0].Mode, LaunchMode::Plain);
    return P.Kernels.size() == 1 ? P.Kernels[0].Reason : "not one kernel";
  }
};

TEST_F(KernelsTest, SoundDescriptorIsUsed) {
  addKernel(&StubA, "add");
  EXPECT_EQ(launch(&StubA, 5), cudaSuccess);
  EXPECT_EQ(Out, 10);
  profile::Profile P = finish();
  ASSERT_EQ(P.Kernels.size(), 1u);
  EXPECT_EQ(P.Kernels[0].Name, "add");
  EXPECT_EQ(P.Kernels[0].Reason, "");
  EXPECT_EQ(P.Kernels[0].StaticSharedBytes, 64u);
  ASSERT_EQ(P.Launches.size(), 1u);
  EXPECT_EQ(P.Launches[0].Mode, LaunchMode::Shared);
  ASSERT_EQ(P.Shared.size(), 1u);
  EXPECT_EQ(P.Shared[0].Sums, (Words{10, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(P.Shared[0].Capped[3], 2u);
  EXPECT_EQ(P.Shared[0].Blocks, 2u);
  EXPECT_EQ(P.Shared[0].Threads, 64u);
  EXPECT_EQ(P.Shared[0].FirstAddress, 1024u);
  EXPECT_EQ(P.Shared[0].Addresses, (std::vector<uint32_t>{1024}));
}

TEST_F(KernelsTest, NoDescriptor) {
  addKernel(&StubA, "add");
  TheModule.Globals.clear();
  EXPECT_EQ(reason(), "it was not compiled with the GMProf plugin");
}

TEST_F(KernelsTest, OtherAbiVersion) {
  EXPECT_EQ(reasonWith([](DescriptorImage &D) { D.Header.abiVersion = GMPROF_ABI_VERSION + 1; }),
            "its descriptor is invalid: it has ABI version " +
                std::to_string(GMPROF_ABI_VERSION + 1) + " and this runtime has " +
                std::to_string(GMPROF_ABI_VERSION) +
                ": rebuild the program with this GMProf's plugin");
}

TEST_F(KernelsTest, NoClones) {
  EXPECT_EQ(reasonWith([](DescriptorImage &D) {
              D.Strings += std::string("it uses no shared memory") + '\0';
              D.Header.sharedReason = D.Header.stringsBytes;
              D.Header.stringsBytes = static_cast<unsigned>(D.Strings.size());
              D.Header.bytes = D.Header.stringsOffset + D.Header.stringsBytes;
              D.Header.modes = 0;
            }),
            "it uses no shared memory");
}

TEST_F(KernelsTest, CloneIsMissing) {
  EXPECT_EQ(reasonWith([](DescriptorImage &D) { D.Header.modes |= GMPROF_MODE_SHARED_DM; }),
            "its clone add__gm_shared_dm is missing from the module");
}

TEST_F(KernelsTest, DescriptorCannotBeRead) {
  addKernel(&StubA, "add");
  fake::fail("cuMemcpyDtoHAsync", CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(reason(), "its descriptor could not be read: CUDA driver error 1");
}

TEST_F(KernelsTest, KernelFilter) {
  settings().TheOptions.Kernels = "^scan";
  addKernel(&StubA, "add");
  EXPECT_EQ(reason(), "it does not match the kernel filter '^scan'");
}

TEST_F(KernelsTest, PaddedDescriptorIsUsed) {
  addKernel(&StubA, "add");
  std::vector<char> &Bytes = TheModule.Globals["__gm_kernel_add"];
  Bytes.resize(Bytes.size() + 12, 'x');
  launch(&StubA, 5);
  EXPECT_EQ(finish().Shared.size(), 1u);
}

TEST_F(KernelsTest, TruncatedAnywhere) {
  std::vector<char> Whole = DescriptorImage("add").bytes();
  for (size_t Bytes = 0; Bytes < Whole.size(); ++Bytes) {
    SCOPED_TRACE(Bytes);
    TearDown();
    SetUp();
    TheModule = {};
    Out = 0;
    addKernel(&StubA, "add");
    TheModule.Globals["__gm_kernel_add"].assign(Whole.begin(), Whole.begin() + Bytes);
    EXPECT_NE(reason(), "");
  }
}

struct Corruption {
  const char *Name;
  Change Apply;
};

class CorruptionTest : public KernelsTest, public testing::WithParamInterface<Corruption> {};

TEST_P(CorruptionTest, PlainKernelRuns) {
  EXPECT_TRUE(reasonWith(GetParam().Apply).starts_with("its descriptor is invalid: "));
}

INSTANTIATE_TEST_SUITE_P(
    Descriptor, CorruptionTest,
    testing::Values(
        Corruption{"Magic", [](DescriptorImage &D) { D.Header.magic ^= 1; }},
        Corruption{"MoreBytes", [](DescriptorImage &D) { D.Header.bytes += 1; }},
        Corruption{"FewerBytes", [](DescriptorImage &D) { D.Header.bytes -= 1; }},
        Corruption{"NoBytes", [](DescriptorImage &D) { D.Header.bytes = 0; }},
        Corruption{"NameOutside", [](DescriptorImage &D) { D.Header.name = 0x7fffffff; }},
        Corruption{"OtherName", [](DescriptorImage &D) { D.Header.name += 1; }},
        Corruption{"FewerParams", [](DescriptorImage &D) { D.Header.paramCount = 1; }},
        Corruption{"MoreParams", [](DescriptorImage &D) { D.Header.paramCount = 3; }},
        Corruption{"ManyParams", [](DescriptorImage &D) { D.Header.paramCount = 0xffffffff; }},
        Corruption{"Level", [](DescriptorImage &D) { D.Header.sharedLevel = 99; }},
        Corruption{"CounterBits", [](DescriptorImage &D) { D.Header.counterBits = 7; }},
        Corruption{"VarsOffset", [](DescriptorImage &D) { D.Header.varsOffset = 0xfffffff0; }},
        Corruption{"VarCount", [](DescriptorImage &D) { D.Header.varCount = 0x10000000; }},
        Corruption{"SiteCount", [](DescriptorImage &D) { D.Header.siteCount = 1000; }},
        Corruption{"StaticCount", [](DescriptorImage &D) { D.Header.staticCount = 1000; }},
        Corruption{"StringsOffset", [](DescriptorImage &D) { D.Header.stringsOffset += 2; }},
        Corruption{"StringsBytes", [](DescriptorImage &D) { D.Header.stringsBytes -= 1; }},
        Corruption{"VariableName", [](DescriptorImage &D) { D.Variable.name = 1000; }},
        Corruption{"VariableKind", [](DescriptorImage &D) { D.Variable.kind = 77; }}),
    [](const auto &Info) { return std::string(Info.param.Name); });

TEST_F(KernelsTest, CloneWithOtherParameter) {
  addKernel(&StubA, "add");
  function("add__gm_shared").Params.back() = 8;
  EXPECT_EQ(reason(), "its descriptor is invalid: its parameters are not those of add__gm_shared");
}

TEST_F(KernelsTest, LookupFailureLeavesNoTrace) {
  addKernel(&StubA, "add");
  fake::fail("cudaGetFuncBySymbol", cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(launch(&StubA, 5), cudaSuccess);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(Out, 10);
  profile::Profile P = finish();
  EXPECT_EQ(P.Launches.size(), 0u);
  ASSERT_EQ(P.Gaps.size(), 1u);
  EXPECT_EQ(P.Gaps[0].What, "launches");
  EXPECT_EQ(P.Gaps[0].Reason, "CUDA does not know the kernel's handle");
  EXPECT_EQ(P.Gaps[0].Count, 1u);
  EXPECT_EQ(fake::calls("cuKernelGetFunction"), 0); // a stub is no handle of the driver
}

const auto TheLibrary = reinterpret_cast<CUlibrary>(0x500);

/// cudaLaunchKernel takes a cudaKernel_t, which cudaGetFuncBySymbol refuses.
TEST_F(KernelsTest, KernelsOfLibraries) {
  addKernel(&StubA, "add");
  const CUkernel Handle = fake::addToLibrary(TheLibrary, function("add"));
  for (const int Value : {5, 6}) {
    EXPECT_EQ(launch(Handle, Value), cudaSuccess);
    EXPECT_EQ(fake::launches().back().What->Name, "add__gm_shared");
  }
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(Out, 22);
  EXPECT_EQ(fake::calls("cudaGetFuncBySymbol"), 2); // the device, and the kernel once
  cudaFuncSetAttribute(Handle, cudaFuncAttributePreferredSharedMemoryCarveout, 40);
  EXPECT_EQ(launch(Handle, 1), cudaSuccess);
  EXPECT_EQ(
      function("add__gm_shared").Attributes[CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT],
      40);
  profile::Profile P = finish();
  ASSERT_EQ(P.Kernels.size(), 1u);
  EXPECT_EQ(P.Kernels[0].Name, "add");
  ASSERT_EQ(P.Launches.size(), 3u);
  for (const profile::Launch &L : P.Launches)
    EXPECT_EQ(L.Mode, LaunchMode::Shared);
  EXPECT_EQ(P.Gaps.size(), 0u);
}

TEST_F(KernelsTest, KernelsGoWithTheirLibrary) {
  addKernel(&StubA, "add");
  const CUkernel Handle = fake::addToLibrary(TheLibrary, function("add"));
  const CUkernel Other =
      fake::addToLibrary(reinterpret_cast<CUlibrary>(0x600), addKernel(&StubB, "other"));
  launch(Handle, 1);
  launch(Other, 1);
  Kernels &Known = Session::current()->openDevice()->TheKernels;
  EXPECT_TRUE(Known.find(Handle));
  Session::current()->moduleUnloading(nullptr, TheLibrary);
  EXPECT_FALSE(Known.find(Handle));
  EXPECT_TRUE(Known.find(Other));
}

/// cudaLaunchKernel takes a CUfunction, which no function of CUDA tells from other addresses.
TEST_F(KernelsTest, FunctionsOfTheDriver) {
  addKernel(&StubA, "add");
  const void *Handle = &function("add");
  for (const int Value : {5, 6, 7})
    EXPECT_EQ(launch(Handle, Value), cudaSuccess);
  EXPECT_EQ(fake::launches().front().What->Name, "add");
  EXPECT_EQ(fake::launches().back().What->Name, "add__gm_shared");
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  const profile::Profile P = finish();
  ASSERT_EQ(P.Launches.size(), 2u);
  for (const profile::Launch &L : P.Launches)
    EXPECT_EQ(L.Mode, LaunchMode::Shared);
  ASSERT_EQ(P.Gaps.size(), 1u);
  EXPECT_EQ(P.Gaps[0].What, "launches");
  EXPECT_EQ(P.Gaps[0].Reason,
            "cudaLaunchKernel got a CUfunction, which GMProf knows from its second launch on");
  EXPECT_EQ(P.Gaps[0].Count, 1u);
}

TEST_F(KernelsTest, HandlesThatNobodyKnows) {
  addKernel(&StubA, "add");
  launch(&StubA, 1);
  const auto Handle = std::make_unique<int>();
  EXPECT_EQ(launch(Handle.get(), 1), cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(finish().Launches.size(), 1u);
}

TEST_F(KernelsTest, MissingDriverFunction) {
  addKernel(&StubA, "add");
  fake::remove("cuMemsetD8Async");
  EXPECT_EQ(launch(&StubA, 5), cudaSuccess);
  EXPECT_EQ(Out, 10);
  profile::Profile P = finish();
  ASSERT_EQ(P.Gaps.size(), 1u);
  EXPECT_EQ(P.Gaps[0].Reason, "the CUDA driver lacks cuMemsetD8Async: GMProf needs one of CUDA "
                              "12.4 or later");
}

TEST_F(KernelsTest, AttributesOfTheProgramReachTheClone) {
  addKernel(&StubA, "add");
  cudaFuncSetCacheConfig(&StubA, cudaFuncCachePreferL1);
  launch(&StubA, 1);
  EXPECT_EQ(function("add__gm_shared").CacheConfig, cudaFuncCachePreferL1);
  cudaFuncSetAttribute(&StubA, cudaFuncAttributePreferredSharedMemoryCarveout, 40);
  launch(&StubA, 1);
  EXPECT_EQ(
      function("add__gm_shared").Attributes[CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT],
      40);
}

} // namespace
} // namespace gmprof::host
