//===- TraceTest.cpp - Trace files ----------------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TraceFileTest.h"
#include "cache/TraceSimulation.h"
#include <optional>
#include <set>
#include <sys/resource.h>

using namespace gmprof;
using namespace gmprof::cache;

namespace {

TEST_F(TraceFile, EverythingComesBackInOrder) {
  EXPECT_EQ(write(), 211U);
  auto R = TraceReader::open(Path);
  ASSERT_TRUE(R) << R.error();
  EXPECT_EQ((*R)->device().Architecture, "sm_90");
  EXPECT_EQ((*R)->device().Sms, 132U);
  EXPECT_EQ((*R)->device().L2Kb, 61440U);
  std::vector<TraceItem> Items;
  do {
    Result<TraceItem> Item = (*R)->next();
    ASSERT_TRUE(Item) << Item.error();
    Items.push_back(*Item);
  } while (!std::holds_alternative<TraceEnd>(Items.back()));
  ASSERT_EQ(Items.size(), 13U);
  const auto &Kernel = std::get<TraceKernel>(Items[0]);
  EXPECT_EQ(Kernel.Name, "k\"1\"");
  EXPECT_TRUE(Kernel.UsesWarps);
  const auto &Object = std::get<TraceObject>(Items[1]);
  EXPECT_EQ(Object.Id, ManyObjects + 7);
  EXPECT_EQ(Object.Name, "a");
  EXPECT_EQ(Object.Address, 0x7f0000000000U);
  EXPECT_EQ(Object.Bytes, 0x10000U);
  EXPECT_EQ(std::get<TraceSite>(Items[4]).Line, 12U);
  EXPECT_EQ(std::get<TraceSite>(Items[4]).File, "a.cu");
  EXPECT_EQ(std::get<TraceSite>(Items[4]).Function, "f");
  EXPECT_EQ(std::get<TraceSite>(Items[4]).InlinedAt,
            (std::vector<TraceCall>{{"f", "a.cu", 30}, {"g", "b.h", 40}}));
  const auto &Launch = std::get<TraceLaunch>(Items[5]);
  EXPECT_EQ(Launch.Number, 1000000000000U);
  EXPECT_EQ(Launch.blocks(), 24U);
  EXPECT_EQ(Launch.warpsPerBlock(), 8U);
  EXPECT_EQ(Launch.SharedBytes, 100U);
  EXPECT_EQ(Launch.BlocksPerSm, 4U);
  EXPECT_EQ(Launch.LocalBytesPerThread, 16U);
  EXPECT_EQ(std::get<RequestChunk>(Items[6]).Sm, 0U);
  const auto &Chunk = std::get<RequestChunk>(Items[7]);
  EXPECT_EQ(Chunk.Sm, 1U);
  std::vector<Request> Requests;
  ASSERT_TRUE((*R)->unpack(Chunk, Requests));
  const std::vector<Request> All = everything();
  ASSERT_EQ(Requests.size(), All.size());
  for (size_t I = 0; I < All.size(); ++I)
    expectSame(All[I], Requests[I]);
  EXPECT_EQ(std::get<TraceLaunchEnd>(Items[8]).Lost, 123U);
  const auto &End = std::get<TraceLaunchEnd>(Items[8]);
  EXPECT_EQ(End.Late, 45U);
  EXPECT_EQ(End.Blocks, 6U);
  EXPECT_EQ(End.BlocksBeyond, 7U);
  EXPECT_EQ(End.RequestsBeyond, 8U);
  EXPECT_EQ(std::get<TraceRelease>(Items[9]).Id, ManyObjects + 7);
  EXPECT_TRUE(std::holds_alternative<TraceLaunch>(Items[10]));
}

/// Writes a trace with file sizes limited to `Bytes`, and exits, with 1 if the limit was reached.
/// Runs in its own process.
[[noreturn]] void writeWithin(const std::string &Path, rlim_t Bytes) {
  const rlimit Limit = {Bytes, Bytes};
  ::setrlimit(RLIMIT_FSIZE, &Limit);
  auto W = TraceWriter::create(Path, {"sm_90", "", 0, 0, 0});
  const Result<uint64_t> Done = (*W)->finish();
  ::_exit(Done ? 0 : Done.error().ends_with("': File too large") ? 1 : 2);
}

TEST_F(TraceFile, SizeLimitEndsTheFile) {
  EXPECT_EXIT(writeWithin(Path, sizeof(TraceFileHead) + 8), testing::ExitedWithCode(1), "");
  EXPECT_EQ(std::filesystem::file_size(Path), sizeof(TraceFileHead));
  EXPECT_EXIT(writeWithin(Path, 4096), testing::ExitedWithCode(0), "");
}

TEST_F(TraceFile, LongLaunchesAreWrittenInChunks) {
  auto W = TraceWriter::create(Path, {"sm_90", "", 0, 0, 0});
  ASSERT_TRUE(W);
  (*W)->addKernel({"k", false});
  (*W)->addSite({0, "", 0, "", {}});
  (*W)->beginLaunch({});
  Request R;
  R.Affine = true;
  R.Stride = 4;
  for (uint64_t I = 0; I <= TraceWriter::ChunkRequests; ++I) {
    R.Addresses[0] = I * 128;
    (*W)->add(3, {&R, 1});
  }
  (*W)->endLaunch();
  ASSERT_TRUE((*W)->finish());
  auto Reader = TraceReader::open(Path);
  ASSERT_TRUE(Reader);
  std::vector<uint32_t> Counts;
  uint64_t Next = 0;
  std::vector<Request> Requests;
  while (true) {
    Result<TraceItem> Item = (*Reader)->next();
    ASSERT_TRUE(Item);
    if (std::holds_alternative<TraceEnd>(*Item))
      break;
    if (const auto *C = std::get_if<RequestChunk>(&*Item)) {
      Counts.push_back(C->Count);
      ASSERT_TRUE((*Reader)->unpack(*C, Requests));
      for (const Request &Back : Requests)
        EXPECT_EQ(Back.address(0), 128 * Next++);
    }
  }
  EXPECT_EQ(Counts, (std::vector<uint32_t>{TraceWriter::ChunkRequests, 1}));
  EXPECT_LT(std::filesystem::file_size(Path), 2000U); // requests of a loop are similar
}

TEST_F(TraceFile, TruncatedAnywhere) {
  write();
  const std::string All = contents();
  const size_t Device = All.find("\x28\xb5\x2f\xfd", 60); // of the second zstd frame
  for (size_t Size = sizeof(TraceFileHead); Size < All.size(); Size += 31) {
    overwrite(All.substr(0, Size));
    if (Size + sizeof(TraceRecordHead) <= Device) {
      EXPECT_EQ(errorOfAll(), "'" + Path + "' is truncated, and so early that nothing can be read");
      continue;
    }
    EXPECT_EQ(errorOfAll(),
              "'" + Path +
                  "' is truncated: the program that wrote it did not end, or it "
                  "was not copied whole; make it again, or take what there is with --incomplete")
        << Size;
  }
}

/// Counts of records in a file, and whether the file is complete.
struct Part {
  uint64_t Launches = 0, Ends = 0, Requests = 0;
  bool Complete = false;
};

static Part partOf(const std::string &Path) {
  Part P;
  auto R = TraceReader::open(Path, true);
  EXPECT_TRUE(R);
  std::vector<Request> Requests;
  while (R) {
    Result<TraceItem> Item = (*R)->next();
    EXPECT_TRUE(Item);
    if (!Item || std::holds_alternative<TraceEnd>(*Item))
      break;
    P.Launches += std::holds_alternative<TraceLaunch>(*Item);
    P.Ends += std::holds_alternative<TraceLaunchEnd>(*Item);
    if (const auto *C = std::get_if<RequestChunk>(&*Item)) {
      EXPECT_TRUE((*R)->unpack(*C, Requests));
      P.Requests += Requests.size();
    }
  }
  P.Complete = R && (*R)->complete();
  return P;
}

// A killed program leaves the complete records that it had written.
TEST_F(TraceFile, AcceptsIncompleteFilesOnRequest) {
  write();
  const std::string All = contents();
  const Part Whole = partOf(Path);
  EXPECT_TRUE(Whole.Complete);
  EXPECT_EQ(Whole.Requests, 211U);
  EXPECT_EQ(Whole.Launches, 2U);
  std::set<uint64_t> Requests, Launches;
  bool IsTooShort = false;
  for (size_t Size = All.size(); Size-- != 0;) {
    std::filesystem::resize_file(Path, Size);
    if (!TraceReader::open(Path, true)) {
      IsTooShort = true;
      continue;
    }
    EXPECT_FALSE(IsTooShort) << "whatever is longer can be read";
    const Part P = partOf(Path);
    EXPECT_FALSE(P.Complete);
    EXPECT_EQ(P.Launches, P.Ends);
    Requests.insert(P.Requests);
    Launches.insert(P.Launches);
  }
  EXPECT_EQ(Requests, (std::set<uint64_t>{0, 1, 211}));
  EXPECT_EQ(Launches, (std::set<uint64_t>{1, 2}));
  overwrite(All.substr(0, All.size() - 1));
  SimulationOptions Options;
  Options.AcceptsIncomplete = true;
  const Result<SimulationResults> R = simulateTrace(Path, *readArchitecture("sm_90"), Options);
  ASSERT_TRUE(R) << R.error();
  EXPECT_FALSE(R->Complete);
}

// A program that still runs may complete a record of which the file has a part.
TEST_F(TraceFile, Grows) {
  write();
  const std::string All = contents();
  overwrite("");
  std::unique_ptr<TraceReader> Reader;
  uint64_t Requests = 0, Launches = 0, Pauses = 0;
  bool Ended = false;
  for (size_t Size = 1; Size <= All.size(); ++Size) {
    std::ofstream(Path, std::ios::binary | std::ios::app) << All[Size - 1];
    if (!Reader) {
      auto Opened = TraceReader::open(Path, true);
      if (!Opened)
        continue;
      Reader = std::move(*Opened);
      Reader->setGrowing(true);
    }
    for (bool Waits = false; !Waits && !Ended;) {
      const Result<TraceItem> Item = Reader->next();
      ASSERT_TRUE(Item) << Item.error();
      Waits = std::holds_alternative<TracePause>(*Item);
      Pauses += Waits;
      Launches += std::holds_alternative<TraceLaunch>(*Item);
      Ended = std::holds_alternative<TraceEnd>(*Item);
      std::vector<Request> Unpacked;
      if (const auto *C = std::get_if<RequestChunk>(&*Item)) {
        EXPECT_TRUE(Reader->unpack(*C, Unpacked));
        Requests += Unpacked.size();
      }
    }
  }
  EXPECT_TRUE(Ended);
  EXPECT_TRUE(Reader->complete());
  EXPECT_EQ(Requests, 211U);
  EXPECT_EQ(Launches, 2U);
  EXPECT_GT(Pauses, 100U);
}

TEST_F(TraceFile, Foreign) {
  overwrite("hello");
  EXPECT_EQ(errorOfAll(), "'" + Path + "' is no trace of memory accesses");
  overwrite("");
  EXPECT_EQ(errorOfAll(), "'" + Path + "' is no trace of memory accesses");
  write();
  std::string All = contents();
  All[8] = 8;
  overwrite(All);
  EXPECT_EQ(errorOfAll(), "'" + Path +
                              "' is a trace of version 8, and only version 9 can be read: make it "
                              "again, or use the gmreport that came with what made it");
  EXPECT_EQ(TraceReader::open("/nowhere").error(),
            "cannot read '/nowhere': No such file or directory");
}

// A change of any byte gives an error and no crash. The heads of the file's first records are at
// its start.
TEST_F(TraceFile, DamagedAnywhere) {
  write();
  const std::string All = contents();
  const Result<Architecture> Gpu = readArchitecture("sm_90");
  ASSERT_TRUE(Gpu);
  for (size_t I = sizeof(TraceFileHead); I < All.size(); I += 1 + I / 40) {
    std::string Other = All;
    Other[I] = static_cast<char>(Other[I] ^ 0x41);
    overwrite(Other);
    EXPECT_NE(errorOfAll(), "") << I;
    EXPECT_FALSE(simulateTrace(Path, *Gpu, {})) << I;
  }
}

TEST_F(TraceFile, ReadsBytesWrittenByCopies) {
  {
    auto W = TraceWriter::create(Path, {"sm_90", "", 0, 0, 0});
    ASSERT_TRUE(W);
    (*W)->written({0x7f0000000010, 48});
    ASSERT_TRUE((*W)->finish());
  }
  auto R = TraceReader::open(Path);
  ASSERT_TRUE(R) << R.error();
  const Result<TraceItem> Item = (*R)->next();
  ASSERT_TRUE(Item) << Item.error();
  EXPECT_EQ(std::get<TraceWritten>(*Item).Address, 0x7f0000000010U);
  EXPECT_EQ(std::get<TraceWritten>(*Item).Bytes, 48U);
}

TEST_F(TraceFile, RefusesContradictoryRecords) {
  const std::string Device =
      R"({"device":{"architecture":"","name":"","sms":0,"warps_per_sm":0,"l2_kb":0}},)";
  const std::string Nothing = "[" + Device + R"({"written":{"address":16,"bytes":0}}])";
  const std::string Everything =
      "[" + Device + R"({"written":{"address":16,"bytes":18446744073709551615}}])";
  for (const char *Notes :
       {"[]", "{}", "[1]", "[{}]", R"([{"end":{"launches":0,"requests":0}}])", R"([{"device":{}}])",
        R"([{"device":1,"kernel":2}])", Nothing.c_str(), Everything.c_str()}) {
    overwriteWithNotes(Notes, TraceVersion);
    EXPECT_NE(errorOfAll(), "") << Notes;
  }
}

TEST_F(TraceFile, CannotBeWritten) {
  EXPECT_EQ(TraceWriter::create("/nowhere/t", {}).error(),
            "cannot write '/nowhere/t': No such file or directory");
  auto W = TraceWriter::create("/dev/full", {});
  ASSERT_TRUE(W);
  EXPECT_EQ((*W)->finish().error(), "cannot write '/dev/full': No space left on device");
}

} // namespace
