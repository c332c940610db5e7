//===- UnguardedAccess.cpp - Accesses that clang has to refuse ------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The test locks-are-checked compiles this with -Wthread-safety and clang's -verify.
//
//===----------------------------------------------------------------------===//

#include "host/sync/SpinLock.h"
#include "profile/SpinningMutex.h"

namespace gmprof {

template <typename Lockable> class Counter {
public:
  void add() {
    const LockGuard Guard(Lock);
    ++Count;
  }
  void addUnlocked() {
    ++Count; // expected-warning 4 {{writing variable 'Count' requires holding mutex 'Lock'}}
  }
  int get() GMPROF_REQUIRES(Lock) { return Count; }
  int getUnlocked() {
    return get(); // expected-warning 4 {{calling function 'get' requires holding mutex 'Lock'}}
  }

private:
  Lockable Lock;
  int Count GMPROF_GUARDED_BY(Lock) = 0;
};

// expected-note@* 8 {{in instantiation of}}
template class Counter<Mutex>;
template class Counter<SharedMutex>;
template class Counter<SpinningMutex>;
template class Counter<host::SpinLock>;

class Table {
public:
  int read() {
    const SharedLockGuard Guard(Lock);
    return Value;
  }
  void writeAsReader() {
    const SharedLockGuard Guard(Lock);
    Value = 1; // expected-warning {{requires holding mutex 'Lock' exclusively}}
  }

private:
  SharedMutex Lock;
  int Value GMPROF_GUARDED_BY(Lock) = 0;
};

class Queue {
public:
  void wait() {
    WaitingLock Guard(Lock);
    while (Size == 0)
      Guard.wait(Added);
    Guard.unlock();
    --Size; // expected-warning {{requires holding mutex 'Lock'}}
    Guard.lock();
    --Size;
  }

private:
  Mutex Lock;
  std::condition_variable Added;
  int Size GMPROF_GUARDED_BY(Lock) = 0;
};

} // namespace gmprof
