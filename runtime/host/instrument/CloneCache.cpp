//===- CloneCache.cpp - Clones of earlier runs, on disk -------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/instrument/CloneCache.h"
#include "host/instrument/CloneProtocol.h"
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace gmprof {
namespace {

/// Begins each entry; its content follows.
struct EntryHeader {
  uint64_t Magic = 0, Bytes = 0;
  char Hash[32] = {}; ///< moduleHash of the content

  bool operator==(const EntryHeader &) const = default;
};
constexpr uint64_t EntryMagic = 0x31434d47; // "GMC1"
constexpr std::string_view EntrySuffix = ".clone";
constexpr std::string_view UnfinishedPrefix = ".new-";
/// An unfinished entry of this age belongs to a process that ended while it wrote.
constexpr time_t UnfinishedSeconds = 3600;

EntryHeader headerOf(std::string_view Content) {
  EntryHeader Header = {EntryMagic, Content.size(), {}};
  const std::string Hash = moduleHash(Content);
  std::copy_n(Hash.data(), sizeof(Header.Hash), Header.Hash);
  return Header;
}

class File {
public:
  explicit File(int Descriptor) : Descriptor(Descriptor) {}
  ~File() {
    if (Descriptor >= 0)
      ::close(Descriptor);
  }
  File(const File &) = delete;
  File &operator=(const File &) = delete;
  explicit operator bool() const { return Descriptor >= 0; }
  int descriptor() const { return Descriptor; }

  bool write(const void *Data, size_t Count) const {
    const char *Bytes = static_cast<const char *>(Data);
    while (Count > 0) {
      const ssize_t Written = ::write(Descriptor, Bytes, Count);
      if (Written < 0 && errno != EINTR)
        return false;
      Bytes += std::max<ssize_t>(Written, 0);
      Count -= static_cast<size_t>(std::max<ssize_t>(Written, 0));
    }
    return true;
  }
  /// Returns the number of bytes until the end of the file, Count at most.
  size_t read(void *Data, size_t Count) const {
    size_t Done = 0;
    while (Done < Count) {
      const ssize_t Got = ::read(Descriptor, static_cast<char *>(Data) + Done, Count - Done);
      if (Got == 0 || (Got < 0 && errno != EINTR))
        break;
      Done += static_cast<size_t>(std::max<ssize_t>(Got, 0));
    }
    return Done;
  }

private:
  const int Descriptor;
};

/// Makes a folder and those around it, for its owner only.
void makeDirectories(const std::string &Path) {
  for (size_t Slash = 0; Slash != std::string::npos;) {
    Slash = Path.find('/', Slash + 1);
    ::mkdir(Path.substr(0, Slash).c_str(), 0700);
  }
}

/// Returns whether a folder belongs to this user, and to nobody else.
bool isPrivate(const std::string &Path) {
  struct stat Status = {};
  return ::stat(Path.c_str(), &Status) == 0 && S_ISDIR(Status.st_mode) &&
         Status.st_uid == ::geteuid() && (Status.st_mode & 077) == 0;
}

struct Entry {
  std::string Path;
  uint64_t Bytes;
  timespec Used;
};

/// Returns the entries of a folder, and removes unfinished ones that nobody writes.
std::vector<Entry> entriesOf(const std::string &Directory) {
  std::vector<Entry> Entries;
  DIR *Folder = Directory.empty() ? nullptr : ::opendir(Directory.c_str());
  if (!Folder)
    return Entries;
  while (const dirent *Each = ::readdir(Folder)) {
    const std::string_view Name = Each->d_name;
    const std::string Path = Directory + "/" + std::string(Name);
    struct stat Status = {};
    if (::lstat(Path.c_str(), &Status) != 0 || !S_ISREG(Status.st_mode))
      continue;
    if (Name.ends_with(EntrySuffix))
      Entries.push_back({Path, static_cast<uint64_t>(Status.st_size), Status.st_mtim});
    else if (Name.starts_with(UnfinishedPrefix) &&
             Status.st_mtime + UnfinishedSeconds < ::time(nullptr))
      ::unlink(Path.c_str());
  }
  ::closedir(Folder);
  return Entries;
}

} // namespace

CloneCache::CloneCache(std::string Directory, uint64_t MaxBytes)
    : Directory(std::move(Directory)), MaxBytes(MaxBytes) {}

std::string CloneCache::defaultDirectory() {
  // The specification of XDG ignores relative paths.
  if (const char *Cache = std::getenv("XDG_CACHE_HOME"); Cache && *Cache == '/')
    return std::string(Cache) + "/gmprof/clones";
  if (const char *Home = std::getenv("HOME"); Home && *Home == '/')
    return std::string(Home) + "/.cache/gmprof/clones";
  return "";
}

std::optional<std::string> CloneCache::find(const std::string &Key) const {
  if (Directory.empty() || !isPrivate(Directory))
    return std::nullopt;
  const std::string Path = fileOf(Key);
  const File In(::open(Path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  struct stat Status = {};
  if (!In || ::fstat(In.descriptor(), &Status) != 0)
    return std::nullopt;
  EntryHeader Header;
  std::string Content;
  bool Valid = S_ISREG(Status.st_mode) && In.read(&Header, sizeof(Header)) == sizeof(Header) &&
               Header.Magic == EntryMagic &&
               Header.Bytes == static_cast<uint64_t>(Status.st_size) - sizeof(Header);
  if (Valid) {
    Content.resize(Header.Bytes);
    Valid =
        In.read(Content.data(), Content.size()) == Content.size() && headerOf(Content) == Header;
  }
  if (!Valid) {
    ::unlink(Path.c_str());
    return std::nullopt;
  }
  ::futimens(In.descriptor(), nullptr);
  return Content;
}

bool CloneCache::store(const std::string &Key, std::string_view Content) const {
  if (Directory.empty() || sizeof(EntryHeader) + Content.size() > MaxBytes)
    return false;
  makeDirectories(Directory);
  if (!isPrivate(Directory))
    return false;
  std::string Unfinished = Directory + "/" + std::string(UnfinishedPrefix) + "XXXXXX";
  {
    const File Out(::mkostemp(Unfinished.data(), O_CLOEXEC));
    if (!Out)
      return false;
    const EntryHeader Header = headerOf(Content);
    if (!Out.write(&Header, sizeof(Header)) || !Out.write(Content.data(), Content.size())) {
      ::unlink(Unfinished.c_str());
      return false;
    }
  }
  if (::rename(Unfinished.c_str(), fileOf(Key).c_str()) != 0) {
    ::unlink(Unfinished.c_str());
    return false;
  }
  removeOldest();
  return true;
}

void CloneCache::removeOldest() const {
  std::vector<Entry> Entries = entriesOf(Directory);
  uint64_t Bytes = 0;
  for (const Entry &E : Entries)
    Bytes += E.Bytes;
  if (Bytes <= MaxBytes)
    return;
  std::sort(Entries.begin(), Entries.end(), [](const Entry &A, const Entry &B) {
    return A.Used.tv_sec != B.Used.tv_sec ? A.Used.tv_sec < B.Used.tv_sec
                                          : A.Used.tv_nsec < B.Used.tv_nsec;
  });
  for (const Entry &E : Entries) {
    if (Bytes <= MaxBytes)
      return;
    ::unlink(E.Path.c_str());
    Bytes -= E.Bytes;
  }
}

CloneCache::Usage CloneCache::usage() const {
  Usage Sum;
  for (const Entry &E : entriesOf(Directory)) {
    ++Sum.Entries;
    Sum.Bytes += E.Bytes;
  }
  return Sum;
}

CloneCache::Usage CloneCache::clear() const {
  Usage Removed;
  for (const Entry &E : entriesOf(Directory))
    if (::unlink(E.Path.c_str()) == 0) {
      ++Removed.Entries;
      Removed.Bytes += E.Bytes;
    }
  return Removed;
}

} // namespace gmprof
