//===- ManagedMigrationsTest.cpp - Managed memory that moves --------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/sync/ManagedMigrations.h"
#include "host/core/Options.h"
#include "profile/EventLogReader.h"
#include "profile/ProfileBuilder.h"
#include <gtest/gtest.h>
#include <unistd.h>

namespace gmprof::host {
namespace {

/// Returns the log's content after Libraries were tried.
profile::Profile logged(const std::vector<std::string> &Libraries) {
  const std::string Path = testing::TempDir() + "/migrations." + std::to_string(getpid());
  unlink(Path.c_str());
  {
    auto Writer = EventLogWriter::create(Path);
    EXPECT_TRUE(Writer) << Writer.error();
    Recorder Log(std::move(*Writer));
    Log.run(Options(), "gpu", {"./app"}, 42);
    ManagedMigrations M(Log, Libraries);
    M.managedMemory();
    M.managedMemory();
    M.finish();
    Log.end(0, 0);
  }
  Result<profile::Profile> P = readProfile(Path);
  EXPECT_TRUE(P) << P.error();
  unlink(Path.c_str());
  return std::move(*P);
}

TEST(ManagedMigrations, RecordsReportsOfCupti) {
  const uint64_t Before = steadyNs();
  const profile::Profile P = logged({"/nowhere/libcupti.so.13", GMPROF_FAKE_CUPTI});
  ASSERT_EQ(P.Migrations.size(), 2u);
  const profile::Migration &In = P.Migrations[0], &Out = P.Migrations[1];
  EXPECT_GE(In.BeginNs, Before);
  EXPECT_LE(In.BeginNs, steadyNs());
  EXPECT_EQ(In.EndNs, In.BeginNs + 500);
  EXPECT_EQ(In.Address, 0x10000u);
  EXPECT_EQ(In.Bytes, 65536u);
  EXPECT_EQ(In.Device, 1u);
  EXPECT_FALSE(In.ToHost);
  EXPECT_EQ(Out.Bytes, 4096u);
  EXPECT_EQ(Out.Device, 2u);
  EXPECT_TRUE(Out.ToHost);
  ASSERT_EQ(P.Gaps.size(), 1u);
  EXPECT_EQ(P.Gaps[0].What, "migrations");
  EXPECT_EQ(P.Gaps[0].Reason, "CUPTI had no room for them");
  EXPECT_EQ(P.Gaps[0].Count, 3u);
}

TEST(ManagedMigrations, ReportsMissingCupti) {
  const profile::Profile P = logged({"/nowhere/libcupti.so.13"});
  EXPECT_TRUE(P.Migrations.empty());
  ASSERT_EQ(P.Gaps.size(), 1u);
  EXPECT_EQ(P.Gaps[0].What, "migrations");
  EXPECT_EQ(P.Gaps[0].Reason,
            "/nowhere/libcupti.so.13 is not there: set LD_LIBRARY_PATH to its folder");
}

} // namespace
} // namespace gmprof::host
