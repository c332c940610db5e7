//===- Accesses.h - Every memory access of a device function ----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What static analysis knows of each memory access of a device function:
// address space, size, variable, and the invariances of GMProf (CCGrid'12,
// Section IV.A). Reads IR, never changes it.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_STATIC_ANALYSIS_ACCESSES_H
#define GMPROF_STATIC_ANALYSIS_ACCESSES_H

#include "gmprof/abi.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/PassManager.h"
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class Loop;
class SCEV;
class raw_ostream;
} // namespace llvm

namespace gmprof {

/// A memory object that the source names.
struct Variable {
  /// The global variable, argument or alloca that the memory belongs to.
  const llvm::Value *Base = nullptr;
  std::string Name; ///< as in the source: tile, Outer::buffer
  std::string Type; ///< C++ type from debug info, empty if unknown
  std::string File;
  unsigned Line = 0; ///< 0: unknown
  GmprofVariableKind Kind = GMPROF_VARIABLE_PARAMETER;
  unsigned ElementBytes = 0; ///< innermost array element or scalar
  uint64_t Bytes = 0;        ///< 0 if dynamic or unknown
};

/// A yes or a no that says why it is a no.
struct Fact {
  bool Holds = false;
  const char *Why = ""; ///< static string; empty when it holds
  explicit operator bool() const { return Holds; }
};

/// Address and count known at compile time.
struct StaticCount {
  uint64_t Offset = 0; ///< bytes from the start of the variable
  unsigned Count = 0;  ///< executions by every thread of the block
};

struct Access {
  llvm::Instruction *Inst = nullptr;
  llvm::Value *Pointer = nullptr;
  GmprofAccessKind Kind = GMPROF_ACCESS_LOAD;
  GmprofSpace Space = GMPROF_SPACE_GENERIC;
  bool Reads = false, Writes = false;
  /// Bytes per thread and execution; 0 when only known at run time, then
  /// Length is its value.
  unsigned Bytes = 0;
  llvm::Value *Length = nullptr;
  /// Predicate of the access itself (cp.async with ignore-src …), or null.
  llvm::Value *Predicate = nullptr;
  int Variable = -1; ///< index into AccessInfo::variables(), -1 if unknown

  /// The same address for every thread of the block, whenever they execute it
  /// in the same iteration.
  Fact ThreadInvariantAddress;
  /// Every thread of the block executes it equally often: control flow up to it
  /// is the same for all threads and no thread can have left before.
  Fact UniformExecution;
  /// The loops, from the innermost outwards, that satisfy both conditions of
  /// the paper: the address does not change in the loop and the access executes
  /// once in every iteration. A contiguous run that starts at the innermost.
  llvm::SmallVector<const llvm::Loop *, 2> InvariantLoops;
  /// Why the next loop outwards is not in the list (empty if there is none).
  const char *LoopReason = "";
  std::optional<StaticCount> Static;
  const char *StaticReason = ""; ///< why there is no static count
};

class AccessInfo {
public:
  llvm::ArrayRef<Access> accesses() const { return Accesses; }
  llvm::ArrayRef<Variable> variables() const { return Variables; }
  /// Calls of code that cannot be followed (indirect, external, inline asm that
  /// touches memory in unknown ways).
  llvm::ArrayRef<std::pair<llvm::Instruction *, const char *>> opaqueCalls() const {
    return OpaqueCalls;
  }
  void print(llvm::raw_ostream &OS, const llvm::Function &F) const;

  std::vector<Access> Accesses; ///< in program order (reverse post-order)
  std::vector<Variable> Variables;
  std::vector<std::pair<llvm::Instruction *, const char *>> OpaqueCalls;
};

/// FunctionAnalysis; registered by the plugin (see registerAnalyses).
class AccessAnalysis : public llvm::AnalysisInfoMixin<AccessAnalysis> {
  friend llvm::AnalysisInfoMixin<AccessAnalysis>;
  static llvm::AnalysisKey Key;

public:
  using Result = AccessInfo;
  Result run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};

/// print<gm-accesses>: one line per access, for tests and the curious.
class AccessPrinterPass : public llvm::PassInfoMixin<AccessPrinterPass> {
  llvm::raw_ostream &OS;

public:
  explicit AccessPrinterPass(llvm::raw_ostream &OS) : OS(OS) {}
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
  static bool isRequired() { return true; }
};

} // namespace gmprof

#endif // GMPROF_STATIC_ANALYSIS_ACCESSES_H
