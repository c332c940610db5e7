//===- SummaryTables.cpp - The tables of a summary ------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Written from tables.json and the schema by scripts/summary-reference.py: change these.
//
//===----------------------------------------------------------------------===//

#include "report/formats/TableCells.h"

// clang-format off
namespace gmprof {

using namespace summary;

static DataTable runTable(const Summary &S) {
  DataTable T = {"run", "The profiled run: one row.",
                 "run",
                 {{"command", ColumnType::Text, "program and arguments", "command"},
                  {"host", ColumnType::Text, "where", "host"},
                  {"pid", ColumnType::Integer, "process id", "pid"},
                  {"rank", ColumnType::Integer, "in an MPI job", "rank"},
                  {"start", ColumnType::Text, "UTC", "start"},
                  {"wall_seconds", ColumnType::Real, "run time", "wall_seconds"},
                  {"exit_status", ColumnType::Integer, "128 + signal if one killed it", "exit_status"},
                  {"complete", ColumnType::Integer, "1: it ran to its end", "complete"},
                  {"device", ColumnType::Text, "gpu or cpu", "device"},
                  {"version", ColumnType::Text, "of GMProf", "tool.version"},
                  {"config", ColumnType::Text, "the options in effect, JSON", "config"},
                  {"whole", ColumnType::Integer, "1: everything was profiled", "coverage.whole"}},
                 {}};
  T.Rows.push_back({words(S.run.command), cellOf(S.run.host), cellOf(S.run.pid), cellOf(S.run.rank),
                    cellOf(S.run.start), cellOf(S.run.wall_seconds), cellOf(S.run.exit_status),
                    cellOf(S.run.complete), cellOf(S.run.device), cellOf(S.tool.version),
                    cellOf(S.config), cellOf(S.coverage.whole)});
  return T;
}

static DataTable processesTable(const Summary &S) {
  DataTable T = {"processes", "Processes of a merged summary.",
                 "processes.list[]",
                 {{"id", ColumnType::Integer, "index, as in spreads and finding_processes", ""},
                  {"rank", ColumnType::Integer, "in the MPI job", "rank"},
                  {"host", ColumnType::Text, "where", "host"},
                  {"pid", ColumnType::Integer, "process id", "pid"},
                  {"path", ColumnType::Text, "its summary", "path"},
                  {"wall_seconds", ColumnType::Real, "run time", "wall_seconds"},
                  {"exit_status", ColumnType::Integer, "", "exit_status"},
                  {"complete", ColumnType::Integer, "1: it ran to its end", "complete"},
                  {"whole", ColumnType::Integer, "1: everything was profiled", "whole"},
                  {"findings", ColumnType::Integer, "number of findings", "findings"}},
                 {}};
  if (S.processes) {
    for (const auto &E0 : S.processes->list) {
      T.Rows.push_back({cellOf(&E0 - (S.processes->list).data()), cellOf(E0.rank), cellOf(E0.host),
                        cellOf(E0.pid), cellOf(E0.path), cellOf(E0.wall_seconds),
                        cellOf(E0.exit_status), cellOf(E0.complete), cellOf(E0.whole),
                        cellOf(E0.findings)});
    }
  }
  return T;
}

static DataTable devicesTable(const Summary &S) {
  DataTable T = {"devices", "Devices that the program used.",
                 "devices[]",
                 {{"id", ColumnType::Integer, "", "id"},
                  {"name", ColumnType::Text, "", "name"},
                  {"compute_capability", ColumnType::Text, "", "compute_capability"},
                  {"attributes", ColumnType::Text, "JSON", "attributes"}},
                 {}};
  for (const auto &E0 : S.devices) {
    T.Rows.push_back({cellOf(E0.id), cellOf(E0.name), cellOf(E0.compute_capability),
                      cellOf(E0.attributes)});
  }
  return T;
}

static DataTable gapsTable(const Summary &S) {
  DataTable T = {"gaps", "Everything that was not profiled.",
                 "coverage.kernels.not_instrumented[], coverage.launches.reasons[], coverage.accesses.skipped[], coverage.gaps[]",
                 {{"what", ColumnType::Text, "kernels, launches, accesses, records and so on", "what"},
                  {"kernel", ColumnType::Text, "if of a single kernel", "name"},
                  {"reason", ColumnType::Text, "", "reason"},
                  {"count", ColumnType::Integer, "number", "count"}},
                 {}};
  for (const auto &E0 : S.coverage.kernels.not_instrumented) {
    T.Rows.push_back({Cell("kernels"), cellOf(E0.name), cellOf(E0.reason), Cell(1)});
  }
  for (const auto &E0 : S.coverage.launches.reasons) {
    T.Rows.push_back({Cell("launches"), cellOf(E0.kernel), cellOf(E0.reason), cellOf(E0.count)});
  }
  for (const auto &E0 : S.coverage.accesses.skipped) {
    T.Rows.push_back({Cell("accesses"), cellOf(E0.kernel), cellOf(E0.reason), Cell(1)});
  }
  for (const auto &E0 : S.coverage.gaps) {
    T.Rows.push_back({cellOf(E0.what), Cell(), cellOf(E0.reason), cellOf(E0.count)});
  }
  return T;
}

static DataTable spreadsTable(const Summary &S) {
  DataTable T = {"spreads", "Numbers over the processes of a merged summary.",
                 "processes.measures[]",
                 {{"name", ColumnType::Text, "as in measures", "name"},
                  {"of", ColumnType::Text, "kernel, kernel.object or device; empty: the whole run", "of"},
                  {"unit", ColumnType::Text, "bytes, seconds or empty", "unit"},
                  {"processes", ColumnType::Integer, "number of processes that have it", "processes"},
                  {"min", ColumnType::Real, "", "min"},
                  {"min_process", ColumnType::Integer, "processes.id", "min_process"},
                  {"mean", ColumnType::Real, "", "mean"},
                  {"max", ColumnType::Real, "", "max"},
                  {"max_process", ColumnType::Integer, "processes.id", "max_process"},
                  {"deviation", ColumnType::Real, "standard deviation", "deviation"},
                  {"outliers", ColumnType::Integer, "number of outliers", "outliers"}},
                 {}};
  if (S.processes) {
    for (const auto &E0 : S.processes->measures) {
      T.Rows.push_back({cellOf(E0.name), cellOf(E0.of), cellOf(E0.unit), cellOf(E0.processes),
                        cellOf(E0.min), cellOf(E0.min_process), cellOf(E0.mean), cellOf(E0.max),
                        cellOf(E0.max_process), cellOf(E0.deviation), count(E0.outliers)});
    }
  }
  return T;
}

static DataTable findingsTable(const Summary &S) {
  DataTable T = {"findings", "Findings: problems and fixes.",
                 "findings[]",
                 {{"id", ColumnType::Integer, "as reports number it", "id"},
                  {"severity", ColumnType::Text, "high, medium, low or info", "severity"},
                  {"pattern", ColumnType::Text, "as in docs/patterns.md", "pattern"},
                  {"kind", ColumnType::Text, "of the pattern, if it has several", "kind"},
                  {"object", ColumnType::Integer, "objects.id", "object.id"},
                  {"object_name", ColumnType::Text, "", "object.name"},
                  {"kernel", ColumnType::Integer, "kernels.id", "kernel.id"},
                  {"kernel_name", ColumnType::Text, "", "kernel.name"},
                  {"site", ColumnType::Integer, "sync_sites.id", "site"},
                  {"file", ColumnType::Text, "", "source.file"},
                  {"line", ColumnType::Integer, "", "source.line"},
                  {"bytes_saved", ColumnType::Integer, "", "bytes_saved"},
                  {"seconds_saved", ColumnType::Real, "", "seconds_saved"},
                  {"message", ColumnType::Text, "", "message"},
                  {"suggestion", ColumnType::Text, "", "suggestion"},
                  {"fingerprint", ColumnType::Text, "identifies it across rebuilds", "fingerprint"}},
                 {}};
  for (const auto &E0 : S.findings) {
    T.Rows.push_back({cellOf(E0.id), cellOf(E0.severity), cellOf(E0.pattern), cellOf(E0.kind),
                      E0.object ? cellOf(E0.object->id) : Cell(), E0.object ?
                      cellOf(E0.object->name) : Cell(), E0.kernel ? cellOf(E0.kernel->id) : Cell(),
                      E0.kernel ? cellOf(E0.kernel->name) : Cell(), cellOf(E0.site), E0.source ?
                      cellOf(E0.source->file) : Cell(), E0.source ? line(E0.source->line) : Cell(),
                      cellOf(E0.bytes_saved), cellOf(E0.seconds_saved), cellOf(E0.message),
                      cellOf(E0.suggestion), cellOf(E0.fingerprint)});
  }
  return T;
}

static DataTable findingProcessesTable(const Summary &S) {
  DataTable T = {"finding_processes", "Processes of a merged summary that have a finding.",
                 "processes.findings[].processes[]",
                 {{"fingerprint", ColumnType::Text, "of findings", "processes.findings[].fingerprint"},
                  {"process", ColumnType::Integer, "processes.id", ""}},
                 {}};
  if (S.processes) {
    for (const auto &E0 : S.processes->findings) {
      for (const auto &E1 : E0.processes) {
        T.Rows.push_back({cellOf(E0.fingerprint), cellOf(E1)});
      }
    }
  }
  return T;
}

static DataTable objectsTable(const Summary &S) {
  DataTable T = {"objects", "Allocations, variables of modules and arrays in shared memory.",
                 "objects[]",
                 {{"id", ColumnType::Integer, "", "id"},
                  {"name", ColumnType::Text, "of the variable, if it is known", "name"},
                  {"kind", ColumnType::Text, "device, managed, pinned, shared_static and so on", "kind"},
                  {"type", ColumnType::Text, "C++", "type"},
                  {"bytes", ColumnType::Integer, "", "bytes"},
                  {"element_bytes", ColumnType::Integer, "", "element_bytes"},
                  {"extent", ColumnType::Text, "of arrays for textures: 64 x 32", "extent"},
                  {"address", ColumnType::Integer, "", "address"},
                  {"device", ColumnType::Integer, "devices.id", "device"},
                  {"parent", ColumnType::Integer, "objects.id of the slab that it was cut from", "parent"},
                  {"kernel", ColumnType::Integer, "kernels.id, of shared memory", "kernel"},
                  {"file", ColumnType::Text, "of the allocation, or of the declaration", "source.file"},
                  {"line", ColumnType::Integer, "", "source.line"},
                  {"alloc_api", ColumnType::Text, "cudaMalloc and the like", "alloc.api"},
                  {"alloc_seconds", ColumnType::Real, "since the run's start", "alloc.seconds"},
                  {"alloc_call_path", ColumnType::Integer, "frames.call_path", "alloc.call_path"},
                  {"free_api", ColumnType::Text, "", "free.api"},
                  {"free_seconds", ColumnType::Real, "", "free.seconds"},
                  {"released", ColumnType::Integer, "null: unknown, as in a run that died", "released"},
                  {"first_access", ColumnType::Text, "kernel or API", "first_access.api"},
                  {"first_access_seconds", ColumnType::Real, "", "first_access.seconds"},
                  {"last_access", ColumnType::Text, "", "last_access.api"},
                  {"last_access_seconds", ColumnType::Real, "", "last_access.seconds"},
                  {"elements", ColumnType::Integer, "of --profile elements", "elements.elements"},
                  {"elements_accessed", ColumnType::Integer, "", "elements.accessed"},
                  {"fragmentation", ColumnType::Real, "of what is not accessed, the share outside of its largest piece", "elements.fragmentation"}},
                 {}};
  for (const auto &E0 : S.objects) {
    T.Rows.push_back({cellOf(E0.id), cellOf(E0.name), cellOf(E0.kind), cellOf(E0.type),
                      cellOf(E0.bytes), cellOf(E0.element_bytes), E0.extent ? extent(*E0.extent) :
                      Cell(), cellOf(E0.address), cellOf(E0.device), cellOf(E0.parent),
                      cellOf(E0.kernel), E0.source ? cellOf(E0.source->file) : E0.alloc &&
                      E0.alloc->source ? cellOf(E0.alloc->source->file) : Cell(), E0.source ?
                      line(E0.source->line) : E0.alloc && E0.alloc->source ?
                      line(E0.alloc->source->line) : Cell(), E0.alloc ? cellOf(E0.alloc->api) :
                      Cell(), E0.alloc ? cellOf(E0.alloc->seconds) : Cell(), E0.alloc ?
                      cellOf(E0.alloc->call_path) : Cell(), E0.free ? cellOf(E0.free->api) : Cell(),
                      E0.free ? cellOf(E0.free->seconds) : Cell(), cellOf(E0.released),
                      E0.first_access ? cellOf(E0.first_access->api) : Cell(), E0.first_access ?
                      cellOf(E0.first_access->seconds) : Cell(), E0.last_access ?
                      cellOf(E0.last_access->api) : Cell(), E0.last_access ?
                      cellOf(E0.last_access->seconds) : Cell(), E0.elements ?
                      cellOf(E0.elements->elements) : Cell(), E0.elements ?
                      cellOf(E0.elements->accessed) : Cell(), E0.elements ?
                      cellOf(E0.elements->fragmentation) : Cell()});
  }
  return T;
}

static DataTable framesTable(const Summary &S) {
  DataTable T = {"frames", "Call paths of allocations and of calls that wait.",
                 "call_paths[][]",
                 {{"call_path", ColumnType::Integer, "which path", ""},
                  {"depth", ColumnType::Integer, "0: the innermost", ""},
                  {"function", ColumnType::Text, "", "frames[].function"},
                  {"file", ColumnType::Text, "", "frames[].source.file"},
                  {"line", ColumnType::Integer, "", "frames[].source.line"},
                  {"inlined", ColumnType::Integer, "1: into the next one", "frames[].inlined"},
                  {"image", ColumnType::Text, "executable or library", "frames[].image"},
                  {"address", ColumnType::Integer, "in it", "frames[].address"}},
                 {}};
  for (const auto &E0 : S.call_paths) {
    for (const auto &E1 : E0) {
      T.Rows.push_back({cellOf(&E0 - (S.call_paths).data()), cellOf(&E1 - (E0).data()),
                        cellOf(S.frames[E1].function), S.frames[E1].source ?
                        cellOf(S.frames[E1].source->file) : Cell(), S.frames[E1].source ?
                        line(S.frames[E1].source->line) : Cell(), cellOf(S.frames[E1].inlined),
                        cellOf(S.frames[E1].image), cellOf(S.frames[E1].address)});
    }
  }
  return T;
}

static DataTable memoryPeaksTable(const Summary &S) {
  DataTable T = {"memory_peaks", "Peaks of device memory in use.",
                 "memory.devices[].peaks[]",
                 {{"device", ColumnType::Integer, "devices.id", "memory.devices[].device"},
                  {"number", ColumnType::Integer, "0: the highest", ""},
                  {"bytes", ColumnType::Integer, "", "bytes"},
                  {"bytes_after", ColumnType::Integer, "the highest peak with all findings followed", "memory.devices[].peak_bytes_after"},
                  {"seconds", ColumnType::Real, "since the run's start", "seconds"},
                  {"objects", ColumnType::Integer, "alive then", "objects"}},
                 {}};
  if (S.memory) {
    for (const auto &E0 : S.memory->devices) {
      for (const auto &E1 : E0.peaks) {
        T.Rows.push_back({cellOf(E0.device), cellOf(&E1 - (E0.peaks).data()), cellOf(E1.bytes), &E1
                          - (E0.peaks).data() != 0 ? Cell() : cellOf(E0.peak_bytes_after),
                          cellOf(E1.seconds), cellOf(E1.objects)});
      }
    }
  }
  return T;
}

static DataTable kernelsTable(const Summary &S) {
  DataTable T = {"kernels", "Kernels of the loaded modules, launched or not.",
                 "kernels[]",
                 {{"id", ColumnType::Integer, "", "id"},
                  {"name", ColumnType::Text, "mangled", "name"},
                  {"demangled", ColumnType::Text, "", "demangled"},
                  {"short_name", ColumnType::Text, "without return type and parameters", "demangled"},
                  {"file", ColumnType::Text, "", "source.file"},
                  {"line", ColumnType::Integer, "", "source.line"},
                  {"instrumented", ColumnType::Integer, "1: it has a clone", "instrumented"},
                  {"reason", ColumnType::Text, "why it has no clone", "reason"},
                  {"registers", ColumnType::Integer, "per thread", "registers"},
                  {"static_shared_bytes", ColumnType::Integer, "per block", "static_shared_bytes"},
                  {"launches", ColumnType::Integer, "", "launch_counts.seen"},
                  {"launches_profiled", ColumnType::Integer, "", "launch_counts.profiled"},
                  {"launches_measured", ColumnType::Integer, "by events on the GPU; null: none", "seconds.measured_launches"},
                  {"mean_seconds", ColumnType::Real, "of the measured launches", "seconds.mean"},
                  {"total_seconds", ColumnType::Real, "of all launches, from the mean", "seconds.total"},
                  {"kernel_time_share", ColumnType::Real, "of the time of all kernels, 0 to 1", "seconds.share"},
                  {"seconds_at_most", ColumnType::Integer, "1: only clones were measured; times are upper bounds", "seconds.instrumented"}},
                 {}};
  for (const auto &E0 : S.kernels) {
    T.Rows.push_back({cellOf(E0.id), cellOf(E0.name), cellOf(E0.demangled), shortName(E0.demangled),
                      E0.source ? cellOf(E0.source->file) : Cell(), E0.source ?
                      line(E0.source->line) : Cell(), cellOf(E0.instrumented), cellOf(E0.reason),
                      cellOf(E0.registers), cellOf(E0.static_shared_bytes),
                      cellOf(E0.launch_counts.seen), cellOf(E0.launch_counts.profiled), E0.seconds ?
                      cellOf(E0.seconds->measured_launches) : Cell(), E0.seconds ?
                      cellOf(E0.seconds->mean) : Cell(), E0.seconds ? cellOf(E0.seconds->total) :
                      Cell(), E0.seconds ? cellOf(E0.seconds->share) : Cell(), E0.seconds ?
                      cellOf(E0.seconds->instrumented) : Cell()});
  }
  return T;
}

static DataTable launchesTable(const Summary &S) {
  DataTable T = {"launches", "Groups of equal launches of a kernel.",
                 "kernels[].launches[]",
                 {{"kernel", ColumnType::Integer, "kernels.id", "kernels[].id"},
                  {"device", ColumnType::Integer, "devices.id", "device"},
                  {"grid", ColumnType::Text, "", "grid"},
                  {"block", ColumnType::Text, "", "block"},
                  {"dynamic_shared_bytes", ColumnType::Integer, "", "dynamic_shared_bytes"},
                  {"mode", ColumnType::Text, "mode of profiling", "mode"},
                  {"reason", ColumnType::Text, "why it was not profiled", "reason"},
                  {"count", ColumnType::Integer, "launches", "count"}},
                 {}};
  for (const auto &E0 : S.kernels) {
    for (const auto &E1 : E0.launches) {
      T.Rows.push_back({cellOf(E0.id), cellOf(E1.device), dim3(E1.grid), dim3(E1.block),
                        cellOf(E1.dynamic_shared_bytes), cellOf(E1.mode), cellOf(E1.reason),
                        cellOf(E1.count)});
    }
  }
  return T;
}

static DataTable sharedArraysTable(const Summary &S) {
  DataTable T = {"shared_arrays", "Accesses of kernels to arrays in shared memory (--profile shared).",
                 "kernels[].objects[]",
                 {{"kernel", ColumnType::Integer, "kernels.id", "kernels[].id"},
                  {"object", ColumnType::Integer, "objects.id", "object"},
                  {"elements", ColumnType::Integer, "that were counted", "count_elements"},
                  {"accesses", ColumnType::Real, "in all launches, estimated where blocks were sampled", "accesses_estimated.value"},
                  {"standard_error", ColumnType::Real, "standard error of accesses", "standard_error"},
                  {"min_per_block", ColumnType::Real, "accesses of an element", "per_block.min.value"},
                  {"mean_per_block", ColumnType::Real, "", "per_block.mean.value"},
                  {"max_per_block", ColumnType::Real, "", "per_block.max.value"},
                  {"never_touched_elements", ColumnType::Integer, "", "never_touched.elements"},
                  {"never_touched_bytes", ColumnType::Integer, "", "never_touched.bytes"}},
                 {}};
  for (const auto &E0 : S.kernels) {
    for (const auto &E1 : E0.objects) {
      T.Rows.push_back({cellOf(E0.id), cellOf(E1.object), cellOf(E1.count_elements),
                        cellOf(E1.accesses_estimated.value), cellOf(E1.standard_error),
                        cellOf(E1.per_block.min.value), cellOf(E1.per_block.mean.value),
                        cellOf(E1.per_block.max.value), cellOf(E1.never_touched.elements),
                        cellOf(E1.never_touched.bytes)});
    }
  }
  return T;
}

static DataTable globalAccessesTable(const Summary &S) {
  DataTable T = {"global_accesses", "Accesses of kernels to objects in device memory (--profile global, elements).",
                 "kernels[].global_memory.objects[].reads, kernels[].global_memory.objects[].writes, kernels[].global_memory.objects[].atomics",
                 {{"kernel", ColumnType::Integer, "kernels.id", "kernels[].id"},
                  {"object", ColumnType::Integer, "objects.id", "kernels[].global_memory.objects[].object"},
                  {"parameters", ColumnType::Text, "that point to it", "kernels[].global_memory.objects[].names"},
                  {"kind", ColumnType::Text, "reads, writes or atomics", ""},
                  {"element_bytes", ColumnType::Integer, "", "kernels[].global_memory.objects[].element_bytes"},
                  {"elements", ColumnType::Integer, "", "kernels[].global_memory.objects[].elements"},
                  {"touched", ColumnType::Integer, "elements accessed so", "touched"},
                  {"launches", ColumnType::Integer, "profiled, that can access it so", "launches"},
                  {"accesses", ColumnType::Real, "in all launches, estimated where some were sampled", "accesses_estimated.value"},
                  {"standard_error", ColumnType::Real, "standard error of accesses", "standard_error"},
                  {"mean_per_launch", ColumnType::Real, "accesses of an element", "per_launch.mean.value"},
                  {"max_per_launch", ColumnType::Real, "", "per_launch.max.value"}},
                 {}};
  for (const auto &E0 : S.kernels) {
    if (E0.global_memory) {
      for (const auto &E1 : E0.global_memory->objects) {
        if (E1.reads) {
          T.Rows.push_back({cellOf(E0.id), cellOf(E1.object), list(E1.names), Cell("reads"),
                            cellOf(E1.element_bytes), cellOf(E1.elements),
                            cellOf(E1.reads->touched), cellOf(E1.reads->launches),
                            cellOf(E1.reads->accesses_estimated.value),
                            cellOf(E1.reads->standard_error),
                            cellOf(E1.reads->per_launch.mean.value),
                            cellOf(E1.reads->per_launch.max.value)});
        }
        if (E1.writes) {
          T.Rows.push_back({cellOf(E0.id), cellOf(E1.object), list(E1.names), Cell("writes"),
                            cellOf(E1.element_bytes), cellOf(E1.elements),
                            cellOf(E1.writes->touched), cellOf(E1.writes->launches),
                            cellOf(E1.writes->accesses_estimated.value),
                            cellOf(E1.writes->standard_error),
                            cellOf(E1.writes->per_launch.mean.value),
                            cellOf(E1.writes->per_launch.max.value)});
        }
        if (E1.atomics) {
          T.Rows.push_back({cellOf(E0.id), cellOf(E1.object), list(E1.names), Cell("atomics"),
                            cellOf(E1.element_bytes), cellOf(E1.elements),
                            cellOf(E1.atomics->touched), cellOf(E1.atomics->launches),
                            cellOf(E1.atomics->accesses_estimated.value),
                            cellOf(E1.atomics->standard_error),
                            cellOf(E1.atomics->per_launch.mean.value),
                            cellOf(E1.atomics->per_launch.max.value)});
        }
      }
    }
  }
  return T;
}

static DataTable objectAccessesTable(const Summary &S) {
  DataTable T = {"object_accesses", "Launches of kernels that access objects.",
                 "kernels[].object_accesses[]",
                 {{"kernel", ColumnType::Integer, "kernels.id", "kernels[].id"},
                  {"object", ColumnType::Integer, "objects.id", "object"},
                  {"launches", ColumnType::Integer, "", "launches"},
                  {"reads", ColumnType::Integer, "launches that read it", "reads"},
                  {"writes", ColumnType::Integer, "launches that write it", "writes"},
                  {"known", ColumnType::Text, "exact, possible or inferred", "known"}},
                 {}};
  for (const auto &E0 : S.kernels) {
    for (const auto &E1 : E0.object_accesses) {
      T.Rows.push_back({cellOf(E0.id), cellOf(E1.object), cellOf(E1.launches), cellOf(E1.reads),
                        cellOf(E1.writes), cellOf(E1.known)});
    }
  }
  return T;
}

static DataTable sitesTable(const Summary &S) {
  DataTable T = {"sites", "Accesses by source line, and how they are counted (--profile shared, global, elements).",
                 "kernels[].objects[].sites[], kernels[].other_sites[], kernels[].global_memory.objects[].sites[], kernels[].global_memory.other_sites[]",
                 {{"kernel", ColumnType::Integer, "kernels.id", "kernels[].id"},
                  {"object", ColumnType::Integer, "objects.id; null: not known", "kernels[].objects[].object"},
                  {"space", ColumnType::Text, "shared, global or generic", "space"},
                  {"access", ColumnType::Text, "load, store, atomic and so on", "access"},
                  {"file", ColumnType::Text, "", "source.file"},
                  {"line", ColumnType::Integer, "", "source.line"},
                  {"column", ColumnType::Integer, "", "column"},
                  {"function", ColumnType::Text, "function of the line", "function"},
                  {"bytes", ColumnType::Integer, "by a thread", "bytes"},
                  {"rule", ColumnType::Text, "how it is counted", "rule"},
                  {"reason", ColumnType::Text, "why not at a lower cost", "reason"}},
                 {}};
  for (const auto &E0 : S.kernels) {
    for (const auto &E1 : E0.objects) {
      for (const auto &E2 : E1.sites) {
        T.Rows.push_back({cellOf(E0.id), cellOf(E1.object), cellOf(E2.space), cellOf(E2.access),
                          E2.source ? cellOf(E2.source->file) : Cell(), E2.source ?
                          line(E2.source->line) : Cell(), cellOf(E2.column), cellOf(E2.function),
                          cellOf(E2.bytes), cellOf(E2.rule), cellOf(E2.reason)});
      }
    }
    for (const auto &E1 : E0.other_sites) {
      T.Rows.push_back({cellOf(E0.id), Cell(), cellOf(E1.space), cellOf(E1.access), E1.source ?
                        cellOf(E1.source->file) : Cell(), E1.source ? line(E1.source->line) :
                        Cell(), cellOf(E1.column), cellOf(E1.function), cellOf(E1.bytes),
                        cellOf(E1.rule), cellOf(E1.reason)});
    }
    if (E0.global_memory) {
      for (const auto &E1 : E0.global_memory->objects) {
        for (const auto &E2 : E1.sites) {
          T.Rows.push_back({cellOf(E0.id), cellOf(E1.object), cellOf(E2.space), cellOf(E2.access),
                            E2.source ? cellOf(E2.source->file) : Cell(), E2.source ?
                            line(E2.source->line) : Cell(), cellOf(E2.column), cellOf(E2.function),
                            cellOf(E2.bytes), cellOf(E2.rule), cellOf(E2.reason)});
        }
      }
      for (const auto &E1 : E0.global_memory->other_sites) {
        T.Rows.push_back({cellOf(E0.id), Cell(), cellOf(E1.space), cellOf(E1.access), E1.source ?
                          cellOf(E1.source->file) : Cell(), E1.source ? line(E1.source->line) :
                          Cell(), cellOf(E1.column), cellOf(E1.function), cellOf(E1.bytes),
                          cellOf(E1.rule), cellOf(E1.reason)});
      }
    }
  }
  return T;
}

static DataTable heatLinesTable(const Summary &S) {
  DataTable T = {"heat_lines", "Requests of the sampled blocks by source line (--profile heat).",
                 "kernels[].heat.objects[].lines[], kernels[].heat.other_lines[], kernels[].heat.arrays[].lines[], kernels[].heat.other_shared_lines[]",
                 {{"kernel", ColumnType::Integer, "kernels.id", "kernels[].id"},
                  {"object", ColumnType::Integer, "objects.id; null: not known", "kernels[].heat.objects[].object"},
                  {"space", ColumnType::Text, "global or shared", ""},
                  {"access", ColumnType::Text, "load, store, atomic and so on", "access"},
                  {"file", ColumnType::Text, "", "source.file"},
                  {"line", ColumnType::Integer, "", "source.line"},
                  {"column", ColumnType::Integer, "", "column"},
                  {"function", ColumnType::Text, "function of the line", "function"},
                  {"bytes", ColumnType::Integer, "by a thread", "bytes"},
                  {"accesses", ColumnType::Integer, "by threads", "lanes"},
                  {"requests", ColumnType::Integer, "by warps", "requests"},
                  {"sectors", ColumnType::Integer, "of 32 bytes; null of shared memory", "sectors"},
                  {"ideal_sectors", ColumnType::Integer, "fewest possible", "ideal_sectors"},
                  {"wavefronts", ColumnType::Integer, "of shared memory; null of global memory", "wavefronts"},
                  {"ideal_wavefronts", ColumnType::Integer, "without bank conflicts", "ideal_wavefronts"},
                  {"bytes_used", ColumnType::Integer, "of the sectors; null of shared memory", "bytes_used"},
                  {"misaligned", ColumnType::Integer, "requests; null of shared memory", "misaligned"}},
                 {}};
  for (const auto &E0 : S.kernels) {
    if (E0.heat) {
      for (const auto &E1 : E0.heat->objects) {
        for (const auto &E2 : E1.lines) {
          T.Rows.push_back({cellOf(E0.id), cellOf(E1.object), Cell("global"), cellOf(E2.access),
                            E2.source ? cellOf(E2.source->file) : Cell(), E2.source ?
                            line(E2.source->line) : Cell(), cellOf(E2.column), cellOf(E2.function),
                            cellOf(E2.bytes), cellOf(E2.lanes), cellOf(E2.requests),
                            cellOf(E2.sectors), cellOf(E2.ideal_sectors), Cell(), Cell(),
                            cellOf(E2.bytes_used), cellOf(E2.misaligned)});
        }
      }
      for (const auto &E1 : E0.heat->other_lines) {
        T.Rows.push_back({cellOf(E0.id), Cell(), Cell("global"), cellOf(E1.access), E1.source ?
                          cellOf(E1.source->file) : Cell(), E1.source ? line(E1.source->line) :
                          Cell(), cellOf(E1.column), cellOf(E1.function), cellOf(E1.bytes),
                          cellOf(E1.lanes), cellOf(E1.requests), cellOf(E1.sectors),
                          cellOf(E1.ideal_sectors), Cell(), Cell(), cellOf(E1.bytes_used),
                          cellOf(E1.misaligned)});
      }
      for (const auto &E1 : E0.heat->arrays) {
        for (const auto &E2 : E1.lines) {
          T.Rows.push_back({cellOf(E0.id), cellOf(E1.object), Cell("shared"), cellOf(E2.access),
                            E2.source ? cellOf(E2.source->file) : Cell(), E2.source ?
                            line(E2.source->line) : Cell(), cellOf(E2.column), cellOf(E2.function),
                            cellOf(E2.bytes), cellOf(E2.lanes), cellOf(E2.requests), Cell(), Cell(),
                            cellOf(E2.wavefronts), cellOf(E2.ideal_wavefronts), Cell(), Cell()});
        }
      }
      for (const auto &E1 : E0.heat->other_shared_lines) {
        T.Rows.push_back({cellOf(E0.id), Cell(), Cell("shared"), cellOf(E1.access), E1.source ?
                          cellOf(E1.source->file) : Cell(), E1.source ? line(E1.source->line) :
                          Cell(), cellOf(E1.column), cellOf(E1.function), cellOf(E1.bytes),
                          cellOf(E1.lanes), cellOf(E1.requests), Cell(), Cell(),
                          cellOf(E1.wavefronts), cellOf(E1.ideal_wavefronts), Cell(), Cell()});
      }
    }
  }
  return T;
}

static DataTable inlinedLinesTable(const Summary &S) {
  DataTable T = {"inlined_lines", "Requests of inlined functions by call path (--profile heat, cache).",
                 "kernels[].heat.objects[].lines[].inlined[], kernels[].heat.other_lines[].inlined[], kernels[].heat.arrays[].lines[].inlined[], kernels[].heat.other_shared_lines[].inlined[], cache.kernels[].lines[].inlined[]",
                 {{"kernel", ColumnType::Integer, "kernels.id", "kernels[].id"},
                  {"space", ColumnType::Text, "global or shared; of profiles of caches null", ""},
                  {"access", ColumnType::Text, "load, store, atomic and so on", "kernels[].heat.objects[].lines[].access"},
                  {"file", ColumnType::Text, "", "kernels[].heat.objects[].lines[].source.file"},
                  {"line", ColumnType::Integer, "", "kernels[].heat.objects[].lines[].source.line"},
                  {"function", ColumnType::Text, "function of the line", "kernels[].heat.objects[].lines[].function"},
                  {"inlined_at", ColumnType::Text, "from the kernel inwards; empty: not inlined", "inlined_at"},
                  {"requests", ColumnType::Integer, "by warps", "requests"},
                  {"sectors", ColumnType::Integer, "of 32 bytes; null of shared memory", "sectors"},
                  {"wavefronts", ColumnType::Integer, "of shared memory; null of global memory", "wavefronts"}},
                 {}};
  for (const auto &E0 : S.kernels) {
    if (E0.heat) {
      for (const auto &E1 : E0.heat->objects) {
        for (const auto &E2 : E1.lines) {
          for (const auto &E3 : E2.inlined) {
            T.Rows.push_back({cellOf(E0.id), Cell("global"), cellOf(E2.access), E2.source ?
                              cellOf(E2.source->file) : Cell(), E2.source ? line(E2.source->line) :
                              Cell(), cellOf(E2.function), inlinePath(E3.inlined_at),
                              cellOf(E3.requests), cellOf(E3.sectors), Cell()});
          }
        }
      }
      for (const auto &E1 : E0.heat->other_lines) {
        for (const auto &E2 : E1.inlined) {
          T.Rows.push_back({cellOf(E0.id), Cell("global"), cellOf(E1.access), E1.source ?
                            cellOf(E1.source->file) : Cell(), E1.source ? line(E1.source->line) :
                            Cell(), cellOf(E1.function), inlinePath(E2.inlined_at),
                            cellOf(E2.requests), cellOf(E2.sectors), Cell()});
        }
      }
      for (const auto &E1 : E0.heat->arrays) {
        for (const auto &E2 : E1.lines) {
          for (const auto &E3 : E2.inlined) {
            T.Rows.push_back({cellOf(E0.id), Cell("shared"), cellOf(E2.access), E2.source ?
                              cellOf(E2.source->file) : Cell(), E2.source ? line(E2.source->line) :
                              Cell(), cellOf(E2.function), inlinePath(E3.inlined_at),
                              cellOf(E3.requests), Cell(), cellOf(E3.wavefronts)});
          }
        }
      }
      for (const auto &E1 : E0.heat->other_shared_lines) {
        for (const auto &E2 : E1.inlined) {
          T.Rows.push_back({cellOf(E0.id), Cell("shared"), cellOf(E1.access), E1.source ?
                            cellOf(E1.source->file) : Cell(), E1.source ? line(E1.source->line) :
                            Cell(), cellOf(E1.function), inlinePath(E2.inlined_at),
                            cellOf(E2.requests), Cell(), cellOf(E2.wavefronts)});
        }
      }
    }
  }
  if (S.cache) {
    for (const auto &E0 : S.cache->kernels) {
      for (const auto &E1 : E0.lines) {
        for (const auto &E2 : E1.inlined) {
          T.Rows.push_back({cellOf(E0.kernel), Cell(), cellOf(E1.access), E1.source ?
                            cellOf(E1.source->file) : Cell(), E1.source ? line(E1.source->line) :
                            Cell(), cellOf(E1.function), inlinePath(E2.inlined_at),
                            cellOf(E2.traffic.requests), cellOf(E2.traffic.sectors), Cell()});
        }
      }
    }
  }
  return T;
}

static DataTable heatObjectsTable(const Summary &S) {
  DataTable T = {"heat_objects", "Temperatures: distinct warps that access a word or a sector (--profile heat).",
                 "kernels[].heat.objects[]",
                 {{"kernel", ColumnType::Integer, "kernels.id", "kernels[].id"},
                  {"object", ColumnType::Integer, "objects.id", "object"},
                  {"sectors", ColumnType::Integer, "accessed", "sectors"},
                  {"words", ColumnType::Integer, "accessed", "words"},
                  {"accesses", ColumnType::Integer, "by threads", "accesses"},
                  {"mean_word", ColumnType::Real, "temperature", "mean_word"},
                  {"max_word", ColumnType::Integer, "", "max_word"},
                  {"mean_sector", ColumnType::Real, "", "mean_sector"},
                  {"max_sector", ColumnType::Integer, "", "max_sector"},
                  {"hot_sectors", ColumnType::Integer, "", "hot_sectors"},
                  {"falsely_shared_sectors", ColumnType::Integer, "", "falsely_shared_sectors"},
                  {"sparse_sectors", ColumnType::Integer, "used by half at most", "sparse_sectors"}},
                 {}};
  for (const auto &E0 : S.kernels) {
    if (E0.heat) {
      for (const auto &E1 : E0.heat->objects) {
        T.Rows.push_back({cellOf(E0.id), cellOf(E1.object), cellOf(E1.sectors), cellOf(E1.words),
                          cellOf(E1.accesses), cellOf(E1.mean_word), cellOf(E1.max_word),
                          cellOf(E1.mean_sector), cellOf(E1.max_sector), cellOf(E1.hot_sectors),
                          cellOf(E1.falsely_shared_sectors), cellOf(E1.sparse_sectors)});
      }
    }
  }
  return T;
}

static DataTable cacheObjectsTable(const Summary &S) {
  DataTable T = {"cache_objects", "Traffic of kernels and objects in the simulated caches (--profile cache).",
                 "cache.kernels[].objects[]",
                 {{"kernel", ColumnType::Integer, "kernels.id", "cache.kernels[].kernel"},
                  {"object", ColumnType::Integer, "objects.id; null: not known", "object"},
                  {"name", ColumnType::Text, "of the object", "name"},
                  {"requests", ColumnType::Integer, "by warps", "traffic.requests"},
                  {"sectors", ColumnType::Integer, "of 32 bytes", "traffic.sectors"},
                  {"bytes_used", ColumnType::Integer, "of these", "traffic.bytes_used"},
                  {"traffic_share", ColumnType::Real, "of the sectors of the whole program", "traffic.traffic_share"},
                  {"l1_lookups", ColumnType::Integer, "of simulated lines", "traffic.l1_lookups"},
                  {"l1_hits", ColumnType::Integer, "", "traffic.l1_hits"},
                  {"lost_to_fences", ColumnType::Integer, "lookups of loads that fences keep from being hits", "traffic.lost_to_fences"},
                  {"l1_hit_rate", ColumnType::Real, "", "traffic.l1_hit_rate"},
                  {"l2_reads", ColumnType::Integer, "sectors, of simulated lines", "traffic.l2_reads"},
                  {"l2_writes", ColumnType::Integer, "", "traffic.l2_writes"},
                  {"l2_atomics", ColumnType::Integer, "", "traffic.l2_atomics"},
                  {"l2_hits", ColumnType::Integer, "of these three", "traffic.l2_hits"},
                  {"l2_hit_rate", ColumnType::Real, "", "traffic.l2_hit_rate"},
                  {"fetched_again", ColumnType::Integer, "of what L1 lacks: that it had and lost", "traffic.fetched_again"},
                  {"l2_bytes", ColumnType::Integer, "between L1 and L2", "traffic.l2_bytes"},
                  {"dram_bytes", ColumnType::Integer, "between L2 and DRAM", "traffic.dram_bytes"}},
                 {}};
  if (S.cache) {
    for (const auto &E0 : S.cache->kernels) {
      for (const auto &E1 : E0.objects) {
        T.Rows.push_back({cellOf(E0.kernel), cellOf(E1.object), cellOf(E1.name),
                          cellOf(E1.traffic.requests), cellOf(E1.traffic.sectors),
                          cellOf(E1.traffic.bytes_used), cellOf(E1.traffic.traffic_share),
                          cellOf(E1.traffic.l1_lookups), cellOf(E1.traffic.l1_hits),
                          cellOf(E1.traffic.lost_to_fences), cellOf(E1.traffic.l1_hit_rate),
                          cellOf(E1.traffic.l2_reads), cellOf(E1.traffic.l2_writes),
                          cellOf(E1.traffic.l2_atomics), cellOf(E1.traffic.l2_hits),
                          cellOf(E1.traffic.l2_hit_rate), cellOf(E1.traffic.fetched_again),
                          cellOf(E1.traffic.l2_bytes), cellOf(E1.traffic.dram_bytes)});
      }
    }
  }
  return T;
}

static DataTable cacheLinesTable(const Summary &S) {
  DataTable T = {"cache_lines", "Traffic by source line in the simulated caches (--profile cache).",
                 "cache.kernels[].lines[]",
                 {{"kernel", ColumnType::Integer, "kernels.id", "cache.kernels[].kernel"},
                  {"access", ColumnType::Text, "", "access"},
                  {"file", ColumnType::Text, "", "source.file"},
                  {"line", ColumnType::Integer, "", "source.line"},
                  {"function", ColumnType::Text, "function of the line", "function"},
                  {"requests", ColumnType::Integer, "by warps", "traffic.requests"},
                  {"sectors", ColumnType::Integer, "of 32 bytes", "traffic.sectors"},
                  {"bytes_used", ColumnType::Integer, "of these", "traffic.bytes_used"},
                  {"traffic_share", ColumnType::Real, "of the sectors of the whole program", "traffic.traffic_share"},
                  {"l1_lookups", ColumnType::Integer, "of simulated lines", "traffic.l1_lookups"},
                  {"l1_hits", ColumnType::Integer, "", "traffic.l1_hits"},
                  {"lost_to_fences", ColumnType::Integer, "lookups of loads that fences keep from being hits", "traffic.lost_to_fences"},
                  {"l1_hit_rate", ColumnType::Real, "", "traffic.l1_hit_rate"},
                  {"l2_reads", ColumnType::Integer, "sectors, of simulated lines", "traffic.l2_reads"},
                  {"l2_writes", ColumnType::Integer, "", "traffic.l2_writes"},
                  {"l2_atomics", ColumnType::Integer, "", "traffic.l2_atomics"},
                  {"l2_hits", ColumnType::Integer, "of these three", "traffic.l2_hits"},
                  {"l2_hit_rate", ColumnType::Real, "", "traffic.l2_hit_rate"},
                  {"fetched_again", ColumnType::Integer, "of what L1 lacks: that it had and lost", "traffic.fetched_again"},
                  {"l2_bytes", ColumnType::Integer, "between L1 and L2", "traffic.l2_bytes"},
                  {"dram_bytes", ColumnType::Integer, "between L2 and DRAM", "traffic.dram_bytes"}},
                 {}};
  if (S.cache) {
    for (const auto &E0 : S.cache->kernels) {
      for (const auto &E1 : E0.lines) {
        T.Rows.push_back({cellOf(E0.kernel), cellOf(E1.access), E1.source ? cellOf(E1.source->file)
                          : Cell(), E1.source ? line(E1.source->line) : Cell(), cellOf(E1.function),
                          cellOf(E1.traffic.requests), cellOf(E1.traffic.sectors),
                          cellOf(E1.traffic.bytes_used), cellOf(E1.traffic.traffic_share),
                          cellOf(E1.traffic.l1_lookups), cellOf(E1.traffic.l1_hits),
                          cellOf(E1.traffic.lost_to_fences), cellOf(E1.traffic.l1_hit_rate),
                          cellOf(E1.traffic.l2_reads), cellOf(E1.traffic.l2_writes),
                          cellOf(E1.traffic.l2_atomics), cellOf(E1.traffic.l2_hits),
                          cellOf(E1.traffic.l2_hit_rate), cellOf(E1.traffic.fetched_again),
                          cellOf(E1.traffic.l2_bytes), cellOf(E1.traffic.dram_bytes)});
      }
    }
  }
  return T;
}

static DataTable syncSitesTable(const Summary &S) {
  DataTable T = {"sync_sites", "Call sites of GPU APIs (--profile sync).",
                 "sync.sites[]",
                 {{"id", ColumnType::Integer, "index in the summary's sync.sites", ""},
                  {"api", ColumnType::Text, "", "api"},
                  {"file", ColumnType::Text, "", "source.file"},
                  {"line", ColumnType::Integer, "", "source.line"},
                  {"call_path", ColumnType::Integer, "frames.call_path", "call_path"},
                  {"calls", ColumnType::Integer, "", "calls"},
                  {"waits", ColumnType::Integer, "calls that can wait for the GPU", "waits"},
                  {"blocked", ColumnType::Integer, "that had to", "blocked"},
                  {"call_seconds", ColumnType::Real, "in the calls", "call_seconds"},
                  {"wait_seconds", ColumnType::Real, "waiting", "wait_seconds"},
                  {"unnecessary", ColumnType::Integer, "waits that nothing needs", "unnecessary"},
                  {"misplaced", ColumnType::Integer, "that come early", "misplaced"},
                  {"needed", ColumnType::Integer, "", "needed"},
                  {"copies", ColumnType::Integer, "", "copies"},
                  {"copied_bytes", ColumnType::Integer, "", "copied_bytes"},
                  {"duplicates", ColumnType::Integer, "copies of what was copied before", "duplicates"},
                  {"duplicate_bytes", ColumnType::Integer, "", "duplicate_bytes"},
                  {"benefit_seconds", ColumnType::Real, "avoidable: the lower of estimate and replay", ""}},
                 {}};
  if (S.sync) {
    for (const auto &E0 : S.sync->sites) {
      T.Rows.push_back({cellOf(&E0 - (S.sync->sites).data()), cellOf(E0.api), E0.source ?
                        cellOf(E0.source->file) : Cell(), E0.source ? line(E0.source->line) :
                        Cell(), cellOf(E0.call_path), cellOf(E0.calls), cellOf(E0.waits),
                        cellOf(E0.blocked), cellOf(E0.call_seconds), cellOf(E0.wait_seconds),
                        cellOf(E0.unnecessary), cellOf(E0.misplaced), cellOf(E0.needed),
                        cellOf(E0.copies), cellOf(E0.copied_bytes), cellOf(E0.duplicates),
                        cellOf(E0.duplicate_bytes), benefit(E0)});
    }
  }
  return T;
}

static DataTable syncStagesTable(const Summary &S) {
  DataTable T = {"sync_stages", "Runs of the program (--profile sync).",
                 "sync.stages[]",
                 {{"name", ColumnType::Text, "baseline, trace, memory or use", "name"},
                  {"seconds", ColumnType::Real, "", "seconds"},
                  {"exit_status", ColumnType::Integer, "", "exit_status"},
                  {"calls", ColumnType::Integer, "of GPU APIs", "calls"},
                  {"missing_calls", ColumnType::Integer, "that the traced run has", "missing_calls"},
                  {"additional_calls", ColumnType::Integer, "that it does not have", "additional_calls"}},
                 {}};
  if (S.sync) {
    for (const auto &E0 : S.sync->stages) {
      T.Rows.push_back({cellOf(E0.name), cellOf(E0.seconds), cellOf(E0.exit_status),
                        cellOf(E0.calls), cellOf(E0.missing_calls), cellOf(E0.additional_calls)});
    }
  }
  return T;
}

std::vector<DataTable> summaryTables(const Summary &S) {
  return {runTable(S), processesTable(S), devicesTable(S), gapsTable(S), spreadsTable(S), findingsTable(S),
          findingProcessesTable(S), objectsTable(S), framesTable(S), memoryPeaksTable(S),
          kernelsTable(S), launchesTable(S), sharedArraysTable(S), globalAccessesTable(S),
          objectAccessesTable(S), sitesTable(S), heatLinesTable(S), inlinedLinesTable(S),
          heatObjectsTable(S), cacheObjectsTable(S), cacheLinesTable(S), syncSitesTable(S),
          syncStagesTable(S)};
}

} // namespace gmprof
// clang-format on
