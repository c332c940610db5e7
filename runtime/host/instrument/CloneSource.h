//===- CloneSource.h - Where kernels get clones at run time -----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that clang did not compile have no clones in their module. A CloneSource gets them from
// the cache, or from `gmprof-instrument serve`, which it starts at the first request. The profiled
// process loads no LLVM.
//
// The caller takes these steps for a kernel without a descriptor:
//
//   1. Find the PTX (or LLVM IR) that the kernel's module was made of:
//        cuModuleLoad, cuModuleLoadData(Ex), cuLibraryLoadData, cuLibraryLoadFromFile: the image.
//          Its first bytes tell: 0x466243b1 is a wrapper of a fat binary, whose pointer at byte 8
//          leads to it; 0xba55ed50 a fat binary; 0x7f 'E' 'L' 'F' a cubin, without PTX; other text
//          ends in a null character. cuModuleLoadFatBinary, __cudaRegisterFatBinary: a fat binary.
//          The image may be gone after the call: copy it then, or at least its hash and PTX.
//        cuLinkAddData: each PTX input; a kernel of several inputs is refused, unless its own has
//          all that it calls. With relocatable device code, the linked fat binary of an executable
//          has cubins only; the PTX of each translation unit is in its section __nv_relfatbin.
//      FatBinary.h extracts PTX from fat binaries, compressed or not. A module without PTX has no
//      clones; the reason names the flag that embeds it (-gencode arch=…,code=compute_…).
//   2. Call get() with the kernel's name as cuFuncGetName returns it.
//   3. Load Clone::Ptx with cuModuleLoadDataEx into the kernel's context. The module stays loaded
//      as long as the program's. Its kernels are `NAME__gm_…`, and it has the descriptor
//      `__gm_kernel_NAME`.
//   4. Fill the table: for each Clone::Variables[I], cuModuleGetGlobal in the *program's* module,
//      and copy the address to element I of GMPROF_VARIABLES_TABLE in the clone's module. A
//      variable that is not found, or one of a size other than the descriptor says: no clone.
//      Symbols of variables in the descriptor are looked up in the program's module too.
//   5. Launch the clone with the attributes that the program set on its kernel.
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
    std::string Ptx;                    ///< CloneAnswer::Text
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
  std::unique_ptr<HelperProcess> Helper;
  pid_t Starter = -1;         ///< process that started the helper
  std::set<std::string> Sent; ///< hashes of modules that the helper knows
  unsigned Failures = 0;      ///< in a row
};

} // namespace gmprof::host

#endif // GMPROF_HOST_INSTRUMENT_CLONESOURCE_H
