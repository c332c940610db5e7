//===- LoadedClonesTest.cpp - Clones that serve several loads -------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/launch/Kernels.h"
#include <gmock/gmock.h>

using namespace gmprof::host;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

CUmodule module(uintptr_t Number) { return reinterpret_cast<CUmodule>(Number); }

struct LoadedClonesTest : testing::Test {
  const LoadedClones::Id Heat = {"code", "K__gm_heat"};
  std::vector<CUmodule> Unloaded;
  LoadedClones Clones{[this](CUmodule Module) { Unloaded.push_back(Module); }};
  Kernel A, B;

  /// Returns the module that a kernel with these addresses gets; null if it has to load one.
  CUmodule take(const LoadedClones::Id &Of, const Kernel &User,
                const std::vector<uint64_t> &Addresses = {}) {
    const LoadedClone *Taken =
        Clones.take(Of, User, [&](const LoadedClone &Each) { return Each.Addresses == Addresses; });
    return Taken ? Taken->Module : nullptr;
  }
};

TEST_F(LoadedClonesTest, ServesLaterLoads) {
  EXPECT_EQ(take(Heat, A), nullptr);
  Clones.add(Heat, {module(1), {}, {}, {&A}});
  Clones.release(Heat, A, /*Keep=*/true);
  EXPECT_EQ(take(Heat, B), module(1));
  EXPECT_FALSE(Clones.isShared(Heat, B));
  EXPECT_THAT(Unloaded, IsEmpty());
}

TEST_F(LoadedClonesTest, ServesLoadsAtTheSameTime) {
  Clones.add(Heat, {module(1), {}, {}, {&A}});
  EXPECT_EQ(take(Heat, B), module(1));
  EXPECT_TRUE(Clones.isShared(Heat, A));
  EXPECT_TRUE(Clones.isShared(Heat, B));
  Clones.release(Heat, A, true);
  EXPECT_FALSE(Clones.unloadIdle());
  Clones.release(Heat, B, true);
  EXPECT_TRUE(Clones.unloadIdle());
  EXPECT_THAT(Unloaded, ElementsAre(module(1)));
  EXPECT_EQ(take(Heat, A), nullptr);
}

TEST_F(LoadedClonesTest, ServesOnlyKernelsThatItFits) {
  Clones.add(Heat, {module(1), {"Table"}, {0x100}, {&A}});
  EXPECT_EQ(take(Heat, B, {0x200}), nullptr);
  Clones.add(Heat, {module(2), {"Table"}, {0x200}, {&B}});
  Clones.release(Heat, A, true);
  Clones.release(Heat, B, true);
  EXPECT_EQ(take(Heat, B, {0x200}), module(2));
  EXPECT_EQ(take(Heat, A, {0x100}), module(1));
}

TEST_F(LoadedClonesTest, TellsCodesAndClonesApart) {
  Clones.add(Heat, {module(1), {}, {}, {&A}});
  EXPECT_EQ(take({"code", "K__gm_shared"}, B), nullptr);
  EXPECT_EQ(take({"other code", "K__gm_heat"}, B), nullptr);
}

TEST_F(LoadedClonesTest, UnloadsAtOnceWhatItMustNotKeep) {
  Clones.add(Heat, {module(1), {}, {}, {&A}});
  Clones.add(Heat, {module(2), {}, {}, {&B}});
  Clones.release(Heat, A, true);
  Clones.release(Heat, B, /*Keep=*/false);
  EXPECT_THAT(Unloaded, ElementsAre(module(2)));
  EXPECT_EQ(take(Heat, B), module(1));
}

TEST_F(LoadedClonesTest, KeepsThoseThatWereUsedLast) {
  for (uintptr_t I = 1; I <= LoadedClones::MaxIdle + 2; ++I) {
    const LoadedClones::Id Id = {std::to_string(I), "K__gm_heat"};
    Clones.add(Id, {module(I), {}, {}, {&A}});
    Clones.release(Id, A, true);
    if (I == LoadedClones::MaxIdle) { // the first one is used again
      EXPECT_EQ(take({"1", "K__gm_heat"}, B), module(1));
      Clones.release({"1", "K__gm_heat"}, B, true);
    }
  }
  EXPECT_THAT(Unloaded, ElementsAre(module(2), module(3)));
}

TEST_F(LoadedClonesTest, IgnoresThoseWhoUseNoClone) {
  Clones.add(Heat, {module(1), {}, {}, {&A}});
  Clones.release(Heat, B, true);
  EXPECT_EQ(take(Heat, B), module(1));
}

} // namespace
