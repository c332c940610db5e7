//===- TransferContents.h - What copies move --------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Diogenes (SC'19), Section 3.3.2: a copy whose content was copied before, to the same
// place, need not be made again. Contents are compared by XXH3-128, together with size,
// direction and destination. Whether the destination held these very bytes already is
// looked at too: only then does leaving the copy out change nothing.
//
// The device's memory is read through page-locked memory, a part at a time, when the
// copy's stream is done. That waits for the program's work, and so only happens in a run
// of its own, whose times count for nothing; otherwise contents of the device are not
// known.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_OBJECTS_TRANSFERCONTENTS_H
#define GMPROF_HOST_OBJECTS_TRANSFERCONTENTS_H

#include "host/core/DriverApi.h"
#include "host/objects/Objects.h"
#include "host/objects/Transfers.h"
#include "profile/Mutex.h"
#include <array>

namespace gmprof::host {

class TransferContents {
public:
  using Hash = std::array<uint64_t, 2>;

  /// Whose contents are of interest.
  enum class Of { Nothing, Host, All };
  TransferContents(Recorder &Log, const DriverApi &Api, const Objects &Live, Of Which)
      : Log(Log), Api(Api), Live(Live), Which(Which) {}

  /// A side of a copy, as memory.
  struct Bytes {
    bool Known = false; ///< not an array for textures
    bool OnHost = false;
    bool Managed = false; ///< the host may access it all the same
    uint64_t Address = 0, Object = 0;
    uint64_t RowBytes = 0, Rows = 1, Slices = 1, Pitch = 0, SlicePitch = 0;

    uint64_t total() const { return RowBytes * Rows * Slices; }
    uint64_t extent() const { return RowBytes + (Rows - 1) * Pitch + (Slices - 1) * SlicePitch; }
  };
  Bytes sideOf(const Transfer &T, const TransferSide &Side) const;

  /// What is known before the copy.
  struct Before {
    Bytes To, From;
    std::optional<Hash> Source, Destination;
  };
  /// Of its sides, before the copy is made.
  void before(Before &B, cudaStream_t Stream);
  /// The copy has been made, or, with Ended false, will be.
  void after(const Before &B, uint64_t Operation, cudaStream_t Stream, bool Ended);

private:
  std::optional<Hash> hash(const Bytes &B, cudaStream_t Stream);
  bool readDevice(uint64_t Address, uint64_t Count) GMPROF_REQUIRES(Lock);

  static constexpr size_t PartBytes = size_t(4) << 20;

  Recorder &Log;
  const DriverApi &Api;
  const Objects &Live;
  const Of Which;
  Mutex Lock;
  CUstream Reader GMPROF_GUARDED_BY(Lock) = nullptr;
  void *Part GMPROF_GUARDED_BY(Lock) = nullptr;
};

} // namespace gmprof::host

#endif // GMPROF_HOST_OBJECTS_TRANSFERCONTENTS_H
