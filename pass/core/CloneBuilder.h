//===- CloneBuilder.h - Interface of a profile's passes ---------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A profile instruments copies of kernels, its clones. Each profile implements CloneBuilder in a
// folder of its own, and defines there its Profile, which gmprof/profiles.def lists. The code in
// this folder calls the interface only.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PASS_CORE_CLONEBUILDER_H
#define GMPROF_PASS_CORE_CLONEBUILDER_H

#include "pass/core/Clone.h"
#include "pass/core/Descriptor.h"
#include "pass/core/DeviceFunctions.h"
#include "static-analysis/Accesses.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <optional>

namespace gmprof {

class DescriptorWriter;
class Instrumenter;
struct Options;

/// A kind of clone.
struct CloneKind {
  GmprofMode Mode;    ///< flag of GmprofKernelDesc::modes
  const char *Suffix; ///< appended to the kernel's name
  const char *Title;  ///< what the clone records
};

/// A profile that has clones.
struct Profile {
  const char *Name; ///< as -gm-profile names it
  llvm::ArrayRef<CloneKind> Kinds;
  /// Returns the error in the profile's options on the command line; null if there is none.
  llvm::Error (*CheckOptions)(const Options &O);
  std::unique_ptr<class CloneBuilder> (*Create)(Instrumenter &I, const Profile &P);
};

/// A kernel while its clones are made.
struct KernelState {
  llvm::Function &Kernel;
  llvm::SetVector<llvm::Function *> Reachable; ///< the kernel and the functions that it can call
  llvm::SetVector<llvm::GlobalVariable *> SharedVariables; ///< that Reachable names
  KernelDescription D;
};

/// Makes the clones of one profile, in one module.
class CloneBuilder {
public:
  CloneBuilder(Instrumenter &I, const Profile &P) : I(I), P(P) {}
  virtual ~CloneBuilder() = default;

  /// Returns whether -gm-profile asks for the profile.
  bool isSelected() const;

  /// \name What the profile records
  /// @{

  /// Returns whether clones record accesses of a memory space, or may have to.
  virtual bool counts(GmprofSpace Space) const = 0;
  /// Returns the fences of a function that clones record; by default none.
  virtual llvm::ArrayRef<Fence> fences(const AccessInfo &Info) const { return {}; }
  /// Returns whether a function needs a clone although it accesses no recorded memory.
  virtual bool needsClone(const llvm::Function &F) const { return false; }
  /// Returns whether clones call the clone of a function even if all pointers in the call point to
  /// memory that is not recorded.
  virtual bool followsAllCalls() const { return false; }
  /// Returns whether records name sites, so that functions of other translation units need
  /// descriptors.
  virtual bool recordsSites() const { return false; }
  /// Returns the number of clones per kernel that share the budget for inlined hooks.
  virtual unsigned inlineShares() const { return 0; }

  /// @}
  /// \name Kernels, in the order of the calls
  /// @{

  /// Prepares the module, before any kernel is cloned.
  virtual void beginModule() {}
  /// Makes and instruments the clones of a kernel, and sets its modes and flags.
  virtual void cloneKernel(KernelState &K) = 0;
  /// Adds to the description whatever belongs to no site. Runs after all builders have made their
  /// clones and their sites.
  virtual void describeKernel(KernelState &K) {}
  /// Adds entries and exits to the clones that cloneKernel has made.
  virtual void completeClones(KernelState &K) {}
  /// Removes the additions of beginModule from the module.
  virtual void endModule() {}

  /// @}
  /// \name What clones are made of
  /// @{

  /// Returns the struct that a kernel's clone takes as its last parameter, by value.
  virtual llvm::StructType *launchType(llvm::LLVMContext &Context) const = 0;
  /// Returns the types of the parameters that the clone of a device function has in addition.
  virtual llvm::SmallVector<llvm::Type *, 5> functionParameters(llvm::LLVMContext &Context,
                                                                const CloneKind &Kind) const = 0;
  /// Sets Clone::Launch and Clone::Counters from the parameters of a device function's clone.
  virtual void setFunctionParameters(Clone &C, llvm::ArrayRef<llvm::Value *> Parameters) const;
  /// Returns the arguments for these parameters at a call from C.
  virtual llvm::SmallVector<llvm::Value *, 5> functionArguments(const Clone &C) const;
  /// Returns the suffix of the clones of device functions. Translation units call each other's
  /// clones: the suffix contains everything that both must agree on.
  virtual std::string functionSuffix(const CloneKind &Kind) const { return P.Kinds.front().Suffix; }
  /// Returns the kinds of clones of functions that other translation units can call.
  virtual llvm::SmallVector<const CloneKind *, 2> kindsForOtherModules() const;
  /// Instruments the clone of a device function, which is simplified for the analyses.
  virtual void instrumentFunction(Clone C) = 0;
  /// Emits, in the fallback clone of a function that no translation unit instruments, the record
  /// that its accesses are not known. First is the first of functionParameters.
  virtual void emitNotFollowed(llvm::IRBuilder<> &B, llvm::Argument *First) const = 0;
  /// Emits whether the block runs the instrumented body; by default, each block does.
  virtual llvm::Value *emitBlockCondition(llvm::IRBuilder<> &B, const Clone &C) const {
    return B.getTrue();
  }
  /// Emits the code that a block executes before the instrumented body.
  virtual void emitEntry(llvm::IRBuilder<> &B, const Clone &C, const KernelState &K) const {}

  /// @}

  /// \name Descriptors, in the order of the calls
  /// @{

  /// Sets the profile's fields of the header.
  virtual void describeHeader(const KernelDescription &D, DescriptorWriter &W) const {}
  /// Sets the profile's fields of a site, Number of F.
  virtual void describeSite(const DescribedFunction &F, unsigned Number, GmprofSiteDesc &To,
                            DescriptorWriter &W) const {}
  /// Adds the profile's parts, also where they are empty, and sets its fields of variables.
  virtual void addParts(const KernelDescription &D, DescriptorWriter &W) const {}

  /// @}

  /// Finds the device functions that need clones, before the hooks are in the module.
  void findFunctions();
  const DeviceFunctions &functions() const { return *Functions; }
  const CloneKind &kind(GmprofMode Mode) const;
  /// Returns whether the kernel has a clone of the profile.
  bool hasClone(const KernelDescription &D) const;

protected:
  Instrumenter &I;
  const Profile &P;

private:
  std::optional<DeviceFunctions> Functions;
};

} // namespace gmprof

#endif // GMPROF_PASS_CORE_CLONEBUILDER_H
