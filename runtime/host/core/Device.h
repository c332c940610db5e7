//===- Device.h - A device of the program, as profiling uses it -*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Profiling works on a non-blocking stream of its own, so that it neither waits
// for the program's work nor makes that wait. All of it happens inside a
// DriverScope: on the device's context, whatever the thread has current, and
// allowed while streams are being captured.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_CORE_DEVICE_H
#define GMPROF_HOST_CORE_DEVICE_H

#include "host/core/DriverApi.h"
#include "host/core/SlabPool.h"
#include "host/record/Recorder.h"
#include "profile/Mutex.h"
#include <memory>
#include <vector>

namespace gmprof::host {

/// While one is alive, a capture does not forbid this thread's calls.
class RelaxedCapture {
public:
  explicit RelaxedCapture(const DriverApi &Api) : Api(Api) { exchange(); }
  ~RelaxedCapture() { exchange(); }
  RelaxedCapture(const RelaxedCapture &) = delete;
  RelaxedCapture &operator=(const RelaxedCapture &) = delete;

private:
  void exchange() { Api.cuThreadExchangeStreamCaptureMode(&Mode); }

  const DriverApi &Api;
  CUstreamCaptureMode Mode = CU_STREAM_CAPTURE_MODE_RELAXED;
};

class DriverScope {
public:
  DriverScope(const DriverApi &Api, CUcontext Context);
  ~DriverScope();
  DriverScope(const DriverScope &) = delete;
  DriverScope &operator=(const DriverScope &) = delete;

private:
  const DriverApi &Api;
  RelaxedCapture Relaxed;
  bool Pushed = false;
};

class Device {
public:
  /// Opens the device Ordinal, whose context must be current. Returns null and sets Why if the
  /// device cannot be used.
  static std::unique_ptr<Device> open(const DriverApi &Api, int Ordinal, std::string &Why);

  const DriverApi &api() const { return Api; }
  int ordinal() const { return Facts.Id; }
  CUcontext context() const { return Context; }
  CUstream stream() const { return Stream; }
  /// Returns the stream for reading counters, which new memory need not wait for.
  CUstream readStream() const { return ReadStream; }
  const DeviceFacts &facts() const { return Facts; }

  /// Guards the functions below whose caller synchronises; several profiles call them.
  Mutex &lock() const { return Lock; }

  /// Returns the pool of memory that is zero once zeroed() says so. The caller synchronises.
  SlabPool &memory() { return Memory; }
  /// Returns the pool of page-locked host memory. The caller synchronises.
  SlabPool &pinned() { return Pinned; }

  /// Allocates page-locked host memory, which is zero, for the life of the device. The caller
  /// synchronises.
  std::optional<uint64_t> allocatePinned(size_t Bytes);
  /// Allocates memory, which is zero once waitForZero() says so. The caller synchronises.
  std::optional<uint64_t> allocateZeroed(size_t Bytes);
  /// Counts memory of GMProf's on the device; negative: it was released.
  void countMemory(int64_t Bytes) const;
  /// Copies page-locked memory to the device; waitForZero() waits for that too. The
  /// caller synchronises.
  CUresult upload(uint64_t To, uint64_t From, size_t Bytes);

  /// Makes waitForZero() wait for all work in GMProf's stream. The caller synchronises.
  CUresult zeroing();

  /// Returns the error of the last allocation that failed.
  CUresult memoryError() const { return MemoryError; }

  /// Makes Stream wait until new memory is zero. While Stream is being captured
  /// it cannot wait: then the launch of the graph has to. The caller
  /// synchronises.
  CUresult waitForZero(CUstream Stream, bool Capturing);

  /// Returns an event without timing. The caller synchronises.
  CUevent takeEvent();
  void giveEvent(CUevent Event) { Events.push_back(Event); }

private:
  Device(const DriverApi &Api, int Ordinal);

  const DriverApi &Api;
  mutable Mutex Lock;
  DeviceFacts Facts;
  CUcontext Context = nullptr;
  CUstream Stream = nullptr, ReadStream = nullptr;
  SlabPool Memory, Pinned;
  CUresult MemoryError = CUDA_SUCCESS;
  CUevent Zeroed = nullptr;
  bool ZeroPending = false;
  std::vector<CUevent> Events;
};

} // namespace gmprof::host

#endif // GMPROF_HOST_CORE_DEVICE_H
