//===- OutputNameTest.cpp - Tests of output names -------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/record/OutputName.h"
#include <cstdlib>
#include <gtest/gtest.h>

namespace gmprof::host {
namespace {

// 2001-09-09 01:46:40 UTC.
const OutputFacts Facts = {42, "node1", "app", 7, 1'000'000'000};

std::string expanded(const char *Pattern) {
  const Result<std::string> Name = expandOutput(Pattern, Facts);
  return Name ? *Name : "error: " + Name.error();
}

TEST(OutputName, Patterns) {
  EXPECT_EQ(expanded("gmprof-%e-%p"), "gmprof-app-42");
  EXPECT_EQ(expanded("/x/%h/%%p%%"), "/x/node1/%p%");
  EXPECT_EQ(expanded("r%r-%t"), "r7-20010909T014640Z");
  ::setenv("GMPROF_TEST_JOB", "a/%p", 1);
  EXPECT_EQ(expanded("%q{GMPROF_TEST_JOB}-%q{GMPROF_TEST_JOB}"), "a/%p-a/%p");
  EXPECT_EQ(expanded(literalOutput("50%p%%").c_str()), "50%p%%");
}

TEST(OutputName, RefusesInvalidPatterns) {
  EXPECT_EQ(checkOutput("a"), "");
  EXPECT_EQ(checkOutput("%p%h%e%r%t%q{A}%%"), "");
  EXPECT_EQ(checkOutput("%%%"), "must not end in a single % (%% is a percent sign)");
  EXPECT_EQ(checkOutput("a%xb"),
            "has the unknown pattern '%x': there are %p (process id), %h (host), %e (program), %r "
            "(rank), %t (time), %q{VAR} (environment variable) and %% (a percent sign)");
  for (const char *Wrong : {"%q", "%q{", "%q{}", "%qA}", "%q{A"})
    EXPECT_EQ(checkOutput(Wrong), "has a %q without a variable: write %q{VAR}") << Wrong;
  EXPECT_EQ(expanded("a%"),
            "error: the output directory 'a%' must not end in a single % (%% is a percent sign)");
}

TEST(OutputName, RefusesMissingValues) {
  OutputFacts Alone = Facts;
  Alone.Rank.reset();
  EXPECT_EQ(expandOutput("p%r", Alone).error(),
            "the output directory 'p%r' has %r, but there is no rank in the environment "
            "(OMPI_COMM_WORLD_RANK, PMI_RANK, SLURM_PROCID and the like): start the program with "
            "mpirun or srun, or use %p");
  ::unsetenv("GMPROF_TEST_NONE");
  EXPECT_EQ(expanded("p%q{GMPROF_TEST_NONE}"),
            "error: the output directory 'p%q{GMPROF_TEST_NONE}' has %q{GMPROF_TEST_NONE}, but "
            "this environment variable is not set");
  ::setenv("GMPROF_TEST_NONE", "", 1);
  EXPECT_EQ(expanded("%q{GMPROF_TEST_NONE}"),
            "error: the output directory '%q{GMPROF_TEST_NONE}' has no name: nothing is in what it "
            "stands for");
}

TEST(OutputName, RanksAreInTheEnvironment) {
  for (const char *Variable :
       {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "PALS_RANKID",
        "FLUX_TASK_RANK", "SLURM_PROCID", "RANK", "WORLD_SIZE"})
    ::unsetenv(Variable);
  EXPECT_EQ(processRank(), std::nullopt);
  ::setenv("RANK", "9", 1);
  EXPECT_EQ(processRank(), std::nullopt); // of an unknown launcher
  ::setenv("WORLD_SIZE", "16", 1);
  EXPECT_EQ(processRank(), 9);
  ::setenv("SLURM_PROCID", "3", 1);
  EXPECT_EQ(processRank(), 3);
  ::setenv("OMPI_COMM_WORLD_RANK", "5", 1);
  EXPECT_EQ(processRank(), 5);
  for (const char *No : {"-1", "", "5x", "99999999999"}) {
    ::setenv("OMPI_COMM_WORLD_RANK", No, 1);
    EXPECT_EQ(processRank(), 3) << No;
  }
}

} // namespace
} // namespace gmprof::host
