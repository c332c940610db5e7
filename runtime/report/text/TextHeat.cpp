//===- TextHeat.cpp - Heat profiles in the report -------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/text/TextPrinter.h"
#include <algorithm>
#include <tuple>

namespace gmprof::text {

using namespace summary;

static std::string ratio(uint64_t A, uint64_t B) {
  return B == 0 ? "-" : fmt::format("{:.2f}", static_cast<double>(A) / static_cast<double>(B));
}

static std::string percent(uint64_t Part, uint64_t Of) {
  return Part == 0 || Of == 0
             ? "-"
             : fmt::format("{:.0f} %", 100.0 * static_cast<double>(Part) / static_cast<double>(Of));
}

std::string Printer::nameInKernel(uint32_t Id, const std::string &Name) const {
  const std::string &Label = label(Id);
  const std::string Here = labelInKernel(Name, object(Id).name);
  if (Name.empty() || Label.starts_with(Here))
    return Label;
  const size_t Number = Label.rfind(" #");
  return Number == std::string::npos ? Here : Here + Label.substr(Number);
}

template <typename Access> static auto orderOf(const Access &A) {
  return std::make_tuple(A.source ? A.source->line : 0, A.column, A.access);
}

/// Returns the reasons for additional sectors.
static std::string why(const HeatAccess &A) {
  std::vector<std::string> Reasons;
  if (A.misaligned)
    Reasons.push_back("misaligned " + percent(A.misaligned, A.requests));
  if (A.stride && A.sectors > A.ideal_sectors)
    Reasons.push_back(fmt::format("stride {:.0f}", *A.stride));
  return fmt::format("{}", fmt::join(Reasons, ", "));
}

namespace {

/// Accesses with the names of their objects.
template <typename Access> struct Lines {
  struct Line {
    std::string Name;
    const Access *Of;
  };
  std::vector<Line> All;
  uint64_t Omitted = 0; ///< that the summary left out

  void add(const std::string &Name, const std::vector<Access> &Some, uint64_t LeftOut) {
    for (const Access &A : Some)
      All.push_back({Name, &A});
    Omitted += LeftOut;
  }
  /// Sorts accesses by cost, in descending order.
  void sortBy(uint64_t Access::*Cost) {
    std::sort(All.begin(), All.end(), [&](const Line &A, const Line &B) {
      return A.Of->*Cost != B.Of->*Cost ? A.Of->*Cost > B.Of->*Cost
                                        : orderOf(*A.Of) < orderOf(*B.Of);
    });
  }
};

} // namespace

void Printer::coalescing(const HeatUse &H) {
  Lines<HeatAccess> Found;
  for (const HeatObject &O : H.objects)
    Found.add(nameInKernel(O.object, O.name), O.lines, O.lines_omitted);
  Found.add("?", H.other_lines, H.other_lines_omitted);
  if (Found.All.empty())
    return;
  Found.sortBy(&HeatAccess::sectors);
  line("\n  {}, 32-byte sectors per request:", styled(Bold, "coalescing"));
  Table T({0, 1, 2, 7});
  T.add({"line", "access", "object", "requests", "sectors", "ideal", "bytes used", ""});
  for (size_t I = 0; I < shown(Found.All.size()); ++I) {
    const HeatAccess &A = *Found.All[I].Of;
    T.add({shortPosition(A.source), A.access, Found.All[I].Name, grouped(A.requests),
           ratio(A.sectors, A.requests), ratio(A.ideal_sectors, A.requests),
           percent(A.bytes_used, A.sectors * 32), why(A)});
  }
  T.add({"all", "", "", grouped(H.requests), ratio(H.sectors, H.requests),
         ratio(H.ideal_sectors, H.requests), percent(H.bytes_used, H.sectors * 32), ""});
  Text += T.text("  ");
  if (const uint64_t Left = Found.Omitted + Found.All.size() - shown(Found.All.size()))
    line("  {} more with fewer sectors{}", plural(Left, "access"),
         Found.Omitted == Left ? "" : ": --top 0 shows all");
}

void Printer::temperatures(const HeatUse &H) {
  if (H.objects.empty())
    return;
  line("\n  {}, warps (of {}) that access a word, a sector:", styled(Bold, "temperatures"),
       H.warps_per_block);
  Table T({0});
  T.add({"object", "sectors", "word", "max", "sector", "max", "hot", "falsely shared", "sparse"});
  for (size_t I = 0; I < shown(H.objects.size()); ++I) {
    const HeatObject &O = H.objects[I];
    T.add({nameInKernel(O.object, O.name), grouped(O.sectors), fmt::format("{:.2f}", O.mean_word),
           std::to_string(O.max_word), fmt::format("{:.2f}", O.mean_sector),
           std::to_string(O.max_sector), percent(O.hot_sectors, O.sectors),
           percent(O.falsely_shared_sectors, O.sectors), percent(O.sparse_sectors, O.sectors)});
  }
  Text += T.text("  ");
  if (const uint64_t Left = H.objects_omitted + H.objects.size() - shown(H.objects.size()))
    line("  {} more with fewer sectors", plural(Left, "object"));
}

void Printer::bankConflicts(const HeatUse &H) {
  Lines<BankAccess> Found;
  for (const HeatArray &A : H.arrays)
    Found.add(nameInKernel(A.object, ""), A.lines, A.lines_omitted);
  Found.add("?", H.other_shared_lines, H.other_shared_lines_omitted);
  if (Found.All.empty())
    return;
  Found.sortBy(&BankAccess::wavefronts);
  line("\n  {}, wavefronts per request of shared memory:", styled(Bold, "bank conflicts"));
  Table T({0, 1, 2});
  T.add({"line", "access", "array", "requests", "wavefronts", "ideal", "in excess"});
  for (size_t I = 0; I < shown(Found.All.size()); ++I) {
    const BankAccess &B = *Found.All[I].Of;
    T.add({shortPosition(B.source), B.access, Found.All[I].Name, grouped(B.requests),
           ratio(B.wavefronts, B.requests), ratio(B.ideal_wavefronts, B.requests),
           percent(B.wavefronts - std::min(B.wavefronts, B.ideal_wavefronts), B.wavefronts)});
  }
  Text += T.text("  ");
  if (const uint64_t Left = Found.Omitted + Found.All.size() - shown(Found.All.size()))
    line("  {} more with fewer wavefronts", plural(Left, "access"));

  line("\n  {}, words of the first sampled block, by who accesses them:",
       styled(Bold, "shared memory"));
  Table Words({0});
  Words.add({"array", "one thread", "one warp", "several warps"});
  for (const HeatArray &A : H.arrays)
    Words.add({nameInKernel(A.object, ""), grouped(A.words_of_thread), grouped(A.words_of_warp),
               grouped(A.words_of_warps)});
  Text += Words.text("  ");
}

void Printer::heat(const Kernel &K) {
  const HeatUse &H = *K.heat;
  line("  {} of {} sampled, in {}:", grouped(H.blocks_sampled), plural(H.blocks_launched, "block"),
       plural(H.launches_sampled, "launch"));
  coalescing(H);
  temperatures(H);
  bankConflicts(H);
  if (H.instructions_by_closed_forms)
    paragraph("  ",
              fmt::format("{} of {} have closed forms and cost nothing at run time.",
                          H.instructions_by_closed_forms, plural(H.instructions, "instruction")));
  if (const uint64_t All = H.requests + H.shared_requests,
      OfPtx = H.requests_of_ptx + H.shared_requests_of_ptx;
      OfPtx != 0)
    paragraph("  ",
              fmt::format("{} of the requests have the width of PTX: {}.",
                          percentText(double(OfPtx) / double(All)),
                          OfPtx == All ? "the machine code is not known"
                                       : "the machine code has other instructions at their lines"));
  if (H.not_inlined_requests)
    paragraph("  ", fmt::format("{} of functions that are not inlined are not in these tables.",
                                plural(H.not_inlined_requests, "request")));
}

/// Returns a name of summary.json as words: run time.
static std::string words(std::string Name) {
  std::ranges::replace(Name, '_', ' ');
  return Name;
}

void Printer::machineMemory(const MachineMemory &M) {
  line("\n  {}, instructions of the machine code (sm_{}):",
       styled(Bold, "local memory, constants and textures"), M.architecture);
  Table T({0, 1, 2, 5});
  T.add({"line", "instruction", "variable", "bytes", "instructions", "index"});
  for (size_t I = 0; I < shown(M.instructions.size()); ++I) {
    const CodeInstruction &C = M.instructions[I];
    T.add({shortPosition(C.source), words(C.instruction),
           C.variable.empty() ? "-"
           : C.type.empty()   ? C.variable
                              : fmt::format("{} ({})", C.variable, C.type),
           C.bytes == 0 ? "-" : std::to_string(C.bytes), grouped(C.count),
           C.index == "unknown" ? "" : words(C.index)});
  }
  Text += T.text("  ");
  if (const uint64_t Left =
          M.instructions_omitted + M.instructions.size() - shown(M.instructions.size()))
    line("  {} more{}", plural(Left, "line"),
         M.instructions_omitted == Left ? "" : ": --top 0 shows all");
  if (M.frame_bytes != 0)
    paragraph("  ",
              fmt::format("Each thread has {} of local memory. How often the instructions are "
                          "executed is not counted.",
                          plural(M.frame_bytes, "byte")));
}

} // namespace gmprof::text
