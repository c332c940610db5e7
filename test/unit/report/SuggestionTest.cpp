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

TEST_F(Usage, Choices) {
  const std::vector<std::string> Choices = {"objects", "heat", "cache"};
  EXPECT_EQ(suggestChoice("haet", Choices), "; did you mean heat?");
  EXPECT_EQ(suggestChoice("all", Choices), "");
}

TEST_F(Usage, Errors) {
  const auto Said = [&](const std::string &Text) {
    return usageError(App, {}, CLI::ValidationError(Text, CLI::ExitCodes::ValidationError));
  };
  EXPECT_EQ(Said("--format: jsno not in {text,json,csv}"),
            "--format must be text, json or csv, not 'jsno'; did you mean json?");
  EXPECT_EQ(Said("--format: xml not in {text}"), "--format must be text, not 'xml'");
  EXPECT_EQ(Said("after is required"), "the argument 'after' is missing");
  EXPECT_EQ(Said("--grid is required"), "--grid is required");
  EXPECT_EQ(Said("Could not convert: --width = ten"), "--width: 'ten' is no number");
  EXPECT_EQ(Said("Could not convert: --width = -3"), "--width: '-3' is less than 0");
}

TEST_F(Usage, HelpIsThatOfTheCommand) {
  EXPECT_EQ(helpOf(App, {"html", "--no"}), " (see test html --help)");
  EXPECT_EQ(helpOf(App, {"--no"}), " (see test --help)");
}
