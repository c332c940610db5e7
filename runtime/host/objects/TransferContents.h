//===- TransferContents.h - Hashes of copied contents -----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Records hashes of copied contents. Diogenes (SC'19), Section 3.3.2: a copy is redundant if the
// same content was copied to the same place before. Contents are compared by XXH3-128, together
// with size, direction and destination. The destination's bytes before the copy are hashed too:
// only if they are equal to the source does leaving the copy out change nothing.
//
// Device memory is read through a page-locked buffer, a part at a time, when the copy's stream has
// finished. This waits for the program's work, and therefore happens only in a run of its own,
// whose times are not used; in other runs the contents of device memory are unknown.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_OBJECTS_TRANSFERCONTENTS_H
#define GMPROF_HOST_OBJECTS_TRANSFERCONTENTS_H

#include "host/core/DriverApi.h"
#include "host/objects/Objects.h"
#include "host/objects/Transfers.h"
#include <array>
#include <mutex>

namespace gmprof::host {

class TransferContents {
public:
  using Hash = std::array<uint64_t, 2>;

  /// The memory whose contents are recorded.
  enum class Of { Nothing, Host, All };
  TransferContents(Recorder &Log, const DriverApi &Api, const Objects &Live, Of Which)
      : Log(Log), Api(Api), Live(Live), Which(Which) {}

  /// A side of a copy, as memory.
  struct Bytes {
    bool Known = false; ///< false for arrays for textures
    bool OnHost = false;
    bool Managed = false; ///< the host can access device memory, too
    uint64_t Address = 0, Object = 0;
    uint64_t RowBytes = 0, Rows = 1, Slices = 1, Pitch = 0, SlicePitch = 0;

    uint64_t total() const { return RowBytes * Rows * Slices; }
    uint64_t extent() const { return RowBytes + (Rows - 1) * Pitch + (Slices - 1) * SlicePitch; }
  };
  Bytes sideOf(const Transfer &T, const TransferSide &Side) const;

  /// State of a copy before it is made.
  struct Before {
    Bytes To, From;
    std::optional<Hash> Source, Destination;
  };
  /// Reads both sides before the copy is made.
  void before(Before &B, cudaStream_t Stream);
  /// Records the copy, which has been made or, with Ended false, will be.
  void after(const Before &B, uint64_t Operation, cudaStream_t Stream, bool Ended);

private:
  std::optional<Hash> hash(const Bytes &B, cudaStream_t Stream);
  bool readDevice(uint64_t Address, uint64_t Count);

  static constexpr size_t PartBytes = size_t(4) << 20;

  Recorder &Log;
  const DriverApi &Api;
  const Objects &Live;
  const Of Which;
  std::mutex Lock; ///< guards the members below
  CUstream Reader = nullptr;
  void *Part = nullptr;
};

} // namespace gmprof::host

#endif // GMPROF_HOST_OBJECTS_TRANSFERCONTENTS_H
