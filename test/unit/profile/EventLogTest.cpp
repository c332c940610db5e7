//===- EventLogTest.cpp - Writing and reading event logs ------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../TemporaryFolder.h"
#include "TestLog.h"
#include "profile/CompressedLog.h"
#include "profile/EventLogReader.h"
#include "profile/EventLogWriter.h"
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace gmprof;
using namespace gmprof::test;
namespace fs = std::filesystem;

namespace {

class EventLogTest : public ::testing::Test {
protected:
  TemporaryFolder Own;
  const fs::path Folder = Own.path();
};

/// Initial size of the file.
constexpr uint64_t Reserved = 64 << 10;
/// A record that does not fit in it.
const std::string Large(Reserved, 'x');

std::string text(std::span<const std::byte> Payload) {
  return {reinterpret_cast<const char *>(Payload.data()), Payload.size()};
}

} // namespace

TEST_F(EventLogTest, ReadsWrittenRecords) {
  std::string Path = Folder / "log";
  {
    auto Writer = EventLogWriter::create(Path);
    ASSERT_TRUE(Writer) << Writer.error();
    EXPECT_TRUE((*Writer)->append(log::RecordKind::Run, "{}"));
    const std::array<uint32_t, 3> Numbers = {1, 2, 3};
    EXPECT_TRUE((*Writer)->append(log::RecordKind::SharedCounts,
                                  {EventLogWriter::bytes(uint64_t(7)),
                                   EventLogWriter::array(std::span<const uint32_t>(Numbers))}));
    EXPECT_TRUE((*Writer)->append(log::RecordKind::Gap, ""));
    EXPECT_EQ((*Writer)->dropped(), 0u);
  }
  struct stat Status = {};
  ASSERT_EQ(::stat(Path.c_str(), &Status), 0);
  EXPECT_EQ(Status.st_mode & 0777, 0600u);
  // Header 16; 16 + 2 + 6 padding; 16 + 20 + 4 padding; 16.
  EXPECT_EQ(Status.st_size, 16 + 24 + 40 + 16);

  auto Reader = EventLogReader::open(Path);
  ASSERT_TRUE(Reader) << Reader.error();
  auto First = Reader->next();
  ASSERT_TRUE(First);
  EXPECT_EQ(First->Kind, log::RecordKind::Run);
  EXPECT_EQ(text(First->Payload), "{}");
  auto Second = Reader->next();
  ASSERT_TRUE(Second);
  EXPECT_EQ(Second->Kind, log::RecordKind::SharedCounts);
  ASSERT_EQ(Second->Payload.size(), 20u);
  EXPECT_EQ(Second->Payload[0], std::byte{7});
  EXPECT_EQ(Second->Payload[16], std::byte{3});
  auto Third = Reader->next();
  ASSERT_TRUE(Third);
  EXPECT_TRUE(Third->Payload.empty());
  EXPECT_FALSE(Reader->next());
  EXPECT_FALSE(Reader->truncated());
}

/// The first record of a kind is packed in full, later ones as differences.
TEST_F(EventLogTest, RecordsOfCallsArePacked) {
  std::string Path = Folder / "log";
  auto Writer = EventLogWriter::create(Path);
  ASSERT_TRUE(Writer);
  auto Append = [&](const log::GpuTimeRecord &R) {
    EXPECT_TRUE((*Writer)->append(log::RecordKind::GpuTime, {EventLogWriter::bytes(R)}));
    (*Writer)->trim();
    return fs::file_size(Path);
  };
  // Kind, size, mask, 1 in 1 byte, 1000 and 1100 in 2 bytes each after zigzag.
  EXPECT_EQ(Append({1, 1000, 1100}), 16u + 1 + 1 + 1 + 1 + 2 + 2);
  // Kind, mask, and one byte per difference: 1, 63 and -64 fit 7 bits.
  EXPECT_EQ(Append({2, 1063, 1036}), 24u + 1 + 1 + 3);
  EXPECT_EQ(Append({2, 1063, 1036}), 29u + 1 + 1);
  EXPECT_TRUE((*Writer)->append(log::RecordKind::Gap, "{}")); // aligned to the next multiple of 8
  EXPECT_EQ(Append({0, ~uint64_t(0), 0}), 32u + 24 + 1 + 1 + 1 + 2 + 2);
  // One record with a name, one without.
  EXPECT_TRUE(
      (*Writer)->append(log::RecordKind::GpuTime, {EventLogWriter::bytes(uint64_t(5)),
                                                   EventLogWriter::bytes(std::string_view("ab"))}));
  EXPECT_TRUE((*Writer)->append(log::RecordKind::GpuTime, {EventLogWriter::bytes(uint64_t(6))}));
  Writer->reset();

  auto Reader = EventLogReader::open(Path);
  ASSERT_TRUE(Reader);
  auto Expect = [&](const log::GpuTimeRecord &R) {
    auto Read = Reader->next();
    ASSERT_TRUE(Read);
    EXPECT_EQ(Read->Kind, log::RecordKind::GpuTime);
    EXPECT_EQ(text(Read->Payload), text(EventLogWriter::bytes(R)));
  };
  Expect({1, 1000, 1100});
  Expect({2, 1063, 1036});
  Expect({2, 1063, 1036});
  EXPECT_EQ(text(Reader->next()->Payload), "{}");
  Expect({0, ~uint64_t(0), 0});
  EXPECT_EQ(text(Reader->next()->Payload), std::string("\5\0\0\0\0\0\0\0ab", 10));
  EXPECT_EQ(text(Reader->next()->Payload), std::string("\6\0\0\0\0\0\0\0", 8));
  EXPECT_FALSE(Reader->next());
  EXPECT_FALSE(Reader->truncated());
}

TEST_F(EventLogTest, ReadsACompressedLog) {
  const std::string Path = Folder / "log", Packed = Folder / "packed", Cut = Folder / "cut";
  {
    auto Writer = EventLogWriter::create(Path);
    ASSERT_TRUE(Writer) << Writer.error();
    for (size_t Bytes = 0; Bytes < CompressedLog::LeastBytes; Bytes += Large.size())
      EXPECT_TRUE((*Writer)->append(log::RecordKind::Gap, Large));
  }
  auto Plain = EventLogReader::open(Path);
  ASSERT_TRUE(Plain) << Plain.error();
  const std::vector<std::byte> File = CompressedLog::compress(Plain->log());
  ASSERT_FALSE(File.empty());
  EXPECT_LT(File.size(), Plain->bytes() / 100);
  const auto Write = [&](const std::string &To, size_t Bytes) {
    std::ofstream(To, std::ios::binary)
        .write(reinterpret_cast<const char *>(File.data()), std::streamsize(Bytes));
  };
  Write(Packed, File.size());
  auto Reader = EventLogReader::open(Packed);
  ASSERT_TRUE(Reader) << Reader.error();
  EXPECT_EQ(Reader->bytes(), Plain->bytes());
  for (size_t Records = 0; Records < CompressedLog::LeastBytes / Large.size(); ++Records)
    EXPECT_EQ(text(Reader->next()->Payload), Large);
  EXPECT_FALSE(Reader->next());
  EXPECT_FALSE(Reader->truncated());

  Write(Cut, File.size() - 1);
  EXPECT_EQ(EventLogReader::open(Cut).error(),
            "the event log '" + Cut + "' is damaged: it cannot be decompressed");
}

TEST_F(EventLogTest, SmallAndLargeLogsAreNotCompressed) {
  std::vector<std::byte> Log(CompressedLog::LeastBytes - 1);
  EXPECT_TRUE(CompressedLog::compress(Log).empty());
  Log.resize(CompressedLog::MostBytes + 1);
  EXPECT_TRUE(CompressedLog::compress(Log).empty());
  Log.resize(CompressedLog::MostBytes);
  EXPECT_FALSE(CompressedLog::compress(Log).empty());
}

TEST_F(EventLogTest, NeverOverwrites) {
  std::string Path = Folder / "log";
  std::ofstream(Path) << "precious";
  auto Writer = EventLogWriter::create(Path);
  ASSERT_FALSE(Writer);
  EXPECT_EQ(Writer.error(), "cannot create the event log '" + Path + "': File exists");
  std::string Content;
  std::ifstream(Path) >> Content;
  EXPECT_EQ(Content, "precious");

  // The writer does not follow a symbolic link either, even if its target does not exist.
  std::string Link = Folder / "link";
  fs::create_symlink(Folder / "elsewhere", Link);
  EXPECT_FALSE(EventLogWriter::create(Link));
  EXPECT_FALSE(fs::exists(Folder / "elsewhere"));

  EXPECT_FALSE(EventLogWriter::create(Folder / "missing" / "log"));
}

TEST_F(EventLogTest, RecordsOfSeveralThreadsDoNotMix) {
  std::string Path = Folder / "log";
  auto Writer = EventLogWriter::create(Path);
  ASSERT_TRUE(Writer);
  constexpr int Threads = 4, Each = 200;
  {
    std::vector<std::jthread> Pool;
    for (int T = 0; T < Threads; ++T)
      Pool.emplace_back([&, T] {
        for (int I = 0; I < Each; ++I)
          (*Writer)->append(log::RecordKind::Gap, std::string(size_t(T) * 100 + 1, char('a' + T)));
      });
  }
  auto Reader = EventLogReader::open(Path);
  ASSERT_TRUE(Reader);
  std::array<int, Threads> Seen = {};
  while (auto R = Reader->next()) {
    std::string Text = text(R->Payload);
    int T = Text.at(0) - 'a';
    EXPECT_EQ(Text, std::string(size_t(T) * 100 + 1, char('a' + T)));
    ++Seen.at(size_t(T));
  }
  EXPECT_FALSE(Reader->truncated());
  EXPECT_EQ(Seen, (std::array<int, Threads>{Each, Each, Each, Each}));
}

TEST_F(EventLogTest, FailedWriteEndsTheLog) {
  auto Writer = EventLogWriter::create(Folder / "log");
  ASSERT_TRUE(Writer);
  // Limit the file size, so that writes fail as on a full disk.
  rlimit Old = {}, Full = {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &Old), 0);
  Full = {Reserved, Old.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &Full), 0);
  EXPECT_FALSE((*Writer)->append(log::RecordKind::Gap, Large)); // fails without a signal
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &Old), 0);
  EXPECT_FALSE((*Writer)->append(log::RecordKind::Gap, "{}"));
  EXPECT_EQ((*Writer)->dropped(), 2u);
  EXPECT_EQ((*Writer)->error(),
            "cannot write to the event log '" + (Folder / "log").string() + "': File too large");
}

// However the program ends, its records are already in the kernel's page cache.
TEST_F(EventLogTest, OutlivesAKilledProgram) {
  std::string Path = Folder / "log";
  pid_t Child = ::fork();
  ASSERT_GE(Child, 0);
  if (Child == 0) {
    auto Writer = EventLogWriter::create(Path);
    for (int I = 0; I < 5000; ++I)
      (*Writer)->append(log::RecordKind::Gap, std::to_string(I) + std::string(100, '.'));
    ::raise(SIGKILL);
  }
  int Status = 0;
  ASSERT_EQ(::waitpid(Child, &Status, 0), Child);
  ASSERT_TRUE(WIFSIGNALED(Status));
  EXPECT_EQ(fs::file_size(Path) % 4096, 0u); // including reserved space
  auto Reader = EventLogReader::open(Path);
  ASSERT_TRUE(Reader);
  int Seen = 0;
  while (auto R = Reader->next())
    EXPECT_EQ(text(R->Payload), std::to_string(Seen++) + std::string(100, '.'));
  EXPECT_EQ(Seen, 5000);
  EXPECT_FALSE(Reader->truncated());
}

TEST_F(EventLogTest, ContinuesAfterATrim) {
  auto Writer = EventLogWriter::create(Folder / "log");
  ASSERT_TRUE(Writer);
  (*Writer)->append(log::RecordKind::Gap, "12345678");
  EXPECT_EQ(fs::file_size(Folder / "log"), Reserved);
  (*Writer)->trim();
  EXPECT_EQ(fs::file_size(Folder / "log"), 16u + 24);
  (*Writer)->append(log::RecordKind::Gap, "2");
  Writer->reset();
  EXPECT_EQ(fs::file_size(Folder / "log"), 16u + 24 + 24);
  auto Reader = EventLogReader::open(Folder / "log");
  EXPECT_EQ(text(Reader->next()->Payload), "12345678");
  EXPECT_EQ(text(Reader->next()->Payload), "2");
  EXPECT_FALSE(Reader->next());
}

// Daemons and programs that execute others close descriptors.
TEST_F(EventLogTest, SurvivesThatTheProgramClosesItsDescriptor) {
  int Next = ::dup(STDERR_FILENO); // the number that the log's descriptor gets
  ASSERT_EQ(::close(Next), 0);
  auto Writer = EventLogWriter::create(Folder / "log");
  ASSERT_TRUE(Writer);
  EXPECT_TRUE((*Writer)->append(log::RecordKind::Gap, "{1}"));
  ASSERT_EQ(::close(Next), 0);
  ASSERT_EQ(::open((Folder / "programs").c_str(), O_WRONLY | O_CREAT, 0600), Next);
  EXPECT_TRUE((*Writer)->append(log::RecordKind::Gap, Large));
  EXPECT_EQ(fs::file_size(Folder / "programs"), 0u);
  Writer->reset();
  EXPECT_EQ(::write(Next, "x", 1), 1) << "the program's descriptor was closed";
  ::close(Next);

  auto Reader = EventLogReader::open(Folder / "log");
  ASSERT_TRUE(Reader);
  EXPECT_EQ(text(Reader->next()->Payload), "{1}");
  EXPECT_EQ(text(Reader->next()->Payload), Large);
  EXPECT_FALSE(Reader->next());
  EXPECT_FALSE(Reader->truncated());
}

TEST_F(EventLogTest, WritesIntoNoOtherFileThatTookItsPlace) {
  int Next = ::dup(STDERR_FILENO);
  ASSERT_EQ(::close(Next), 0);
  auto Writer = EventLogWriter::create(Folder / "log");
  ASSERT_TRUE(Writer);
  ASSERT_EQ(::close(Next), 0);
  fs::rename(Folder / "log", Folder / "moved");
  std::ofstream(Folder / "log") << "other";
  EXPECT_TRUE((*Writer)->append(log::RecordKind::Gap, "{}"));
  EXPECT_FALSE((*Writer)->append(log::RecordKind::Gap, Large));
  EXPECT_EQ(fs::file_size(Folder / "log"), 5u);
  EXPECT_EQ((*Writer)->error(),
            "the program closed and replaced the event log '" + (Folder / "log").string() + "'");
}

TEST_F(EventLogTest, SurvivesTruncationWhileReading) {
  const std::string Path = Folder / "log";
  auto Writer = EventLogWriter::create(Path);
  ASSERT_TRUE(Writer) << Writer.error();
  EXPECT_TRUE((*Writer)->append(log::RecordKind::Run, "{}"));
  auto Reader = EventLogReader::openUnfinished(Path, Reserved);
  ASSERT_TRUE(Reader) << Reader.error();
  fs::resize_file(Path, 0);
  const auto First = Reader->next();
  ASSERT_TRUE(First);
  EXPECT_EQ(text(First->Payload), "{}");
  EXPECT_FALSE(Reader->next());
  EXPECT_FALSE(Reader->truncated());

  fs::resize_file(Path, Reserved + 1);
  EXPECT_EQ(EventLogReader::openUnfinished(Path, Reserved).error(),
            "'" + Path + "' has more than 65536 bytes");
  EXPECT_EQ(EventLogReader::openUnfinished(Path + "2", Reserved).error(),
            "cannot read '" + Path + "2': No such file or directory");
}

TEST_F(EventLogTest, RefusesOtherFiles) {
  EXPECT_EQ(EventLogReader::open(Folder / "none").error(),
            "cannot read '" + (Folder / "none").string() + "': No such file or directory");
  EXPECT_EQ(EventLogReader::open(Folder).error(),
            "cannot read '" + Folder.string() + "': it is not a regular file");
  EXPECT_EQ(EventLogReader::create({}, "x").error(),
            "the event log 'x' is empty: the program died before anything was recorded");

  LogBytes Log;
  Log.Bytes[0] = std::byte('X');
  EXPECT_EQ(EventLogReader::create(Log.Bytes, "x").error(), "'x' is not a GMProf event log");
  Log = LogBytes();
  Log.Bytes[8] = std::byte(log::Version + 1);
  EXPECT_EQ(EventLogReader::create(Log.Bytes, "x").error(),
            "the event log 'x' has format " + std::to_string(log::Version + 1) +
                " and this GMProf reads " + std::to_string(log::Version) +
                ": use the newer GMProf that wrote it");
  Log.Bytes[8] = std::byte(0);
  EXPECT_FALSE(EventLogReader::create(Log.Bytes, "x"));
}

TEST(EventLogReaderTest, EveryTruncationIsFound) {
  LogBytes Log;
  Log.json(log::RecordKind::Run, "{\"a\":1}");  // 7 bytes and 1 of padding: 24
  Log.json(log::RecordKind::Gap, "0123456789"); // 10 bytes and 6 of padding: 32
  ASSERT_EQ(Log.Bytes.size(), 16u + 24 + 32);
  for (size_t Size = 0; Size <= Log.Bytes.size(); ++Size) {
    SCOPED_TRACE(Size);
    auto Reader = EventLogReader::create(
        std::vector<std::byte>(Log.Bytes.begin(), Log.Bytes.begin() + Size), "x");
    ASSERT_EQ(bool(Reader), Size >= 16);
    if (!Reader)
      continue;
    int Records = 0;
    while (Reader->next())
      ++Records;
    // A payload is complete even without its padding.
    EXPECT_EQ(Records, (Size >= 16 + 16 + 7) + (Size >= 40 + 16 + 10));
    bool Whole = Size == 16 || (Size >= 39 && Size <= 40) || Size >= 66;
    EXPECT_EQ(Reader->truncated(), !Whole);
  }
}

TEST_F(EventLogTest, EveryTruncationOfPackedRecordsIsFound) {
  std::string Path = Folder / "log";
  std::vector<size_t> Ends = {16};
  {
    auto Writer = EventLogWriter::create(Path);
    ASSERT_TRUE(Writer);
    for (uint64_t I = 1; I <= 20; ++I) {
      const log::GpuTimeRecord R = {I, I * I * 1000, I << I};
      EXPECT_TRUE((*Writer)->append(log::RecordKind::GpuTime, {EventLogWriter::bytes(R)}));
      (*Writer)->trim();
      Ends.push_back(fs::file_size(Path));
    }
  }
  std::vector<std::byte> Log(Ends.back());
  std::ifstream(Path).read(reinterpret_cast<char *>(Log.data()),
                           static_cast<std::streamsize>(Log.size()));
  for (size_t Size = 16; Size <= Log.size(); ++Size) {
    SCOPED_TRACE(Size);
    // The log is cut off, or not written to the end, in which case the first byte is missing too.
    for (bool Cut : {true, false}) {
      const auto Begin = std::prev(std::upper_bound(Ends.begin(), Ends.end(), Size));
      std::vector<std::byte> Part(Log.begin(), Log.begin() + static_cast<ptrdiff_t>(Size));
      if (!Cut && Size > *Begin)
        Part[*Begin] = std::byte(0);
      auto Reader = EventLogReader::create(Part, "x");
      ASSERT_TRUE(Reader);
      ptrdiff_t Records = 0;
      while (Reader->next())
        ++Records;
      EXPECT_EQ(Records, Begin - Ends.begin());
      if (Cut) {
        EXPECT_EQ(Reader->truncated(), Size != *Begin);
      }
    }
  }
}

TEST(EventLogReaderTest, DamagedPackedRecordIsATruncation) {
  for (const std::initializer_list<int> &Wrong :
       {std::initializer_list<int>{0x80 | 33},            // no size
        {0x80 | 33, 24},                                  // no mask
        {0x80 | 33, 24, 1},                               // no difference
        {0x80 | 33, 24, 1, 0x80},                         // half of one
        {0x80 | 33, 0x81, 2, 0},                          // too long: 257 bytes
        {0x80 | 1, 2, 0},                                 // a kind that is not packed
        {0x80 | 33, 24, 0x80, 0x80, 0x80, 0x80, 0x10}}) { // a word beyond the last
    LogBytes Log;
    Log.json(log::RecordKind::Run, "{}");
    for (int Each : Wrong)
      Log.Bytes.push_back(std::byte(Each));
    auto Reader = EventLogReader::create(Log.Bytes, "x");
    ASSERT_TRUE(Reader);
    EXPECT_TRUE(Reader->next());
    EXPECT_FALSE(Reader->next());
    EXPECT_TRUE(Reader->truncated());
  }
}

TEST(EventLogReaderTest, ASizeBeyondTheEndIsATruncation) {
  LogBytes Log;
  Log.json(log::RecordKind::Run, "{}");
  for (uint64_t Size : {uint64_t(9), ~uint64_t(0), ~uint64_t(0) - 7}) {
    std::memcpy(&Log.Bytes[16 + 8], &Size, sizeof(Size));
    auto Reader = EventLogReader::create(Log.Bytes, "x");
    ASSERT_TRUE(Reader);
    EXPECT_FALSE(Reader->next());
    EXPECT_TRUE(Reader->truncated());
  }
}

TEST(EventLogReaderTest, ZerosAreNoRecords) {
  LogBytes Log;
  Log.json(log::RecordKind::Run, "{}");
  Log.Bytes.resize(Log.Bytes.size() + 4096);
  auto Reader = EventLogReader::create(Log.Bytes, "x");
  EXPECT_TRUE(Reader->next());
  EXPECT_FALSE(Reader->next());
  EXPECT_FALSE(Reader->truncated());
  // A payload whose header is not written yet.
  Log.Bytes[Log.Bytes.size() - 4000] = std::byte(1);
  Reader = EventLogReader::create(Log.Bytes, "x");
  EXPECT_TRUE(Reader->next());
  EXPECT_FALSE(Reader->next());
  EXPECT_TRUE(Reader->truncated());
}
