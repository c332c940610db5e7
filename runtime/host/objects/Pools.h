//===- Pools.h - Memory that the program hands out by itself ----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the program says through gmprof/gmprof.h. A pool is a range of an object of the
// program's, its slab; what it hands out are objects of their own in there. They are
// beside those of Objects.h, which do not overlap. A part that a new one overlaps has
// been taken back, and so have all when the slab is released.
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

  /// Its number; 0 if the slab lies in no object. Name may be null.
  uint64_t create(uint64_t Address, uint64_t Bytes, const char *Name);
  void destroy(uint64_t Pool, const void *Caller);
  /// The pool that all of an object is; it becomes one, of this name, when it is first asked for.
  uint64_t ofObject(const LiveObject &Slab, const char *Name);

  /// Api: the function that the program called.
  void allocate(uint64_t Pool, uint64_t Address, uint64_t Bytes, const char *Name,
                const void *Caller, const char *Api = "gmprof_alloc");
  void release(uint64_t Pool, uint64_t Address, const void *Caller,
               const char *Api = "gmprof_free");

  /// Names the part or object that the address lies in.
  void name(uint64_t Address, const char *Name);

  /// At the end: records how often something was asked that could not be done.
  void finish();

  /// The part of a pool that the address lies in, else the object.
  std::optional<LiveObject> find(uint64_t Address) const;
  /// All parts, sorted by address.
  std::vector<LiveObject> parts() const;
  /// Most programs have no pools, and should not wait for anything.
  bool none() const { return LastPool.load(std::memory_order_acquire) == 0; }
  /// Changes whenever a part comes or goes.
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
  /// Empty Api: it was seen to be gone.
  Parts::iterator remove(Parts::iterator At, const char *Api, const void *Caller)
      GMPROF_REQUIRES(Lock);
  /// The first one is recorded at once, how many more followed at the end.
  void problem(const char *What, const char *Reason);

  Recorder &Log;
  CallPaths &Paths;
  Objects &Slabs;
  mutable SharedMutex Lock;
  std::map<uint64_t, Pool> ByNumber GMPROF_GUARDED_BY(Lock);
  std::atomic<uint64_t> LastPool{0};
  Parts All GMPROF_GUARDED_BY(Lock);
  std::atomic<uint64_t> Version{0};
  Mutex WholeLock;
  /// Numbers of pools that are all of an object, by its id.
  std::map<uint64_t, uint64_t> Whole GMPROF_GUARDED_BY(WholeLock);
  Mutex ProblemLock;
  std::map<std::pair<std::string, std::string>, uint64_t>
      MoreProblems GMPROF_GUARDED_BY(ProblemLock);
};

} // namespace gmprof::host

#endif // GMPROF_HOST_OBJECTS_POOLS_H
