//===- TextFindings.cpp - What to change ----------------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/TextPrinter.h"
#include <variant>

namespace gmprof::text {

using namespace summary;

std::string patternOf(const Finding &F) {
  return F.kind.empty() ? F.pattern : F.pattern + "/" + F.kind;
}

/// Of device memory, of accesses to it, or of shared memory; empty: nothing.
std::string Printer::whatItSaves(const Finding &F) const {
  if (F.pattern == "nonuniform_access_frequency")
    return "";
  if (F.pattern == "poor_cache_locality")
    return fmt::format("spares {} of traffic {}", plural(F.bytes_saved, "byte"),
                       F.kind == "lost_in_l2" ? "between L2 and DRAM" : "between L1 and L2");
  if (F.origin == "drgpum") {
    if (F.bytes_saved == 0)
      return "does not lower the peak by itself";
    if (F.object && F.object->kind == "pool")
      return fmt::format("lowers the peak of its pool by {}", plural(F.bytes_saved, "byte"));
    std::string Saves = fmt::format("lowers the peak by {}", plural(F.bytes_saved, "byte"));
    if (S.memory && F.object)
      for (const DeviceMemory &D : S.memory->devices)
        if (D.device == object(F.object->id).device)
          Saves += fmt::format(" ({:.0f} %)",
                               100.0 * static_cast<double>(F.bytes_saved) /
                                   static_cast<double>(std::max<uint64_t>(D.peak_bytes, 1)));
    return Saves;
  }
  if (F.seconds_saved) {
    std::string Saves = fmt::format("expected to save {:.6f} s", *F.seconds_saved);
    if (S.sync && S.sync->wall_seconds)
      Saves += fmt::format(" ({:.1f} % of the program's time)",
                           100 * *F.seconds_saved / std::max(*S.sync->wall_seconds, 1e-9));
    for (const auto &[Name, Value] : F.evidence)
      if (const auto *Seconds = std::get_if<double>(&Value); Seconds && Name == "replay_seconds")
        Saves += fmt::format(", {:.6f} s by replaying the run", *Seconds);
    return Saves;
  }
  if (F.bytes_saved == 0)
    return "";
  if (F.object && !F.object->kind.starts_with("shared"))
    return fmt::format("spares accesses of {} of device memory", plural(F.bytes_saved, "byte"));
  return fmt::format("{} {} of shared memory per block",
                     F.severity == "info" ? "could free" : "frees", plural(F.bytes_saved, "byte"));
}

/// Of code without lines: its function, its file, or nothing.
std::string Printer::callerOf(uint32_t CallPath) const {
  if (CallPath < S.call_paths.size())
    for (const Frame &Each : S.call_paths[CallPath])
      if (!Each.function.empty() || !Each.image.empty())
        return fmt::format("{}{}", Each.function.empty() ? "code" : apiName(Each.function),
                           Each.image.empty() ? "" : " in " + basename(Each.image));
  return "";
}

/// Where there are several devices, programs have objects of the same name on each.
std::string Printer::whichDevice(const Object &O) const {
  return O.device && S.devices.size() > 1 ? fmt::format(" on device {}", *O.device) : "";
}

/// What it is about: an object, a kernel, a call.
std::string Printer::subjectOf(const Finding &F) const {
  std::string Subject = F.object ? F.object->name : "";
  if (F.object && Subject.empty())
    Subject = fmt::format("{} of {}", F.object->kind == "array" ? "array" : "object",
                          plural(object(F.object->id).bytes, "byte"));
  if (F.object)
    Subject += whichDevice(object(F.object->id));
  if (F.kernel)
    Subject += (Subject.empty() ? "" : " in ") + shortName(F.kernel->name);
  if (!Subject.empty()) {
    const std::optional<ObjectEvent> &Made =
        F.object ? object(F.object->id).alloc : std::optional<ObjectEvent>();
    if (F.source || F.kernel || !Made || !Made->call_path)
      return Subject;
    const std::string Caller = callerOf(*Made->call_path);
    return Caller.empty() ? Subject : Subject + ", made by " + Caller;
  }
  if (!F.site || !S.sync || *F.site >= S.sync->sites.size())
    return F.pattern;
  const SyncSite &Site = S.sync->sites[*F.site];
  const std::string Caller = F.source || !Site.call_path ? "" : callerOf(*Site.call_path);
  return Caller.empty() ? Site.api : Site.api + ", called by " + Caller;
}

/// By which calls the line's function was inlined.
void Printer::inlined(const Finding &F) {
  constexpr size_t Most = 2;
  const size_t Shown = std::min(F.inlined_at.size(), Most);
  for (size_t I = 0; I < Shown; ++I)
    paragraph("    ", "inlined: " + inlinePath(F.inlined_at[I]));
  if (const size_t Left = F.inlined_at.size() - Shown + F.inlined_omitted)
    line("    inlined: {}", plural(Left, "more path"));
}

void Printer::finding(const Finding &F) {
  Text += '\n';
  char Style = F.severity == "high" ? Red : F.severity == "medium" ? Yellow : Bold;
  line("{:>2}. {} {}{}", F.id, styled(Style, "[" + F.severity + "]"), styled(Bold, subjectOf(F)),
       F.source ? "  " + position(*F.source) : "");
  inlined(F);
  paragraph("    ", F.message);
  paragraph("    -> ", F.suggestion);

  std::vector<std::string> Facts = {patternOf(F)};
  if (std::string Saves = whatItSaves(F); !Saves.empty())
    Facts.push_back(std::move(Saves));
  if (std::string Which = processesOf(F); !Which.empty())
    Facts.push_back(std::move(Which));
  uint64_t Now = 0, Then = 0;
  for (const auto &[Name, Value] : F.evidence)
    if (const auto *N = std::get_if<uint64_t>(&Value)) {
      Now = Name == "blocks_per_sm" ? *N : Now;
      Then = Name == "blocks_per_sm_after" ? *N : Then;
    }
  if (Then > Now)
    Facts.push_back(fmt::format("{} per SM instead of {}", plural(Then, "block"), Now));
  else if (Now != 0 && F.severity != "info")
    Facts.push_back(fmt::format("as many blocks per SM as now ({})", Now));
  paragraph("    ", fmt::format("{}{}{}", Dim, fmt::join(Facts, ", "), Plain));
}

void Printer::findingsHeading() {
  line("\n{}", styled(Bold, "Findings, by what they save"));
  if (Options.LeftOut)
    line("{} left out, as asked", plural(Options.LeftOut, "finding"));
}

void Printer::findings() {
  if (S.findings.empty() && S.coverage.blocks.counted == 0 && !ofObjects() && !ofSync() &&
      !ofGlobalMemory())
    return; // what was said above is the reason
  if (S.findings.empty() && Options.LeftOut) {
    line("\nNo finding matches; {} left out, as asked", plural(Options.LeftOut, "finding"));
    return;
  }
  if (S.findings.empty()) {
    line("\nNo findings{}.", ofGlobalMemory() || ofObjects() || ofSync() || ofHeat()
                                 ? ""
                                 : ": all shared memory that was profiled is used");
    return;
  }
  findingsHeading();
  for (size_t I = 0; I < shown(S.findings.size()); ++I)
    finding(S.findings[I]);
  if (size_t Left = S.findings.size() - shown(S.findings.size()))
    line("\n{} more: --top 0 shows all", plural(Left, "finding"));
}

} // namespace gmprof::text
