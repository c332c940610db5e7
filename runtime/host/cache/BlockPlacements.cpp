//===- BlockPlacements.cpp - Where and when blocks run untraced -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The two runs are of one GMProf on one machine, so the file has no version and no byte order.
//
//===----------------------------------------------------------------------===//

#include "host/cache/BlockPlacements.h"
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace gmprof::host {

namespace {

struct LaunchHead {
  uint64_t Number;
  std::array<uint32_t, 3> Grid, Block;
  uint64_t Blocks;
  uint64_t NameBytes;
};

} // namespace

std::string BlockPlacements::pathOf(const std::string &Log) {
  return std::filesystem::path(Log).replace_extension(".gmblocks").string();
}

bool BlockPlacements::append(const std::string &Path, const PlacedLaunch &Launch,
                             std::span<const GmprofPlacedBlock> Blocks) {
  const LaunchHead Head = {Launch.Number, Launch.Grid, Launch.Block, Blocks.size(),
                           Launch.Kernel.size()};
  std::string Bytes(reinterpret_cast<const char *>(&Head), sizeof(Head));
  Bytes += Launch.Kernel;
  Bytes.append(reinterpret_cast<const char *>(Blocks.data()), Blocks.size_bytes());
  const int File = open(Path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (File < 0)
    return false;
  const bool Written = write(File, Bytes.data(), Bytes.size()) == ssize_t(Bytes.size());
  return close(File) == 0 && Written;
}

Result<BlockPlacements> BlockPlacements::read(const std::string &Path) {
  std::ifstream File(Path, std::ios::binary);
  if (!File)
    return Error{"cannot read '" + Path + "': " + std::strerror(errno)};
  const auto Size = std::filesystem::file_size(Path);
  BlockPlacements To;
  LaunchHead Head;
  while (File.read(reinterpret_cast<char *>(&Head), sizeof(Head))) {
    if (Head.NameBytes > Size || Head.Blocks > Size / sizeof(GmprofPlacedBlock))
      break;
    PlacedLaunch Launch = {std::string(Head.NameBytes, '\0'), Head.Number, Head.Grid, Head.Block};
    auto Blocks = std::make_shared<PlacedBlocks>(Head.Blocks);
    File.read(Launch.Kernel.data(), static_cast<std::streamsize>(Head.NameBytes));
    if (!File.read(reinterpret_cast<char *>(Blocks->data()),
                   static_cast<std::streamsize>(Head.Blocks * sizeof(GmprofPlacedBlock))))
      break;
    To.Launches[std::move(Launch)] = std::move(Blocks);
  }
  return To;
}

std::shared_ptr<const PlacedBlocks> BlockPlacements::find(const PlacedLaunch &Launch) const {
  const auto At = Launches.find(Launch);
  return At == Launches.end() ? nullptr : At->second;
}

} // namespace gmprof::host
