//===- TextPrinter.h - Prints a summary for the terminal --------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sections of the report, each in a file of its own: TextKernels.cpp, TextSharedMemory.cpp,
// TextGlobalMemory.cpp, TextHeat.cpp, TextMemory.cpp, TextMemoryAccount.cpp, TextSnapshot.cpp,
// TextSync.cpp, TextProcesses.cpp, TextFindings.cpp, TextExplain.cpp; the run and its coverage in
// TextReport.cpp.
// TextOverview.cpp prints one screen of all.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_REPORT_TEXT_TEXTPRINTER_H
#define GMPROF_REPORT_TEXT_TEXTPRINTER_H

#include "report/model/RunProfiles.h"
#include "report/text/ObjectLabels.h"
#include "report/text/TextReport.h"
#include "report/text/TextStyle.h"
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

namespace gmprof {
struct SnapshotComparison;
struct SnapshotDevice;
} // namespace gmprof

namespace gmprof::text {

class Printer {
public:
  Printer(const summary::Summary &S, const TextOptions &Options)
      : S(S), Profiles(S), Options(Options), Labels(objectLabels(S)) {
    for (const summary::Object &O : S.objects)
      Objects[O.id] = &O;
  }
  std::string report();
  std::string overview();
  std::string markdownReport();
  std::string explanation(const summary::Finding &F);
  OverviewTexts overviewTexts() const;
  std::string memoryAccounts(const std::string &Moment, MemoryBy By);
  std::string snapshot(const SnapshotView &Of, MemoryBy By);

  /// Returns the subject of a finding: an object, a kernel, a call.
  std::string subjectOf(const summary::Finding &F) const;
  std::string costOf(const summary::Finding &F) const;
  /// Returns the pattern's usual name and the subject: "Memory leak: c".
  std::string headlineOf(const summary::Finding &F) const;
  std::string position(const summary::Source &S) const;

private:
  void header();
  std::vector<std::string> headLines() const;
  /// Prints the gaps in the coverage. Shown: maximum number of items, 0 for all.
  void coverage(size_t Shown = 0);
  /// Returns the gaps in the coverage. Brief: without the names of several kernels.
  std::vector<std::string> missing(bool Brief) const;
  std::string callerOf(uint32_t CallPath) const;
  /// A label and its text.
  using Figure = std::pair<std::string, std::string>;
  std::vector<Figure> figures() const;
  void figure(const Figure &F);
  std::string launchedKernels() const;
  void memoryFigures(std::vector<Figure> &To) const;
  void timeFigures(std::vector<Figure> &To) const;
  std::string timeAtFirstSight() const;
  void sharedFigures(std::vector<Figure> &To) const;
  void globalFigures(std::vector<Figure> &To) const;
  void heatFigures(std::vector<Figure> &To) const;
  void cacheFigures(std::vector<Figure> &To) const;
  void coverageFigures(std::vector<Figure> &To) const;
  std::string profileCoverage() const;
  void checkFigures(std::vector<Figure> &To) const;
  /// Returns the checks that were made; empty if the profile makes none or covers no launch.
  std::vector<std::string> checksMade() const;
  /// Returns true if the profile had launches to analyse, and none was analysed.
  bool analysesNothing(const char *Profile) const;
  bool isSampled(profile::Measured Accesses) const;
  bool recordsNothing() const;
  /// Returns the text in place of an empty list of findings.
  /// Which: the problems that were looked for, in addition to "problem".
  std::string noProblem(const char *Which = "") const;
  void coverageFigure();
  void next();
  /// Prints numbers of a merged summary's processes. All: also numbers that are equal in all
  /// processes.
  void processes(bool All);
  void commandsOfProcesses(const summary::Processes &P, bool All);
  std::string processesOf(const summary::Finding &F) const;
  void kernels();
  void kernel(const summary::Kernel &K);
  void arrays(const summary::Kernel &K);
  void array(const summary::Kernel &K, const summary::ObjectUse &U);
  void liveRanges(const summary::LiveRanges &R);
  void histogram(const std::string &Title, const std::vector<summary::Bucket> &Buckets);
  void launches(const summary::Kernel &K);
  void sharedMemory(const summary::Kernel &K);
  void globalMemory(const summary::Kernel &K);
  void globalTable(const summary::GlobalUse &G);
  void globalObject(const summary::GlobalObjectUse &U);
  void heat(const summary::Kernel &K);
  void coalescing(const summary::HeatUse &H);
  void temperatures(const summary::HeatUse &H);
  void bankConflicts(const summary::HeatUse &H);
  void machineMemory(const summary::MachineMemory &M);
  void cache();
  void cacheTable(const std::string &Title,
                  const std::vector<std::pair<std::string, const summary::CacheTraffic *>> &Rows,
                  uint64_t Omitted);
  std::string cacheLineName(const summary::CacheLine &L) const;
  /// Returns the kernel's name for the object, and its own.
  std::string nameInKernel(uint32_t Id, const std::string &Name) const;
  std::string nameInKernel(const summary::GlobalObjectUse &U) const;
  std::string whichDevice(const summary::Object &O) const;
  void sites(const std::vector<summary::Site> &Sites);
  void otherKernels();
  void memory();
  void memory(const summary::DeviceMemory &D);
  void peak(const summary::MemoryPeak &P);
  void account(uint32_t Device, const summary::MemoryAccount &A, MemoryBy By);
  void accountRows(const summary::MemoryAccount &A);
  void accountSites(const summary::MemoryAccount &A, size_t Most);
  void accountObjects(const summary::MemoryAccount &A, size_t Most);
  void accountLibraries(const summary::MemoryAccount &A);
  void failure(const summary::MemoryAccount &A);
  void snapshotPools(const SnapshotDevice &D);
  void outsideOfPyTorch(const SnapshotComparison &C);
  void outOfMemory();
  std::string placeText(const std::optional<summary::Source> &Where,
                        const std::string &Function) const;
  std::string siteText(const summary::MemorySite &Site) const;
  void pools();
  void elements();
  void sync();
  void syncDifference(const summary::SyncStage &Stage);
  void syncStages();
  void syncSitesAtFirstSight();
  void syncSites();
  void syncMigrations();
  void syncGroups();
  std::string placeOf(const summary::SyncSite &Site) const;
  /// Returns the share of a device's peak that findings about allocations save only if all of them
  /// are fixed, beyond what each saves; 0 if it is small.
  double sharedReduction() const;
  /// Returns the findings to list, and sets the line about those without an estimated benefit,
  /// which are not listed unless all are shown or a filter leaves no others; empty: there are none.
  std::vector<const summary::Finding *> listedFindings(std::string &WithoutBenefit) const;
  void findings();
  /// Prints the heading. AnyListed: some findings have an estimated benefit.
  void findingsHeading(bool AnyListed);
  void topFindings(size_t Below);
  void finding(const summary::Finding &F);
  void inlined(const summary::Finding &F);

  std::string number(const summary::Number &N) const {
    return (N.at_least ? atLeast() : "") + grouped(N.value);
  }
  /// Returns " ± 2.5 %", or nothing.
  std::string relativeError(double StandardError, const summary::Number &Of) const {
    if (StandardError <= 0 || Of.value <= 0)
      return "";
    return fmt::format(" {} {:.1f} %", Options.Utf8 ? "\u00b1" : "+-",
                       100 * StandardError / Of.value);
  }
  std::string atLeast() const { return Options.Utf8 ? "\u2265" : ">="; }
  bool ofSharedMemory() const { return Profiles.measure(profile::Measured::SharedMemory); }
  bool ofGlobalMemory() const { return Profiles.measure(profile::Measured::GlobalMemory); }
  bool ofObjects() const { return Profiles.recordObjects(); }
  bool ofRequests() const { return Profiles.measure(profile::Measured::Memory); }
  bool ofCaches() const { return Profiles.measure(profile::Measured::CachedMemory); }
  bool ofCalls() const { return Profiles.recordCalls(); }
  /// Returns the memory whose accesses are counted, such as "global memory".
  const char *whatIsCounted() const {
    return ofRequests() || ofCaches() ? "accesses"
           : ofGlobalMemory()         ? "global memory"
                                      : "shared memory";
  }
  std::string neverTouched(const summary::ObjectUse &U) const;
  const summary::Object &object(uint32_t Id) const;
  /// Returns the name that tells the object apart from others.
  const std::string &label(uint32_t Id) const;
  size_t shown(size_t N) const { return Options.Top ? std::min<size_t>(N, Options.Top) : N; }

  template <typename... Args> void line(fmt::format_string<Args...> Format, Args &&...Values) {
    fmt::format_to(std::back_inserter(Text), Format, std::forward<Args>(Values)...);
    Text += '\n';
  }
  /// Prints text, wrapped; First begins the first line, further lines are indented.
  void paragraph(const std::string &First, const std::string &Body);

  const summary::Summary &S;
  const RunProfiles Profiles;
  const TextOptions &Options;
  const std::vector<std::string> Labels; ///< of S.objects
  std::map<uint32_t, const summary::Object *> Objects;
  bool OfSnapshot = false; ///< the memory is what PyTorch's allocator knows
  std::string Text;
};

using KindOfAccess =
    std::pair<const char *, std::optional<summary::GlobalAccesses> summary::GlobalObjectUse::*>;
/// Returns the text escaped for Markdown.
std::string markdown(const std::string &Text);

/// Returns the number of findings of each pattern: "2 early_allocation, 1 hot_spot".
std::string countsByPattern(const std::vector<const summary::Finding *> &Findings);

/// Returns the pattern, and its kind if it has several.
std::string patternOf(const summary::Finding &F);

/// Returns the API shortened for a column: kernels of libraries have names of hundreds of
/// characters.
std::string apiName(const std::string &Api);

inline constexpr KindOfAccess KindsOfAccesses[] = {{"reads", &summary::GlobalObjectUse::reads},
                                                   {"writes", &summary::GlobalObjectUse::writes},
                                                   {"atomics", &summary::GlobalObjectUse::atomics}};

} // namespace gmprof::text

#endif // GMPROF_REPORT_TEXT_TEXTPRINTER_H
