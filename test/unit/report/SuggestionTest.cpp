//===- SuggestionTest.cpp -------------------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cli/Suggestion.h"
#include <gtest/gtest.h>

using namespace gmprof::cli;

TEST(Suggestion, EditDistance) {
  EXPECT_EQ(editDistance("", ""), 0u);
  EXPECT_EQ(editDistance("", "abc"), 3u);
  EXPECT_EQ(editDistance("html", "hml"), 1u);
  EXPECT_EQ(editDistance("html", "htmml"), 1u);
  EXPECT_EQ(editDistance("heat", "heal"), 1u);
  EXPECT_EQ(editDistance("proflie", "profile"), 1u); // a swap
  EXPECT_EQ(editDistance("kitten", "sitting"), 3u);
}

TEST(Suggestion, Nearest) {
  const std::vector<std::string> Commands = {"heat", "html", "check", "cache"};
  EXPECT_EQ(nearest("hml", Commands), "html");
  EXPECT_EQ(nearest("chekc", Commands), "check"); // a swap
  EXPECT_EQ(nearest("xml", Commands), "");        // two changes of three letters
  EXPECT_EQ(nearest("prof", Commands), "");
  EXPECT_EQ(nearest("htat", {"heat", "htab"}), "heat"); // equally near: the first
  EXPECT_EQ(nearest("x", {}), "");
}

namespace {

class Usage : public testing::Test {
protected:
  Usage() : App("Test", "test") {
    App.add_option("summary");
    App.add_flag("--details");
    CLI::App *Html = App.add_subcommand("html");
    Html->add_option("-o,--output");
  }
  CLI::App App;
};

} // namespace

TEST_F(Usage, Commands) {
  EXPECT_EQ(suggestUsage(App, {"hml", "prof"}), "there is no command 'hml': did you mean 'html'?");
  EXPECT_EQ(suggestUsage(App, {"html", "hml"}), "");
  EXPECT_EQ(suggestUsage(App, {"prof"}), "");
}

TEST_F(Usage, Options) {
  EXPECT_EQ(suggestUsage(App, {"prof", "--detials"}),
            "there is no option '--detials': did you mean --details?");
  EXPECT_EQ(suggestUsage(App, {"html", "--ouput=x"}),
            "there is no option '--ouput': did you mean --output?");
  EXPECT_EQ(suggestUsage(App, {"html", "--detials"}), ""); // which html does not have
  EXPECT_EQ(suggestUsage(App, {"--details"}), "");
  EXPECT_EQ(suggestOption(App, "--detail"), ": did you mean --details?");
  EXPECT_EQ(suggestOption(App, "--xyz"), "");
}
