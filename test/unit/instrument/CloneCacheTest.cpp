//===- CloneCacheTest.cpp - Tests of the cache of clones ------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/instrument/CloneCache.h"
#include "unit/TemporaryFolder.h"
#include <fcntl.h>
#include <fstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace gmprof;
using gmprof::test::TemporaryFolder;

namespace {

constexpr uint64_t HeaderBytes = 48;

struct CloneCacheTest : testing::Test {
  TemporaryFolder Folder;
  const std::string Directory = Folder.file("cache/clones");
  const CloneCache Cache{Directory};

  std::string file(const std::string &Key) const { return Directory + "/" + Key + ".clone"; }
  /// Sets the time of an entry's last use, in seconds.
  void setUsed(const std::string &Key, time_t Seconds) const {
    const timespec Times[] = {{Seconds, 0}, {Seconds, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, file(Key).c_str(), Times, 0), 0);
  }
  size_t files() const {
    const std::filesystem::directory_iterator Each(Directory);
    return static_cast<size_t>(std::distance(begin(Each), end(Each)));
  }
};

TEST_F(CloneCacheTest, FindsWhatWasStored) {
  EXPECT_FALSE(Cache.find("a"));
  const std::string Content("one\0two", 7);
  ASSERT_TRUE(Cache.store("a", Content));
  ASSERT_TRUE(Cache.store("empty", ""));
  EXPECT_EQ(Cache.find("a"), Content);
  EXPECT_EQ(Cache.find("empty"), "");
  EXPECT_FALSE(Cache.find("b"));
  ASSERT_TRUE(Cache.store("a", "three"));
  EXPECT_EQ(Cache.find("a"), "three");
  EXPECT_EQ(files(), 2u);
}

TEST_F(CloneCacheTest, IsPrivate) {
  ASSERT_TRUE(Cache.store("a", "content"));
  struct stat Status = {};
  for (const char *Path : {"cache", "cache/clones"}) {
    ASSERT_EQ(::stat(Folder.file(Path).c_str(), &Status), 0);
    EXPECT_EQ(Status.st_mode & 0777, 0700u);
  }
  ASSERT_EQ(::stat(file("a").c_str(), &Status), 0);
  EXPECT_EQ(Status.st_mode & 0777, 0600u);
  // Others can write here: what is here may be theirs.
  ASSERT_EQ(::chmod(Directory.c_str(), 0777), 0);
  EXPECT_FALSE(Cache.find("a"));
  EXPECT_FALSE(Cache.store("b", "content"));
}

TEST_F(CloneCacheTest, RemovesDamagedEntries) {
  const std::string Content = "content";
  const auto Damage = [&](const std::string &What, auto Change) {
    ASSERT_TRUE(Cache.store("a", Content));
    Change();
    EXPECT_FALSE(Cache.find("a")) << What;
    EXPECT_EQ(::access(file("a").c_str(), F_OK), -1) << What;
  };
  for (const uint64_t Bytes : {uint64_t(0), uint64_t(5), HeaderBytes, HeaderBytes + 6})
    Damage("truncated", [&] { ASSERT_EQ(::truncate(file("a").c_str(), Bytes), 0); });
  Damage("longer", [&] { std::ofstream(file("a"), std::ios::app) << 'x'; });
  for (uint64_t At = 0; At < HeaderBytes + Content.size(); ++At)
    Damage("byte " + std::to_string(At), [&] {
      std::fstream Entry(file("a"), std::ios::in | std::ios::out | std::ios::binary);
      Entry.seekg(At);
      const int Byte = Entry.get();
      Entry.seekp(At);
      Entry.put(static_cast<char>(Byte ^ 1));
    });
  ASSERT_TRUE(Cache.store("a", Content));
  EXPECT_EQ(Cache.find("a"), Content);
}

TEST_F(CloneCacheTest, ALinkIsNoEntry) {
  ASSERT_TRUE(Cache.store("a", "content"));
  ASSERT_EQ(::symlink(file("a").c_str(), file("b").c_str()), 0);
  EXPECT_FALSE(Cache.find("b"));
  EXPECT_EQ(Cache.find("a"), "content");
}

TEST_F(CloneCacheTest, RemovesWhatWasUsedLongestAgo) {
  const CloneCache Small(Directory, 3 * (HeaderBytes + 100));
  const std::string Content(100, 'x');
  for (const char *Key : {"a", "b", "c"})
    ASSERT_TRUE(Small.store(Key, Content));
  setUsed("a", 1000);
  setUsed("b", 2000);
  setUsed("c", 3000);
  EXPECT_TRUE(Small.find("a")); // a use
  ASSERT_TRUE(Small.store("d", Content));
  EXPECT_FALSE(Small.find("b"));
  EXPECT_TRUE(Small.find("a"));
  EXPECT_TRUE(Small.find("c"));
  EXPECT_TRUE(Small.find("d"));
  EXPECT_EQ(Small.usage().Bytes, 3 * (HeaderBytes + 100));
  EXPECT_FALSE(Small.store("large", std::string(3 * (HeaderBytes + 100), 'x')));
  EXPECT_EQ(Small.usage().Entries, 3u);
}

TEST_F(CloneCacheTest, RemovesWhatAProcessLeftUnfinished) {
  const CloneCache Small(Directory, HeaderBytes + 1);
  ASSERT_TRUE(Small.store("a", "x"));
  std::ofstream(Directory + "/.new-old") << "half";
  std::ofstream(Directory + "/.new-now") << "half";
  const timespec Old[] = {{1000, 0}, {1000, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, (Directory + "/.new-old").c_str(), Old, 0), 0);
  ASSERT_TRUE(Small.store("b", "x"));
  EXPECT_EQ(::access((Directory + "/.new-old").c_str(), F_OK), -1);
  EXPECT_EQ(::access((Directory + "/.new-now").c_str(), F_OK), 0);
}

TEST_F(CloneCacheTest, SaysItsSizeAndForgetsAll) {
  EXPECT_EQ(Cache.usage().Entries, 0u);
  ASSERT_TRUE(Cache.store("a", "12345"));
  ASSERT_TRUE(Cache.store("b", "123"));
  EXPECT_EQ(Cache.usage().Entries, 2u);
  EXPECT_EQ(Cache.usage().Bytes, 2 * HeaderBytes + 8);
  const CloneCache::Usage Removed = Cache.clear();
  EXPECT_EQ(Removed.Entries, 2u);
  EXPECT_EQ(Removed.Bytes, 2 * HeaderBytes + 8);
  EXPECT_EQ(Cache.usage().Entries, 0u);
  EXPECT_FALSE(Cache.find("a"));
}

TEST_F(CloneCacheTest, WithoutDirectoryKeepsNothing) {
  const CloneCache None("");
  EXPECT_FALSE(None.store("a", "content"));
  EXPECT_FALSE(None.find("a"));
  EXPECT_EQ(None.usage().Entries, 0u);
}

// Eight processes replace and read one entry: each reads a whole one.
TEST_F(CloneCacheTest, IsSafeWithManyProcesses) {
  constexpr int Processes = 8, Times = 50;
  ASSERT_TRUE(Cache.store("a", std::string(1000, '0')));
  std::vector<pid_t> Children;
  for (int Number = 0; Number < Processes; ++Number) {
    const pid_t Child = ::fork();
    ASSERT_GE(Child, 0);
    if (Child == 0) {
      bool Good = true;
      for (int Time = 0; Time < Times; ++Time) {
        Good &= Cache.store("a", std::string(1000 + Number, static_cast<char>('0' + Number)));
        const std::optional<std::string> Found = Cache.find("a");
        Good &= Found && Found->find_first_not_of(Found->front()) == std::string::npos &&
                Found->size() == size_t(1000 + Found->front() - '0');
      }
      ::_exit(Good ? 0 : 1);
    }
    Children.push_back(Child);
  }
  for (const pid_t Child : Children) {
    int Status = -1;
    EXPECT_EQ(::waitpid(Child, &Status, 0), Child);
    EXPECT_EQ(Status, 0);
  }
  EXPECT_EQ(files(), 1u);
}

TEST(CloneCache, ChoosesTheUsersCache) {
  const char *Home = std::getenv("HOME"), *Xdg = std::getenv("XDG_CACHE_HOME");
  const std::string OldHome = Home ? Home : "", OldXdg = Xdg ? Xdg : "";
  ::setenv("HOME", "/home/me", 1);
  ::setenv("XDG_CACHE_HOME", "/caches", 1);
  EXPECT_EQ(CloneCache::defaultDirectory(), "/caches/gmprof/clones");
  ::setenv("XDG_CACHE_HOME", "relative", 1);
  EXPECT_EQ(CloneCache::defaultDirectory(), "/home/me/.cache/gmprof/clones");
  ::unsetenv("XDG_CACHE_HOME");
  ::unsetenv("HOME");
  EXPECT_EQ(CloneCache::defaultDirectory(), "");
  if (Home)
    ::setenv("HOME", OldHome.c_str(), 1);
  if (Xdg)
    ::setenv("XDG_CACHE_HOME", OldXdg.c_str(), 1);
}

} // namespace
