//===- StreamOrder.h - Order of stream work ---------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Orders GPU APIs across streams by CUDA's rules:
//
//   * cudaStreamWaitEvent: later work of the stream comes after the work that preceded the event's
//     recording
//   * the legacy default stream: its work comes after all earlier work of the device's blocking
//     streams, and theirs after its
//   * the host: calls of a thread come after the work that the thread has waited for; waits of
//     other threads are ignored
//   * allocations by the host come after the thread's previous API; nothing waits for them
//   * cudaFree waits for the device, cudaFreeHost for the default stream
//
// An API's predecessors in other streams are a vector clock: for each stream, the last API that
// comes before. An edge is emitted only if the stream's earlier APIs do not already wait for it, so
// that an API has at most one edge per stream with new work.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_STREAMORDER_H
#define GMPROF_PROFILE_STREAMORDER_H

#include "profile/Profile.h"
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

namespace gmprof {

/// Vector clock: per stream, an API that stands for itself and all earlier APIs of the stream.
class StreamClock {
public:
  using Entry = std::pair<uint32_t, uint32_t>; ///< stream, API

  bool covers(uint32_t Stream, uint32_t Api) const;
  void add(uint32_t Stream, uint32_t Api);
  void add(const StreamClock &Other);
  /// Removes the entries that Other covers.
  void remove(const StreamClock &Other);
  const std::vector<Entry> &entries() const { return Entries; }

private:
  void limit();

  std::vector<Entry> Entries; ///< sorted by stream
};

class StreamOrder {
public:
  using Edges = std::vector<uint32_t>;

  /// Returns the index of the stream that a call names; creates the stream on first use.
  uint32_t stream(uint64_t Handle, uint32_t Device, uint32_t Thread);
  /// Return the stream's value for Api::Stream, and its device.
  uint64_t number(uint32_t Stream) const { return Streams[Stream].Number; }
  uint32_t device(uint32_t Stream) const { return Streams[Stream].Device; }

  /// Adds an API to a stream, and returns the APIs it waits for. This function, graphWork,
  /// hostAllocation and hostRelease have to be called in the order of the APIs.
  Edges work(uint32_t Api, uint32_t Stream, uint32_t Thread, log::HostWait Wait);
  /// Order a copy between two devices with all work of both. Called before and after work().
  void beforePeerCopy(uint32_t Stream, uint32_t To, uint32_t From);
  void afterPeerCopy(uint32_t Stream, uint32_t To, uint32_t From);
  /// A graph launch into a stream. Its nodes run in lanes: lane 0 is the stream; the others are
  /// streams of the graph, which all its launches reuse.
  class GraphRun;
  GraphRun beginGraph(uint64_t Graph, uint32_t Stream, uint32_t Thread);
  uint32_t addLane(GraphRun &Run);
  struct GraphApi {
    uint32_t Lane = 0, Api = 0;
  };
  /// Adds a node that waits for `After` or, if that is empty, for the predecessors of the launch.
  Edges graphWork(const GraphRun &Run, GraphApi Node, const std::vector<GraphApi> &After);
  uint64_t number(const GraphRun &Run, uint32_t Lane) const;
  /// Makes later work of the stream wait for the last node of each lane.
  void endGraph(const GraphRun &Run, const std::vector<uint32_t> &LastOfLane);

  Edges hostAllocation(uint32_t Api, uint32_t Device, uint32_t Thread);
  void waitForDefaultStream(uint32_t Device, uint32_t Thread);
  Edges hostRelease(uint32_t Api, uint32_t Device, uint32_t Thread);

  void order(const profile::Order &O);

private:
  /// A set of APIs to come after: Direct ones, and Implied ones that precede them.
  struct Reach {
    StreamClock Direct, Implied;

    void add(const Reach &Other) {
      Direct.add(Other.Direct);
      Implied.add(Other.Implied);
      Direct.remove(Implied);
    }
  };
  struct Stream {
    uint64_t Number = 0;
    uint32_t Device = 0;
    bool Blocking = false;         ///< synchronizes with the legacy default stream
    bool NewToDefault = false;     ///< has work that the default stream has not waited for yet
    uint32_t Last = profile::None; ///< last API
    StreamClock Known;             ///< APIs that precede Last
    Reach Pending;                 ///< further APIs that precede the stream's next API
    uint64_t Version = 0;          ///< changes whenever work is enqueued
    uint64_t DefaultSeen = 0;      ///< version of the default stream that it last waited for
    /// Thread and version of the host waits that it last applied.
    std::pair<uint32_t, uint64_t> HostSeen = {0, 0};
  };
  struct Device {
    uint32_t Default = 0;          ///< index of the legacy default stream
    std::vector<uint32_t> Streams; ///< indices of all other streams
    Reach Destroyed;               ///< work of destroyed streams
    std::vector<uint32_t> NewToDefault;
    StreamClock HostKnown; ///< APIs that precede the device's host releases
  };
  struct Thread {
    Reach Done;           ///< work that the thread has waited for
    uint64_t Version = 0; ///< changes with Done
    uint32_t LastApi = profile::None;
    std::pair<uint32_t, uint64_t> LastStream = {0, 0}; ///< device and number of LastApi's stream
  };

  uint32_t newStream(uint64_t Number, uint32_t Device, bool Blocking);
  Device &deviceOf(uint32_t Ordinal);
  Reach state(uint32_t Stream) const;
  void addHostWaits(uint32_t Stream, uint32_t Thread, Reach &To);
  Edges follow(uint32_t Api, uint32_t Stream, const Reach &For);
  Reach stateOfDevice(uint32_t Device);
  void waited(uint32_t Thread, const Reach &For);
  void called(uint32_t Api, uint32_t Thread, uint32_t Device, uint64_t Number);
  void obeyDefault(uint32_t Stream);
  void destroy(uint32_t Stream);

  std::vector<Stream> Streams;
  std::map<std::pair<uint64_t, uint32_t>, uint32_t> GraphLanes; ///< by graph and lane
  std::map<uint32_t, Device> Devices;
  std::unordered_map<uint64_t, uint32_t> StreamByHandle;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> PerThread; ///< by device and thread
  std::unordered_map<uint64_t, Reach> Events;
  std::unordered_map<uint32_t, Thread> Threads;
  uint64_t LastNumber = 0;
};

class StreamOrder::GraphRun {
  friend StreamOrder;
  uint64_t Graph = 0;
  uint32_t Thread = 0;
  Reach Before;                ///< predecessors of the launch
  std::vector<uint32_t> Lanes; ///< stream indices
};

} // namespace gmprof

#endif // GMPROF_PROFILE_STREAMORDER_H
