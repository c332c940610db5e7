//===- Accesses.h - Every memory access of a device function ----*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Static knowledge about each memory access of a device function: address space, size, variable,
// and the invariances of GMProf (CCGrid'12, Section IV.A). Reads IR, never changes it.
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
class BasicBlock;
class DominatorTree;
class Instruction;
class Loop;
class Value;
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
  std::string Symbol;        ///< mangled name of a module variable; else empty
  /// Index of the kernel parameter that holds the pointer to the memory, or -1; and the offset of
  /// the pointer in a parameter that is a struct.
  int Parameter = -1;
  uint64_t ParameterOffset = 0;
};

/// Returns true if the variable is a table made by the compiler (initial values of a local array)
/// or by libdevice (sin and similar): the program does not know it as an object.
bool isTableOfCompiler(const Variable &V);

/// A boolean that carries the reason if it is false.
struct Fact {
  bool Holds = false;
  const char *Why = ""; ///< static string; empty if it holds
  explicit operator bool() const { return Holds; }
};

/// Address and count known at compile time: every thread of every block accesses Access::Bytes
/// bytes at Offset of the variable, Count times.
struct StaticCount {
  uint64_t Offset = 0; ///< bytes from the start of the variable
  unsigned Count = 0;  ///< executions by every thread of the block
};

/// How the lanes of a warp share a tile's rows in the requests that access it: Lanes neighbours
/// access Bytes each, side by side in one row, and the next ones do so RowStep rows further.
struct TileLanes {
  unsigned Lanes = 1, Bytes = 16, RowStep = 1;

  bool operator==(const TileLanes &) const = default;
};

/// A warp-wide access (wmma.load, wmma.store): the warp accesses `Rows` rows of `RowBytes` bytes,
/// row r at Pointer + r * Stride * StrideUnit. All lanes pass the same operands.
struct WarpTile {
  unsigned Rows = 0, RowBytes = 0;
  llvm::Value *Stride = nullptr; ///< null: rows are packed
  unsigned StrideUnit = 0;       ///< in bytes
  TileLanes InGlobal, InShared;

  const TileLanes &lanes(bool IsShared) const { return IsShared ? InShared : InGlobal; }
};

/// Returns true if an access of this kind both reads and writes.
inline bool isAtomic(GmprofAccessKind Kind) {
  return Kind == GMPROF_ACCESS_ATOMIC || Kind == GMPROF_ACCESS_BARRIER;
}
/// Returns true for kinds that always read; GMPROF_ACCESS_MATRIX depends on the instruction.
inline bool readsMemory(GmprofAccessKind Kind) {
  return isAtomic(Kind) || Kind == GMPROF_ACCESS_LOAD || Kind == GMPROF_ACCESS_COPY_FROM ||
         Kind == GMPROF_ACCESS_ASYNC_FROM;
}
inline bool writesMemory(GmprofAccessKind Kind) {
  return isAtomic(Kind) || Kind == GMPROF_ACCESS_STORE || Kind == GMPROF_ACCESS_COPY_TO ||
         Kind == GMPROF_ACCESS_ASYNC_TO;
}

struct Access {
  llvm::Instruction *Inst = nullptr;
  /// The address, an operand of Inst: a pointer of any address space or, in inline assembly,
  /// possibly an integer (32 or 64 bits) that holds an address in Space.
  llvm::Value *Pointer = nullptr;
  int64_t Displacement = 0; ///< bytes to add to Pointer ([reg+imm] in assembly)
  GmprofAccessKind Kind = GMPROF_ACCESS_LOAD;
  GmprofSpace Space = GMPROF_SPACE_GENERIC;
  bool Reads = false, Writes = false;
  /// An atomic that only accumulates: its operation is commutative and associative, and its result
  /// is unused.
  bool Reduction = false;
  /// Bytes per thread and execution; 0 when only known at run time, then
  /// Length is its value (an integer of any width).
  unsigned Bytes = 0;
  llvm::Value *Length = nullptr;
  /// True for bulk copies (cp.async.bulk), which a unit of the SM executes for the thread,
  /// bypassing L1; their addresses and sizes are multiples of 16.
  bool IsBulk = false;
  /// Predicate of the access itself (cp.async under @p or with ignore-src …), an integer, or null.
  /// The access happens if it is not 0 (PredicateInverted: if it is 0).
  llvm::Value *Predicate = nullptr;
  bool PredicateInverted = false;
  /// Number of lanes that access memory at their Pointer, from lane 0 on, although the whole warp
  /// executes the instruction (ldmatrix.x1: 8, .x2: 16).
  unsigned Lanes = 32;
  std::optional<WarpTile> Tile;
  int Variable = -1; ///< index into AccessInfo::variables(); -1: unknown

  /// Holds if the address (and length) is the same for every thread of the block, provided that
  /// they execute it in the same iterations of the surrounding loops. Threads in different
  /// iterations may have different addresses; for sums of counts, this cannot happen if
  /// UniformExecution holds too.
  Fact ThreadInvariantAddress;
  /// Holds if every thread of the block executes the access equally often: control flow up to it is
  /// the same for all threads, and no thread can have left earlier. Never holds in a device
  /// function, whose callers are not analysed, nor for accesses of some lanes only (Lanes, Tile).
  /// Paths to a trap or failed assertion are ignored, since they end the kernel.
  Fact UniformExecution;
  /// The loops, from the innermost outwards, that satisfy both conditions of the paper: the address
  /// does not change in the loop, and the access executes once per iteration. Starts at the
  /// innermost loop and has no gaps.
  ///
  /// Precisely, for each loop L of the list:
  /// * L has a preheader and one latch (LoopSimplify has to run first). Exits are arbitrary,
  ///   including exits from a nested loop of the list. No call in L can end the thread.
  /// * Pointer, Length and Predicate are defined outside L, or their SCEV is invariant in L and
  ///   SCEVExpander can expand it in L's preheader.
  /// * For the innermost loop, Inst's block dominates the latch. So in one run of the loop, Inst
  ///   executes once per taken back edge, and once more if the loop is left by an edge whose source
  ///   the block dominates (executesInLastIteration): backedge-taken count + 1 times in a rotated
  ///   loop, and backedge-taken count times in the body of a loop that exits at its header.
  /// * For each further loop, the header of the loop inside it dominates the latch: the inner loop
  ///   runs once per iteration, in the same sense, and the executions of its runs add up.
  llvm::SmallVector<const llvm::Loop *, 2> InvariantLoops;
  /// Why the next outer loop is not in the list; empty if there is none.
  const char *LoopReason = "";
  std::optional<StaticCount> Static;
  const char *StaticReason = ""; ///< why there is no static count
};

/// A texture fetch, or a surface load or store. Their memory is not linear; the creator of the
/// handle determines which memory it is.
struct TextureAccess {
  llvm::Instruction *Inst = nullptr;
  llvm::Value *Handle = nullptr; ///< null: it cannot be read
  bool Writes = false;
  /// Index into AccessInfo::variables() of the parameter that holds the handle; -1: unknown.
  int Variable = -1;
};

/// An instruction after which L1 holds no data (Fences.h). May also be an access.
struct Fence {
  llvm::Instruction *Inst = nullptr;
  bool OnlyInClusters = false; ///< true if it is one only in clusters of several blocks
};

/// Returns why neither a closed form nor a sweep can describe A whatever its address, or null.
const char *whyNotPlain(const Access &A);

/// Returns true if an access in block BB, or a loop with header BB, that executes in every
/// iteration of L has executed when L is left from block Exiting.
bool executesInLastIteration(const llvm::BasicBlock *BB, const llvm::BasicBlock *Exiting,
                             const llvm::DominatorTree &DT);

/// A call site in the source.
struct SourceCall {
  std::string File, Function; ///< Function: the callee
  unsigned Line = 0, Column = 0;
};
/// The source position of an instruction. File and Function belong to the line itself, also if it
/// was inlined; code from the CUDA toolkit's headers gets the position of its call site instead.
struct SourceLocation {
  std::string File, Directory, Function;
  unsigned Line = 0, Column = 0; ///< 0: unknown
  /// The inlined call sites, from that of Function outwards.
  std::vector<SourceCall> InlinedAt;
};
SourceLocation sourceLocation(const llvm::Instruction &I);

class AccessInfo {
public:
  llvm::ArrayRef<Access> accesses() const { return Accesses; }
  llvm::ArrayRef<Variable> variables() const { return Variables; }
  /// Calls of code that cannot be followed (indirect, external, inline assembly with unknown memory
  /// effects), and accesses that an Access cannot describe (tensor copies …), each with the reason.
  /// Excludes calls of device functions defined in the module, which are analysed separately.
  llvm::ArrayRef<std::pair<llvm::Instruction *, const char *>> opaqueCalls() const {
    return OpaqueCalls;
  }
  void print(llvm::raw_ostream &OS, const llvm::Function &F) const;
  void printVariables(llvm::raw_ostream &OS, const llvm::Function &F) const;

  std::vector<Access> Accesses; ///< in reverse post-order
  std::vector<TextureAccess> Textures;
  std::vector<Fence> Fences;
  std::vector<Variable> Variables;
  std::vector<std::pair<llvm::Instruction *, const char *>> OpaqueCalls;
};

/// Function analysis; registered by the plugin (see registerAnalyses).
class AccessAnalysis : public llvm::AnalysisInfoMixin<AccessAnalysis> {
  friend llvm::AnalysisInfoMixin<AccessAnalysis>;
  static llvm::AnalysisKey Key;

public:
  using Result = AccessInfo;
  Result run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
};

/// Implements print<gm-accesses>: one line per access.
class AccessPrinterPass : public llvm::PassInfoMixin<AccessPrinterPass> {
  llvm::raw_ostream &OS;

public:
  explicit AccessPrinterPass(llvm::raw_ostream &OS) : OS(OS) {}
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
  static bool isRequired() { return true; }
};

/// Implements print<gm-variables>: the variables that a function accesses.
class VariablePrinterPass : public llvm::PassInfoMixin<VariablePrinterPass> {
  llvm::raw_ostream &OS;

public:
  explicit VariablePrinterPass(llvm::raw_ostream &OS) : OS(OS) {}
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
  static bool isRequired() { return true; }
};

} // namespace gmprof

#endif // GMPROF_STATIC_ANALYSIS_ACCESSES_H
