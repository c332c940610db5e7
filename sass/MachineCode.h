//===- MachineCode.h - Memory instructions of cubins ------------*- C++ -*-===//
//
// Part of the GMProf project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ptxas joins, splits and removes accesses, so only the cubin tells which memory instructions a
// kernel executes, and how wide they are. README.md lists the encodings.
//
//===----------------------------------------------------------------------===//

#ifndef GMPROF_SASS_MACHINECODE_H
#define GMPROF_SASS_MACHINECODE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gmprof::sass {

enum class MemorySpace : uint8_t {
  Generic,
  Global,
  Shared,
  DistributedShared, ///< shared memory of another block of the cluster
  Local,
  Constant,
  Texture,
  Surface,
};

enum class MemoryOperation : uint8_t {
  Load,
  Store,
  Atomic,    ///< returns the old value
  Reduction, ///< an atomic that returns nothing
  AsyncCopy, ///< LDGSTS, cp.async: from global to shared memory
  MatrixLoad,
  MatrixStore,
  MatrixMultiply, ///< wgmma with operands in shared memory
  BulkCopy,       ///< cp.async.bulk, by one thread
  BulkReduction,
  BulkPrefetch,
  Barrier,      ///< an operation on an mbarrier
  CacheControl, ///< prefetches, invalidates or writes back
};

/// Decides which lanes execute an instruction.
enum class Guard : uint8_t {
  Always,    ///< all lanes that are active in its block
  Predicate, ///< those whose predicate holds
  Never,     ///< @!PT, which ptxas inserts as padding
};

/// The order and scope of an access to global or generic memory.
enum class MemoryOrder : uint8_t {
  Weak,
  Constant, ///< ld.global.nc
  StrongBlock,
  StrongGpu,
  StrongSystem,
  Mmio,
};

/// How long a line that the access allocates in L1 stays there.
enum class Eviction : uint8_t { Normal, First, Last, LastUse, Unchanged, NoAllocate };

/// An address Register * Scale + Uniform + Offset.
struct MemoryAddress {
  std::optional<uint8_t> Register; ///< of each lane; the lower one of a 64-bit address
  std::optional<uint8_t> Uniform;  ///< of the warp
  uint8_t Scale = 1;
  int32_t Offset = 0; ///< in bytes

  bool operator==(const MemoryAddress &) const = default;
};

/// A source line, or the line of a call that was inlined.
struct SourcePlace {
  uint32_t File = 0; ///< index of MachineCode::Files
  uint32_t Line = 0;

  bool operator==(const SourcePlace &) const = default;
};

struct MemoryInstruction {
  uint32_t Offset = 0;  ///< bytes from the first instruction of the function's section
  uint32_t Block = 0;   ///< index of Function::Blocks
  std::string Mnemonic; ///< with modifiers, as nvdisasm prints it (README.md says which differ)
  MemorySpace Space = MemorySpace::Generic;
  MemoryOperation Operation = MemoryOperation::Load;
  Guard Executes = Guard::Always;
  /// Bytes per lane. 0 if the instruction does not state them: bulk copies, cache control,
  /// MatrixMultiply.
  uint32_t Bytes = 0;
  /// The address in Space; of AsyncCopy, the address of the source. Empty for textures, surfaces,
  /// bulk copies and descriptors.
  MemoryAddress Address;
  MemoryAddress Destination; ///< in shared memory, of AsyncCopy
  MemoryOrder Order = MemoryOrder::Weak;
  Eviction InL1 = Eviction::Normal;
  uint16_t PrefetchBytes = 0; ///< granularity of prefetching into L2 (LTC128B); 0: not stated
  bool Bypasses = false;      ///< AsyncCopy that skips L1 (cp.async.cg)
  /// The line, then the calls that it was inlined through, innermost first. Empty if the cubin has
  /// no line of the instruction. ptxas states a place only where the line changes: the calls of a
  /// function that was inlined several times may be those of another of its copies.
  std::vector<SourcePlace> Places;
  /// Line of the PTX instruction that it implements, exact; 0: not known. One that implements
  /// several has the line of one of them.
  uint32_t PtxLine = 0;

  /// Returns whether a load never hits in L1.
  bool bypassesL1() const {
    return Bypasses || Order == MemoryOrder::StrongGpu || Order == MemoryOrder::StrongSystem ||
           Order == MemoryOrder::Mmio;
  }
};

/// A kernel, or a device function that was not inlined.
struct Function {
  std::string Name; ///< mangled
  /// The kernel, by its mangled name: Name itself, or the kernel that has a copy of the function in
  /// its section. Empty for a function that the linker combines with kernels.
  std::string Kernel;
  uint32_t Offset = 0;     ///< of the first instruction, in bytes from the section's first one
  uint32_t Bytes = 0;      ///< of its instructions
  uint32_t FrameBytes = 0; ///< local memory of a thread: arrays, saved registers and spills
  /// Offsets of the first instructions of its basic blocks, ascending. The lanes of a warp that
  /// execute one instruction of a block execute all, apart from predicates. A call ends a block.
  std::vector<uint32_t> Blocks;
  std::vector<MemoryInstruction> Instructions; ///< ascending by Offset
  /// Opcodes (bits 0 to 11) that the reader does not know and that may access memory, and how often
  /// each occurs.
  std::map<uint16_t, uint32_t> UnknownOpcodes;

  bool isKernel() const { return !Kernel.empty() && Kernel == Name; }
};

struct MachineCode {
  unsigned Architecture = 0; ///< 90 for sm_90
  bool HasLines = false;     ///< whether the cubin has a line table
  std::vector<std::string> Files;
  std::vector<Function> Functions; ///< by section, then by offset
};

/// Reads a cubin of sm_70 or newer. An error says what is malformed, or names the architecture if
/// its encoding is not known.
llvm::Expected<MachineCode> readMachineCode(llvm::StringRef Cubin);

} // namespace gmprof::sass

#endif // GMPROF_SASS_MACHINECODE_H
