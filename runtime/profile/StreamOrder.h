//===- StreamOrder.h - What the work of streams waits for -------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order of GPU APIs beyond that within a stream, from CUDA's rules:
//
//   * cudaStreamWaitEvent: what follows in the stream comes after what was in the
//     event's stream when the event was recorded
//   * the legacy default stream: its work comes after all work in blocking streams
//     of the device, and theirs after its
//   * the host: what a thread calls after it has waited comes after what it waited
//     for. What other threads know of that is not known here
//   * allocation by the host is in the order of its thread's calls: after the API
//     that the thread called before. It keeps none waiting
//   * cudaFree waits for the device, cudaFreeHost for the default stream
//
// An API's predecessors in other streams are kept as a vector clock: per stream,
// the last API that comes before. An edge is given only for what the stream's
// APIs before did not wait for already, so there are at most as many edges per API
// as there are streams with work that is new to it.
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

/// Per stream, an API: it and all before it in that stream.
class StreamClock {
public:
  using Entry = std::pair<uint32_t, uint32_t>; ///< stream, API

  bool covers(uint32_t Stream, uint32_t Api) const;
  void add(uint32_t Stream, uint32_t Api);
  void add(const StreamClock &Other);
  /// Takes out what Other covers.
  void remove(const StreamClock &Other);
  const std::vector<Entry> &entries() const { return Entries; }

private:
  void limit();

  std::vector<Entry> Entries; ///< by stream
};

class StreamOrder {
public:
  using Edges = std::vector<uint32_t>;

  /// The stream that a call names; created at first sight. Index in here.
  uint32_t stream(uint64_t Handle, uint32_t Device, uint32_t Thread);
  /// What Api::Stream says of it, and its device.
  uint64_t number(uint32_t Stream) const { return Streams[Stream].Number; }
  uint32_t device(uint32_t Stream) const { return Streams[Stream].Device; }

  /// Each of these is called for one API after the other, in the order of calls, and
  /// returns the APIs that this one waits for.
  Edges work(uint32_t Api, uint32_t Stream, uint32_t Thread, log::HostWait Wait);
  /// Around work() of a copy between two devices: in the order of all work of both.
  void beforePeerCopy(uint32_t Stream, uint32_t To, uint32_t From);
  void afterPeerCopy(uint32_t Stream, uint32_t To, uint32_t From);
  /// A launch of a graph into a stream. Its nodes run in lanes: lane 0 is the stream, the
  /// others are streams of the graph's own, the same in each launch.
  class GraphRun;
  GraphRun beginGraph(uint64_t Graph, uint32_t Stream, uint32_t Thread);
  uint32_t addLane(GraphRun &Run);
  struct GraphApi {
    uint32_t Lane = 0, Api = 0;
  };
  /// A node that waits for others, or, without any, for what the launch waits for.
  Edges graphWork(const GraphRun &Run, GraphApi Node, const std::vector<GraphApi> &After);
  uint64_t number(const GraphRun &Run, uint32_t Lane) const;
  /// What follows in the stream waits for the last nodes of the lanes.
  void endGraph(const GraphRun &Run, const std::vector<uint32_t> &LastOfLane);

  Edges hostAllocation(uint32_t Api, uint32_t Device, uint32_t Thread);
  void waitForDefaultStream(uint32_t Device, uint32_t Thread);
  Edges hostRelease(uint32_t Api, uint32_t Device, uint32_t Thread);

  void order(const profile::Order &O);

private:
  /// APIs to come after. Direct: these; Implied: what they come after themselves.
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
    bool Blocking = false;         ///< takes part in the legacy default stream's order
    bool NewToDefault = false;     ///< has work that the default stream has not waited for
    uint32_t Last = profile::None; ///< its last API
    StreamClock Known;             ///< what Last comes after
    Reach Pending;                 ///< what the next API comes after, beside that
    uint64_t Version = 0;          ///< of all this
    uint64_t DefaultSeen = 0;      ///< version of the default stream that it waited for
    std::pair<uint32_t, uint64_t> HostSeen = {0, 0}; ///< thread and its version, likewise
  };
  struct Device {
    uint32_t Default = 0;          ///< the legacy default stream
    std::vector<uint32_t> Streams; ///< the others
    Reach Destroyed;               ///< what was in streams that are gone
    std::vector<uint32_t> NewToDefault;
    StreamClock HostKnown; ///< what releases by the host came after
  };
  struct Thread {
    Reach Done;           ///< what it has waited for
    uint64_t Version = 0; ///< of Done
    uint32_t LastApi = profile::None;
    std::pair<uint32_t, uint64_t> LastStream = {0, 0}; ///< its device, number
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
  Reach Before;                ///< what the launch waits for
  std::vector<uint32_t> Lanes; ///< streams in there
};

} // namespace gmprof

#endif // GMPROF_PROFILE_STREAMORDER_H
