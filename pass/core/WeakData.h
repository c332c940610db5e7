//===- WeakData.h - LLVM data that other versions lack ----------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included in front of every source of the plugin. The dynamic loader binds functions when they are
// first called, but data when it loads the plugin. It refuses to load the plugin into an LLVM that
// lacks some of the data, with an obscure message. If the references are weak, VersionCheck.cpp
// gets to say what is wrong.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_CORE_WEAKDATA_H
#define GMPROF_PASS_CORE_WEAKDATA_H

asm(".weak _ZN4llvm9DbgMarker14EmptyDbgMarkerE\n"  // llvm::DbgMarker::EmptyDbgMarker
    ".weak _ZTVN4llvm21SimpleCaptureAnalysisE\n"); // vtable for llvm::SimpleCaptureAnalysis

#endif // GMPROF_PASS_CORE_WEAKDATA_H
