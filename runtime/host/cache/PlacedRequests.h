//===- PlacedRequests.h - Moves requests to the untraced SMs ----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A trace slows blocks down, so that they run on other SMs and overlap otherwise than in the
// program. This file puts the requests of a traced launch where and when its blocks run untraced.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_CACHE_PLACEDREQUESTS_H
#define GMPROF_HOST_CACHE_PLACEDREQUESTS_H

#include "host/cache/BlockPlacements.h"
#include "host/cache/RequestOrder.h"
#include <map>
#include <optional>

namespace gmprof::host {

using RecordsOfSms = std::map<uint32_t, PlacedRecords>;

/// Returns the records of a whole launch by the SM on which their block runs untraced, ordered by
/// time. The time between a block's first and last record is stretched to the time that it runs
/// untraced; warps get the slots that its place in the SM has. By: the traced SMs, each ordered by
/// clock. Returns nothing if Where lacks a block.
std::optional<RecordsOfSms> placeRecords(const RecordsOfSms &By, const PlacedBlocks &Where,
                                         uint32_t WarpsOfBlock);

} // namespace gmprof::host

#endif // GMPROF_HOST_CACHE_PLACEDREQUESTS_H
