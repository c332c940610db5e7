//===- Capture.h - Stream capture -------------------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A capture is a graph under construction. Each stream that takes part keeps
// the nodes that its next one depends on; an event recorded in one carries them
// to another. Calls that could not be put into a graph are refused and, as in
// CUDA, invalidate the capture.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_CPU_API_CAPTURE_H
#define GMPROF_CPU_API_CAPTURE_H

#include "cpu/api/Graphs.h"
#include <thread>

namespace gmprof::cpu::api {

class Capture {
public:
  Capture(std::shared_ptr<Graph> Into, Stream &Origin, cudaStreamCaptureMode Mode);

  const std::shared_ptr<Graph> Into;
  const std::shared_ptr<Stream> Origin;
  const cudaStreamCaptureMode Mode;
  const uint64_t Id;
  const std::thread::id Thread;
  bool Invalid = false;
  std::vector<std::shared_ptr<Stream>> Streams; ///< that take part
};

cudaError_t beginCapture(Stream &S, cudaStreamCaptureMode Mode, std::shared_ptr<Graph> Into,
                         std::vector<GraphNode *> After);
/// `Captured` is null when the capture failed.
cudaError_t endCapture(Stream &S, std::shared_ptr<Graph> &Captured);

/// Captures an operation; nothing if it is to be executed, because the stream
/// is not capturing.
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

/// For calls that may wait or that may not be captured (cudaMalloc …): fails
/// while a capture forbids them to this thread.
cudaError_t refuseUnsafeCall();
/// For waiting for a stream, or all streams, and asking for their state.
cudaError_t refuseWaiting(Stream &S);
cudaError_t refuseWaiting(Device &Dev);
cudaError_t refuseWaiting(Event &E);
cudaStreamCaptureMode exchangeThreadMode(cudaStreamCaptureMode Mode);

} // namespace gmprof::cpu::api

#endif // GMPROF_CPU_API_CAPTURE_H
