//===- Export.h - What libgmprof.so shows to the program --------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_HOST_CORE_EXPORT_H
#define GMPROF_HOST_CORE_EXPORT_H

/// A function of libcudart that the library defines in its place.
#define GMPROF_INTERPOSE extern "C" __attribute__((visibility("default")))

/// The frame of the interposed function in whose body it stands. Call paths (CallPaths.h) begin at
/// its return address.
#define GMPROF_CALLER __builtin_frame_address(0)

#endif // GMPROF_HOST_CORE_EXPORT_H
