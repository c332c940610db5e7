//===- WarpRequestsTest.cpp -----------------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "profile/WarpRequests.h"
#include "FormWriter.h"
#include <gtest/gtest.h>
#include <memory>

using namespace gmprof;
using namespace gmprof::test;

namespace {

constexpr uint32_t AllLanes = ~0u;

class WarpRequestsTest : public testing::Test {
protected:
  ClosedForm Form;
  std::array<uint32_t, 3> Grid = {1, 1, 1}, Block = {32, 1, 1};
  std::vector<int64_t> Parameters;
  uint32_t ProgramLoops = ~0u;
  std::unique_ptr<WarpRequests> Requests;

  void constrain(FormPolynomial P, std::optional<unsigned> Loop = {}) {
    Form.Constraints.push_back({Loop, std::move(P)});
  }
  bool bind() {
    const std::optional<BoundForm> Bound = bindForm(Form, {Grid, Block, Parameters, {}});
    if (Bound)
      Requests = std::make_unique<WarpRequests>(*Bound, ProgramLoops, Grid, Block);
    return Bound && Requests->evaluable();
  }

  struct Run {
    int64_t First; ///< includes the block's base
    uint32_t Lanes;
    int64_t Stride;
    uint64_t Count, Times;
    uint32_t Warps;
    bool operator==(const Run &) const = default;
    friend std::ostream &operator<<(std::ostream &OS, const Run &R) {
      return OS << "{" << R.First << ", " << std::hex << R.Lanes << std::dec << ", " << R.Stride
                << ", " << R.Count << ", " << R.Times << ", " << R.Warps << "}";
    }
  };
  std::vector<Run> runs(uint64_t OfBlock = 0) {
    EXPECT_TRUE(Requests || bind());
    const std::optional<WarpRequests::OfBlock> Found = Requests->ofBlock(OfBlock);
    EXPECT_TRUE(Found);
    std::vector<Run> Runs;
    if (Found)
      for (const RequestRun &R : *Found->Runs)
        Runs.push_back({Found->Base + R.First, Requests->patterns()[R.Pattern].Lanes, R.Stride,
                        R.Count, R.Times, R.Warps});
    return Runs;
  }
  using Runs = std::vector<Run>;
  int64_t offset(unsigned Lane, size_t Pattern = 0) {
    return Requests->patterns()[Pattern].Offsets[Lane];
  }
};

} // namespace

TEST_F(WarpRequestsTest, BlocksAndAPartialWarp) {
  Form.Address = scaled(globalIndex(), 4);
  Grid = {5, 1, 1};
  Block = {48, 1, 1};
  EXPECT_EQ(runs(), (Runs{{0, AllLanes, 0, 1, 1, 1}, {128, 0xffff, 0, 1, 1, 2}}));
  EXPECT_EQ(runs(3), (Runs{{576, AllLanes, 0, 1, 1, 1}, {704, 0xffff, 0, 1, 1, 2}}));
  EXPECT_EQ(offset(31), 124);
  EXPECT_EQ(Requests->mostOfBlock(), 2u);
}

/// Rows of 8 threads are 100 bytes apart: lane 9 is thread (1, 1).
TEST_F(WarpRequestsTest, ARowOfThreadsBelowAnother) {
  Form.Address = {{4, {TidX}}, {100, {TidY}}};
  Block = {8, 8, 1};
  EXPECT_EQ(runs(), (Runs{{0, AllLanes, 0, 1, 1, 1}, {400, AllLanes, 0, 1, 1, 2}}));
  EXPECT_EQ(offset(9), 104);
  EXPECT_EQ(offset(31), 328);
}

TEST_F(WarpRequestsTest, AGuardLeavesSomeLanes) {
  Form.Address = {{4, {TidX}}};
  constrain({{19, {}}, {-1, {TidX}}});
  constrain({{1, {TidX}}, {-3, {}}});
  EXPECT_EQ(runs(), (Runs{{12, 0xffff8, 0, 1, 1, 1}}));
  EXPECT_EQ(offset(4), 4);
}

TEST_F(WarpRequestsTest, ALoopMovesAllLanesOn) {
  Form.Loops = 1;
  Form.Address = {{4, {TidX}}, {-128, {loop(0)}}, {1024, {}}};
  constrain({{9, {}}, {-1, {loop(0)}}});
  EXPECT_EQ(runs(), (Runs{{1024, AllLanes, -128, 10, 1, 1}}));
  EXPECT_EQ(Requests->mostOfBlock(), 10u);
}

/// Both warps read the same words: they share one run.
TEST_F(WarpRequestsTest, WarpsThatDoTheSame) {
  Form.Loops = 1;
  Form.Address = {{4, {loop(0)}}};
  constrain({{6, {}}, {-1, {loop(0)}}});
  Block = {64, 1, 1};
  EXPECT_EQ(runs(), (Runs{{0, AllLanes, 4, 7, 2, 3}}));
  EXPECT_EQ(offset(5), 0);
}

/// The address does not depend on the outer of two loops.
TEST_F(WarpRequestsTest, ALoopThatRepeatsItself) {
  Form.Loops = 2;
  Form.Address = {{4, {TidX}}, {128, {loop(0)}}};
  constrain({{2, {}}, {-1, {loop(1)}}});
  constrain({{9, {}}, {-1, {loop(0)}}});
  EXPECT_EQ(runs(), (Runs{{0, AllLanes, 128, 10, 3, 1}}));
}

/// Lane t executes t + 1 iterations: iteration k has the lanes from k on.
TEST_F(WarpRequestsTest, ATriangleOverTheLanes) {
  Form.Loops = 1;
  Form.Address = {{4, {loop(0)}}, {400, {TidX}}};
  constrain({{1, {TidX}}, {-1, {loop(0)}}});
  Block = {3, 1, 1};
  EXPECT_EQ(runs(),
            (Runs{{0, 0b111, 0, 1, 1, 1}, {404, 0b110, 0, 1, 1, 1}, {808, 0b100, 0, 1, 1, 1}}));
}

/// for (i = 0; i < 3; ++i) for (j = 0; j <= i; ++j)
TEST_F(WarpRequestsTest, ATriangleOfLoops) {
  Form.Loops = 2;
  Form.Address = {{4, {loop(0)}}, {400, {loop(1)}}};
  constrain({{2, {}}, {-1, {loop(1)}}});
  constrain({{1, {loop(1)}}, {-1, {loop(0)}}});
  EXPECT_EQ(
      runs(),
      (Runs{{0, AllLanes, 0, 1, 1, 1}, {400, AllLanes, 4, 2, 1, 1}, {800, AllLanes, 4, 3, 1, 1}}));
}

/// for (i = thread; i < 70; i += 32): 32, 32 and 6 lanes.
TEST_F(WarpRequestsTest, LanesLeaveALoopOneByOne) {
  Form.Loops = 1;
  Form.Address = {{4, {TidX}}, {128, {loop(0)}}};
  constrain({{69, {}}, {-1, {TidX}}, {-32, {loop(0)}}});
  EXPECT_EQ(runs(), (Runs{{0, AllLanes, 128, 2, 1, 1}, {256, 0x3f, 0, 1, 1, 1}}));
}

/// The exit test is at the end of an iteration, so that there is at least one.
TEST_F(WarpRequestsTest, TheFirstIterationIsCertain) {
  Form.Loops = 1;
  Form.Address = {{4, {TidX}}, {128, {loop(0)}}};
  constrain({{1, {parameter(0)}}, {-1, {loop(0)}}}, 0);
  Parameters = {-5};
  EXPECT_EQ(runs(), (Runs{{0, AllLanes, 0, 1, 1, 1}}));
  Requests.reset();
  Parameters = {3};
  EXPECT_EQ(runs(), (Runs{{0, AllLanes, 128, 4, 1, 1}}));
}

/// Thread / 8 is an unknown but no loop: 8 q <= t <= 8 q + 7. All lanes make one request.
TEST_F(WarpRequestsTest, UnknownOtherThanALoop) {
  Form.Loops = 1;
  ProgramLoops = 0;
  Form.Address = {{4, {TidX}}, {68, {loop(0)}}};
  constrain({{1, {TidX}}, {-8, {loop(0)}}});
  constrain({{7, {}}, {-1, {TidX}}, {8, {loop(0)}}});
  EXPECT_EQ(runs(), (Runs{{0, AllLanes, 0, 1, 1, 1}}));
  EXPECT_EQ(offset(7), 28);
  EXPECT_EQ(offset(8), 100);
  EXPECT_EQ(offset(31), 31 * 4 + 3 * 68);
}

TEST_F(WarpRequestsTest, AGuardThatDependsOnTheBlock) {
  Form.Address = scaled(globalIndex(), 4);
  constrain(plus({{39, {}}}, scaled(globalIndex(), -1)));
  Grid = {3, 1, 1};
  EXPECT_EQ(runs(0), (Runs{{0, AllLanes, 0, 1, 1, 1}}));
  EXPECT_EQ(runs(1), (Runs{{128, 0xff, 0, 1, 1, 1}}));
  EXPECT_EQ(runs(2), Runs());
}

/// In block b, neighbouring lanes are 4 b bytes apart.
TEST_F(WarpRequestsTest, ACoefficientThatDependsOnTheBlock) {
  Form.Address = {{4, {TidX, CtaidX}}, {1000, {CtaidX}}};
  Grid = {3, 1, 1};
  EXPECT_EQ(runs(1), (Runs{{1000, AllLanes, 0, 1, 1, 1}}));
  EXPECT_EQ(runs(2), (Runs{{2000, AllLanes, 0, 1, 1, 1}}));
  EXPECT_EQ(offset(3, 0), 12);
  EXPECT_EQ(offset(3, 1), 24);
}

/// Lanes with different strides make a new request pattern in each iteration.
TEST_F(WarpRequestsTest, LanesWithStridesOfTheirOwn) {
  Form.Loops = 1;
  Form.Address = {{4, {TidX, loop(0)}}, {400, {TidX}}};
  constrain({{1, {}}, {-1, {loop(0)}}});
  Block = {2, 1, 1};
  EXPECT_EQ(runs(), (Runs{{0, 3, 0, 1, 1, 1}, {0, 3, 0, 1, 1, 1}}));
  EXPECT_EQ(offset(1, 0), 400);
  EXPECT_EQ(offset(1, 1), 404);
}

TEST_F(WarpRequestsTest, NoAccess) {
  Form.Address = {{4, {TidX}}};
  constrain({{-1, {}}});
  EXPECT_EQ(runs(), Runs());
  EXPECT_EQ(Requests->mostOfBlock(), 0u);
}

TEST_F(WarpRequestsTest, RefusesOtherForms) {
  // A loop without end.
  Form.Loops = 1;
  Form.Address = {{4, {loop(0)}}};
  EXPECT_FALSE(bind());
  // 9 - k * k >= 0, k < 100.
  constrain({{99, {}}, {-1, {loop(0)}}});
  EXPECT_TRUE(bind());
  constrain({{9, {}}, {-1, {loop(0), loop(0)}}});
  EXPECT_FALSE(bind());
}
