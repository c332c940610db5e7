//===- Mutex.h - Locks that clang checks at compile time --------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The locks of the C++ standard library with the annotations of clang's thread safety analysis
// (-Wthread-safety), which libstdc++ lacks: an access to a member that is GMPROF_GUARDED_BY(M) is
// an error where M is not held. The analysis does not follow calls: functions that need a lock say
// so with GMPROF_REQUIRES(M).
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_MUTEX_H
#define GMPROF_PROFILE_MUTEX_H

#include <condition_variable>
#include <mutex>
#include <shared_mutex>

#ifdef __clang__
#define GMPROF_LOCKS(...) __attribute__((__VA_ARGS__))
#else
#define GMPROF_LOCKS(...)
#endif

/// A class whose objects can be held.
#define GMPROF_LOCKABLE GMPROF_LOCKS(capability("mutex"))
/// A class whose objects hold a lock until their end.
#define GMPROF_LOCK_GUARD GMPROF_LOCKS(scoped_lockable)
/// A variable that only who holds the lock reads, and only who holds it alone changes.
#define GMPROF_GUARDED_BY(...) GMPROF_LOCKS(guarded_by(__VA_ARGS__))
/// A function, or a lambda, that is called with the lock held.
#define GMPROF_REQUIRES(...) GMPROF_LOCKS(requires_capability(__VA_ARGS__))
#define GMPROF_REQUIRES_SHARED(...) GMPROF_LOCKS(requires_shared_capability(__VA_ARGS__))
/// A function that takes or gives back the lock.
#define GMPROF_ACQUIRES(...) GMPROF_LOCKS(acquire_capability(__VA_ARGS__))
#define GMPROF_ACQUIRES_SHARED(...) GMPROF_LOCKS(acquire_shared_capability(__VA_ARGS__))
#define GMPROF_RELEASES(...) GMPROF_LOCKS(release_capability(__VA_ARGS__))
/// A function with a locking that the analysis cannot follow; a comment says why it is right.
#define GMPROF_UNCHECKED_LOCKS GMPROF_LOCKS(no_thread_safety_analysis)

namespace gmprof {

class GMPROF_LOCKABLE Mutex {
public:
  void lock() GMPROF_ACQUIRES() { Native.lock(); }
  void unlock() GMPROF_RELEASES() { Native.unlock(); }

private:
  friend class WaitingLock;
  std::mutex Native;
};

class GMPROF_LOCKABLE SharedMutex {
public:
  void lock() GMPROF_ACQUIRES() { Native.lock(); }
  void unlock() GMPROF_RELEASES() { Native.unlock(); }
  void lockShared() GMPROF_ACQUIRES_SHARED() { Native.lock_shared(); }
  void unlockShared() GMPROF_LOCKS(release_shared_capability()) { Native.unlock_shared(); }

private:
  std::shared_mutex Native;
};

/// Holds any kind of lock alone.
template <typename Lockable> class GMPROF_LOCK_GUARD LockGuard {
public:
  explicit LockGuard(Lockable &L) GMPROF_ACQUIRES(L) : L(L) { L.lock(); }
  ~LockGuard() GMPROF_RELEASES() { L.unlock(); }
  LockGuard(const LockGuard &) = delete;
  LockGuard &operator=(const LockGuard &) = delete;

private:
  Lockable &L;
};

/// Holds a lock together with others that only read.
class GMPROF_LOCK_GUARD SharedLockGuard {
public:
  explicit SharedLockGuard(SharedMutex &M) GMPROF_ACQUIRES_SHARED(M) : M(M) { M.lockShared(); }
  ~SharedLockGuard() GMPROF_RELEASES() { M.unlockShared(); }
  SharedLockGuard(const SharedLockGuard &) = delete;
  SharedLockGuard &operator=(const SharedLockGuard &) = delete;

private:
  SharedMutex &M;
};

/// Holds a mutex, except while it waits for a condition or is unlocked in between.
class GMPROF_LOCK_GUARD WaitingLock {
public:
  explicit WaitingLock(Mutex &M) GMPROF_ACQUIRES(M) : Native(M.Native) {}
  ~WaitingLock() GMPROF_RELEASES() {}
  WaitingLock(const WaitingLock &) = delete;
  WaitingLock &operator=(const WaitingLock &) = delete;

  void lock() GMPROF_ACQUIRES() { Native.lock(); }
  void unlock() GMPROF_RELEASES() { Native.unlock(); }
  void wait(std::condition_variable &For) { For.wait(Native); }
  /// Returns false once the time has come.
  template <typename Clock, typename Duration>
  bool waitUntil(std::condition_variable &For,
                 const std::chrono::time_point<Clock, Duration> &Time) {
    return For.wait_until(Native, Time) == std::cv_status::no_timeout;
  }

private:
  std::unique_lock<std::mutex> Native;
};

} // namespace gmprof

#endif // GMPROF_PROFILE_MUTEX_H
