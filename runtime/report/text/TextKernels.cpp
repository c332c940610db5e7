//===- TextKernels.cpp - Kernels in the report ----------------------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/text/TextPrinter.h"
#include <algorithm>
#include <set>
#include <tuple>

namespace gmprof::text {

using namespace summary;

/// Returns ", 12 % of the kernel time", or nothing.
static std::string timeShareOf(const std::vector<const Kernel *> &Kernels) {
  double Share = 0;
  bool Known = false, Instrumented = false;
  for (const Kernel *K : Kernels)
    if (K->seconds && (!K->seconds->instrumented || K->seconds->share < 1)) {
      Known = true;
      Share += K->seconds->share;
      Instrumented |= K->seconds->instrumented;
    }
  return Known ? fmt::format(", {}{} of the kernel time", Instrumented ? "at most " : "",
                             percentText(std::min(Share, 1.0)))
               : "";
}

namespace {

/// Kernels that the first screen does not tell apart.
struct KernelsOfName {
  std::string Name;
  std::vector<const Kernel *> Kernels;

  std::string text() const {
    uint64_t Launches = 0;
    for (const Kernel *K : Kernels)
      Launches += K->launch_counts.seen;
    return fmt::format("{} ({}{}{})", Name, plural(Launches, "launch"),
                       Kernels.size() == 1 ? "" : fmt::format(" of {} instances", Kernels.size()),
                       timeShareOf(Kernels));
  }
};

} // namespace

/// Returns the kernels with the most time, or the most launches; empty if none was launched.
std::string Printer::launchedKernels() const {
  std::vector<const Kernel *> Launched;
  for (const Kernel &K : S.kernels)
    if (K.launch_counts.seen)
      Launched.push_back(&K);
  if (Launched.empty())
    return "";
  std::sort(Launched.begin(), Launched.end(), [](const Kernel *A, const Kernel *B) {
    const double OurTime = A->seconds ? A->seconds->total : 0,
                 TheirTime = B->seconds ? B->seconds->total : 0;
    if (OurTime != TheirTime)
      return OurTime > TheirTime;
    const uint64_t Ours = A->launch_counts.seen, Theirs = B->launch_counts.seen;
    return Ours != Theirs ? Ours > Theirs : A->id < B->id;
  });
  // Instances of a template can have the same brief name.
  std::vector<KernelsOfName> ByName;
  for (const Kernel *K : Launched) {
    const std::string Name = apiName(K->demangled);
    auto It = std::ranges::find(ByName, Name, &KernelsOfName::Name);
    if (It == ByName.end())
      It = ByName.insert(It, {Name, {}});
    It->Kernels.push_back(K);
  }
  constexpr size_t Named = 4;
  std::vector<std::string> Names;
  for (size_t I = 0; I < std::min(Named, ByName.size()); ++I)
    Names.push_back(ByName[I].text());
  if (ByName.size() > Named)
    Names.push_back(fmt::format("{} more", ByName.size() - Named));
  return fmt::format("{}: {}", Launched.size() == 1 ? "kernel" : "kernels", fmt::join(Names, ", "));
}

static std::string howCounted(const Site &Site) {
  static const std::map<std::string, const char *> Texts = {
      {"counted", "every access counted"},
      {"static", "known at compile time"},
      {"loop_invariant", "counted once per loop"},
      {"loop_and_thread_invariant", "counted once per loop, by one thread"},
      {"thread_invariant", "counted by one thread for all"},
      {"closed_form", "closed form, no cost at run time"},
      {"sweep", "counted once per loop, by each thread"},
      {"not_counted", "not of the profiled memory"},
  };
  if (Site.rule == "skipped")
    return "NOT COUNTED: " + Site.reason;
  auto It = Texts.find(Site.rule);
  return It == Texts.end() ? Site.rule : It->second;
}

/// One line for each kind of access, file and rule, with all its source lines.
void Printer::sites(const std::vector<Site> &Sites) {
  struct Row {
    std::string Access, File, How;
    std::set<unsigned> Lines;
  };
  std::vector<Row> Rows;
  for (const Site &Site : Sites) {
    Row New = {Site.access, Site.source ? basename(Site.source->file) : "?", howCounted(Site), {}};
    auto Same = std::find_if(Rows.begin(), Rows.end(), [&](const Row &R) {
      return R.Access == New.Access && R.File == New.File && R.How == New.How;
    });
    Row &R = Same == Rows.end() ? Rows.emplace_back(std::move(New)) : *Same;
    if (Site.source && Site.source->line)
      R.Lines.insert(Site.source->line);
  }
  size_t Width = 0;
  for (const Row &R : Rows)
    Width = std::max(Width, displayWidth(R.Access));
  for (const Row &R : Rows)
    paragraph(fmt::format("    {:<{}}  ", R.Access, Width),
              fmt::format("{}{}{}  {}", R.File, R.Lines.empty() ? "" : ":",
                          fmt::join(R.Lines, ", "), R.How));
}

static bool isProfiled(const LaunchGroup &L) { return L.mode != "plain" && L.mode != "refused"; }

/// Returns the groups of launches with those of equal configurations joined, whose launches took
/// turns in several profiles.
static std::vector<LaunchGroup> configurations(const std::vector<LaunchGroup> &All) {
  std::vector<LaunchGroup> Joined;
  const auto Key = [](const LaunchGroup &L) {
    return std::tuple(L.device, L.grid, L.block, L.dynamic_shared_bytes, isProfiled(L));
  };
  for (const LaunchGroup &L : All) {
    const auto Same = std::ranges::find(Joined, Key(L), Key);
    if (Same == Joined.end())
      Joined.push_back(L);
    else
      Same->count += L.count;
  }
  return Joined;
}

void Printer::launches(const Kernel &K) {
  const std::vector<LaunchGroup> Groups = configurations(K.launches);
  for (size_t I = 0; I < Groups.size() && I < 3; ++I) {
    const LaunchGroup &L = Groups[I];
    const bool Profiled = isProfiled(L);
    const bool SaysDevice = L.device && S.devices.size() > 1;
    line("  {}{} of <<<{}, {}>>>, {} of shared memory per block{}", plural(L.count, "launch"),
         SaysDevice ? fmt::format(" on device {}", *L.device) : "", dim3(L.grid), dim3(L.block),
         plural(uint64_t(K.static_shared_bytes) + L.dynamic_shared_bytes, "byte"),
         Profiled ? "" : " (not profiled)");
  }
  if (size_t All = Groups.size() + K.launch_groups_omitted; All > 3)
    line("  launches of {} other configurations", All - 3);
}

void Printer::kernel(const Kernel &K) {
  Text += '\n';
  std::string Where = K.source ? position(*K.source) : "";
  bool Fits = displayWidth(K.demangled) + 2 + displayWidth(Where) <= Options.Width;
  line("{}{}{}", styled(Bold, K.demangled), Where.empty() ? "" : Fits ? "  " : "\n  ", Where);
  launches(K);
  if (K.global_memory)
    globalMemory(K);
  if (K.heat)
    heat(K);
  if (K.machine_memory)
    machineMemory(*K.machine_memory);
  if (!K.objects.empty())
    sharedMemory(K);
}

/// Kernels there is nothing to show of are named all the same.
void Printer::otherKernels() {
  std::vector<std::string> NoShared, NotLaunched;
  std::set<uint32_t> NotInstrumented;
  for (const auto &N : S.coverage.kernels.not_instrumented)
    NotInstrumented.insert(N.kernel);
  for (const Kernel &K : S.kernels)
    if (K.objects.empty() && !K.global_memory && !K.heat && !K.machine_memory &&
        !NotInstrumented.count(K.id))
      (K.launch_counts.seen ? NoShared : NotLaunched).push_back(shortName(K.demangled));
  if (NoShared.empty() && NotLaunched.empty())
    return;
  Text += '\n';
  if (!NoShared.empty())
    paragraph("", fmt::format("Kernels without counts of {}: {}", whatIsCounted(),
                              fmt::join(NoShared, ", ")));
  if (!NotLaunched.empty())
    paragraph("", fmt::format("Never launched: {}", fmt::join(NotLaunched, ", ")));
}

void Printer::kernels() {
  // Kernels with the most accesses come first.
  std::vector<std::pair<double, const Kernel *>> Order;
  for (const Kernel &K : S.kernels) {
    double Accesses = 0;
    for (const ObjectUse &U : K.objects)
      Accesses += U.accesses_estimated.value;
    if (K.global_memory)
      for (const GlobalObjectUse &U : K.global_memory->objects)
        for (const auto &[Name, Kind] : KindsOfAccesses)
          Accesses += U.*Kind ? (U.*Kind)->accesses_estimated.value : 0;
    if (K.heat)
      Accesses += static_cast<double>(K.heat->sectors + K.heat->wavefronts);
    if (!K.objects.empty() || K.global_memory || K.heat || K.machine_memory)
      Order.emplace_back(-Accesses, &K);
  }
  std::sort(Order.begin(), Order.end(), [](const auto &A, const auto &B) {
    return A.first != B.first ? A.first < B.first : A.second->id < B.second->id;
  });
  if (Order.empty() && S.coverage.launches.seen != 0 && !ofObjects()) {
    Text += '\n';
    line("No {} {} profiled.", whatIsCounted(), ofRequests() ? "were" : "was");
  }
  for (size_t I = 0; I < shown(Order.size()); ++I)
    kernel(*Order[I].second);
  if (size_t Left = Order.size() - shown(Order.size()))
    line("\n{} more with fewer accesses: --top 0 shows all", plural(Left, "kernel"));
  if (!ofObjects())
    otherKernels();
}

} // namespace gmprof::text
