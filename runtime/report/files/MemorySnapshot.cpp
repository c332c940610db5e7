//===- MemorySnapshot.cpp - Reads snapshots of PyTorch's memory -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/files/MemorySnapshot.h"
#include "report/files/SnapshotReader.h"
#include "report/files/SnapshotReplay.h"
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>

namespace gmprof {

Result<MemorySnapshot> parseMemorySnapshot(std::string_view Data, const std::string &Path) {
  const auto Refuse = [&](const std::string &Why) {
    return Error{fmt::format("'{}' is no snapshot of PyTorch's memory: {}", Path, Why)};
  };
  const Result<Pickle> In = Pickle::parse(Data);
  if (!In)
    return Refuse(In.error());
  MemorySnapshot To;
  const Result<snapshot::DeviceHistories> Devices = snapshot::readHistories(*In, Data.size(), To);
  if (!Devices)
    return Refuse(Devices.error());
  if (Devices->empty())
    return Error{fmt::format("'{}' has no memory: PyTorch's caching allocator had allocated none, "
                             "or another allocator was in use",
                             Path)};
  if (const std::string Why = snapshot::replay(*Devices, To); !Why.empty())
    return Refuse(Why);
  return To;
}

Result<MemorySnapshot> readMemorySnapshot(const std::string &Path) {
  std::error_code Failed;
  if (std::filesystem::is_directory(Path, Failed))
    return Error{fmt::format("'{}' is a folder: name the file that "
                             "torch.cuda.memory._dump_snapshot() wrote",
                             Path)};
  std::ifstream File(Path, std::ios::binary);
  std::string Data{std::istreambuf_iterator<char>(File), {}};
  if (!File.is_open() || File.bad())
    return Error{fmt::format("cannot read '{}': {}", Path, std::strerror(errno))};
  return parseMemorySnapshot(Data, Path);
}

} // namespace gmprof
