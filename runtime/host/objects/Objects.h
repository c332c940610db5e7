//===- Objects.h - Live objects of global memory ----------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Live allocations of the program, and the variables of its modules, by address. An object is
// recorded in the log before it can be found here, and therefore before any launch that uses it.
//
// An allocation node of a graph is one object, whose address is known when the node is created.
// Each launch of the graph allocates the object again if it has been freed.
//
// Addresses are unique across devices and host memory (unified addressing). A new object removes
// the objects that it overlaps, which were freed in an unobserved way: by a driver function that is
// not interposed, by unloading a module, or by a graph that reuses memory.
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
  uint64_t Address = 0; ///< device address; 0: opaque, such as an array for textures
  uint64_t Bytes = 0;
  log::ObjectKind Kind = log::ObjectKind::Device;
  int Device = 0; ///< device of the allocation

  bool contains(uint64_t A) const { return A >= Address && A - Address < Bytes; }
};

/// A successful allocation.
struct NewObject {
  const char *Api;    ///< the allocating function
  const void *Caller; ///< its return address
  log::ObjectKind Kind;
  uint64_t Handle; ///< address or handle by which the program releases it
  uint64_t Address, Bytes;
  int Device;
  uint64_t Stream = 0;
  uint64_t BeginNs = 0;           ///< of the call; 0: unknown
  const char *Variable = nullptr; ///< name of the pointer that receives the address; null: unknown
  void *GraphNode = nullptr;      ///< the graph node that allocates it, if any
  uint64_t Requested = 0;         ///< bytes without padding, if Bytes has any; else 0
  /// Extent and element size of a CUDA array; see log::ObjectRecord.
  std::array<uint32_t, 3> Extent = {};
  uint32_t ElementBytes = 0;
};

class Objects {
public:
  Objects(Recorder &Log, CallPaths &Paths) : Log(Log), Paths(Paths) {}

  /// Returns the object that contains the address.
  std::optional<LiveObject> find(uint64_t Address) const;
  /// Returns the object that the program releases by this handle.
  std::optional<LiveObject> findHandle(uint64_t Handle) const;
  /// Returns the range from the lowest to the highest address of objects.
  std::pair<uint64_t, uint64_t> bounds() const;
  /// Returns the objects that kernels on the device can access: its own, and pinned and managed
  /// ones of all devices. Sorted by address, without opaque ones.
  std::vector<LiveObject> live(int Device) const;
  /// Returns a number that changes whenever an object is added or removed.
  uint64_t version() const { return Version.load(std::memory_order_acquire); }

  /// Registers a function that is called before an object is removed, while it can still be found.
  /// The function must not change objects.
  void beforeRelease(std::function<void(const LiveObject &)> New);

  /// Returns an unused object number.
  uint64_t newId() { return LastId.fetch_add(1, std::memory_order_relaxed) + 1; }

  /// Records an object and returns its number. Returns 0 for an empty allocation, which is no
  /// object.
  uint64_t add(const NewObject &New);
  /// Records a variable of a module by its name in the source. Further calls return the same
  /// object. Kind: GlobalVariable or Constant.
  uint64_t noteVariable(int Device, log::ObjectKind Kind, std::string_view Name, uint64_t Address,
                        uint64_t Bytes);

  /// Removes an object before the call that releases it, so that another thread can get the same
  /// memory. Empty if there is no such object. The caller must call released() after the call, or
  /// restore() if the call failed.
  struct Removed {
    LiveObject Object;
    uint64_t Handle;
    uint64_t TimeNs;   ///< when the call began
    uint32_t CallPath; ///< of the call
  };
  std::optional<Removed> remove(uint64_t Handle, const void *Caller);
  /// Records the release. InGraph: a node of a graph will release the object.
  void released(const Removed &Gone, std::string_view Api, uint64_t Stream, bool InGraph = false);
  void restore(const Removed &Gone);
  /// Records that a launched graph allocates the object, possibly again.
  void allocatedByGraph(const LiveObject &Object);
  /// Records that a launched graph releases the object.
  void releasedByGraph(const LiveObject &Object);
  /// Removes all objects of a device, before it is reset. Pools stay.
  std::vector<Removed> removeAll(int Device, const void *Caller);

private:
  using Listener = std::function<void(const LiveObject &)>;

  std::optional<uint64_t> inTheWay(const LiveObject &Of, uint64_t Handle) const;
  void makeRoom(const LiveObject &For, uint64_t Handle);
  void insert(const LiveObject &Object, uint64_t Handle);

  Recorder &Log;
  CallPaths &Paths;
  std::atomic<uint64_t> LastId{0}, Version{0};
  Mutex NoteLock; ///< makes threads record a variable only once
  mutable SpinningMutex Lock;
  std::unordered_map<uint64_t, LiveObject> ByHandle GMPROF_GUARDED_BY(Lock);
  /// Handles of the objects that have an address.
  std::map<uint64_t, uint64_t> HandleByAddress GMPROF_GUARDED_BY(Lock);
  /// Immutable; readers copy the pointer with the lock held, and need none to read the list.
  using ListenerList = std::shared_ptr<const std::vector<Listener>>;
  ListenerList Listeners GMPROF_GUARDED_BY(Lock) = std::make_shared<const std::vector<Listener>>();
};

} // namespace gmprof::host

#endif // GMPROF_HOST_OBJECTS_OBJECTS_H
