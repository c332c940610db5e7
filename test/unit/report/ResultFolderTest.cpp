//===- ResultFolderTest.cpp - Reading the results of a run ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/files/ResultFolder.h"
#include "../TemporaryFolder.h"
#include "../profile/TestLog.h"
#include "report/model/SummaryJson.h"
#include <fstream>
#include <gtest/gtest.h>

using namespace gmprof;
using namespace gmprof::test;

namespace {

class ResultFolderTest : public ::testing::Test {
protected:
  void writeSummary(const summary::Summary &S) {
    std::ofstream(Own.file("summary.json")) << toJson(S);
  }
  void writeLog(const std::string &Name, uint32_t Launches) {
    LogBytes L;
    L.run();
    DescriptorWriter D("k");
    L.kernel(1, "k", D.bytes(), 0);
    for (uint32_t I = 1; I <= Launches; ++I)
      L.launch(I, 1, 1, 1, 32);
    L.end();
    std::ofstream(Own.file(Name), std::ios::binary)
        .write(reinterpret_cast<const char *>(L.Bytes.data()), std::streamsize(L.Bytes.size()));
  }
  static summary::Summary summary() {
    summary::Summary S;
    S.schema = summary::SchemaPrefix + std::to_string(summary::SchemaVersion);
    return S;
  }

  TemporaryFolder Own;
};

} // namespace

TEST_F(ResultFolderTest, OpensAFolderOrItsSummary) {
  summary::Summary S = ResultFolderTest::summary();
  S.files.push_back({"shared_counts", "counts.csv", "csv", ""});
  writeSummary(S);
  for (const std::string &Path : {Own.path(), Own.file("summary.json")}) {
    const Result<ResultFolder> R = ResultFolder::open(Path);
    ASSERT_TRUE(R) << R.error();
    EXPECT_EQ(R->folder(), Own.path());
    EXPECT_EQ(R->file("shared_counts"), Own.file("counts.csv"));
    EXPECT_EQ(R->file("global_counts"), std::nullopt);
  }
}

TEST_F(ResultFolderTest, FailsWithoutASummary) {
  const Result<ResultFolder> R = ResultFolder::open(Own.path());
  ASSERT_FALSE(R);
  EXPECT_EQ(R.error(), "cannot read '" + Own.path() + "/summary.json': No such file or directory");
}

TEST_F(ResultFolderTest, SaysWhatAMissingFileIsFor) {
  writeSummary(ResultFolderTest::summary());
  const Result<ResultFolder> R = ResultFolder::open(Own.path());
  ASSERT_TRUE(R) << R.error();
  EXPECT_EQ(R->profile("heat maps are").error(),
            "'" + Own.path() + "' names no event log, from which heat maps are made");
  EXPECT_EQ(R->memoryTrace().error(), "'" + Own.path() +
                                          "' names no trace of memory accesses: make one with "
                                          "gmprof run --profile cache");
  const Result<SyncStages> Stages = R->stages();
  ASSERT_TRUE(Stages) << Stages.error();
  EXPECT_TRUE(Stages->Runs.empty());
}

TEST_F(ResultFolderTest, ReadsTheEventLog) {
  summary::Summary S = ResultFolderTest::summary();
  S.files.push_back({"event_log", "events.gmlog", "gmlog", ""});
  S.files.push_back({"memory_trace", "trace.gmtrace", "gmtrace", ""});
  writeSummary(S);
  writeLog("events.gmlog", 3);
  const Result<ResultFolder> R = ResultFolder::open(Own.path());
  ASSERT_TRUE(R) << R.error();
  const Result<profile::Profile> P = R->profile("heat maps are");
  ASSERT_TRUE(P) << P.error();
  EXPECT_EQ(P->Launches.size(), 3u);
  EXPECT_EQ(*R->memoryTrace(), Own.file("trace.gmtrace"));
}

TEST_F(ResultFolderTest, ReadsTheLogsOfAllStages) {
  summary::Summary S = ResultFolderTest::summary();
  S.files.push_back({"event_log", "events.gmlog", "gmlog", ""});
  S.files.push_back({"event_log_trace", "events-trace.gmlog", "gmlog", ""});
  S.sync.emplace();
  for (const char *Name : {"baseline", "trace", "memory"}) {
    summary::SyncStage &Stage = S.sync->stages.emplace_back();
    Stage.name = Name;
    Stage.seconds = 0.5;
  }
  writeSummary(S);
  writeLog("events.gmlog", 1);
  writeLog("events-trace.gmlog", 2);
  const Result<ResultFolder> R = ResultFolder::open(Own.path());
  ASSERT_TRUE(R) << R.error();
  const Result<SyncStages> Stages = R->stages();
  ASSERT_TRUE(Stages) << Stages.error();
  ASSERT_EQ(Stages->Runs.size(), 2u); // baseline has no log
  EXPECT_EQ(Stages->find("baseline"), nullptr);
  EXPECT_EQ(Stages->find("memory")->Content.Launches.size(), 1u);
  EXPECT_EQ(Stages->find("trace")->Content.Launches.size(), 2u);
  EXPECT_EQ(Stages->find("trace")->Seconds, 0.5);
}
