//===- Objects.h - The objects of global memory that are alive --*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the program allocated and has not released yet, and the variables of its
// modules, by address. An object's record is in the log before the object can be
// found here, and so before any launch that uses it.
//
// What a graph allocates is one object, whose address is known as the node is made. It comes back
// with each launch of the graph that finds it gone.
//
// Addresses are unique across devices and host memory (unified addressing). An
// object that a new one overlaps is gone, whatever released it: a driver function
// that is not interposed, a module that was unloaded, a graph that reuses memory.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_OBJECTS_OBJECTS_H
#define GMPROF_HOST_OBJECTS_OBJECTS_H

#include "host/objects/CallPaths.h"
#include "profile/Mutex.h"
#include "profile/SpinningMutex.h"
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <string_view>
#include <unordered_map>

namespace gmprof::host {

struct LiveObject {
  uint64_t Id = 0;
  uint64_t Address = 0; ///< device address; 0: opaque, as arrays for textures are
  uint64_t Bytes = 0;
  log::ObjectKind Kind = log::ObjectKind::Device;
  int Device = 0; ///< on which it was made

  bool contains(uint64_t A) const { return A >= Address && A - Address < Bytes; }
};

/// An allocation that has succeeded.
struct NewObject {
  const char *Api;    ///< the function that made it
  const void *Caller; ///< where it returns to
  log::ObjectKind Kind;
  uint64_t Handle; ///< what the program releases it by
  uint64_t Address, Bytes;
  int Device;
  uint64_t Stream = 0;
  uint64_t BeginNs = 0;           ///< of the call; 0: not known
  const char *Variable = nullptr; ///< that the program keeps the address in; null: unknown
  void *GraphNode = nullptr;      ///< that allocates it, if the program has added one
  /// Of an array; see log::ObjectRecord.
  std::array<uint32_t, 3> Extent = {};
  uint32_t ElementBytes = 0;
};

class Objects {
public:
  Objects(Recorder &Log, CallPaths &Paths) : Log(Log), Paths(Paths) {}

  /// The object that the address lies in.
  std::optional<LiveObject> find(uint64_t Address) const;
  /// The object that the program releases by this handle.
  std::optional<LiveObject> findHandle(uint64_t Handle) const;
  /// Where objects lie: from the lowest address on, up to the end of the highest.
  std::pair<uint64_t, uint64_t> bounds() const;
  /// Those that kernels on the device can use: its own, and pinned and managed ones
  /// of all devices. Sorted by address, without opaque ones.
  std::vector<LiveObject> live(int Device) const;
  /// Changes whenever an object comes or goes.
  uint64_t version() const { return Version.load(std::memory_order_acquire); }

  /// Has New called before an object goes, while it can still be found. It must
  /// not change objects.
  void beforeRelease(std::function<void(const LiveObject &)> New);

  /// A number for another object.
  uint64_t newId() { return LastId.fetch_add(1, std::memory_order_relaxed) + 1; }

  /// Records it. Empty objects are none: the result is 0 then, else its number.
  uint64_t add(const NewObject &New);
  /// A variable of a module, by the name it has in the source. Noted again, it is the
  /// same object. Kind: GlobalVariable or Constant.
  uint64_t noteVariable(int Device, log::ObjectKind Kind, std::string_view Name, uint64_t Address,
                        uint64_t Bytes);

  /// Before a call that releases: takes the object out, so that another thread can
  /// get the same memory. Empty if there is no such object. After the call must
  /// follow released(), or restore() if it failed.
  struct Removed {
    LiveObject Object;
    uint64_t Handle;
    uint64_t TimeNs;   ///< of the call's begin
    uint32_t CallPath; ///< of the call
  };
  std::optional<Removed> remove(uint64_t Handle, const void *Caller);
  /// InGraph: a node of a graph is to release it.
  void released(const Removed &Gone, std::string_view Api, uint64_t Stream, bool InGraph = false);
  void restore(const Removed &Gone);
  /// A graph that was launched allocates it, perhaps anew.
  void allocatedByGraph(const LiveObject &Object);
  /// A graph that was launched releases it.
  void releasedByGraph(const LiveObject &Object);
  /// Before the device is reset: takes out all that goes with it. Pools stay.
  std::vector<Removed> removeAll(int Device, const void *Caller);

private:
  using Listener = std::function<void(const LiveObject &)>;

  std::optional<uint64_t> inTheWay(const LiveObject &Of, uint64_t Handle) const;
  void makeRoom(const LiveObject &For, uint64_t Handle);
  void insert(const LiveObject &Object, uint64_t Handle);

  Recorder &Log;
  CallPaths &Paths;
  std::atomic<uint64_t> LastId{0}, Version{0};
  Mutex NoteLock; ///< a variable is noted once, whoever comes first
  mutable SpinningMutex Lock;
  std::unordered_map<uint64_t, LiveObject> ByHandle GMPROF_GUARDED_BY(Lock);
  /// Handles of the objects that have an address.
  std::map<uint64_t, uint64_t> HandleByAddress GMPROF_GUARDED_BY(Lock);
  /// Never changed: who takes it needs no lock for it.
  using ListenerList = std::shared_ptr<const std::vector<Listener>>;
  ListenerList Listeners GMPROF_GUARDED_BY(Lock) = std::make_shared<const std::vector<Listener>>();
};

} // namespace gmprof::host

#endif // GMPROF_HOST_OBJECTS_OBJECTS_H
