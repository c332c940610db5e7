//===- TextMemoryAccount.cpp - Owners of memory in the terminal -----------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/text/TextPrinter.h"
#include "report/views/AccountView.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace gmprof::text {

using namespace summary;

static std::string ownerText(const MemoryRow &R) { return gmprof::ownerText(R.owner, R.name); }

static std::string size(uint64_t Bytes) { return bytesText(static_cast<double>(Bytes)); }

static double shareOf(uint64_t Part, uint64_t Whole) {
  return static_cast<double>(Part) / static_cast<double>(std::max<uint64_t>(Whole, 1));
}

static uint64_t sumOf(const std::vector<MemoryRow> &Rows) {
  uint64_t Sum = 0;
  for (const MemoryRow &R : Rows)
    Sum += R.bytes;
  return Sum;
}

static uint64_t bytesOf(const MemoryAccount &A, const char *Owner) {
  uint64_t Sum = 0;
  for (const MemoryRow &R : A.rows)
    Sum += R.owner == Owner ? R.bytes : 0;
  return Sum;
}

/// Returns "forward at train.py:12", or what is known of it.
std::string Printer::placeText(const std::optional<Source> &Where,
                               const std::string &Function) const {
  const std::string Name = shortName(Function);
  if (!Where)
    return Name.empty() ? "unknown line" : Name;
  return Name.empty() ? position(*Where) : fmt::format("{} ({})", position(*Where), Name);
}

/// Returns the library that allocates for itself or, as PyTorch does, for the program; else the
/// function of CUDA.
static std::string allocatorText(const std::string &Library, const std::string &Api) {
  if (!Library.empty())
    return Library;
  return Api.starts_with("CUDACachingAllocator::") ? "PyTorch" : Api;
}

std::string Printer::siteText(const MemorySite &Site) const {
  return fmt::format("{}  {}", placeText(Site.source, Site.function),
                     allocatorText(Site.library, Site.api));
}

void Printer::accountRows(const MemoryAccount &A) {
  constexpr size_t Widest = 24;
  const uint64_t Whole = A.in_use_bytes.value_or(sumOf(A.rows));
  Table T({0, 3});
  T.add({"owner", "bytes", "share", ""});
  for (const MemoryRow &R : A.rows) {
    std::string Bar;
    const auto Length = std::lround(shareOf(R.bytes, Whole) * static_cast<double>(Widest));
    for (long I = 0; I < Length; ++I)
      Bar += Options.Utf8 ? "\u2588" : "#";
    T.add({ownerText(R), grouped(R.bytes), percentText(shareOf(R.bytes, Whole)), Bar});
  }
  T.add({A.in_use_bytes ? "in use" : OfSnapshot ? "reserved" : "recorded", grouped(Whole), "", ""});
  Text += T.text("  ");
  if (const uint64_t Own = bytesOf(A, "gmprof"); A.in_use_bytes && shareOf(Own, Whole) >= 0.01)
    paragraph("  ", fmt::format("GMProf holds counters and clones of kernels: {} are in use in a "
                                "run without it. gmprof run --memory SIZE limits the counters.",
                                size(Whole - Own)));
  if (A.reduced_bytes)
    paragraph("  ", fmt::format("The recorded memory is {} more than what is in use, which is "
                                "subtracted above; managed memory may be on the host.",
                                size(A.reduced_bytes)));
}

void Printer::accountSites(const MemoryAccount &A, size_t Most) {
  if (A.sites.empty())
    return;
  line("\n  {}", styled(Bold, "Call sites"));
  const uint64_t Whole = A.in_use_bytes.value_or(sumOf(A.rows));
  Table T({3});
  T.add({"bytes", "share", "objects", "allocated by"});
  const size_t Shown = std::min(A.sites.size(), Most);
  for (size_t I = 0; I < Shown; ++I)
    T.add({grouped(A.sites[I].bytes), percentText(shareOf(A.sites[I].bytes, Whole)),
           grouped(A.sites[I].objects), siteText(A.sites[I])});
  Text += T.text("  ");
  if (const uint64_t More = A.sites.size() - Shown + A.sites_omitted)
    line("  {}", plural(More, "more call site"));
}

/// Lists the largest objects in the order of their allocation.
void Printer::accountObjects(const MemoryAccount &A, size_t Most) {
  if (A.objects.empty())
    return;
  std::vector<const MemoryObject *> Largest;
  for (size_t I = 0; I < std::min(A.objects.size(), Most); ++I)
    Largest.push_back(&A.objects[I]);
  std::ranges::sort(Largest, {}, [](const MemoryObject *O) { return std::pair(O->seconds, O); });
  line("\n  {}", styled(Bold, "Largest objects, in the order of their allocation"));
  Table T({2, 3});
  T.add({"after", "bytes", "name", "allocated by"});
  for (const MemoryObject *O : Largest)
    T.add({secondsText(O->seconds), grouped(O->bytes), O->name.empty() ? "-" : O->name,
           fmt::format("{}  {}", placeText(O->source, ""), allocatorText(O->library, O->api))});
  Text += T.text("  ");
  if (const uint64_t More = A.objects.size() - Largest.size() + A.objects_omitted)
    line("  {}", plural(More, "more object"));
}

/// Says what failed, and how much was free.
void Printer::failure(const MemoryAccount &A) {
  const FailedAllocation &F = *A.failure;
  const bool Negative = F.bytes > uint64_t(std::numeric_limits<int64_t>::max());
  std::string What = fmt::format("{} of {} failed at {}", F.api,
                                 Negative ? plural(F.bytes, "byte") : size(F.bytes),
                                 placeText(F.source, F.function));
  if (!F.library.empty())
    What += fmt::format(" in {}", F.library);
  What += fmt::format(", {} after the {}", secondsText(A.seconds),
                      OfSnapshot ? "first event" : "start");
  if (A.in_use_bytes && A.total_bytes)
    What += fmt::format("; {} of {} were free", size(*A.total_bytes - *A.in_use_bytes),
                        size(*A.total_bytes));
  if (Negative)
    What += fmt::format(". As a signed number, the size is -{}: its computation overflowed",
                        grouped(0 - F.bytes));
  paragraph("  ", What + ".");
  if (F.library == "PyTorch" && A.in_use_bytes && A.total_bytes &&
      *A.total_bytes - *A.in_use_bytes >= F.bytes)
    paragraph("  ", "The device has enough: PyTorch has reached the limit that the program sets "
                    "(torch.cuda.set_per_process_memory_fraction).");
  const uint64_t Cached = bytesOf(A, "cached");
  if (Cached == 0)
    return;
  const uint64_t Block = A.largest_free_block_bytes.value_or(0);
  paragraph("  ", fmt::format("PyTorch holds {} that are cached and free, in blocks of {} at most"
                              "{}.",
                              size(Cached), size(Block),
                              Cached >= F.bytes && Block < F.bytes
                                  ? ": fragmentation keeps the allocation from fitting"
                                  : ""));
}

/// Returns the bytes of what libraries allocate for themselves.
static std::vector<const MemoryRow *> libraries(const MemoryAccount &A) {
  std::vector<const MemoryRow *> Rows;
  for (const MemoryRow &R : A.rows)
    if (R.owner == "library")
      Rows.push_back(&R);
  return Rows;
}

void Printer::accountLibraries(const MemoryAccount &A) {
  if (libraries(A).empty()) {
    line("\n  No known library holds memory of its own.");
    return;
  }
  Text += '\n';
  Table T({0, 3});
  T.add({"library", "bytes", "objects", "allocated by"});
  for (const MemoryRow *R : libraries(A)) {
    T.add({R->name, grouped(R->bytes), grouped(R->objects), ""});
    for (const MemorySite &Site : A.sites)
      if (Site.library == R->name)
        T.add({"", grouped(Site.bytes), grouped(Site.objects), siteText(Site)});
  }
  Text += T.text("  ");
}

void Printer::account(uint32_t Device, const MemoryAccount &A, MemoryBy By) {
  constexpr size_t OnScreen = 8;
  const std::string When = A.moment == "peak"
                               ? OfSnapshot ? "at its peak" : "at the peak of the program's memory"
                           : A.moment == "failure" ? "after the allocation that failed last"
                           : A.moment == "end"     ? OfSnapshot ? "at the snapshot" : "at the end"
                                                   : "then";
  line("\n{}",
       styled(Bold, fmt::format("Memory of {}device {} {}, {} after the {}",
                                OfSnapshot ? "PyTorch on " : "", Device, When,
                                secondsText(A.seconds), OfSnapshot ? "first event" : "start")));
  if (A.failure)
    failure(A);
  if (!A.in_use_bytes && !OfSnapshot)
    paragraph("  ", "The driver was not asked for the memory in use: these are the recorded "
                    "objects.");
  else if (A.in_use_bytes)
    line("  {} of {} in use{}", size(*A.in_use_bytes), size(A.total_bytes.value_or(0)),
         A.read ? "" : " (computed from the nearest reading)");
  const size_t Most = Options.Top ? Options.Top : SIZE_MAX;
  if (By == MemoryBy::Everything || By == MemoryBy::Owner)
    accountRows(A);
  if (By == MemoryBy::Library)
    accountLibraries(A);
  if (By == MemoryBy::Everything || By == MemoryBy::Line)
    accountSites(A, By == MemoryBy::Line ? Most : std::min(Most, OnScreen));
  if (By == MemoryBy::Everything || By == MemoryBy::Tensor)
    accountObjects(A, By == MemoryBy::Tensor ? Most : std::min(Most, OnScreen));
}

std::string Printer::memoryAccounts(const std::string &Moment, MemoryBy By) {
  line("{}", styled(Bold, headLines().front()));
  if (S.processes)
    line("The process with the highest peak, of {}", plural(S.processes->list.size(), "process"));
  for (const DeviceMemory &D : S.memory->devices)
    if (const MemoryAccount *A = accountAt(D, Moment))
      account(D.device, *A, By);
  return render(Text, Options.Color);
}

/// Prints, after an allocation that failed, who held the memory then.
void Printer::outOfMemory() {
  constexpr size_t Holders = 5;
  if (!S.memory)
    return;
  for (const DeviceMemory &D : S.memory->devices) {
    const MemoryAccount *A = accountAt(D, "failure");
    if (!A || !A->failure)
      continue;
    const std::string Times =
        D.failed_allocations == 1
            ? ""
            : fmt::format(", the last of {} failures", grouped(D.failed_allocations));
    line("\n{}", styled(Red, fmt::format("Out of memory on device {}{}", D.device, Times)));
    failure(*A);
    Table T({2});
    const size_t Shown = std::min(A->sites.size(), Holders);
    const uint64_t Whole = A->in_use_bytes.value_or(sumOf(A->rows));
    for (size_t I = 0; I < Shown; ++I)
      T.add({size(A->sites[I].bytes), percentText(shareOf(A->sites[I].bytes, Whole)),
             siteText(A->sites[I])});
    for (const MemoryRow &R : A->rows)
      if (R.owner != "program" && R.owner != "managed" && R.owner != "library" &&
          R.owner != "tensors")
        T.add({size(R.bytes), percentText(shareOf(R.bytes, Whole)), ownerText(R)});
    Text += T.text("  ");
    if (const uint64_t More = A->sites.size() - Shown + A->sites_omitted)
      line("  {}", plural(More, "more call site"));
  }
}

} // namespace gmprof::text

namespace gmprof {

std::string textMemory(const summary::Summary &S, const std::string &Moment, MemoryBy By,
                       const TextOptions &Options) {
  return text::Printer(S, Options).memoryAccounts(Moment, By);
}

} // namespace gmprof
