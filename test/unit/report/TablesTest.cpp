//===- TablesTest.cpp - A summary as tables -------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/formats/Tables.h"
#include "../TemporaryFolder.h"
#include <cstdint>
#include <fstream>
#include <gtest/gtest.h>
#include <set>

using namespace gmprof;
using namespace gmprof::summary;

namespace {

const DataTable &table(const std::vector<DataTable> &All, const std::string &Name) {
  for (const DataTable &T : All)
    if (T.Name == Name)
      return T;
  ADD_FAILURE() << "there is no table " << Name;
  return All.front();
}

std::string row(const DataTable &T, size_t Row) {
  std::string Text;
  for (const Cell &C : T.Rows.at(Row))
    Text += cellText(C) + "|";
  return Text;
}

} // namespace

TEST(Tables, KernelsHaveTheirTimes) {
  Summary S;
  S.kernels.resize(2);
  S.kernels[0].name = "k";
  S.kernels[0].demangled = "k(int)";
  S.kernels[0].launch_counts = {40, 3, 0, 0};
  S.kernels[0].seconds = {4, 0.25, 10, true, 0.125};
  const std::vector<DataTable> All = *tablesOf(S, "");
  const DataTable &T = table(All, "kernels");
  EXPECT_EQ(row(T, 0), "0|k|k(int)|k|||0||0|0|40|3|4|0.25|10|0.125|1|");
  EXPECT_EQ(row(T, 1), "0||||||0||0|0|0|0||||||");
  EXPECT_STREQ(T.Columns[14].Name, "total_seconds");
}

TEST(Tables, RowsAreAsLongAsTheirColumns) {
  Summary S;
  Object O;
  O.alloc.emplace();
  O.free.emplace();
  O.first_access.emplace();
  O.elements.emplace();
  S.objects = {O, Object()};
  Kernel K;
  K.launches.emplace_back();
  K.objects.emplace_back().sites.emplace_back();
  K.object_accesses.emplace_back();
  GlobalObjectUse &U = K.global_memory.emplace().objects.emplace_back();
  U.reads.emplace();
  U.sites.emplace_back();
  K.heat.emplace().objects.emplace_back().lines.emplace_back();
  K.heat->objects[0].lines[0].inlined.emplace_back();
  K.heat->arrays.emplace_back().lines.emplace_back().inlined.emplace_back();
  K.heat->arrays[0].lines[0].inlined[0] = {{{"f", Source{"/src/a.cu", 5}, 1}}, 3, 96, 7, 3};
  CacheKernel &C = S.cache.emplace().kernels.emplace_back();
  C.objects.emplace_back();
  C.lines.emplace_back().inlined.emplace_back();
  S.kernels = {K};
  S.findings.emplace_back().evidence = {{"share", 0.5}, {"why", std::string("x")}, {"all", true}};
  S.frames = {Frame()};
  S.call_paths = {{0}};
  S.devices.emplace_back();
  S.memory.emplace().devices.emplace_back().peaks.emplace_back();
  S.sync.emplace().sites.emplace_back();
  S.sync->stages.emplace_back();
  S.processes.emplace().list.emplace_back();
  S.processes->measures.push_back({"peak", "", "bytes", 1, 2, 0, 2, 2, 0, 0, {}, {1.0}});
  S.processes->findings.push_back({"f", {0}});
  S.coverage.gaps.emplace_back();
  const std::vector<DataTable> All = *tablesOf(S, "");
  std::set<std::string> Names;
  for (const DataTable &T : All) {
    EXPECT_TRUE(Names.insert(T.Name).second) << T.Name;
    std::set<std::string> Columns;
    for (const TableColumn &C : T.Columns)
      EXPECT_TRUE(Columns.insert(C.Name).second) << T.Name << "." << C.Name;
    for (const std::vector<Cell> &Row : T.Rows)
      EXPECT_EQ(Row.size(), T.Columns.size()) << T.Name;
    // All tables have rows except those of files beside the summary.
    EXPECT_EQ(T.Rows.empty(),
              std::string(T.Name).ends_with("_counts") || std::string(T.Name) == "memory_over_time")
        << T.Name;
  }
  EXPECT_EQ(row(table(All, "evidence"), 0), "0|share|0.5||");
  EXPECT_EQ(row(table(All, "evidence"), 1), "0|why||x|");
  EXPECT_EQ(row(table(All, "evidence"), 2), "0|all|1||");
  EXPECT_EQ(row(table(All, "inlined_lines"), 0), "0|global||||||0|0||");
  EXPECT_EQ(row(table(All, "inlined_lines"), 1), "0|shared|||||f at a.cu:5|3||7|");
  EXPECT_EQ(table(All, "inlined_lines").Rows.size(), 3u);
  EXPECT_EQ(row(table(All, "heat_lines"), 1), "0|0|shared||||0||0|0|0|||0|0|||");
}

TEST(Tables, FilesBesideTheSummary) {
  const test::TemporaryFolder Folder;
  Summary S;
  S.files = {{"memory", "memory_over_time.csv", "csv", ""}};
  EXPECT_TRUE(table(*tablesOf(S, Folder.path()), "memory_over_time").Rows.empty());
  const std::string Path = Folder.file("memory_over_time.csv");
  std::ofstream(Path) << "device,api,seconds,bytes\n0,1,0.25,4096\n1,2,1e-3,0\n";
  const std::vector<DataTable> All = *tablesOf(S, Folder.path());
  ASSERT_EQ(table(All, "memory_over_time").Rows.size(), 2u);
  EXPECT_EQ(row(table(All, "memory_over_time"), 0), "0|1|0.25|4096|");
  EXPECT_EQ(row(table(All, "memory_over_time"), 1), "1|2|0.001|0|");
  for (const char *Line : {"0,1,0.25", "0,1,0.25,4096,", "0,1,0.25,x", "", "0;1,2,3"}) {
    std::ofstream(Path) << "device,api,seconds,bytes\n0,1,0.25,4096\n" << Line << "\n";
    EXPECT_EQ(tablesOf(S, Folder.path()).error(), "'" + Path + "' is damaged: line 3") << Line;
  }
  std::ofstream(Path) << "a,b\n";
  EXPECT_EQ(tablesOf(S, Folder.path()).error(),
            "'" + Path + "' is not what the summary says: its columns are a,b");
}

TEST(Tables, CommaSeparatedValues) {
  EXPECT_EQ(
      tableCsv({"a", "b,c"},
               {{1, "x"}, {Cell(), "say \"no\", or\nyes"}, {0.5, "=1+1"}, {UINT64_MAX, "\x1b[2J"}}),
      "a,\"b,c\"\n1,x\n,\"say \"\"no\"\", or?yes\"\n0.5,'=1+1\n1.8446744073709552e+19,?[2J\n");
}
