//===- RunTables.cpp - Tables of the run and its findings -----------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/formats/TableGroups.h"
#include "report/model/Measures.h"
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gmprof {

using namespace summary;

static DataTable runTable(const Summary &S) {
  const Run &R = S.run;
  return {"run",
          "The profiled run: one row.",
          "run",
          {{"command", Text, "program and arguments"},
           {"host", Text, "where"},
           {"pid", Int, "process id"},
           {"rank", Int, "in an MPI job"},
           {"start", Text, "UTC"},
           {"wall_seconds", Real, "run time"},
           {"exit_status", Int, "128 + signal if one killed it"},
           {"complete", Int, "1: it ran to its end"},
           {"device", Text, "gpu or cpu"},
           {"version", Text, "of GMProf", "tool.version"},
           {"config", Text, "the options in effect, JSON"},
           {"whole", Int, "1: everything was profiled", "coverage.whole"}},
          {{fmt::format("{}", fmt::join(R.command, " ")), R.host, R.pid, R.rank, R.start,
            R.wall_seconds, R.exit_status, R.complete, R.device, S.tool.version, S.config.text,
            S.coverage.whole}}};
}

static DataTable processesTable(const Summary &S) {
  DataTable T = {"processes",
                 "Processes of a merged summary.",
                 "processes.list[]",
                 {{"id", Int, "index, as in spreads and finding_processes", ""},
                  {"rank", Int, "in the MPI job"},
                  {"host", Text, "where"},
                  {"pid", Int, "process id"},
                  {"path", Text, "its summary"},
                  {"wall_seconds", Real, "run time"},
                  {"exit_status", Int, ""},
                  {"complete", Int, "1: it ran to its end"},
                  {"whole", Int, "1: everything was profiled"},
                  {"findings", Int, "number of findings"}},
                 {}};
  if (S.processes)
    for (const MergedProcess &P : S.processes->list)
      T.Rows.push_back({T.Rows.size(), P.rank, P.host, P.pid, P.path, P.wall_seconds, P.exit_status,
                        P.complete, P.whole, P.findings});
  return T;
}

static DataTable spreadsTable(const Summary &S) {
  DataTable T = {"spreads",
                 "Numbers over the processes of a merged summary.",
                 "processes.measures[]",
                 {{"name", Text, "as in measures"},
                  {"of", Text, "kernel, kernel.object or device; empty: the whole run"},
                  {"unit", Text, "bytes, seconds or empty"},
                  {"processes", Int, "number of processes that have it"},
                  {"min", Real, ""},
                  {"min_process", Int, "processes.id"},
                  {"mean", Real, ""},
                  {"max", Real, ""},
                  {"max_process", Int, "processes.id"},
                  {"deviation", Real, "standard deviation"},
                  {"outliers", Int, "number of outliers", ""}},
                 {}};
  if (S.processes)
    for (const Spread &Each : S.processes->measures)
      T.Rows.push_back({Each.name, Each.of, Each.unit, Each.processes, Each.min, Each.min_process,
                        Each.mean, Each.max, Each.max_process, Each.deviation,
                        Each.outliers.size()});
  return T;
}

static DataTable devicesTable(const Summary &S) {
  DataTable T = {"devices",
                 "Devices that the program used.",
                 "devices[]",
                 {{"id", Int, ""},
                  {"name", Text, ""},
                  {"compute_capability", Text, ""},
                  {"attributes", Text, "JSON"}},
                 {}};
  for (const Device &D : S.devices)
    T.Rows.push_back({D.id, D.name, D.compute_capability, D.attributes.text});
  return T;
}

static DataTable gapsTable(const Summary &S) {
  DataTable T = {"gaps",
                 "Everything that was not profiled.",
                 "coverage.kernels.not_instrumented[], coverage.launches.reasons[], "
                 "coverage.accesses.skipped[], coverage.gaps[]",
                 {{"what", Text, "kernels, launches, accesses, records and so on"},
                  {"kernel", Text, "if of a single kernel"},
                  {"reason", Text, ""},
                  {"count", Int, "number"}},
                 {}};
  for (const NotInstrumented &N : S.coverage.kernels.not_instrumented)
    T.Rows.push_back({"kernels", N.name, N.reason, 1});
  for (const ReasonCount &R : S.coverage.launches.reasons)
    T.Rows.push_back({"launches", R.kernel, R.reason, R.count});
  for (const SkippedSite &Site : S.coverage.accesses.skipped)
    T.Rows.push_back({"accesses", Site.kernel, Site.reason, 1});
  for (const Gap &G : S.coverage.gaps)
    T.Rows.push_back({G.what, Cell(), G.reason, G.count});
  return T;
}

static DataTable measuresTable(const Summary &S) {
  DataTable T = {"measures",
                 "Numbers that gmreport diff and check use.",
                 "",
                 {{"name", Text, ""},
                  {"of", Text, "kernel, kernel.object or device; empty: the whole run"},
                  {"value", Real, "bytes, seconds or a count"}},
                 {}};
  for (const Measure &M : measuresOf(S))
    T.Rows.push_back({M.Name, M.Of, M.Value});
  return T;
}

static DataTable findingsTable(const Summary &S) {
  DataTable T = {"findings",
                 "Findings: problems and fixes.",
                 "findings[]",
                 {{"id", Int, "as reports number it"},
                  {"severity", Text, "high, medium, low or info"},
                  {"pattern", Text, "as in docs/patterns.md"},
                  {"kind", Text, "of the pattern, if it has several"},
                  {"object", Int, "objects.id", "object.id"},
                  {"object_name", Text, "", "object.name"},
                  {"kernel", Int, "kernels.id", "kernel.id"},
                  {"kernel_name", Text, "", "kernel.name"},
                  {"site", Int, "sync_sites.id"},
                  {"file", Text, "", "source.file"},
                  {"line", Int, "", "source.line"},
                  {"bytes_saved", Int, ""},
                  {"seconds_saved", Real, ""},
                  {"message", Text, ""},
                  {"suggestion", Text, ""},
                  {"fingerprint", Text, "identifies it across rebuilds"}},
                 {}};
  for (const Finding &F : S.findings)
    T.Rows.push_back(
        {F.id, F.severity, F.pattern, F.kind, F.object ? Cell(F.object->id) : Cell(),
         F.object ? Cell(F.object->name) : Cell(), F.kernel ? Cell(F.kernel->id) : Cell(),
         F.kernel ? Cell(F.kernel->name) : Cell(), F.site, fileOf(F.source), lineOf(F.source),
         F.bytes_saved, F.seconds_saved, F.message, F.suggestion, F.fingerprint});
  return T;
}

static DataTable evidenceTable(const Summary &S) {
  DataTable T = {"evidence",
                 "Evidence of the findings.",
                 "findings[].evidence",
                 {{"finding", Int, "findings.id", "findings[].id"},
                  {"name", Text, "", ""},
                  {"number", Real, "null: it is a text", ""},
                  {"text", Text, "null: it is a number", ""}},
                 {}};
  for (const Finding &F : S.findings)
    for (const auto &[Name, Value] : F.evidence) {
      Cell Number, Words;
      if (const auto *N = std::get_if<uint64_t>(&Value))
        Number = *N;
      else if (const auto *X = std::get_if<double>(&Value))
        Number = *X;
      else if (const auto *B = std::get_if<bool>(&Value))
        Number = *B;
      else
        Words = std::get<std::string>(Value);
      T.Rows.push_back({F.id, Name, Number, Words});
    }
  return T;
}

static DataTable findingProcessesTable(const Summary &S) {
  DataTable T = {
      "finding_processes",
      "Processes of a merged summary that have a finding.",
      "processes.findings[]",
      {{"fingerprint", Text, "of findings"}, {"process", Int, "processes.id", "processes[]"}},
      {}};
  if (S.processes)
    for (const MergedFinding &F : S.processes->findings)
      for (uint32_t P : F.processes)
        T.Rows.push_back({F.fingerprint, P});
  return T;
}

std::vector<DataTable> runTables(const Summary &S) {
  return {runTable(S),      processesTable(S), devicesTable(S),
          gapsTable(S),     measuresTable(S),  spreadsTable(S),
          findingsTable(S), evidenceTable(S),  findingProcessesTable(S)};
}

} // namespace gmprof
