//===- MemoryReadings.h - Memory in use as the driver counts it -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads how much of a device's memory is in use (cuMemGetInfo) at the moments of log::MemoryMoment:
// after the program's first allocation; when it has more memory than at any reading before, at the
// latest before it releases some of it; after a failed allocation; and at the end. While memory
// grows, the next reading follows at a quarter more, and before a release at a 64th more, so the
// number of readings is bounded by the logarithm of the memory. A reading takes microseconds and
// waits for nothing.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_OBJECTS_MEMORYREADINGS_H
#define GMPROF_HOST_OBJECTS_MEMORYREADINGS_H

#include "host/core/DriverApi.h"
#include "host/objects/Objects.h"
#include <array>
#include <atomic>
#include <optional>

namespace gmprof::host {

class MemoryReadings {
public:
  /// Registers for releases of objects. OnCpu: the device is the CPU device, which has no other
  /// processes.
  MemoryReadings(Recorder &Log, const DriverApi &Api, CallPaths &Paths, Objects &Of, bool OnCpu);

  /// Must be called after the object is recorded.
  void allocated(const LiveObject &O);
  /// Records an allocation that found no memory; nothing if it wanted memory of the host.
  void failed(const NewObject &Wanted);
  /// Adds to (or subtracts from) GMProf's own memory on a device.
  void own(int Device, int64_t Bytes);
  void deviceReset(int Device);
  /// Makes the last readings.
  void end();

  /// Loading or unloading modules of the program, or GMProf's own modules.
  enum class Step : uint8_t { Load, Unload, LoadOwn, UnloadOwn };

  /// Counts what loading modules or kernels adds to the memory in use, while it exists, or what
  /// unloading takes away; nothing if the program allocates or releases memory meanwhile. A change
  /// in the other direction is one of other processes.
  class Loading {
  public:
    /// Reads the memory in use. Of: null to count nothing.
    explicit Loading(MemoryReadings *Of, Step Done = Step::Load);
    ~Loading();
    Loading(const Loading &) = delete;
    Loading &operator=(const Loading &) = delete;

  private:
    MemoryReadings *S;
    const Step Done;
    int Device = -1; ///< of which memory is read
    uint64_t Before = 0, Changes = 0;
  };

private:
  struct State {
    std::atomic<CUcontext> Context{nullptr};    ///< null: nothing was read yet
    std::atomic<uint64_t> InUse{0}, Highest{0}; ///< of the program; at the readings
    std::atomic<uint64_t> Changes{0};           ///< allocations and releases
    std::atomic<int64_t> Own{0}, Modules{0};
    std::atomic<uint64_t> Others{UINT64_MAX};
  };

  State *stateOf(int Device);
  void releasing(const LiveObject &O);
  void read(int Device, log::MemoryMoment Moment);
  std::optional<uint64_t> inUse() const;
  uint64_t otherProcesses(int Device) const;

  Recorder &Log;
  const DriverApi &Api;
  CallPaths &Paths;
  const bool OnCpu;
  std::atomic<bool> Ended{false};
  std::array<State, 64> States;
};

} // namespace gmprof::host

#endif // GMPROF_HOST_OBJECTS_MEMORYREADINGS_H
