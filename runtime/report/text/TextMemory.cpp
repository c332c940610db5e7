//===- TextMemory.cpp - Memory in use in the report -----------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/text/TextPrinter.h"
#include <algorithm>
#include <set>

namespace gmprof::text {

using namespace summary;

std::string apiName(const std::string &Api) {
  constexpr size_t Widest = 40;
  return briefName(Api, Widest);
}

/// Lists the live objects at a peak.
void Printer::peak(const MemoryPeak &P) {
  Table T(ofObjects() ? std::set<size_t>{0, 1, 3, 4, 5, 6} : std::set<size_t>{0, 1, 3, 4});
  std::vector<std::string> Head = {"allocation", "kind", "bytes", "allocated", "freed"};
  if (ofObjects())
    Head.insert(Head.end() - 1, {"first use", "last use"});
  T.add(Head);
  const size_t Rows = shown(P.largest.size());
  for (size_t I = 0; I < Rows; ++I) {
    const Object &O = object(P.largest[I]);
    const std::string Extent = O.extent ? " " + extentText(*O.extent) : "";
    std::vector<std::string> Row = {label(O.id), O.kind + Extent, grouped(O.bytes),
                                    shortPosition(O.source),
                                    O.released == false ? "never"
                                    : O.free            ? shortPosition(O.free->source)
                                                        : "-"};
    if (ofObjects())
      for (const std::optional<Access> &A : {O.first_access, O.last_access})
        Row.insert(Row.end() - 1, A ? apiName(A->api) : "-");
    T.add(Row);
  }
  Text += T.text("  ");
  if (P.objects > Rows)
    line("  {} more", grouped(P.objects - Rows));
}

static std::string share(uint64_t Part, uint64_t Whole) {
  return fmt::format("{:.0f} %", 100.0 * static_cast<double>(Part) /
                                     static_cast<double>(std::max<uint64_t>(Whole, 1)));
}

void Printer::memory(const DeviceMemory &D) {
  if (D.peaks.empty())
    return;
  Text += '\n';
  const MemoryPeak &Highest = D.peaks.front();
  line("  device {}: peak {} in {}, first after {}", D.device, plural(D.peak_bytes, "byte"),
       plural(Highest.objects, "allocation"), secondsText(Highest.seconds));
  if (D.peak_bytes_after && *D.peak_bytes_after < D.peak_bytes)
    line("  {}",
         styled(Bold, fmt::format("achievable peak {} (-{}) with all fixes",
                                  plural(*D.peak_bytes_after, "byte"),
                                  share(D.peak_bytes - *D.peak_bytes_after, D.peak_bytes))));
  peak(Highest);
  if (!ofObjects())
    return;
  for (size_t I = 1; I < D.peaks.size(); ++I) {
    line("\n  another peak: {} in {}, after {}", plural(D.peaks[I].bytes, "byte"),
         plural(D.peaks[I].objects, "allocation"), secondsText(D.peaks[I].seconds));
    peak(D.peaks[I]);
  }
  if (D.bytes_at_end)
    line("\n  {}", S.run.complete ? fmt::format("{} never freed", plural(D.bytes_at_end, "byte"))
                                  : fmt::format("{} in use when the program ended early (no leak)",
                                                plural(D.bytes_at_end, "byte")));
}

void Printer::memory() {
  if (!S.memory || !(ofGlobalMemory() || ofObjects()))
    return;
  line("\n{}", styled(Bold, "Device memory"));
  for (const DeviceMemory &D : S.memory->devices)
    memory(D);
  pools();
  elements();
}

/// Prints the used part of each pool's slab.
void Printer::pools() {
  if (S.memory->pools.empty())
    return;
  Text += '\n';
  Table T({0});
  std::vector<std::string> Head = {"pool", "bytes", "parts", "peak in use", "never in use"};
  if (ofObjects())
    Head.emplace_back("achievable");
  T.add(Head);
  for (const PoolMemory &P : S.memory->pools) {
    std::vector<std::string> Row = {
        label(P.object), grouped(P.bytes), grouped(P.parts), grouped(P.peak_bytes),
        fmt::format("{} ({})", grouped(P.wasted_bytes), share(P.wasted_bytes, P.bytes))};
    if (ofObjects())
      Row.push_back(P.peak_bytes_after ? grouped(*P.peak_bytes_after) : "-");
    T.add(Row);
  }
  Text += T.text("  ");
}

/// Prints the used part of each object, the largest object first.
void Printer::elements() {
  std::vector<const Object *> Known;
  for (const Object &O : S.objects)
    if (O.elements)
      Known.push_back(&O);
  if (Known.empty())
    return;
  std::sort(Known.begin(), Known.end(), [](const Object *A, const Object *B) {
    return A->bytes != B->bytes ? A->bytes > B->bytes : A->id < B->id;
  });
  line("\n  elements that kernels access or copies read");
  Table T({0, 6});
  T.add({"object", "elements", "accessed", "fragmentation", "slices", "variation", "in"});
  for (size_t I = 0; I < shown(Known.size()); ++I) {
    const Elements &E = *Known[I]->elements;
    const ElementFrequencies *Uneven = nullptr;
    for (const ElementFrequencies &F : E.frequencies)
      if (!Uneven || F.variation.value > Uneven->variation.value)
        Uneven = &F;
    const auto Percent = [](double Share) { return fmt::format("{:.0f} %", 100 * Share); };
    // Unobserved accesses can only increase the number.
    const bool AtLeast = (E.sampled || !E.unseen_reason.empty()) && E.accessed != E.elements;
    std::string Kernel;
    for (const summary::Kernel &K : S.kernels)
      if (Uneven && K.id == Uneven->kernel)
        Kernel = shortName(K.demangled);
    T.add({label(Known[I]->id), grouped(E.elements),
           (AtLeast ? atLeast() : "") + (E.accessed_share < 0.01
                                             ? fmt::format("{:.2g} %", 100 * E.accessed_share)
                                             : Percent(E.accessed_share)),
           Percent(E.fragmentation), E.slices ? grouped(*E.slices) : "-",
           Uneven ? (Uneven->variation.at_least ? atLeast() : "") + Percent(Uneven->variation.value)
                  : "-",
           Kernel});
  }
  Text += T.text("  ");
  if (const size_t Left = Known.size() - shown(Known.size()))
    line("  {} more", grouped(Left));
}

} // namespace gmprof::text
