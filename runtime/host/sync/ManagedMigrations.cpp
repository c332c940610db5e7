//===- ManagedMigrations.cpp - Migrations of managed memory ---------------===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "host/sync/ManagedMigrations.h"
#include "host/core/RuntimeApi.h"
#include "host/core/Session.h"
#include <cstdlib>
#include <cupti.h>
#include <dlfcn.h>

namespace gmprof::host {

/// CUPTI's callbacks take no user data.
static std::atomic<Recorder *> ActiveLog;

struct ManagedMigrations::Cupti {
  void *Library = nullptr;
#define GMPROF_CUPTI_FUNCTIONS(X)                                                                  \
  X(cuptiActivityConfigureUnifiedMemoryCounter)                                                    \
  X(cuptiActivityRegisterTimestampCallback)                                                        \
  X(cuptiActivityRegisterCallbacks)                                                                \
  X(cuptiActivityEnable)                                                                           \
  X(cuptiActivityDisable)                                                                          \
  X(cuptiActivityFlushAll)                                                                         \
  X(cuptiActivityGetNextRecord)                                                                    \
  X(cuptiActivityGetNumDroppedRecords)
#define GMPROF_CUPTI_POINTER(Name) decltype(&::Name) Name = nullptr;
  GMPROF_CUPTI_FUNCTIONS(GMPROF_CUPTI_POINTER)
#undef GMPROF_CUPTI_POINTER

  bool load(const std::vector<std::string> &Libraries) {
    for (const std::string &Path : Libraries)
      if ((Library = dlopen(Path.c_str(), RTLD_NOW | RTLD_LOCAL)))
        break;
#define GMPROF_CUPTI_LOAD(Name)                                                                    \
  if (!Library || !(Name = reinterpret_cast<decltype(Name)>(dlsym(Library, #Name))))               \
    return false;
    GMPROF_CUPTI_FUNCTIONS(GMPROF_CUPTI_LOAD)
#undef GMPROF_CUPTI_LOAD
    return true;
  }
};

namespace {

decltype(&cuptiActivityGetNextRecord) NextRecord;
decltype(&cuptiActivityGetNumDroppedRecords) DroppedRecords;

uint64_t CUPTIAPI timestamp() { return steadyNs(); }

void CUPTIAPI giveBuffer(uint8_t **Buffer, size_t *Bytes, size_t *MaxRecords) {
  *Bytes = 256 * 1024;
  *Buffer = static_cast<uint8_t *>(std::aligned_alloc(8, *Bytes));
  *MaxRecords = 0; // as many as fit
}

void record(Recorder &Log, const CUpti_Activity &Activity) {
  if (Activity.kind != CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER)
    return;
  const auto &Counter = reinterpret_cast<const CUpti_ActivityUnifiedMemoryCounter3 &>(Activity);
  const bool ToHost =
      Counter.counterKind == CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH;
  log::MigrationRecord R = {};
  R.beginNs = Counter.start;
  R.endNs = std::max(Counter.start, Counter.end);
  R.address = Counter.address;
  R.bytes = Counter.value;
  R.device = ToHost ? Counter.srcId : Counter.dstId;
  R.toHost = ToHost;
  Log.migration(R);
}

/// Runs on a thread of CUPTI, or on the thread that flushes the buffers.
void CUPTIAPI takeBuffer(CUcontext Context, uint32_t Stream, uint8_t *Buffer, size_t,
                         size_t Valid) {
  Inside Guard;
  if (Recorder *Log = ActiveLog.load(std::memory_order_acquire)) {
    CUpti_Activity *Each = nullptr;
    while (NextRecord(Buffer, Valid, &Each) == CUPTI_SUCCESS)
      record(*Log, *Each);
    size_t Dropped = 0;
    if (DroppedRecords(Context, Stream, &Dropped) == CUPTI_SUCCESS && Dropped != 0)
      Log->gap("migrations", "CUPTI had no room for them", Dropped);
  }
  std::free(Buffer);
}

CUpti_ActivityUnifiedMemoryCounterConfig counterOf(CUpti_ActivityUnifiedMemoryCounterKind Kind) {
  CUpti_ActivityUnifiedMemoryCounterConfig Config = {};
  Config.scope = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_SCOPE_PROCESS_ALL_DEVICES;
  Config.kind = Kind;
  Config.enable = 1;
  return Config;
}

} // namespace

std::vector<std::string> ManagedMigrations::standardLibraries() {
  const std::string Name = "libcupti.so." + std::to_string(CUDART_VERSION / 1000);
  std::vector<std::string> All = {Name};
  const char *Toolkit = std::getenv("CUDA_PATH");
  for (const std::string &Root :
       {std::string(Toolkit ? Toolkit : ""), std::string("/usr/local/cuda")})
    for (const char *Folder : {"/lib64/", "/extras/CUPTI/lib64/"})
      if (!Root.empty())
        All.push_back(Root + Folder + Name);
  return All;
}

ManagedMigrations::ManagedMigrations(Recorder &Log, const std::vector<std::string> &Libraries)
    : Log(Log), WhyNot(start(Libraries)) {}

ManagedMigrations::~ManagedMigrations() = default;

std::string ManagedMigrations::start(const std::vector<std::string> &Libraries) {
  // CUPTI serves one tool at a time.
  if (std::getenv("CUDA_INJECTION64_PATH"))
    return "another tool uses CUPTI (CUDA_INJECTION64_PATH)";
  auto Loaded = std::make_unique<Cupti>();
  if (!Loaded->load(Libraries))
    return Libraries.front() + " is not there: set LD_LIBRARY_PATH to its folder";
  NextRecord = Loaded->cuptiActivityGetNextRecord;
  DroppedRecords = Loaded->cuptiActivityGetNumDroppedRecords;
  CUpti_ActivityUnifiedMemoryCounterConfig Counters[] = {
      counterOf(CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD),
      counterOf(CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH)};
  CUptiResult Error = Loaded->cuptiActivityRegisterTimestampCallback(timestamp);
  if (Error == CUPTI_SUCCESS)
    Error = Loaded->cuptiActivityRegisterCallbacks(giveBuffer, takeBuffer);
  if (Error == CUPTI_SUCCESS)
    Error = Loaded->cuptiActivityConfigureUnifiedMemoryCounter(Counters, std::size(Counters));
  if (Error == CUPTI_SUCCESS)
    Error = Loaded->cuptiActivityEnable(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER);
  if (Error != CUPTI_SUCCESS)
    return "CUPTI refuses, with error " + std::to_string(Error);
  Api = std::move(Loaded);
  ActiveLog.store(&Log, std::memory_order_release);
  return "";
}

void ManagedMigrations::managedMemory() {
  if (!WhyNot.empty())
    std::call_once(Said, [&] { Log.gap("migrations", WhyNot, 1); });
}

void ManagedMigrations::finish() {
  if (!Api)
    return;
  Api->cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  Api->cuptiActivityDisable(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER);
  ActiveLog.store(nullptr, std::memory_order_release);
}

} // namespace gmprof::host
