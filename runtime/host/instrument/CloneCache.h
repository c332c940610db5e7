//===- CloneCache.h - Clones of earlier runs, on disk -----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One file per entry, KEY.clone in a folder that only its owner can read. Files are written under
// another name and renamed, so that many processes may use the folder at the same time: a reader
// sees an entry as a whole, or not at all. A damaged entry is removed.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_INSTRUMENT_CLONECACHE_H
#define GMPROF_HOST_INSTRUMENT_CLONECACHE_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gmprof {

class CloneCache {
public:
  static constexpr uint64_t DefaultMaxBytes = uint64_t(512) << 20;

  /// Uses Directory, which the first entry makes. Without a name nothing is kept. MaxBytes limits
  /// the sum of the entries' sizes.
  explicit CloneCache(std::string Directory, uint64_t MaxBytes = DefaultMaxBytes);

  /// Returns $XDG_CACHE_HOME/gmprof/clones, or ~/.cache/gmprof/clones; empty if neither is known.
  static std::string defaultDirectory();

  /// Returns the content of an entry, which becomes the one used last. Key is a file name.
  std::optional<std::string> find(const std::string &Key) const;
  /// Adds or replaces an entry, and removes those used longest ago beyond the limit. Returns false
  /// if the entry was not written: a full disk, or a folder of somebody else.
  bool store(const std::string &Key, std::string_view Content) const;

  struct Usage {
    uint64_t Entries = 0, Bytes = 0;
  };
  Usage usage() const;
  /// Removes all entries. Returns what was removed.
  Usage clear() const;

private:
  std::string fileOf(const std::string &Key) const { return Directory + "/" + Key + ".clone"; }
  void removeOldest() const;

  const std::string Directory;
  const uint64_t MaxBytes;
};

} // namespace gmprof

#endif // GMPROF_HOST_INSTRUMENT_CLONECACHE_H
