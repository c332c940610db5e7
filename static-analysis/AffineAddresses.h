//===- AffineAddresses.h - Accesses whose addresses are known ahead -*- C++ -*--===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most accesses of dense kernels go to addresses that are a polynomial of what a
// launch is made of (thread and block index, dimensions, integer parameters) and
// of the iterations of the loops around them: tile[threadIdx.y + 8 * j][threadIdx.x].
// This goes beyond GMProf (CCGrid'12, IV.A), which stops at single addresses.
//
// Affine address. All threads of the block execute the access equally often
// (UniformExecution), and the loops around it run equally often for all of them.
// Then the words that one execution of the anchor block accesses follow from the
// launch, and only the number of these executions is left to count, once per
// block; or nothing at all, where each block executes the anchor exactly once.
//
// Sweep. An access executes once in every iteration of its innermost loop and
// goes on by a constant number of bytes each time. Start and trip count are known
// when a thread enters the loop, whatever they depend on, and whichever threads
// execute it. A dense sweep is two updates of a difference array.
//
// The address is read from its SCEV expression as a polynomial over the integers
// that is congruent to the expression modulo 2^(its width). Sums, products,
// truncations and recurrences keep that. An extension does so only if the
// polynomial's value lies in the range of the narrow type. Where the ranges of the
// unknowns prove that, nothing remains to be done; where it depends on the size of
// the grid or on parameters, it becomes a condition for whoever launches the
// kernel; otherwise the index may wrap around, and the address is not affine.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_STATIC_ANALYSIS_AFFINEADDRESSES_H
#define GMPROF_STATIC_ANALYSIS_AFFINEADDRESSES_H

#include "Accesses.h"
#include "LoopInvariance.h"
#include "StaticCounts.h"
#include "UniformExecution.h"
#include <map>

namespace llvm {
class SCEV;
} // namespace llvm

namespace gmprof {

/// A sum of integer coefficients times products of unknowns.
struct Polynomial {
  /// The sorted factors of a term: values of GmprofFactor. None: the constant.
  using Product = llvm::SmallVector<uint8_t, 4>;
  struct Shorter {
    bool operator()(const Product &A, const Product &B) const {
      return A.size() != B.size() ? A.size() < B.size() : A < B;
    }
  };
  std::map<Product, int64_t, Shorter> Terms; ///< no coefficient is 0

  bool isConstant() const {
    return Terms.empty() || (Terms.size() == 1 && Terms.begin()->first.empty());
  }
  int64_t constant() const;
  void print(llvm::raw_ostream &OS) const;
};

/// A loop that the access runs through with every execution of the anchor.
struct AffineLoop {
  const llvm::Loop *L = nullptr;
  /// Executions of the access, or of the loop inside, in one run of the loop; of
  /// parameters and dimensions only.
  Polynomial Trips;
};

/// What has to hold for all threads, blocks and iterations of a launch: Value lies
/// between Min and Max.
struct AffineCondition {
  Polynomial Value;
  int64_t Min = 0, Max = 0;
};

/// One execution of Anchor by a block accesses, for each of its threads and each
/// combination of iterations of Loops, Access::Bytes bytes at Address from the
/// start of the variable (modulo 2^64), if all Conditions hold.
struct AffineAddress {
  Polynomial Address;
  /// Innermost first. The iterations of Loops[K], from 0, are the unknown
  /// GMPROF_FACTOR_LOOP + K.
  llvm::SmallVector<AffineLoop, 2> Loops;
  llvm::SmallVector<AffineCondition, 0> Conditions;
  const llvm::BasicBlock *Anchor = nullptr;
  bool Once = false; ///< every block executes Anchor exactly once
};

/// One run of L accesses Access::Bytes bytes at Start + I * Stride for each I from
/// 0 to the trip count - 1, with the address modulo 2^64. Start and BackedgesTaken
/// can be expanded in the preheader of L. BackedgesTaken is unsigned; extend it
/// before 1 is added.
struct Sweep {
  const llvm::Loop *L = nullptr;
  const llvm::SCEV *Start = nullptr;
  int64_t Stride = 0; ///< bytes, not 0
  const llvm::SCEV *BackedgesTaken = nullptr;
  /// The trip count is BackedgesTaken + 1, else BackedgesTaken.
  bool ExecutesInLastIteration = false;
};

class AffineAddresses {
public:
  AffineAddresses(llvm::Function &F, const llvm::LoopInfo &LI, const llvm::CycleInfo &CI,
                  const llvm::DominatorTree &DT, llvm::ScalarEvolution &SE);

  /// The affine address of A, or nullopt, and Why says what stands against it.
  std::optional<AffineAddress> affineAddress(const Access &A, llvm::ArrayRef<Variable> Variables,
                                             const char *&Why) const;
  std::optional<Sweep> sweep(const Access &A, const char *&Why) const;

private:
  const llvm::LoopInfo &LI;
  const llvm::DominatorTree &DT;
  llvm::ScalarEvolution &SE;
  ControlFlow Flow;
  LoopInvariance Loops;
  StaticCounts Counts;
  int64_t MaxThreads; ///< of a block of this kernel

  void findLoops(const llvm::BasicBlock &BB, AffineAddress &Result) const;
};

/// print<gm-affine>: for each access the rule that could take it, with what that
/// rule needs to know; and why none could.
class AffinePrinterPass : public llvm::PassInfoMixin<AffinePrinterPass> {
  llvm::raw_ostream &OS;

public:
  explicit AffinePrinterPass(llvm::raw_ostream &OS) : OS(OS) {}
  llvm::PreservedAnalyses run(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);
  static bool isRequired() { return true; }
};

} // namespace gmprof

#endif // GMPROF_STATIC_ANALYSIS_AFFINEADDRESSES_H
