//===- LocalMemory.cpp - Finds arrays and spills in local memory ----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers have no addresses: an array whose index is known at run time only is in local memory,
// which is device memory behind the caches, and so are values that ptxas finds no register for
// (NVIDIA, CUDA C++ Best Practices Guide, "Local Memory"). The kernel's machine code tells which
// ones are; how often its instructions are executed is not known.
//
//===----------------------------------------------------------------------===//

#include "analysis/Wording.h"
#include "analysis/heat/HeatPatterns.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>

namespace gmprof::analysis {

using namespace profile;

static constexpr uint32_t MostRegisters = 255; ///< of a thread

namespace {

/// Instructions of local memory that belong to one variable, or spills.
struct Traffic {
  uint64_t Loads = 0, Stores = 0, Narrow = 0;
  std::map<GmprofIndex, std::set<std::pair<std::string, unsigned>>> Lines; ///< by index

  uint64_t instructions() const { return Loads + Stores; }

  void add(const CodeInstruction &I) {
    (I.Kind == GMPROF_INSTRUCTION_LOCAL_LOAD ? Loads : Stores) += I.Count;
    Narrow += I.Bytes < 4 ? I.Count : 0;
    Lines[I.Index].emplace(I.Source.File, I.Source.Line);
  }
};

/// The largest block and its shared memory over a kernel's launches.
struct Blocks {
  uint64_t Launches = 0, Threads = 0, SharedBytes = 0;
};

} // namespace

static std::map<uint32_t, Blocks> blocksOf(const Profile &P) {
  std::map<uint32_t, Blocks> Found;
  for (const Launch &L : P.Launches) {
    Blocks &B = Found[L.Kernel];
    B.Launches += L.Times;
    B.Threads = std::max(B.Threads, uint64_t(L.Block[0]) * L.Block[1] * L.Block[2]);
    B.SharedBytes = std::max(B.SharedBytes, uint64_t(P.Kernels[L.Kernel].StaticSharedBytes) +
                                                L.DynamicSharedBytes);
  }
  return Found;
}

/// Formats the lines as "a.cu:6, 8".
static std::string linesText(const std::set<std::pair<std::string, unsigned>> &Lines) {
  std::string Text, Last;
  for (const auto &[File, Line] : Lines) {
    if (Line == 0)
      continue;
    Text += Text.empty() ? "" : ", ";
    if (File != Last)
      Text += File.substr(File.rfind('/') + 1) + ":";
    Text += std::to_string(Line);
    Last = File;
  }
  return Text.empty() ? Text : " (" + Text + ")";
}

static std::string countText(const Traffic &T) {
  std::string Text = fmt::format("{} and {} in the machine code (ideal 0)", plural(T.Loads, "load"),
                                 plural(T.Stores, "store"));
  if (T.Narrow * 2 >= T.instructions())
    Text += fmt::format(", {} of 1 or 2 bytes", grouped(T.Narrow));
  return Text;
}

/// Returns true for the array in which sin, cos and tan of CUDA's math library reduce a large
/// argument: 7 words, or 5 of 64 bits. It has no name in a kernel whose other variables have
/// theirs.
static bool isOfMathLibrary(const Descriptor &Desc, const Variable &V) {
  const bool HasSize =
      (V.ElementBytes == 4 && V.Bytes == 28) || (V.ElementBytes == 8 && V.Bytes == 40);
  return HasSize && V.Name == "local memory" &&
         std::ranges::any_of(Desc.Variables, [](const Variable &Other) {
           return !Other.Name.empty() && Other.Name != "local memory" &&
                  !Other.Name.starts_with("argument ");
         });
}

/// Returns the change that keeps an array out of local memory, whatever its indices are.
static std::string otherPlace(const Variable &V, const Blocks &B) {
  constexpr uint64_t FewElements = 16, StaticSharedBytes = 48 << 10;
  const std::string Name = quotedName(V.Name);
  const uint64_t Elements = V.ElementBytes == 0 ? 0 : V.Bytes / V.ElementBytes;
  if (Elements != 0 && Elements <= FewElements)
    return fmt::format("Keep {} in registers: replace the index by comparisons in a fully unrolled "
                       "loop over its {} (if (i == index) …).",
                       Name, plural(Elements, "element"));
  const uint64_t Bytes = V.Bytes * B.Threads;
  if (B.SharedBytes + Bytes <= StaticSharedBytes)
    return fmt::format("Keep {} in shared memory, {} per block with the number of the thread as "
                       "the last index, provided that no block has more than {} and that the "
                       "kernel gains more than it loses by fewer blocks per SM.",
                       Name, bytesText(static_cast<double>(Bytes)), plural(B.Threads, "thread"));
  return fmt::format("Give {} fewer bytes per thread, provided that its values fit: shared memory "
                     "has no room for {} per block.",
                     Name, bytesText(static_cast<double>(Bytes)));
}

static Finding newFinding(const Profile &P, uint32_t Kernel, const Traffic &T, const Blocks &B) {
  Finding F;
  F.Pattern = "local_memory";
  F.Origin = "gmprof";
  F.Kernel = Kernel;
  F.Source = P.Kernels[Kernel].Desc->Source;
  F.Evidence = {{"local_loads", T.Loads},          {"local_stores", T.Stores},
                {"narrow_instructions", T.Narrow}, {"frame_bytes", P.Machine.at(Kernel).FrameBytes},
                {"threads_per_block", B.Threads},  {"launches", B.Launches}};
  return F;
}

/// Returns the severity of a frame: an SM has 2048 threads and 256 KiB of L1, 128 bytes per thread.
static Severity severityOfBytes(uint64_t Bytes) {
  return Bytes >= 128 ? Severity::Medium : Severity::Low;
}

/// Returns the finding about the array of the math library.
static Finding ofMathLibrary(const Profile &P, uint32_t Kernel, const Variable &V, const Traffic &T,
                             const Blocks &B) {
  const bool IsFloat = V.ElementBytes == 4;
  std::set<std::pair<std::string, unsigned>> Lines;
  for (const auto &[Index, Some] : T.Lines)
    Lines.insert(Some.begin(), Some.end());
  Finding F = newFinding(P, Kernel, T, B);
  F.Kind = "math_library";
  F.ObjectBytes = V.Bytes;
  F.Level = Severity::Info;
  F.Message =
      fmt::format("{} of CUDA's math library{} keep {} per thread in local memory, with {}.",
                  IsFloat ? "sinf, cosf or tanf" : "sin, cos or tan", linesText(Lines),
                  bytesText(static_cast<double>(V.Bytes)), countText(T));
  F.Suggestion = fmt::format("They access it for arguments above {} only: reduce such arguments "
                             "first, or pass multiples of pi to {}.",
                             IsFloat ? "105,615" : "2,147,483,648",
                             IsFloat ? "sinpif and cospif" : "sinpi and cospi");
  return F;
}

/// Returns the finding about an array; nothing if it is not known why the array is in local memory.
static std::optional<Finding> array(const Profile &P, uint32_t Kernel, const Variable &V,
                                    const Traffic &T, const Blocks &B) {
  const bool AtRunTime = T.Lines.contains(GMPROF_INDEX_RUN_TIME);
  if (!AtRunTime && !T.Lines.contains(GMPROF_INDEX_LOOP))
    return std::nullopt;
  if (isOfMathLibrary(*P.Kernels[Kernel].Desc, V))
    return ofMathLibrary(P, Kernel, V, T, B);
  constexpr uint64_t RegisterBytes = 4;
  const bool FitsRegisters = V.Bytes / RegisterBytes + P.Kernels[Kernel].Registers <= MostRegisters;
  Finding F = newFinding(P, Kernel, T, B);
  F.Kind = AtRunTime ? "run_time_index" : "loop_index";
  F.Object = V.Name;
  F.ObjectBytes = V.Bytes;
  if (V.Source.Line != 0)
    F.Source = V.Source;
  F.Level = severityOfBytes(V.Bytes);
  // A variable of a function is no object of the summary.
  if (!V.Name.empty())
    F.Evidence.emplace_back("variable", V.Name);
  const std::string Name = quotedName(V.Name);
  F.Message =
      fmt::format("{} of {} per thread are in local memory, with {}: {}{}.",
                  bytesText(static_cast<double>(V.Bytes)), Name, countText(T),
                  AtRunTime ? "an index is known at run time only"
                            : "the loops over it are not completely unrolled",
                  linesText(T.Lines.at(AtRunTime ? GMPROF_INDEX_RUN_TIME : GMPROF_INDEX_LOOP)));
  F.Suggestion = !AtRunTime && FitsRegisters
                     ? fmt::format("Unroll these loops completely (#pragma unroll): their indices "
                                   "become constants, so that {} can be in registers.",
                                   Name)
                     : otherPlace(V, B);
  return F;
}

static Finding spill(const Profile &P, uint32_t Kernel, const Traffic &T, const Blocks &B) {
  Finding F = newFinding(P, Kernel, T, B);
  const uint64_t Bytes = P.Machine.at(Kernel).FrameBytes;
  const uint32_t Registers = P.Kernels[Kernel].Registers;
  F.Kind = "spill";
  F.Level = severityOfBytes(Bytes);
  F.Message = fmt::format("ptxas spills registers: {} per thread in local memory, with {}.",
                          bytesText(static_cast<double>(Bytes)), countText(T));
  F.Suggestion =
      Registers != 0 && Registers < MostRegisters
          ? fmt::format(
                "Allow more than {} per thread: remove -maxrregcount, or lower the second "
                "argument of __launch_bounds__, provided that the kernel gains more than it "
                "loses by fewer blocks per SM.",
                plural(Registers, "register"))
          : "Split the kernel, or shorten live ranges: compute values where they are used, and "
            "unroll loops less.";
  return F;
}

std::vector<Finding> localMemory(const Profile &P) {
  std::vector<Finding> Found;
  if (!P.TheRun.records("heat"))
    return Found;
  const std::map<uint32_t, Blocks> AllBlocks = blocksOf(P);
  for (const auto &[Kernel, Machine] : P.Machine) {
    const auto B = AllBlocks.find(Kernel);
    if (B == AllBlocks.end())
      continue;
    std::map<uint32_t, Traffic> ByVariable;
    Traffic Spills;
    for (const CodeInstruction &I : Machine.Instructions) {
      if (I.Kind != GMPROF_INSTRUCTION_LOCAL_LOAD && I.Kind != GMPROF_INSTRUCTION_LOCAL_STORE)
        continue;
      if (I.Variable != None)
        ByVariable[I.Variable].add(I);
      else if (I.Index == GMPROF_INDEX_SPILL)
        Spills.add(I);
    }
    for (const auto &[Number, T] : ByVariable)
      if (std::optional<Finding> F =
              array(P, Kernel, P.Kernels[Kernel].Desc->Variables[Number], T, B->second))
        Found.push_back(std::move(*F));
    if (Spills.instructions() != 0)
      Found.push_back(spill(P, Kernel, Spills, B->second));
  }
  setFingerprints(Found, P);
  return Found;
}

} // namespace gmprof::analysis
