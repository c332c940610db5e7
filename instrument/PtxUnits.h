//===- PtxUnits.h - The PTX of linked translation units ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_INSTRUMENT_PTXUNITS_H
#define GMPROF_INSTRUMENT_PTXUNITS_H

#include "ptx/Select.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace gmprof::instrument {

/// Returns whether the driver defines a function that modules declare.
bool isProvidedByDriver(llvm::StringRef Function);

/// The PTX of one or several translation units, of which a kernel and what it needs become one
/// module, as the linker of device code does it. Units are parsed when they are needed.
class PtxUnits {
public:
  /// Bytes is the text of each unit, with null characters between them, and outlives the object.
  /// File names the module in errors.
  PtxUnits(llvm::StringRef Bytes, llvm::StringRef File);

  /// Returns the kernels of the units that define Wanted; of all units if none does, or if Wanted
  /// is empty.
  llvm::Expected<std::vector<llvm::StringRef>> kernels(llvm::StringRef Wanted);
  /// Selects a kernel, and the functions and variables of all units that it needs.
  llvm::Error select(llvm::StringRef Kernel);
  /// Returns the target that the kernel's unit states.
  llvm::StringRef architecture() const { return Chosen->Source->Target; }
  /// Returns the newest PTX version of the units that are needed.
  unsigned version() const;
  /// Returns what was selected, as one module.
  llvm::Expected<std::unique_ptr<llvm::Module>> lift(llvm::LLVMContext &Context);

private:
  struct Unit {
    llvm::StringRef Text;
    std::unique_ptr<ptx::Module> Source;       ///< null until it is parsed
    std::unique_ptr<ptx::Selection> Selection; ///< null if nothing is needed

    void add(llvm::StringRef Name);
  };

  llvm::Error parse(Unit &U) const;
  llvm::Expected<Unit *> definitionOf(llvm::StringRef Name);
  llvm::Error checkVariables(const Unit &U);

  const llvm::StringRef File;
  std::vector<Unit> Units;
  const Unit *Chosen = nullptr; ///< the unit of the kernel
};

} // namespace gmprof::instrument

#endif // GMPROF_INSTRUMENT_PTXUNITS_H
