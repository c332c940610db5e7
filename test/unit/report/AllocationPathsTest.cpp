//===- AllocationPathsTest.cpp - Memory by call path ----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/views/AllocationPaths.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace gmprof;
using namespace gmprof::summary;

namespace {

/// main calls make twice, in lines 3 and 4; make calls cudaMalloc in line 9. The peak is at 2 s.
class AllocationPathsTest : public testing::Test {
protected:
  AllocationPathsTest() {
    S.run.command = {"app"};
    S.frames = {Frame{"make", Source{"a.cu", 9}, false, "app", 1},
                Frame{"main", Source{"a.cu", 3}, false, "app", 2},
                Frame{"main", Source{"a.cu", 4}, false, "app", 2}};
    S.call_paths = {{0, 1}, {0, 2}};
    S.memory.emplace().devices.emplace_back().peaks.emplace_back().seconds = 2;
  }
  Object &object(const std::string &Name, uint64_t Bytes, double Made,
                 std::optional<double> Released, std::optional<uint32_t> Path) {
    Object O;
    O.id = static_cast<uint32_t>(S.objects.size());
    O.name = Name;
    O.kind = "device";
    O.bytes = Bytes;
    O.device = 0;
    O.alloc.emplace().api = "cudaMalloc";
    O.alloc->seconds = Made;
    O.alloc->call_path = Path;
    O.alloc->source = Source{"a.cu", 9};
    if (Released)
      O.free.emplace().seconds = *Released;
    O.released = Released.has_value();
    S.objects.push_back(O);
    return S.objects.back();
  }
  /// Names with ; in between, and bytes.
  std::vector<std::string> paths(PathsOf Of) const {
    std::vector<std::string> All;
    for (const WeightedPath &P : allocationPaths(S, Of)) {
      std::string Text;
      for (const PathFrame &F : P.Frames)
        Text += F.Name + ";";
      All.push_back(Text + std::to_string(P.Bytes) + "/" + std::to_string(P.Objects));
    }
    return All;
  }
  Summary S;
};

using Paths = std::vector<std::string>;

} // namespace

TEST_F(AllocationPathsTest, Kinds) {
  object("a", 100, 0, std::nullopt, 0);
  object("a", 50, 1, 2, 1);             // released when the peak is
  object("", 70, 2, 3, 1);              // allocated by what makes the peak
  object("b", 30, 2.5, {}, {});         // after it
  object("c", 1, 0, {}, 99).parent = 0; // a part of a
  S.objects.back().alloc->call_path = 0;
  Object &Host = object("h", 500, 0, 5, 0);
  Host.kind = "pinned";
  EXPECT_EQ(paths(PathsOf::Allocated),
            Paths({"main;make;h;500/1", "main;make;a;150/2", "main;make;cudaMalloc;70/1",
                   "call path not known;b;30/1"}));
  EXPECT_EQ(paths(PathsOf::Peak), Paths({"main;make;a;100/1", "main;make;cudaMalloc;70/1"}));
  EXPECT_EQ(paths(PathsOf::NeverReleased),
            Paths({"main;make;a;100/1", "call path not known;b;30/1"}));
}

TEST_F(AllocationPathsTest, Speedscope) {
  object("a", 100, 0, 5, 0);
  object("b", 20, 0, 5, 1);
  const nlohmann::json J = nlohmann::json::parse(speedscopeProfile(S));
  EXPECT_EQ(J["shared"]["frames"].size(), 4u); // main, make, a, b
  EXPECT_EQ(J["shared"]["frames"][0], nlohmann::json({{"name", "main"}, {"file", "a.cu"}}));
  EXPECT_EQ(J["shared"]["frames"][2],
            nlohmann::json({{"name", "a"}, {"file", "a.cu"}, {"line", 9}}));
  ASSERT_EQ(J["profiles"].size(), 2u); // all is released
  EXPECT_EQ(J["profiles"][0]["name"], "bytes in use at the peak");
  EXPECT_EQ(J["profiles"][1]["name"], "bytes allocated");
  EXPECT_EQ(J["profiles"][1]["endValue"], 120);
  EXPECT_EQ(J["profiles"][1]["samples"], nlohmann::json({{0, 1, 2}, {0, 1, 3}}));
  EXPECT_EQ(J["profiles"][1]["weights"], nlohmann::json({100, 20}));
}

TEST_F(AllocationPathsTest, FlameGraph) {
  object("a", 75, 0, {}, 0);
  object("</div><script>", 25, 0, {}, 1);
  S.frames.push_back(Frame{"helper", {}, true, "", 0});
  S.call_paths[1] = {3, 0, 2};
  const std::string Page = flameGraphPage(S, PathsOf::NeverReleased);
  EXPECT_NE(Page.find("<h1>Memory never released: 100 bytes in 2 objects</h1>"), std::string::npos);
  // main, make, then side by side a and helper.
  EXPECT_NE(Page.find("left:0.0000%;top:19px;width:100.0000%\" "
                      "title=\"make  a.cu: 100 bytes in 2 objects (100.0 %)\">make</div>"),
            std::string::npos)
      << Page;
  EXPECT_NE(Page.find("<div class=\"c4\" style=\"left:0.0000%;top:38px;width:75.0000%\" "
                      "title=\"a  a.cu:9: 75 bytes in 1 object (75.0 %)\">a</div>"),
            std::string::npos);
  EXPECT_NE(Page.find("left:75.0000%;top:38px;width:25.0000%\" title=\"helper: 25 bytes"),
            std::string::npos);
  EXPECT_EQ(Page.find("<script"), std::string::npos);
  EXPECT_NE(Page.find("<li>&lt;/div&gt;&lt;script&gt;  a.cu:9: 25 bytes"), std::string::npos);
}
