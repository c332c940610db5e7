//===- Capture.h - Stream capture -------------------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A capture is a graph under construction. Each participating stream keeps the nodes that its next
// node depends on; an event recorded in one stream carries them to another. Calls that cannot
// become part of a graph are refused and, as in CUDA, invalidate the capture.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_API_CAPTURE_H
#define GMPROF_CPU_API_CAPTURE_H

#include "cpu/api/Graphs.h"
#include <thread>

namespace gmprof::cpu::api {

/// State of a capture.
class Capture {
public:
  Capture(std::shared_ptr<Graph> Into, Stream &Origin, cudaStreamCaptureMode Mode);

  const std::shared_ptr<Graph> Into;
  const std::shared_ptr<Stream> Origin;
  const cudaStreamCaptureMode Mode;
  const uint64_t Id;
  const std::thread::id Thread;
  bool Invalid = false;
  std::vector<std::shared_ptr<Stream>> Streams; ///< participating streams
};

cudaError_t beginCapture(Stream &S, cudaStreamCaptureMode Mode, std::shared_ptr<Graph> Into,
                         std::vector<GraphNode *> After);
/// Ends a capture; `Captured` is null if the capture failed.
cudaError_t endCapture(Stream &S, std::shared_ptr<Graph> &Captured);

/// Captures an operation. Returns nothing if the stream is not capturing; the caller then executes
/// the operation.
std::optional<cudaError_t> capture(Stream &S, const Operation &Op);
bool isCapturing(Stream &S);

struct CaptureState {
  cudaStreamCaptureStatus Status = cudaStreamCaptureStatusNone;
  uint64_t Id = 0;
  std::shared_ptr<Graph> Into;
  std::vector<GraphNode *> Tail;
};
CaptureState captureState(Stream &S);
cudaError_t updateCaptureTail(Stream &S, std::vector<GraphNode *> Tail, bool Replace);

/// Returns an error while a capture forbids potentially unsafe calls (cudaMalloc …) to this thread.
cudaError_t refuseUnsafeCall();
/// Returns an error if a capture forbids waiting for, or querying, these streams or events.
cudaError_t refuseWaiting(Stream &S);
cudaError_t refuseWaiting(Device &Dev);
cudaError_t refuseWaiting(Event &E);
cudaStreamCaptureMode exchangeThreadMode(cudaStreamCaptureMode Mode);

} // namespace gmprof::cpu::api

#endif // GMPROF_CPU_API_CAPTURE_H
