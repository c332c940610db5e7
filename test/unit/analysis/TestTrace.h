//===- TestTrace.h - Hand-written API traces --------------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_TEST_TESTTRACE_H
#define GMPROF_TEST_TESTTRACE_H

#include "analysis/objects/DependencyGraph.h"
#include "analysis/objects/ObjectPatterns.h"

namespace gmprof::test {

using namespace gmprof::analysis;
using namespace gmprof::profile;

/// Each function appends an API and returns its index; allocate returns the object's.
struct TestTrace : ApiTrace {
  uint32_t allocate(const std::string &Name, uint64_t Bytes, uint64_t Stream = 0,
                    uint32_t Device = 0) {
    auto Object = static_cast<uint32_t>(Objects.size());
    ApiObject O;
    O.Name = Name;
    O.Bytes = Bytes;
    O.Device = Device;
    O.Allocation = add(ApiKind::Allocation, "cudaMalloc", Stream, Device, {});
    Apis.back().Object = Object;
    Objects.push_back(O);
    return Object;
  }
  uint32_t release(uint32_t Object, uint64_t Stream = 0) {
    Objects[Object].Release = add(ApiKind::Release, "cudaFree", Stream, Objects[Object].Device, {});
    Apis.back().Object = Object;
    return *Objects[Object].Release;
  }
  uint32_t copyTo(uint32_t Object, uint64_t Stream = 0) {
    return copyTo(Object, 0, Objects[Object].Bytes, Stream);
  }
  uint32_t copyTo(uint32_t Object, uint64_t Offset, uint64_t Bytes, uint64_t Stream) {
    return add(ApiKind::Copy, "cudaMemcpy", Stream, Objects[Object].Device,
               {{Object, false, true, Offset, Bytes}});
  }
  uint32_t copyFrom(uint32_t Object, uint64_t Stream = 0) {
    return add(ApiKind::Copy, "cudaMemcpy", Stream, Objects[Object].Device,
               {{Object, true, false, 0, Objects[Object].Bytes}});
  }
  /// Copies from host memory, and to it.
  uint32_t upload(uint32_t Object, uint64_t Stream = 0) {
    const uint32_t I = copyTo(Object, Stream);
    Apis[I].WithHost = true;
    return I;
  }
  uint32_t download(uint32_t Object, uint64_t Stream = 0) {
    const uint32_t I = copyFrom(Object, Stream);
    Apis[I].WithHost = true;
    return I;
  }
  uint32_t set(uint32_t Object, uint64_t Stream = 0) {
    return add(ApiKind::Set, "cudaMemset", Stream, Objects[Object].Device,
               {{Object, false, true, 0, Objects[Object].Bytes}});
  }
  uint32_t launch(const std::string &Name, const std::vector<uint32_t> &Reads,
                  const std::vector<uint32_t> &Writes, uint64_t Stream = 0, uint32_t Device = 0) {
    std::vector<ApiAccess> Accesses;
    for (uint32_t Object : Reads)
      Accesses.push_back({Object, true, false, 0, 0});
    for (uint32_t Object : Writes)
      Accesses.push_back({Object, false, true, 0, 0});
    return add(ApiKind::Launch, Name, Stream, Device, std::move(Accesses));
  }

  std::vector<uint32_t> timestamps() const { return topologicalTimestamps(*this); }

private:
  uint32_t add(ApiKind Kind, const std::string &Name, uint64_t Stream, uint32_t Device,
               std::vector<ApiAccess> Accesses) {
    Api A;
    A.Kind = Kind;
    A.Name = Name;
    A.Stream = Stream;
    A.Device = Device;
    A.Accesses = std::move(Accesses);
    Apis.push_back(std::move(A));
    return static_cast<uint32_t>(Apis.size() - 1);
  }
};

/// Returns the finding of this pattern about this object, or null.
inline const ObjectInefficiency *find(const ObjectInefficiencies &Found, const std::string &Pattern,
                                      uint32_t Object) {
  for (const ObjectInefficiency &I : Found)
    if (I.Found.Pattern == Pattern && I.Object == Object)
      return &I;
  return nullptr;
}

/// Returns the value of a finding's evidence, or 0.
inline uint64_t number(const ObjectInefficiency &I, const std::string &Name) {
  for (const auto &[Key, Value] : I.Found.Evidence)
    if (Key == Name)
      return std::get<uint64_t>(Value);
  return 0;
}

/// Returns what a finding saves if nothing else is changed.
inline uint64_t savedAlone(const ObjectInefficiency &I) {
  return std::max(number(I, "bytes_saved_alone"), I.Found.BytesSaved);
}

} // namespace gmprof::test

#endif // GMPROF_TEST_TESTTRACE_H
