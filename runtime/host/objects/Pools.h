//===- Pools.h - Memory pools of the program --------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pools that the program declares through gmprof/gmprof.h. A pool is a range of one of the
// program's objects, its slab; its parts are objects of their own within the slab. Objects.h does
// not contain parts, since its objects do not overlap. A part ends when a new part overlaps it, and
// all parts end when the slab is released.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_OBJECTS_POOLS_H
#define GMPROF_HOST_OBJECTS_POOLS_H

#include "host/objects/Objects.h"
#include "profile/Mutex.h"

namespace gmprof::host {

class Pools {
public:
  Pools(Recorder &Log, CallPaths &Paths, Objects &Slabs);

  /// Creates a pool and returns its number; 0 if the slab is in no object. Name may be null.
  uint64_t create(uint64_t Address, uint64_t Bytes, const char *Name);
  void destroy(uint64_t Pool, const void *Caller);
  /// Returns the pool that covers a whole object. Creates it, with this name, on the first call.
  uint64_t ofObject(const LiveObject &Slab, const char *Name);

  /// Adds a part. Api: the function that the program called.
  void allocate(uint64_t Pool, uint64_t Address, uint64_t Bytes, const char *Name,
                const void *Caller, const char *Api = "gmprof_alloc");
  void release(uint64_t Pool, uint64_t Address, const void *Caller,
               const char *Api = "gmprof_free");

  /// Names the part or object that contains the address.
  void name(uint64_t Address, const char *Name);

  /// Registers a function that is called before a part is removed. It must not call this class.
  void beforeRelease(std::function<void(const LiveObject &)> New);

  /// Records the number of failed requests, at the end of the run.
  void finish();

  /// Returns the part of a pool that contains the address, else the object.
  std::optional<LiveObject> find(uint64_t Address) const;
  /// Returns all parts, sorted by address.
  std::vector<LiveObject> parts() const;
  /// Returns whether the program has no pools; takes no lock.
  bool none() const { return LastPool.load(std::memory_order_acquire) == 0; }
  /// Returns a number that changes whenever a part is added or removed.
  uint64_t version() const { return Version.load(std::memory_order_acquire); }

private:
  struct Pool {
    LiveObject Slab;
    uint64_t Address, Bytes;
    bool contains(uint64_t Begin, uint64_t Size) const {
      return Begin >= Address && Begin - Address <= Bytes && Size <= Bytes - (Begin - Address);
    }
  };
  struct Part {
    LiveObject Object;
    uint64_t Slab;
  };
  using Parts = std::map<uint64_t, Part>; ///< by address

  void removeWithin(uint64_t Address, uint64_t Bytes, const void *Caller) GMPROF_REQUIRES(Lock);
  /// Removes a part. Empty Api: the part's end was only inferred.
  Parts::iterator remove(Parts::iterator At, const char *Api, const void *Caller)
      GMPROF_REQUIRES(Lock);
  /// Reports the first problem immediately, and the number of further ones at the end.
  void problem(const char *What, const char *Reason);

  Recorder &Log;
  CallPaths &Paths;
  Objects &Slabs;
  mutable SharedMutex Lock;
  std::map<uint64_t, Pool> ByNumber GMPROF_GUARDED_BY(Lock);
  std::vector<std::function<void(const LiveObject &)>> Listeners GMPROF_GUARDED_BY(Lock);
  std::atomic<uint64_t> LastPool{0};
  Parts All GMPROF_GUARDED_BY(Lock);
  std::atomic<uint64_t> Version{0};
  Mutex WholeLock;
  /// Numbers of pools that cover a whole object, by its id.
  std::map<uint64_t, uint64_t> Whole GMPROF_GUARDED_BY(WholeLock);
  Mutex ProblemLock;
  std::map<std::pair<std::string, std::string>, uint64_t>
      MoreProblems GMPROF_GUARDED_BY(ProblemLock);
};

} // namespace gmprof::host

#endif // GMPROF_HOST_OBJECTS_POOLS_H
