//===- KernelTables.cpp - Tables of kernels and their accesses ------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/formats/TableGroups.h"
#include "report/model/SummaryNames.h"
#include "report/text/TextReport.h"
#include "report/text/TextStyle.h"
#include <fmt/format.h>

namespace gmprof {

using namespace summary;

static DataTable kernelsTable(const Summary &S) {
  DataTable T = {
      "kernels",
      "Kernels of the loaded modules, launched or not.",
      "kernels[]",
      {{"id", Int, ""},
       {"name", Text, "mangled"},
       {"demangled", Text, ""},
       {"short_name", Text, "without return type and parameters", ""},
       {"file", Text, "", "source.file"},
       {"line", Int, "", "source.line"},
       {"instrumented", Int, "1: it has a clone"},
       {"reason", Text, "why it has no clone"},
       {"registers", Int, "per thread"},
       {"static_shared_bytes", Int, "per block"},
       {"launches", Int, "", "launch_counts.seen"},
       {"launches_profiled", Int, "", "launch_counts.profiled"},
       {"launches_measured", Int, "by events on the GPU; null: none", "seconds.measured_launches"},
       {"mean_seconds", Real, "of the measured launches", "seconds.mean"},
       {"total_seconds", Real, "of all launches, from the mean", "seconds.total"},
       {"kernel_time_share", Real, "of the time of all kernels, 0 to 1", "seconds.share"},
       {"seconds_at_most", Int, "1: only clones were measured; times are upper bounds",
        "seconds.instrumented"}},
      {}};
  for (const Kernel &K : S.kernels) {
    const auto Time = [&](auto KernelSeconds::*Of) {
      return K.seconds ? Cell((*K.seconds).*Of) : Cell();
    };
    T.Rows.push_back({K.id, K.name, K.demangled, shortName(K.demangled), fileOf(K.source),
                      lineOf(K.source), K.instrumented, K.reason, K.registers,
                      K.static_shared_bytes, K.launch_counts.seen, K.launch_counts.profiled,
                      Time(&KernelSeconds::measured_launches), Time(&KernelSeconds::mean),
                      Time(&KernelSeconds::total), Time(&KernelSeconds::share),
                      Time(&KernelSeconds::instrumented)});
  }
  return T;
}

static DataTable launchesTable(const Summary &S) {
  DataTable T = {"launches",
                 "Groups of equal launches of a kernel.",
                 "kernels[].launches[]",
                 {{"kernel", Int, "kernels.id", "kernels[].id"},
                  {"device", Int, "devices.id"},
                  {"grid", Text, ""},
                  {"block", Text, ""},
                  {"dynamic_shared_bytes", Int, ""},
                  {"mode", Text, "mode of profiling"},
                  {"reason", Text, "why it was not profiled"},
                  {"count", Int, "launches"}},
                 {}};
  for (const Kernel &K : S.kernels)
    for (const LaunchGroup &G : K.launches)
      T.Rows.push_back({K.id, G.device, text::dim3(G.grid), text::dim3(G.block),
                        G.dynamic_shared_bytes, G.mode, G.reason, G.count});
  return T;
}

static DataTable sharedTable(const Summary &S) {
  DataTable T = {"shared_arrays",
                 "Accesses of kernels to arrays in shared memory (--profile shared).",
                 "kernels[].objects[]",
                 {{"kernel", Int, "kernels.id", "kernels[].id"},
                  {"object", Int, "objects.id"},
                  {"elements", Int, "that were counted", "count_elements"},
                  {"accesses", Real, "in all launches, estimated where blocks were sampled",
                   "accesses_estimated.value"},
                  {"standard_error", Real, "standard error of accesses"},
                  {"min_per_block", Real, "accesses of an element", "per_block.min.value"},
                  {"mean_per_block", Real, "", "per_block.mean.value"},
                  {"max_per_block", Real, "", "per_block.max.value"},
                  {"never_touched_elements", Int, "", "never_touched.elements"},
                  {"never_touched_bytes", Int, "", "never_touched.bytes"}},
                 {}};
  for (const Kernel &K : S.kernels)
    for (const ObjectUse &U : K.objects)
      T.Rows.push_back({K.id, U.object, U.count_elements, U.accesses_estimated.value,
                        U.standard_error, U.per_block.min.value, U.per_block.mean.value,
                        U.per_block.max.value, U.never_touched.elements, U.never_touched.bytes});
  return T;
}

static DataTable globalTable(const Summary &S) {
  DataTable T = {
      "global_accesses",
      "Accesses of kernels to objects in device memory (--profile global, elements).",
      "kernels[].global_memory.objects[].reads, kernels[].global_memory.objects[].writes, "
      "kernels[].global_memory.objects[].atomics",
      {{"kernel", Int, "kernels.id", "kernels[].id"},
       {"object", Int, "objects.id", "kernels[].global_memory.objects[].object"},
       {"parameters", Text, "that point to it", "kernels[].global_memory.objects[].names"},
       {"kind", Text, "reads, writes or atomics", ""},
       {"element_bytes", Int, "", "kernels[].global_memory.objects[].element_bytes"},
       {"elements", Int, "", "kernels[].global_memory.objects[].elements"},
       {"touched", Int, "elements accessed so"},
       {"launches", Int, "profiled, that can access it so"},
       {"accesses", Real, "in all launches, estimated where some were sampled",
        "accesses_estimated.value"},
       {"standard_error", Real, "standard error of accesses"},
       {"mean_per_launch", Real, "accesses of an element", "per_launch.mean.value"},
       {"max_per_launch", Real, "", "per_launch.max.value"}},
      {}};
  for (const Kernel &K : S.kernels) {
    if (!K.global_memory)
      continue;
    for (const GlobalObjectUse &U : K.global_memory->objects) {
      const std::pair<const char *, const std::optional<GlobalAccesses> &> Kinds[] = {
          {"reads", U.reads}, {"writes", U.writes}, {"atomics", U.atomics}};
      for (const auto &[Kind, A] : Kinds)
        if (A)
          T.Rows.push_back({K.id, U.object, fmt::format("{}", fmt::join(U.names, ", ")), Kind,
                            U.element_bytes, U.elements, A->touched, A->launches,
                            A->accesses_estimated.value, A->standard_error,
                            A->per_launch.mean.value, A->per_launch.max.value});
    }
  }
  return T;
}

static DataTable objectAccessesTable(const Summary &S) {
  DataTable T = {"object_accesses",
                 "Launches of kernels that access objects.",
                 "kernels[].object_accesses[]",
                 {{"kernel", Int, "kernels.id", "kernels[].id"},
                  {"object", Int, "objects.id"},
                  {"launches", Int, ""},
                  {"reads", Int, "launches that read it"},
                  {"writes", Int, "launches that write it"},
                  {"known", Text, "exact, possible or inferred"}},
                 {}};
  for (const Kernel &K : S.kernels)
    for (const ObjectAccess &A : K.object_accesses)
      T.Rows.push_back({K.id, A.object, A.launches, A.reads, A.writes, A.known});
  return T;
}

static DataTable sitesTable(const Summary &S) {
  DataTable T = {
      "sites",
      "Accesses by source line, and how they are counted (--profile shared, global, elements).",
      "kernels[].objects[].sites[], kernels[].other_sites[], "
      "kernels[].global_memory.objects[].sites[], kernels[].global_memory.other_sites[]",
      {{"kernel", Int, "kernels.id", "kernels[].id"},
       {"object", Int, "objects.id; null: not known", "kernels[].objects[].object"},
       {"space", Text, "shared, global or generic"},
       {"access", Text, "load, store, atomic and so on"},
       {"file", Text, "", "source.file"},
       {"line", Int, "", "source.line"},
       {"column", Int, ""},
       {"function", Text, "function of the line"},
       {"bytes", Int, "by a thread"},
       {"rule", Text, "how it is counted"},
       {"reason", Text, "why not at a lower cost"}},
      {}};
  for (const Kernel &K : S.kernels) {
    auto Add = [&](const std::vector<Site> &Sites, const Cell &Object) {
      for (const Site &Each : Sites)
        T.Rows.push_back({K.id, Object, Each.space, Each.access, fileOf(Each.source),
                          lineOf(Each.source), Each.column, Each.function, Each.bytes, Each.rule,
                          Each.reason});
    };
    for (const ObjectUse &U : K.objects)
      Add(U.sites, U.object);
    Add(K.other_sites, {});
    if (K.global_memory) {
      for (const GlobalObjectUse &U : K.global_memory->objects)
        Add(U.sites, U.object);
      Add(K.global_memory->other_sites, {});
    }
  }
  return T;
}

std::vector<DataTable> kernelTables(const Summary &S) {
  return {kernelsTable(S), launchesTable(S),       sharedTable(S),
          globalTable(S),  objectAccessesTable(S), sitesTable(S)};
}

} // namespace gmprof
