//===- Descriptor.h - Kernel descriptors, decoded ---------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_PROFILE_MODEL_DESCRIPTOR_H
#define GMPROF_PROFILE_MODEL_DESCRIPTOR_H

#include "gmprof/abi/descriptor.h"
#include "profile/model/Run.h"
#include <cstdint>
#include <string>
#include <vector>

namespace gmprof::profile {

struct Variable {
  std::string Name, Type; ///< as in the source; Type is empty if unknown
  SourcePosition Source;
  GmprofVariableKind Kind = GMPROF_VARIABLE_SHARED;
  unsigned ElementBytes = 0; ///< 0: unknown
  uint64_t Bytes = 0;        ///< 0 for dynamic shared memory
  std::string Symbol = {};   ///< mangled name of a module variable; else empty
  uint32_t Parameter = None; ///< index of the kernel parameter that holds the pointer
  uint32_t ParameterOffset = 0;
  uint32_t Root = None; ///< index in GmprofGlobalLaunch::roots
};

struct Site {
  uint32_t Variable = None;
  SourcePosition Source;
  std::string Function;
  GmprofAccessKind Kind = GMPROF_ACCESS_LOAD;
  GmprofSpace Space = GMPROF_SPACE_GENERIC;
  unsigned Bytes = 0;        ///< 0: known at run time
  bool Reduction = false;    ///< see GmprofSiteDesc::reduction
  bool MachineWidth = false; ///< see GmprofSiteDesc::machineWidth
  GmprofRule Rule = GMPROF_RULE_NOT_COUNTED;
  std::string Reason;
  GmprofRule GlobalRule = GMPROF_RULE_NOT_COUNTED; ///< Rule and reason in the global clones
  std::string GlobalReason;
  uint32_t InlinedAt = None; ///< index in Descriptor::Inlines
  /// For sites in functions that are not inlined: see GmprofSiteDesc::functionSite.
  uint64_t Unit = 0;
  uint32_t FunctionSite = None;
};

/// An inlined call.
struct InlinedCall {
  std::string Function; ///< the inlined function
  SourcePosition Source;
  uint32_t Parent = None; ///< index of the inlined call that contains it, always lower
};

/// A statement that moves data between global and shared memory; see GmprofMoveDesc.
struct Move {
  GmprofMoveKind Kind = GMPROF_MOVE_BEGIN;
  uint32_t Shared = None, Global = None; ///< indices in Descriptor::Variables
  unsigned Bytes = 0;                    ///< moved by each thread; 0: known at run time
  SourcePosition Source;
  std::string Function;
  uint32_t InlinedAt = None; ///< index in Descriptor::Inlines
};

struct StaticCount {
  uint32_t Variable = None, Site = None;
  uint64_t Offset = 0;
  unsigned Bytes = 0, Count = 0;
};

/// Closed form of an access; see GmprofFormDesc.
struct Form {
  uint32_t Site = None, Variable = None;
  std::vector<int64_t> Words;
};

/// Closed form of an access in the heat profile; see GmprofHeatFormDesc.
struct HeatForm : Form {
  uint32_t ProgramLoops = 0; ///< mask of the loops that are loops of the program
  int64_t Offset = 0;
  unsigned Bytes = 0, PieceBytes = 0;

  /// Returns whether instructions of PieceBytes make the accesses of several iterations.
  bool joinsIterations() const { return PieceBytes > Bytes; }
  /// Instructions of an iteration that has any.
  unsigned pieces() const { return joinsIterations() ? 1 : Bytes / PieceBytes; }
};

/// A possible access of a launch to an object; see GmprofTouchDesc.
struct Touch {
  uint32_t Variable = None;
  unsigned Kinds = 0;
  GmprofTouchRule Rule = GMPROF_TOUCH_ALWAYS;
  unsigned Flag = 0;
};

/// Instructions of machine code that do the same at one place; see GmprofInstructionDesc.
struct CodeInstruction {
  GmprofInstructionKind Kind = GMPROF_INSTRUCTION_LOCAL_LOAD;
  uint32_t Variable = None;
  SourcePosition Source;
  std::string Function;
  uint32_t InlinedAt = None; ///< index in Descriptor::Inlines
  unsigned Bytes = 0;        ///< per lane; 0: not stated
  unsigned Count = 0;
  GmprofIndex Index = GMPROF_INDEX_UNKNOWN;
  int32_t LaneStride = 0; ///< see GmprofInstructionDesc::laneStride
};

/// Instructions of a kernel's machine code that access local, constant or texture memory.
struct MachineMemory {
  unsigned Architecture = 0; ///< 90: sm_90
  uint64_t FrameBytes = 0;   ///< local memory of a thread
  std::vector<CodeInstruction> Instructions;
};

/// Decoded kernel descriptor, which the pass adds to the device module.
struct Descriptor {
  std::string Name; ///< mangled
  SourcePosition Source;
  unsigned ParamCount = 0;
  unsigned Modes = 0, Flags = 0; ///< GMPROF_MODE_*, GMPROF_KERNEL_*
  GmprofLevel Level = GMPROF_LEVEL_BASIC;
  unsigned CounterBits = 0;
  unsigned Threshold = 0; ///< 0: none
  /// Level, counter size and threshold of the global clones, if Modes has GMPROF_MODE_GLOBAL.
  GmprofLevel GlobalLevel = GMPROF_LEVEL_BASIC;
  unsigned GlobalCounterBits = 0;
  unsigned GlobalThreshold = 0;
  std::string SkipReason;   ///< why the kernel is not profiled at all
  std::string SharedReason; ///< why no clone counts shared memory
  std::vector<Variable> Variables;
  std::vector<Site> Sites;
  std::vector<StaticCount> Statics;
  std::vector<Move> Moves;
  std::vector<uint32_t> RangeVariables; ///< indices of the variables whose live ranges are counted
  std::vector<Form> Forms;              ///< accesses of global memory
  std::vector<Form> SharedForms;        ///< accesses of shared memory
  std::vector<HeatForm> HeatForms;      ///< accesses of both
  std::vector<Touch> Touches;
  std::vector<Form> TouchForms; ///< Site is an index in Touches
  std::vector<InlinedCall> Inlines;
  std::vector<std::string> Callees; ///< device functions with descriptors that the kernel may call
};

} // namespace gmprof::profile

#endif // GMPROF_PROFILE_MODEL_DESCRIPTOR_H
