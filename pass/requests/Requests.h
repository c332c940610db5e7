//===- Requests.h - The memory requests of a clone --------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The hardware makes a request of each access that lanes of a warp execute together: at most 16
// bytes per lane, aligned to their size. Requests are found here, one for several accesses that the
// backend merges. Profiles of heat and of caches record them.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_REQUESTS_REQUESTS_H
#define GMPROF_PASS_REQUESTS_REQUESTS_H

#include "pass/core/Instrumenter.h"
#include "pass/rules/Updates.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace gmprof {

/// A clone that records requests.
struct RequestClone : Clone {
  RequestClone(Clone C) : Clone(std::move(C)) {}

  /// Device functions only: the number of the module's first site in this launch (GmprofUnit).
  llvm::Value *FirstSite = nullptr;
};

struct Request {
  Update What;                       ///< the access; What.Before is the first one of several
  llvm::Instruction *Last = nullptr; ///< the last one of several, in the same block
  unsigned Number = 0;               ///< of the first access, in AccessInfo
  unsigned Site = 0; ///< number in the kernel, or in the module if it is in a device function
  /// Most bytes that one of its instructions accesses, in global and in shared memory.
  unsigned WidestPiece = 0, WidestSharedPiece = 0;
  bool IsLoadOfAtomic = false; ///< the load of an atomic that is a loop of two instructions
};

/// Returns the requests of a clone for the accesses that IsRecorded, as long as the analyses of the
/// clone are valid. Sets the widths of Sites.
llvm::SmallVector<Request, 0> findRequests(const Clone &C, const AccessInfo &Info,
                                           FunctionSites &Sites, Instrumenter &I,
                                           llvm::function_ref<bool(const Access &)> IsRecorded);

/// Returns the bytes that the hardware accesses at a time, if no instruction accesses more than
/// Widest.
unsigned pieceBytes(const Update &U, unsigned Widest);

/// Returns What, which describes a request, combined with the request's site.
llvm::Value *withSite(llvm::IRBuilderBase &B, const RequestClone &C, Hooks &H, const Request &R,
                      uint32_t What);

/// Makes the lanes that took different paths to a block reconverge there, if hooks run on these
/// paths. Otherwise ptxas may leave the lanes diverged, and their next access would become several
/// requests. A vote waits for all of its lanes.
void bringLanesTogether(const Clone &C, const AccessInfo &Info, Instrumenter &I,
                        const llvm::SmallPtrSetImpl<const llvm::BasicBlock *> &WithHooks);

/// Returns whether lanes that come to a request together may differ in whether they make it.
bool mayDifferByLane(const Request &R);

/// Emits code in front of an instruction that some of the active lanes may skip. The lanes, which
/// Emit gets, are together again behind it.
void emitAndMeet(Hooks &H, llvm::Instruction *Before, llvm::function_ref<void(llvm::Value *)> Emit);

/// Emits RequestClone::FirstSite at the entry of a device function. Units is the offset of the
/// GmprofUnits in the launch's context.
void emitFirstSite(RequestClone &C, size_t Units, Instrumenter &I);

/// Redirects calls and inlines hooks. Returns whether calls of clones record requests.
bool finishRequests(const RequestClone &C, FunctionSites &Sites, Instrumenter &I);

} // namespace gmprof

#endif // GMPROF_PASS_REQUESTS_REQUESTS_H
