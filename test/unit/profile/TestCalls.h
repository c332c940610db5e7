//===- TestCalls.h - Hand-written calls of a program ------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TEST_UNIT_PROFILE_TESTCALLS_H
#define GMPROF_TEST_UNIT_PROFILE_TESTCALLS_H

#include "profile/ApiTraceBuilder.h"

namespace gmprof::test {

using log::HostWait;
using log::ObjectKind;
using log::OrderKind;

/// Call I of the program begins at 100 I and ends at 100 I + 50, on thread 1 unless by() was
/// called. Object ids are 1, 2, … in order of creation.
struct TestCalls : profile::Profile {
  TestCalls() {
    Kernels.emplace_back();
    Kernels[0].Demangled = "k()";
  }
  TestCalls &by(uint32_t Thread) {
    TheThread = Thread;
    return *this;
  }

  uint64_t object(ObjectKind Kind, uint64_t Bytes, const std::string &Api, uint64_t Stream = 0,
                  uint32_t Device = 0) {
    profile::Object O;
    O.Id = Objects.size() + 1;
    O.Kind = Kind;
    O.Bytes = Bytes;
    O.Device = Device;
    O.Made = event(Api, Stream);
    O.Made.TimeNs = O.Made.EndNs;
    Objects.push_back(O);
    return O.Id;
  }
  uint64_t allocate(uint64_t Bytes, uint32_t Device = 0) {
    return object(ObjectKind::Device, Bytes, "cudaMalloc", 0, Device);
  }
  uint64_t allocateAsync(uint64_t Bytes, uint64_t Stream) {
    return object(ObjectKind::AsyncPool, Bytes, "cudaMallocAsync", Stream);
  }
  void release(uint64_t Id, const std::string &Api = "cudaFree", uint64_t Stream = 0) {
    Objects[Id - 1].Released = event(Api, Stream);
  }
  /// Releases a graph's allocation after one of its launches other than the last.
  void releaseOfALaunch(uint64_t Id) {
    GraphMemoryReleases.push_back({static_cast<uint32_t>(Id - 1), event("cudaFree", 0)});
  }
  void releaseAsync(uint64_t Id, uint64_t Stream) { release(Id, "cudaFreeAsync", Stream); }

  using Ids = std::vector<uint64_t>;
  void launch(const Ids &Reads, const Ids &Writes, uint64_t Stream = 0, uint32_t Device = 0) {
    profile::AccessSet Set;
    for (uint64_t Id : Reads)
      Set.Accesses.push_back({Id, 1, 0});
    for (uint64_t Id : Writes)
      Set.Accesses.push_back({Id, 0, 1});
    profile::Launch &L = Launches.emplace_back();
    L.AccessSet = static_cast<uint32_t>(AccessSets.size());
    AccessSets.push_back(Set);
    profile::ObjectEvent E = event("", Stream);
    L.Record = E.Record;
    L.TimeNs = E.BeginNs;
    L.Thread = E.Thread;
    L.Stream = Stream;
    L.Device = Device;
  }

  profile::Copy &copy(const std::string &Api, uint64_t Bytes, log::CopyOperand To,
                      log::CopyOperand From, uint64_t Stream = 0, HostWait Wait = HostWait::None) {
    profile::Copy &C = Copies.emplace_back();
    profile::ObjectEvent E = event(Api, Stream);
    C.Record = E.Record;
    C.Api = Api;
    C.BeginNs = E.BeginNs;
    C.EndNs = E.EndNs;
    C.Thread = E.Thread;
    C.Stream = Stream;
    C.RowBytes = Bytes;
    C.To = To;
    C.From = From;
    C.Wait = Wait;
    return C;
  }
  static log::CopyOperand host() { return {0, 0, 0, 0, 1, 0}; }
  static log::CopyOperand in(uint64_t Id, uint64_t Offset = 0) { return {Id, Offset, 0, 0, 0, 0}; }
  /// Copies a whole object from the host by cudaMemcpyAsync.
  void upload(uint64_t Id, uint64_t Stream = 0) {
    copy("cudaMemcpyAsync", Objects[Id - 1].Bytes, in(Id), host(), Stream);
  }
  void download(uint64_t Id, uint64_t Stream = 0) {
    copy("cudaMemcpyAsync", Objects[Id - 1].Bytes, host(), in(Id), Stream);
  }
  void set(uint64_t Id, uint64_t Stream = 0) {
    copy("cudaMemsetAsync", Objects[Id - 1].Bytes, in(Id), {}, Stream).Set = true;
  }

  profile::Order &order(OrderKind Kind, uint64_t Stream = 0, uint64_t Event = 0,
                        uint32_t Device = 0) {
    profile::Order &O = Orders.emplace_back();
    profile::ObjectEvent E = event("", Stream);
    O.Record = E.Record;
    O.BeginNs = E.BeginNs;
    O.EndNs = E.EndNs;
    O.Thread = E.Thread;
    O.Stream = Stream;
    O.Event = Event;
    O.Kind = Kind;
    O.Device = Device;
    return O;
  }
  void create(uint64_t Stream, bool NonBlocking = false, uint32_t Device = 0) {
    order(OrderKind::StreamCreated, Stream, 0, Device).NonBlocking = NonBlocking;
  }
  void synchronize() { order(OrderKind::DeviceSynchronized); }

  /// Returns, per API, the APIs that it waits for.
  std::vector<std::vector<uint32_t>> after() const {
    std::vector<std::vector<uint32_t>> All;
    for (const profile::Api &A : buildApiTrace(*this).Apis)
      All.push_back(A.After);
    return All;
  }

private:
  profile::ObjectEvent event(const std::string &Api, uint64_t Stream) {
    ++Calls;
    return {.Api = Api,
            .TimeNs = 100 * Calls,
            .Stream = Stream,
            .Thread = TheThread,
            .CallPath = profile::None,
            .BeginNs = 100 * Calls,
            .EndNs = 100 * Calls + 50,
            .Record = Calls};
  }

  uint64_t Calls = 0;
  uint32_t TheThread = 1;
};

} // namespace gmprof::test

#endif // GMPROF_TEST_UNIT_PROFILE_TESTCALLS_H
