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
  std::string Symbol;        ///< of a variable of the module, mangled; else empty
  /// The kernel parameter that holds the pointer to the memory, or -1; and where in
  /// it, if the parameter is a struct.
  int Parameter = -1;
  uint64_t ParameterOffset = 0;
};

/// Whether a variable is a table that the compiler made, of a local array's initial
/// values, or one of libdevice's, for sin and the like: no object that the program knows.
bool isTableOfCompiler(const Variable &V);

/// A yes or a no that says why it is a no.
struct Fact {
  bool Holds = false;
  const char *Why = ""; ///< static string; empty when it holds
  explicit operator bool() const { return Holds; }
};

/// Address and count known at compile time: every thread of every block accesses
/// Access::Bytes bytes at Offset of the variable, Count times.
struct StaticCount {
  uint64_t Offset = 0; ///< bytes from the start of the variable
  unsigned Count = 0;  ///< executions by every thread of the block
};

/// An access by the threads of a warp together (wmma.load, wmma.store): each
/// warp accesses `Rows` rows of `RowBytes` bytes, row r at
/// Pointer + r * Stride * StrideUnit. All its lanes pass the same operands.
struct WarpTile {
  unsigned Rows = 0, RowBytes = 0;
  llvm::Value *Stride = nullptr; ///< null: rows are packed
  unsigned StrideUnit = 0;       ///< bytes
};

/// Whether it reads and writes in one.
inline bool isAtomic(GmprofAccessKind Kind) {
  return Kind == GMPROF_ACCESS_ATOMIC || Kind == GMPROF_ACCESS_BARRIER;
}
/// What each access of the kind does; of GMPROF_ACCESS_MATRIX the instruction says it.
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
  /// The address, an operand of Inst. Its type is a pointer of any address
  /// space or, in inline assembly, possibly an integer that holds an address in
  /// Space (32 or 64 bits).
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
  /// Of a bulk copy (cp.async.bulk): the thread has a unit of the SM make it, past L1, and
  /// addresses and bytes are multiples of 16.
  bool IsBulk = false;
  /// Predicate of the access itself (cp.async under @p or with ignore-src …),
  /// an integer, or null. The access happens if it is not 0 (PredicateInverted:
  /// if it is 0).
  llvm::Value *Predicate = nullptr;
  bool PredicateInverted = false;
  /// Only lanes below this number access memory at their Pointer, though the
  /// whole warp executes the instruction (ldmatrix.x1: 8, .x2: 16).
  unsigned Lanes = 32;
  std::optional<WarpTile> Tile;
  int Variable = -1; ///< index into AccessInfo::variables(), -1 if unknown

  /// The same address (and length) for every thread of the block, whenever they
  /// execute it in the same iterations of the loops around it. Threads that are
  /// at different iterations may have different addresses: that cannot happen
  /// where UniformExecution holds as well, as far as sums are concerned.
  Fact ThreadInvariantAddress;
  /// Every thread of the block executes it equally often: control flow up to it
  /// is the same for all threads and no thread can have left before. Never holds
  /// in a device function, whose callers are not looked at, nor for accesses by
  /// some lanes only (Lanes, Tile). Paths that end in a trap or a failed
  /// assertion do not count: the kernel is lost there.
  Fact UniformExecution;
  /// The loops, from the innermost outwards, that satisfy both conditions of
  /// the paper: the address does not change in the loop and the access executes
  /// once in every iteration. A contiguous run that starts at the innermost.
  ///
  /// In precise terms, for each loop L of the run:
  /// * L has a preheader and one latch (run LoopSimplify first). Exits are arbitrary, also out of a
  ///   nested loop of the run. No call in L can end the thread.
  /// * Pointer, Length and Predicate are defined outside L, or their SCEV is
  ///   invariant in L and SCEVExpander can expand it in L's preheader.
  /// * For the innermost loop, Inst's block dominates the latch. So in one run
  ///   of the loop Inst executes once for each time the back edge is taken, and
  ///   once more if the loop is left by an edge whose source the block dominates
  ///   (see executesInLastIteration). Hence backedge-taken count + 1 times in a
  ///   rotated loop, and backedge-taken count times in a body whose loop exits
  ///   at the header.
  /// * For each further loop, the header of the loop inside it dominates the
  ///   latch: the inner loop runs once in every iteration, in the same sense,
  ///   and the executions of its runs add up.
  llvm::SmallVector<const llvm::Loop *, 2> InvariantLoops;
  /// Why the next loop outwards is not in the list (empty if there is none).
  const char *LoopReason = "";
  std::optional<StaticCount> Static;
  const char *StaticReason = ""; ///< why there is no static count
};

/// A texture fetch, or a load or store through a surface. These address no memory
/// linearly: what they access is known from their handle, by who made that.
struct TextureAccess {
  llvm::Instruction *Inst = nullptr;
  llvm::Value *Handle = nullptr; ///< null: cannot be read
  bool Writes = false;
  /// Index into AccessInfo::variables() of the parameter that holds the handle, -1 if
  /// unknown.
  int Variable = -1;
};

/// An instruction, an access or not, after which L1 has nothing still (Fences.h).
struct Fence {
  llvm::Instruction *Inst = nullptr;
  bool OnlyInClusters = false; ///< of several blocks
};

/// Why neither a closed form nor a sweep can describe A, whatever its address, or
/// null.
const char *whyNotPlain(const Access &A);

/// Whether an access in block BB, or a loop whose header is BB, that executes in
/// every iteration of L has executed when L is left from block Exiting.
bool executesInLastIteration(const llvm::BasicBlock *BB, const llvm::BasicBlock *Exiting,
                             const llvm::DominatorTree &DT);

/// A call in the source.
struct SourceCall {
  std::string File, Function; ///< Function: that is called
  unsigned Line = 0, Column = 0;
};
/// Where an instruction is in the source. File and Function are those of the
/// line itself, also where the function was inlined; but code that was inlined
/// from the CUDA toolkit's headers is where it was called.
struct SourceLocation {
  std::string File, Directory, Function;
  unsigned Line = 0, Column = 0; ///< 0: unknown
  /// The calls that were inlined, from that of Function outwards.
  std::vector<SourceCall> InlinedAt;
};
SourceLocation sourceLocation(const llvm::Instruction &I);

class AccessInfo {
public:
  llvm::ArrayRef<Access> accesses() const { return Accesses; }
  llvm::ArrayRef<Variable> variables() const { return Variables; }
  /// Calls of code that cannot be followed (indirect, external, inline asm that
  /// touches memory in unknown ways), and accesses that cannot be described as
  /// an Access (tensor copies …), each with the reason. Calls of device functions
  /// that are defined in the module are not among them: analyse those.
  llvm::ArrayRef<std::pair<llvm::Instruction *, const char *>> opaqueCalls() const {
    return OpaqueCalls;
  }
  void print(llvm::raw_ostream &OS, const llvm::Function &F) const;
  void printVariables(llvm::raw_ostream &OS, const llvm::Function &F) const;

  std::vector<Access> Accesses; ///< in program order (reverse post-order)
  std::vector<TextureAccess> Textures;
  std::vector<Fence> Fences;
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

/// print<gm-variables>: the variables that a function's accesses go to.
class VariablePrinterPass : public llvm::PassInfoMixin<VariablePrinterPass> {
  llvm::raw_ostream &OS;

public:
  explicit VariablePrinterPass(llvm::raw_ostream &OS) : OS(OS) {}
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
  static bool isRequired() { return true; }
};

} // namespace gmprof

#endif // GMPROF_STATIC_ANALYSIS_ACCESSES_H
