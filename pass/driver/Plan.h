//===- Plan.h - The clang++ commands of one gmprof-clang++ run --*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Translates a command line to clang++ commands. One command suffices, unless several source files,
// one of them CUDA, are compiled together: the plugin hands the device bitcode of each CUDA source
// from its device to its host compilation through a file, so each source is compiled by its own
// command, and a last one links.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_DRIVER_PLAN_H
#define GMPROF_DRIVER_PLAN_H

#include "Flags.h"
#include "Toolchain.h"

namespace gmprof::driver {

using Command = std::vector<std::string>;

/// Returns true if some command generates device code, so that architectures matter.
bool generatesDeviceCode(const CommandLine &Line);

/// Archs are those resolved. Temporary files go to TemporaryDirectory. Adds to
/// Line.Errors where the command line makes no sense.
std::vector<Command> planCommands(CommandLine &Line, const Toolchain &Tools,
                                  const std::vector<std::string> &Archs,
                                  const std::string &TemporaryDirectory);

} // namespace gmprof::driver

#endif // GMPROF_DRIVER_PLAN_H
