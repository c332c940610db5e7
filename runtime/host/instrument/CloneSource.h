//===- CloneSource.h - Where kernels get clones at run time -----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel whose module has no clones gets them here: from the cache, or from `gmprof-instrument
// serve`, which is started at the first request. The profiled process loads no LLVM.
//
// launch/ClonesOnDemand.h finds the code of a kernel's module, and loads the clones.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_INSTRUMENT_CLONESOURCE_H
#define GMPROF_HOST_INSTRUMENT_CLONESOURCE_H

#include "host/instrument/CloneCache.h"
#include "host/instrument/CloneProtocol.h"
#include "profile/HelperProcess.h"
#include "profile/Result.h"
#include <chrono>
#include <memory>
#include <mutex>
#include <set>

namespace gmprof::host {

class CloneSource {
public:
  struct Settings {
    std::string Helper = installedHelper();                      ///< path of gmprof-instrument
    std::string CacheDirectory = CloneCache::defaultDirectory(); ///< empty: no cache
    std::chrono::milliseconds Timeout{10000};                    ///< of one request
  };
  struct Clone {
    std::string Code;                   ///< CloneAnswer::Text
    std::vector<std::string> Variables; ///< CloneAnswer::Variables
  };

  explicit CloneSource(Settings S);
  /// Ends the helper.
  ~CloneSource();
  CloneSource(const CloneSource &) = delete;
  CloneSource &operator=(const CloneSource &) = delete;

  /// Returns where gmprof-instrument is installed, seen from this library; empty if it is not.
  static std::string installedHelper();

  /// Returns the clones of a kernel, or the reason why there are none, one sentence for the
  /// coverage. Takes no longer than the time-out; a helper that takes longer is ended. May be
  /// called from any thread; the helper works on one request at a time. Request.Module is required;
  /// an empty ModuleHash is computed. After MaxFailures failures in a row the helper is not started
  /// again.
  Result<Clone> get(CloneRequest Request);
  /// Ends the request under way with an error, and refuses all later ones. May be called from any
  /// thread.
  void cancel();
  const Settings &settings() const { return S; }

  static constexpr unsigned MaxFailures = 3;

private:
  std::string keyOf(const CloneRequest &Request) const;
  Result<CloneAnswer> ask(CloneRequest Request);
  Result<CloneAnswer> exchange(const CloneRequest &Request, HelperProcess::Time Deadline);
  bool start();
  void stop();

  const Settings S;
  const std::string Identity; ///< of the helper's file; empty if there is none
  const CloneCache Cache;
  std::timed_mutex Lock; ///< protects what follows
  std::mutex HelperLock; ///< protects Helper's address and Cancelled, for cancel()
  std::unique_ptr<HelperProcess> Helper;
  bool Cancelled = false;
  pid_t Starter = -1;         ///< process that started the helper
  std::set<std::string> Sent; ///< hashes of modules that the helper knows
  unsigned Failures = 0;      ///< in a row
};

} // namespace gmprof::host

#endif // GMPROF_HOST_INSTRUMENT_CLONESOURCE_H
