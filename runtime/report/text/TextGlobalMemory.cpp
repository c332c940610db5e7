//===- TextGlobalMemory.cpp - Counts of global memory in the report -------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/text/TextPrinter.h"

namespace gmprof::text {

using namespace summary;

std::string Printer::nameInKernel(const GlobalObjectUse &U) const {
  return nameInKernel(U.object, fmt::format("{}", fmt::join(U.names, ", "))) +
         whichDevice(object(U.object));
}

/// A line for each object; kinds of accesses that the kernel does not have are left out.
void Printer::globalTable(const GlobalUse &G) {
  Table T({0});
  std::vector<std::string> Head = {"object", "bytes", "element", "elements", "touched"};
  std::vector<std::optional<GlobalAccesses> GlobalObjectUse::*> Kinds;
  uint64_t AtThreshold = 0;
  for (const auto &[Name, Kind] : KindsOfAccesses) {
    bool Any = false;
    for (const GlobalObjectUse &U : G.objects)
      if (U.*Kind) {
        Any = true;
        AtThreshold += (U.*Kind)->threshold_reached;
      }
    if (!Any)
      continue;
    Kinds.push_back(Kind);
    Head.insert(Head.end(), {Name, "max"});
  }
  if (AtThreshold)
    Head.push_back(atLeast() + grouped(uint64_t(G.threshold.value_or(0))));
  T.add(Head);
  for (const GlobalObjectUse &U : G.objects) {
    std::vector<std::string> Row = {nameInKernel(U), grouped(object(U.object).bytes),
                                    std::to_string(U.element_bytes), grouped(U.elements),
                                    grouped(U.touched)};
    uint64_t Reached = 0;
    for (auto Kind : Kinds) {
      const std::optional<GlobalAccesses> &A = U.*Kind;
      Row.push_back(A ? number(A->per_launch.mean) : "-");
      Row.push_back(A ? number(A->per_launch.max) : "-");
      Reached += A ? A->threshold_reached : 0;
    }
    if (AtThreshold)
      Row.push_back(grouped(Reached));
    T.add(Row);
  }
  Text += T.text("  ");
}

void Printer::globalObject(const GlobalObjectUse &U) {
  Text += '\n';
  std::vector<std::string> Totals;
  for (const auto &[Name, Kind] : KindsOfAccesses) {
    const std::optional<GlobalAccesses> &A = U.*Kind;
    if (!A)
      continue;
    std::string Total = number(A->accesses) + " " + Name;
    if (A->accesses_estimated.value > A->accesses.value)
      Total += fmt::format(" (about {} in all launches)", number(A->accesses_estimated));
    Total += relativeError(A->standard_error, A->accesses_estimated);
    Totals.push_back(std::move(Total));
  }
  line("  {}  {}", styled(Bold, nameInKernel(U)),
       Totals.empty() ? "no access" : fmt::format("{}", fmt::join(Totals, ", ")));
  for (const auto &[Name, Kind] : KindsOfAccesses) {
    const std::optional<GlobalAccesses> &A = U.*Kind;
    // If all elements have the same number, the table shows it.
    if (A && A->per_launch.min.value != A->per_launch.max.value)
      histogram(fmt::format("elements by {} per launch:", Name), A->per_launch.histogram);
  }
  if (!U.uncounted_reason.empty())
    paragraph("    ", "counts are lower bounds: " + U.uncounted_reason);
  sites(U.sites);
}

void Printer::globalMemory(const Kernel &K) {
  const GlobalUse &G = *K.global_memory;
  line("  global memory, accesses per element and launch, over {}:",
       plural(G.launches_profiled, "launch"));
  globalTable(G);
  std::vector<std::string> How;
  if (G.sites_by_closed_forms)
    How.push_back(fmt::format(
        "{} of {} described by closed forms, at no cost at run time{}", G.sites_by_closed_forms,
        plural(G.sites_by_closed_forms + G.sites_counted + G.sites_skipped, "instruction"),
        G.launches_by_closed_forms == G.launches_profiled
            ? ""
            : fmt::format(" (in {} of {})", G.launches_by_closed_forms,
                          plural(G.launches_profiled, "launch"))));
  if (G.counter_bytes)
    How.push_back(fmt::format(
        "counters used {} of device memory{}", bytesText(static_cast<double>(G.counter_bytes)),
        G.object_bytes
            ? fmt::format(" for {} of allocations", bytesText(static_cast<double>(G.object_bytes)))
            : ""));
  if (!How.empty())
    paragraph("  ", fmt::format("{}{}.{}", Dim, fmt::join(How, "; "), Plain));
  for (const GlobalObjectUse &U : G.objects)
    globalObject(U);
  if (!G.other_sites.empty()) {
    line("\n  {}", styled(Bold, "through pointers, to objects that only the run tells"));
    sites(G.other_sites);
  }
}

} // namespace gmprof::text
