//===- TextMemory.cpp - Memory in use in the report -----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/TextPrinter.h"
#include <set>

namespace gmprof::text {

using namespace summary;

/// Its variable's, or those of the kernels' parameters that point there.
std::string Printer::knownName(uint32_t Id) const {
  std::set<std::string> Names;
  for (const Kernel &K : S.kernels)
    if (K.global_memory)
      for (const GlobalObjectUse &U : K.global_memory->objects)
        if (U.object == Id)
          Names.insert(U.names.begin(), U.names.end());
  if (!object(Id).name.empty())
    return object(Id).name;
  return Names.empty() ? fmt::format("object {}", Id) : fmt::format("{}", fmt::join(Names, ", "));
}

/// The most that was alive at a time, and what it consisted of.
void Printer::memory(const DeviceMemory &D) {
  Text += '\n';
  line("  device {}: at most {} in {}, first after {:.3f} s", D.device,
       plural(D.peak_bytes, "byte"), plural(D.objects_at_peak, "object"), D.peak_seconds);
  Table T({0, 1, 3, 4});
  T.add({"object", "kind", "bytes", "made", "released"});
  size_t Rows = shown(D.largest_at_peak.size());
  for (size_t I = 0; I < Rows; ++I) {
    const Object &O = object(D.largest_at_peak[I]);
    T.add({knownName(O.id), O.kind, grouped(O.bytes), shortPosition(O.source),
           O.released == false ? "never"
           : O.free            ? shortPosition(O.free->source)
                               : "-"});
  }
  Text += T.text("  ");
  if (D.objects_at_peak > Rows)
    line("  and {} more", grouped(D.objects_at_peak - Rows));
}

void Printer::memory() {
  if (!S.memory || !ofGlobalMemory())
    return;
  line("\n{}", styled(Bold, "Device memory"));
  for (const DeviceMemory &D : S.memory->devices)
    memory(D);
}

} // namespace gmprof::text
