//===- MemoryTables.cpp - Tables of allocations and memory ----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/formats/TableGroups.h"
#include "report/model/ObjectLabels.h"
#include "report/text/TextReport.h"
#include <initializer_list>

namespace gmprof {

using namespace summary;

static DataTable objectsTable(const Summary &S) {
  DataTable T = {"objects",
                 "Allocations, variables of modules and arrays in shared memory.",
                 "objects[]",
                 {{"id", Int, ""},
                  {"name", Text, "of the variable, if it is known"},
                  {"label", Text, "the name that tells it apart from other objects", ""},
                  {"kind", Text, "device, managed, pinned, shared_static and so on"},
                  {"type", Text, "C++"},
                  {"bytes", Int, ""},
                  {"element_bytes", Int, ""},
                  {"extent", Text, "of arrays for textures: 64 x 32"},
                  {"address", Int, ""},
                  {"device", Int, "devices.id"},
                  {"parent", Int, "objects.id of the slab that it was cut from"},
                  {"kernel", Int, "kernels.id, of shared memory"},
                  {"file", Text, "of the allocation, or of the declaration", "source.file"},
                  {"line", Int, "", "source.line"},
                  {"alloc_api", Text, "cudaMalloc and the like", "alloc.api"},
                  {"alloc_seconds", Real, "since the run's start", "alloc.seconds"},
                  {"alloc_call_path", Int, "frames.call_path", "alloc.call_path"},
                  {"free_api", Text, "", "free.api"},
                  {"free_seconds", Real, "", "free.seconds"},
                  {"released", Int, "null: unknown, as in a run that died"},
                  {"first_access", Text, "kernel or API", "first_access.api"},
                  {"first_access_seconds", Real, "", "first_access.seconds"},
                  {"last_access", Text, "", "last_access.api"},
                  {"last_access_seconds", Real, "", "last_access.seconds"},
                  {"elements", Int, "of --profile elements", "elements.elements"},
                  {"elements_accessed", Int, "", "elements.accessed"},
                  {"fragmentation", Real,
                   "of what is not accessed, the share outside of its "
                   "largest piece",
                   "elements.fragmentation"}},
                 {}};
  const std::vector<std::string> Labels = objectLabels(S);
  for (const Object &O : S.objects) {
    const std::optional<Source> &Where = O.source ? O.source : O.alloc ? O.alloc->source : O.source;
    std::vector<Cell> Row = {O.id,
                             O.name,
                             Labels[&O - S.objects.data()],
                             O.kind,
                             O.type,
                             O.bytes,
                             O.element_bytes,
                             O.extent ? Cell(extentText(*O.extent)) : Cell(),
                             O.address,
                             O.device,
                             O.parent,
                             O.kernel,
                             fileOf(Where),
                             lineOf(Where)};
    auto Push = [&](std::initializer_list<Cell> Cells) {
      Row.insert(Row.end(), Cells.begin(), Cells.end());
    };
    if (O.alloc)
      Push({O.alloc->api, O.alloc->seconds, O.alloc->call_path});
    else
      Push({{}, {}, {}});
    if (O.free)
      Push({O.free->api, O.free->seconds});
    else
      Push({{}, {}});
    Push({O.released});
    for (const std::optional<Access> &A : {O.first_access, O.last_access})
      if (A)
        Push({A->api, A->seconds});
      else
        Push({{}, {}});
    if (O.elements)
      Push({O.elements->elements, O.elements->accessed, O.elements->fragmentation});
    else
      Push({{}, {}, {}});
    T.Rows.push_back(std::move(Row));
  }
  return T;
}

static DataTable framesTable(const Summary &S) {
  DataTable T = {"frames",
                 "Call paths of allocations and of calls that wait.",
                 "call_paths[][]",
                 {{"call_path", Int, "which path", ""},
                  {"depth", Int, "0: the innermost", ""},
                  {"function", Text, ""},
                  {"file", Text, "", "source.file"},
                  {"line", Int, "", "source.line"},
                  {"inlined", Int, "1: into the next one"},
                  {"image", Text, "executable or library"},
                  {"address", Int, "in it"}},
                 {}};
  for (size_t Path = 0; Path < S.call_paths.size(); ++Path)
    for (size_t Depth = 0; Depth < S.call_paths[Path].size(); ++Depth) {
      const Frame &F = S.call_paths[Path][Depth];
      T.Rows.push_back({Path, Depth, F.function, fileOf(F.source), lineOf(F.source), F.inlined,
                        F.image, F.address});
    }
  return T;
}

static DataTable peaksTable(const Summary &S) {
  DataTable T = {"memory_peaks",
                 "Peaks of device memory in use.",
                 "memory.devices[].peaks[]",
                 {{"device", Int, "devices.id", "memory.devices[].device"},
                  {"number", Int, "0: the highest", ""},
                  {"bytes", Int, ""},
                  {"bytes_after", Int, "the highest peak with all findings followed",
                   "memory.devices[].peak_bytes_after"},
                  {"seconds", Real, "since the run's start"},
                  {"objects", Int, "alive then"}},
                 {}};
  if (S.memory)
    for (const DeviceMemory &D : S.memory->devices)
      for (size_t I = 0; I < D.peaks.size(); ++I)
        T.Rows.push_back({D.device, I, D.peaks[I].bytes, I ? Cell() : Cell(D.peak_bytes_after),
                          D.peaks[I].seconds, D.peaks[I].objects});
  return T;
}

std::vector<DataTable> memoryTables(const Summary &S) {
  return {objectsTable(S), framesTable(S), peaksTable(S)};
}

} // namespace gmprof
