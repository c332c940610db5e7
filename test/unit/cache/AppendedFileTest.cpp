//===- AppendedFileTest.cpp - Tests of concurrent appends to a file -------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cache/AppendedFile.h"
#include "../TemporaryFolder.h"
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <thread>

namespace gmprof::cache {
namespace {

struct Head {
  uint32_t Thread, Number, Bytes; ///< of the record
};

/// Returns a record of up to 64 KiB, mostly much smaller, whose body repeats the thread's number.
std::vector<std::byte> record(uint32_t Thread, uint32_t Number) {
  const Head H = {Thread, Number,
                  static_cast<uint32_t>(sizeof(Head)) +
                      (Number % 8 == 0 ? 9001U * (Number % 7) : Number)};
  std::vector<std::byte> Record(H.Bytes, static_cast<std::byte>(Thread));
  std::memcpy(Record.data(), &H, sizeof(H));
  return Record;
}

int create(const std::string &Path) { return ::open(Path.c_str(), O_WRONLY | O_CREAT, 0600); }

TEST(AppendedFile, KeepsTheOrderOfEachThreadsRecords) {
  constexpr uint32_t Threads = 4, Records = 600;
  const test::TemporaryFolder Folder;
  const std::string Path = Folder.file("file");
  {
    AppendedFile File(create(Path));
    const auto Append = [&](uint32_t Thread) {
      for (uint32_t I = 0; I < Records; ++I)
        File.append(record(Thread, I));
    };
    std::vector<std::thread> All;
    for (uint32_t T = 0; T < Threads; ++T)
      All.emplace_back(Append, T);
    for (std::thread &Each : All)
      Each.join();
    EXPECT_EQ(File.close(), 0);
  }
  std::ifstream In(Path, std::ios::binary);
  const std::string Bytes(std::istreambuf_iterator<char>(In), {});
  std::array<uint32_t, Threads> Next = {};
  for (size_t At = 0; At < Bytes.size();) {
    Head H;
    ASSERT_LE(At + sizeof(H), Bytes.size());
    std::memcpy(&H, Bytes.data() + At, sizeof(H));
    ASSERT_LT(H.Thread, Threads);
    ASSERT_EQ(H.Number, Next[H.Thread]++);
    const std::vector<std::byte> Expected = record(H.Thread, H.Number);
    ASSERT_LE(At + Expected.size(), Bytes.size());
    ASSERT_EQ(std::memcmp(Expected.data(), Bytes.data() + At, Expected.size()), 0);
    At += Expected.size();
  }
  for (const uint32_t Count : Next)
    EXPECT_EQ(Count, Records);
}

TEST(AppendedFile, FlushWritesTheFile) {
  const test::TemporaryFolder Folder;
  const std::string Path = Folder.file("file");
  AppendedFile File(create(Path));
  File.append({std::byte{1}, std::byte{2}});
  File.append({std::byte{3}});
  EXPECT_EQ(std::filesystem::file_size(Path), 0U);
  File.flush();
  EXPECT_EQ(std::filesystem::file_size(Path), 3U);
}

TEST(AppendedFile, ReportsTheFirstFailure) {
  AppendedFile Full(::open("/dev/full", O_WRONLY));
  Full.append({std::byte{1}});
  Full.flush();
  Full.fail(ENOMEM);
  EXPECT_EQ(Full.close(), ENOSPC);

  const test::TemporaryFolder Folder;
  const std::string Path = Folder.file("file");
  AppendedFile File(create(Path));
  File.append({std::byte{1}});
  File.fail(ENOMEM);
  EXPECT_EQ(File.close(), ENOMEM);
  EXPECT_EQ(std::filesystem::file_size(Path), 0U) << "nothing is written after that";
}

} // namespace
} // namespace gmprof::cache
